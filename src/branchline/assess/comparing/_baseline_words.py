"""Words for a comparison whose baseline is recommended: why, and what the inputs tell after all.

Accuracy sees only which class is the most probable one. Where one class is frequent, inputs can
tell much about a row (its probability, its rank among others) without changing that. So "the inputs
tell nothing" is never said where a learner ranks rows better than chance.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from branchline._plain_numbers import count, joined, number, percent
from branchline.assess.comparing._more_time import enough_seconds
from branchline.assess.comparing._recommend import DOUBT, ends_words
from branchline.errors import ParameterError

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = ["nothing_learned", "ranks_words"]

# With a smaller part of the test sets, what is not shown yet may be shown by the others.
_ENOUGH_FOLDS = 0.8
# The auc of ranks by chance. In tiny tables folds may agree by luck; the interval knows.
_CHANCE = 0.5
# Warnings of what may hide all that the inputs tell.
_HIDING = ("W010", "W012", "W013", "W036")


def ranks_words(comparison: "Comparison", name: Callable[[str], str] = str) -> str:
    """Say which learner ranks rows best, where that is better than chance; else nothing."""
    best = _best_of_ranks(comparison)
    if best is None:
        return ""
    metric = comparison.plan.metric
    others = [one for one in ("log_loss", "auc") if one != metric]
    flags = joined([f"--metric {one}" for one in others], last="or")
    return (
        f"The inputs do tell something about the target, although {metric} does not show it: "
        f"{name(best)} ranks rows better than chance (auc "
        f"{ends_words(comparison.score(best, 'auc'))}). To use that, choose by probabilities or by "
        f"ranks: {flags}."
    )


def _best_of_ranks(comparison: "Comparison") -> str | None:
    """Return the learner with the best ranks, where luck among many learners is no reason."""
    baseline, n_tried = comparison.plan.baseline, max(1, len(comparison.labels) - 1)
    if comparison.plan.task != "classification" or comparison.plan.metric == "auc":
        return None
    proven = []
    for label in comparison.labels:
        if label == baseline or baseline not in comparison.labels:
            continue
        try:
            found = comparison.difference(label, baseline, "auc")
        except ParameterError:  # no probabilities, or too few test sets
            continue
        auc = comparison.score(label, "auc")
        is_certain = found.p_above >= 1 - DOUBT / n_tried and auc.low > _CHANCE
        if is_certain and found.mean.estimate > found.negligible:
            proven.append((auc.estimate, label))
    return max(proven)[1] if proven else None


def nothing_learned(comparison: "Comparison", baseline: "Standing") -> str:
    """Say that no learner was shown to be better than the baseline."""
    if len(comparison.standings) == 1 and comparison.unfinished:
        late = joined(list(comparison.unfinished))
        return (
            f"Nothing can be recommended: only the baseline ({baseline.learner}) finished a test "
            f"set in time. {late} did not, and may be better or not."
        )
    if comparison.n_compared_folds < _ENOUGH_FOLDS * len(comparison.splits):
        return _too_little_time(comparison, baseline)
    if comparison.standings[0].group != baseline.group:
        return _not_certain(comparison, baseline)
    told = (
        f"No learner is shown to be better than the baseline ({baseline.learner}: "
        f"{comparison.plan.metric} {ends_words(baseline.score)})"
    )
    if ranks_words(comparison):
        return f"{told}."
    if any(warning.code in _HIDING for warning in comparison.noticed):
        return f"{told}. What stands under “Check first” may be the reason."
    return (
        f"{told}: on these rows the inputs have not been shown to tell anything about the target."
    )


def _too_little_time(comparison: "Comparison", baseline: "Standing") -> str:
    """Say that there are too few test sets to tell, and how long all of them would take."""
    done, planned = comparison.n_compared_folds, len(comparison.splits)
    told = (
        f"There was too little time to tell: {done} of {planned} test sets "
        f"{'was' if done == 1 else 'were'} finished, which is too few to show that a learner is "
        f"better than the baseline ({baseline.learner}: {comparison.plan.metric} "
        f"{ends_words(baseline.score)})."
    )
    if comparison.plan.time_budget is None:
        return told
    return f"{told} About {number(enough_seconds(comparison))} s should be enough for all of them."


def _not_certain(comparison: "Comparison", baseline: "Standing") -> str:
    """Say that the best learner is not better than the baseline with enough certainty."""
    best, n_learners = comparison.standings[0], len(comparison.standings) - 1
    p_above = comparison.difference(best.learner, baseline.learner).p_above
    needed = 1 - DOUBT / n_learners
    return (
        f"{best.learner} scores best ({comparison.plan.metric} {ends_words(best.score)}), but it "
        f"is not certain enough that it is better than the baseline ({baseline.learner}: "
        f"{ends_words(baseline.score)}). The probability is {percent(p_above, decimals=1)}. With "
        f"{count(n_learners, 'learner')} it must be {percent(needed, decimals=1)}, because the "
        "best of many looks good by luck alone."
    )
