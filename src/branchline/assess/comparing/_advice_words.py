"""The recommendation in sentences, from the same numbers as the tables of a comparison.

Both the terminal and the report take their sentences from here; they differ in how they name
learners only (``name``: a label, or "the decision tree").
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from branchline._plain_numbers import count, joined, number, percent, probability
from branchline.assess._paired_tests import Difference
from branchline.assess.comparing._more_time import enough_seconds
from branchline.assess.comparing._recommend import (
    DOUBT,
    Recommendation,
    ends_words,
    is_as_hard_to_read,
    proven_learners,
)
from branchline.assess.comparing._tie_words import amount_words, beside_best, first_group

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = [
    "advice_sentence",
    "amount_words",
    "choice_words",
    "cost_words",
    "nothing_learned",
    "preference_words",
]

Name = Callable[[str], str]

_SURE = "95 %"
# With a smaller part of the test sets, what is not shown yet may be shown by the others.
_ENOUGH_FOLDS = 0.8
# Warnings of what may hide all that the inputs tell.
_HIDING = ("W010", "W012", "W013")
_TIED = "the {} learners that are statistically tied with the best"
_CLOSE = "the {} learners that show no difference to the best that matters"


def advice_sentence(comparison: "Comparison", advice: Recommendation) -> str:
    """Return what to take: its score, what it probably costs, and why it."""
    chosen = _standing(comparison, advice.learner)
    take = f"Take {advice.learner}: {comparison.plan.metric} {ends_words(chosen.score)}."
    parts = [take, cost_words(comparison, advice), choice_words(comparison, advice)]
    return " ".join(part for part in parts if part)


def cost_words(
    comparison: "Comparison", advice: Recommendation, name: Name = str, subject: str = "It"
) -> str:
    """Say what the learner probably costs against the best score; empty when it is the best."""
    best = comparison.standings[0]
    if advice.learner == best.learner:
        return ""
    against = advice.against_best
    which = f"{name(best.learner)}, which scores best ({_score(best)})"
    if against is None:
        return f"{subject} scores lower than {which}; there are too few test sets to say how much."
    if against.mean.estimate == 0:
        return f"{subject} scores the same as {which}."
    return (
        f"{subject} is probably {amount_words(comparison, -against.mean.estimate)} worse than "
        f"{which}; {_risk(comparison, against)}."
    )


def choice_words(
    comparison: "Comparison", advice: Recommendation, name: Name = str, subject: str = "It"
) -> str:
    """Say why this learner: what is tied with it, and what would be simpler."""
    others = [one for one in first_group(comparison) if one.learner != advice.learner]
    if not others:
        return f"Every other learner is worse, each with a probability of at least {_SURE}."
    if advice.learner != comparison.best:
        return _why_simpler(comparison, advice, subject)
    named = [(name(one.learner), one) for one in others]
    told = f"{subject} scores best{beside_best(comparison, named)}"
    passed = _passed_over(comparison, advice, name)
    if passed:
        return f"{told}. {passed}{_by_ranks(comparison, advice)}"
    easier = "easier to read" if _none_easier(comparison, advice) else "simpler"
    if len(proven_learners(comparison)) < len(advice.tied) and easier == "simpler":
        none = "No simpler learner is shown to beat the baseline."
        return f"{told}.{_by_ranks(comparison, advice) or ' ' + none}"
    return f"{subject} scores best{beside_best(comparison, named, easier)}."


def _by_ranks(comparison: "Comparison", advice: Recommendation) -> str:
    """Say why a learner is taken that is statistically tied with the baseline; else nothing."""
    baseline, metric = comparison.plan.baseline, comparison.plan.metric
    tied = any(one.learner == baseline and one.is_tied for one in first_group(comparison))
    if not tied or metric == "auc":
        return ""
    ranks = comparison.score(advice.learner, "auc")
    return (
        f" Its {metric} alone does not show that it beats the baseline, but it ranks rows better "
        f"than chance beyond doubt (auc {ends_words(ranks)}), so the inputs do tell something "
        "about the target."
    )


def _why_simpler(comparison: "Comparison", advice: Recommendation, subject: str) -> str:
    """Say that the chosen one is the simplest, and of which."""
    n_tied, n_proven = len(advice.tied), len(proven_learners(comparison))
    tied = _close_learners(comparison)
    if n_proven == 1:
        return f"Of {tied}, only {advice.learner} is shown to beat the baseline."
    if n_proven < n_tied:
        tied = f"{n_proven} that are shown to beat the baseline, of {tied}"
        tied = tied.replace(", of the", ", among the")
    if advice.passed_over:
        return f"{subject} is simpler; others of {tied} are simpler still, but probably cost more."
    if _none_easier(comparison, advice):
        return f"Of {tied}, none is easier to read."
    return f"{subject} is the {'simpler' if n_tied == 2 == n_proven else 'simplest'} of {tied}."


def _close_learners(comparison: "Comparison") -> str:
    """Return words for the best learner and those that show no difference to it that matters."""
    close = first_group(comparison)
    is_tied, two = all(one.is_tied for one in close), len(close) == 2
    if is_tied:
        return "two statistically tied learners" if two else _TIED.format(len(close))
    return "two learners without a difference that matters" if two else _CLOSE.format(len(close))


def _passed_over(comparison: "Comparison", advice: Recommendation, name: Name) -> str:
    """Say what the best of the simpler learners would cost."""
    if not advice.passed_over:
        return ""
    simpler = _standing(comparison, advice.passed_over[0])
    label, against = name(simpler.learner).removeprefix("the "), simpler.against_best
    if against is None:
        return f"The simpler {label} scores {_score(simpler)}."
    amount = amount_words(comparison, -against.mean.estimate)
    return f"The simpler {label} is probably {amount} worse; {_risk(comparison, against)}."


def _risk(comparison: "Comparison", against: Difference) -> str:
    margin = amount_words(comparison, against.negligible)
    return (
        f"the probability that it is worse by more than {margin} is {probability(against.p_lower)}"
    )


def _none_easier(comparison: "Comparison", advice: Recommendation) -> bool:
    """Whether another learner that could have been taken cannot be read either."""
    chosen = _standing(comparison, advice.learner)
    others = [one for one in proven_learners(comparison) if one.learner != advice.learner]
    return any(is_as_hard_to_read(comparison, chosen, other) for other in others)


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
        f"{best.learner} scores best ({comparison.plan.metric} {ends_words(best.score)}), but the "
        "more learners are tried, the luckier the best of them looks. With "
        f"{count(n_learners, 'learner')} it must be better than the baseline ({baseline.learner}: "
        f"{ends_words(baseline.score)}) with a probability of {percent(needed, decimals=1)}; here "
        f"it is {percent(p_above, decimals=1)}. More rows would settle it."
    )


def preference_words(prefer: str) -> str:
    """Say what a preference means."""
    return {
        "accuracy": "the best score",
        "balance": "the simplest model that is probably not worse than the best by more than "
        "what matters",
        "simplicity": "the simplest model that is not shown to be worse than the best by more "
        "than what matters",
    }[prefer]


def _score(standing: "Standing") -> str:
    return standing.score.texts()[0]


def _standing(comparison: "Comparison", label: str) -> "Standing":
    return next(one for one in comparison.standings if one.learner == label)
