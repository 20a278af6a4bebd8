"""The recommendation in sentences, from the same numbers as the tables of a comparison.

Both the terminal and the report take their sentences from here; they differ in how they name
learners only (``name``: a label, or "the decision tree").
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from branchline._plain_numbers import joined, number, probability
from branchline.assess._paired_tests import Difference
from branchline.assess.comparing._recommend import (
    Recommendation,
    ends_words,
    is_as_hard_to_read,
    proven_learners,
)

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = [
    "advice_sentence",
    "amount_words",
    "choice_words",
    "cost_words",
    "nothing_learnt",
    "preference_words",
]

Name = Callable[[str], str]

_SURE = "95 %"


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
    others = [label for label in advice.tied if label != advice.learner]
    if not others:
        return f"Every other learner is worse, each with a probability of at least {_SURE}."
    if advice.learner != comparison.best:
        return _why_simpler(comparison, advice, subject)
    told = f"{subject} scores best, and is statistically tied with "
    told += joined(sorted(name(label) for label in others), 4)
    passed = _passed_over(comparison, advice, name)
    if passed:
        return f"{told}. {passed}"
    which = "which is not" if len(others) == 1 else "none of which is"
    easier = "easier to read" if _none_easier(comparison, advice) else "simpler"
    if len(proven_learners(comparison)) < len(advice.tied) and easier == "simpler":
        return f"{told}; none that is shown to beat the baseline is simpler."
    return f"{told}, {which} {easier}."


def _why_simpler(comparison: "Comparison", advice: Recommendation, subject: str) -> str:
    """Say that the chosen one is the simplest, and of which."""
    n_tied, n_proven = len(advice.tied), len(proven_learners(comparison))
    tied = f"the {n_tied} learners that are statistically tied with the best"
    if n_tied == 2:
        tied = "two statistically tied learners"
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


def nothing_learnt(comparison: "Comparison", baseline: "Standing") -> str:
    """Say that no learner was shown to be better than the baseline."""
    if len(comparison.standings) == 1 and comparison.unfinished:
        late = joined(list(comparison.unfinished))
        return (
            f"Nothing can be recommended: only the baseline ({baseline.learner}) finished a test "
            f"set in time. {late} did not, and may be better or not."
        )
    n_folds = len(comparison.splits)
    if comparison.n_compared_folds < n_folds:
        return (
            f"Only {comparison.n_compared_folds} of {n_folds} test sets were finished: too few to "
            f"show that a learner is better than the baseline ({baseline.learner}: "
            f"{comparison.plan.metric} {ends_words(baseline.score)}). Allow more time."
        )
    best = comparison.standings[0]
    if best.group != baseline.group:
        return (
            f"{best.learner} scores best ({comparison.plan.metric} {ends_words(best.score)}), but "
            "the more learners are tried, the luckier the best of them looks. With "
            f"{len(comparison.standings) - 1} learners it is not certain enough that it is better "
            f"than the baseline ({baseline.learner}: {ends_words(baseline.score)})."
        )
    return (
        f"No learner is shown to be better than the baseline ({baseline.learner}: "
        f"{comparison.plan.metric} {ends_words(baseline.score)}): on these rows the inputs have "
        "not been shown to tell anything about the target."
    )


def preference_words(prefer: str) -> str:
    """Say what a preference means."""
    return {
        "accuracy": "the best score",
        "balance": "the simplest model that is probably not worse than the best by more than "
        "what matters",
        "simplicity": "the simplest model that is statistically tied with the best",
    }[prefer]


def amount_words(comparison: "Comparison", size: float) -> str:
    """Return a difference of scores: in points (hundredths) where scores go from 0 to 1."""
    metric = comparison.metric
    if metric.highest == 1.0 and metric.negligible is not None:
        points = float(f"{100 * size:.1f}") if size < 0.0995 else float(f"{100 * size:.0f}")
        if points == 0:
            return "less than 0.1 points"
        return f"{number(points)} {'point' if points == 1 else 'points'}"
    return f"{number(size, 3)} ({metric.name})"


def _score(standing: "Standing") -> str:
    return ends_words(standing.score).partition(" ")[0]


def _standing(comparison: "Comparison", label: str) -> "Standing":
    return next(one for one in comparison.standings if one.learner == label)
