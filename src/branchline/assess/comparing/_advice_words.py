"""The recommendation in sentences, from the same numbers as the tables of a comparison.

Both the terminal and the report take their sentences from here; they differ in how they name
learners only (``name``: a label, or "the decision tree").
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from branchline._plain_numbers import probability
from branchline.assess._paired_tests import Difference
from branchline.assess.comparing._recommend import (
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
    "preference_words",
]

Name = Callable[[str], str]

_SURE = "95 %"
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
