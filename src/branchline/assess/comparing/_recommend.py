"""Which learner to take: what the simpler of good models costs, and whether that is worth it.

1. Candidates are the learners of the first group: it is less than 95 % probable that the best beats
   them by more than what matters.
2. Of them those remain that are themselves shown to be better than the baseline: their score is
   better by more than what matters, and not by luck (the probability that they are better at all is
   1 − ``DOUBT`` / m or more, m being the learners tried; or ``SURE``, where a classifier ranks rows
   better than chance beyond doubt). When there is none, the baseline is
   recommended, and the sentence says why.
3. Of these, ``prefer`` decides. "accuracy": the best score. "simplicity": the simplest. "balance":
   the simplest of those for which the probability of being worse than the best by more than what
   matters is below 50 % (``LIKELY``).
4. Simplest is first by how well its kind can be read (``_READING``), then by how much there is to
   read, then by score. The size of models that are not read as a whole, such as forests, does
   not count.
The sentences are made of the same differences as the tables (``_advice_words``).
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from branchline import catalog
from branchline._intervals import Interval
from branchline._plain_numbers import interval
from branchline.assess._paired_tests import Difference
from branchline.errors import ParameterError

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison, Standing

__all__ = [
    "DOUBT",
    "LIKELY",
    "SURE",
    "Recommendation",
    "beats_baseline",
    "ends_words",
    "is_as_hard_to_read",
    "is_probably_worse",
    "proven_learners",
    "recommend",
]

# How probable a difference must be before it counts as one.
SURE = 0.95
# How probable it must be that a model is worse by more than what matters, before "balance" passes
# it over. How often each choice loses how much: ``benchmarks/reproductions/recommendations.py``.
LIKELY = 0.5
# How much doubt is left, over all learners, that one is better than the baseline. Learners that
# choose among many columns have scores that vary more than any interval knows: on 50 rows of 1 000
# columns of noise and 10 folds a doubt of 0.05 advised the baseline in 92 % of 250 tables, this one
# in 96 % (``benchmarks/reproductions/equal_learners.py``).
DOUBT = 0.015
# Or, where it is beyond doubt that a classifier ranks rows better than chance: then the inputs do
# tell something, and its own advantage needs no more than ``SURE``. On 200 other tables of noise
# both ways together advised the baseline in 98 %; with 0.001 here, of the first 120 in 96 %.
_DOUBT_OF_RANKS = 1e-6

# How much work it is to read a model of a family, from one sentence to nothing a person could read.
_READING = {
    "baseline": 0,
    "tree": 1,
    "linear": 2,
    "bayes": 3,
    "neighbors": 4,
    "svm": 5,
    "ensemble": 6,
    "forest": 6,
    "boosting": 6,
    "neural": 7,
}
_UNKNOWN_FAMILY = 8
# Models up to this much work are read by people; of others only parts, or importances.
_READABLE = _READING["bayes"]
# A tree with more leaves is not easier to read than a list of weights.
_READABLE_LEAVES = 32


@dataclass(frozen=True)
class Recommendation:
    """Which learner to take, and why.

    Parameters
    ----------
    learner
        Its label.
    tied
        The best learner and all that show no difference to it that matters.
    beats_baseline
        Whether it is shown to be better than the baseline: by more than what matters, and not by
        luck.
    prefer
        What was preferred: "accuracy", "balance" or "simplicity".
    against_best
        The difference to the best score (negative: this one is worse), as in the table of the
        comparison; None when it is the best itself.
    passed_over
        Simpler learners of that group that were not taken, the best score first.
    sentence
        The recommendation in words; what it probably costs comes first.
    settling
        How many rows or repeats would be needed to separate it from the best, in words; empty
        when it is the best. Where the baseline is recommended: to show that the best beats it.
    reading
        Which model that can be read comes closest, in words; empty when it can be read itself.
    rows_to_settle, repeats_to_settle
        About how many rows, or repeats, that would take (``_settling``); None where it is settled,
        or no such number can settle it.
    ranks
        Where the baseline is recommended: which learner ranks rows better than chance all the
        same, in words; empty where none does.

    See Also
    --------
    Comparison : the results of a plan.
    Standing : how one learner did.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> found = compare(load_dataset("iris"), "species", learners="tree,naive_bayes", n_folds=3)
    >>> len(found.recommendation.tied)
    2
    """

    learner: str
    tied: tuple[str, ...]
    beats_baseline: bool
    prefer: str = "balance"
    against_best: Difference | None = None
    passed_over: tuple[str, ...] = ()
    sentence: str = ""
    settling: str = ""
    reading: str = ""
    rows_to_settle: int | None = None
    repeats_to_settle: int | None = None
    ranks: str = ""

    def __str__(self) -> str:
        parts = (self.sentence, self.ranks, self.settling, self.reading)
        return " ".join(part for part in parts if part)


def recommend(comparison: "Comparison") -> Recommendation:
    """Return the recommendation of a comparison."""
    from branchline.assess.comparing._advice_words import advice_sentence
    from branchline.assess.comparing._baseline_words import nothing_learned, ranks_words
    from branchline.assess.comparing._settling import settling_baseline, settling_fields

    standings, prefer = comparison.standings, comparison.plan.prefer
    tied = tuple(standing.learner for standing in standings if standing.group == 1)
    proven = proven_learners(comparison)
    if not proven:
        baseline = next(one for one in standings if one.learner == comparison.plan.baseline)
        advice = Recommendation(baseline.learner, tied, False, prefer, baseline.against_best)
        return replace(
            advice,
            sentence=nothing_learned(comparison, baseline),
            ranks=ranks_words(comparison),
            **settling_baseline(comparison),
        )
    chosen = _choose(comparison, proven, prefer)
    simpler = tuple(
        one.learner for one in proven if _is_simpler(comparison, one, chosen) and one is not chosen
    )
    advice = Recommendation(chosen.learner, tied, True, prefer, chosen.against_best, simpler)
    return replace(
        advice,
        sentence=advice_sentence(comparison, advice),
        **settling_fields(comparison, chosen),
        reading="" if simpler else _what_can_be_read(comparison, chosen),
    )


def proven_learners(comparison: "Comparison") -> list["Standing"]:
    """Return those of the first group that are shown to beat the baseline, the best score first."""
    tied = [standing for standing in comparison.standings if standing.group == 1]
    baseline = comparison.plan.baseline
    if not any(standing.learner == baseline for standing in comparison.standings):
        return tied  # the baseline has no such score, as a constant has no correlation
    return [standing for standing in tied if beats_baseline(comparison, standing, baseline)]


def _choose(comparison: "Comparison", proven: list["Standing"], prefer: str) -> "Standing":
    if prefer == "accuracy":
        return proven[0]
    able = proven
    if prefer == "balance":
        able = [one for one in proven if not is_probably_worse(comparison, one)] or proven[:1]
    return min(able, key=lambda standing: _simplicity(comparison, standing))


def is_probably_worse(comparison: "Comparison", standing: "Standing") -> bool:
    """Whether a learner is more likely than not worse than the best by more than what matters."""
    if standing.learner == comparison.best:
        return False
    if standing.against_best is not None:
        return standing.against_best.p_lower > LIKELY
    best = comparison.standings[0].score.estimate  # too few test sets for probabilities
    return abs(best - standing.score.estimate) > comparison.negligible()


def _is_simpler(comparison: "Comparison", one: "Standing", other: "Standing") -> bool:
    """Whether reading one model is less work than reading another."""
    first, second = _simplicity(comparison, one), _simplicity(comparison, other)
    return first[:2] < second[:2]


def beats_baseline(comparison: "Comparison", standing: "Standing", baseline: str) -> bool:
    """Whether a learner is itself shown to be better than the baseline.

    The more learners are tried, the better the luckiest of them looks: the doubt that is allowed is
    divided among them (Bonferroni). A classifier that ranks rows better than chance beyond doubt
    (auc) has learned something for certain, so luck among many learners need not be feared.
    """
    if standing.learner == baseline:
        return False
    n_tried = max(1, len(comparison.labels) - 1)
    try:
        found = comparison.difference(standing.learner, baseline)
        if found.mean.estimate <= found.negligible or found.p_above < SURE:
            return False
        if found.p_above >= 1 - DOUBT / n_tried or comparison.plan.task != "classification":
            return found.p_above >= 1 - DOUBT / n_tried
        ranks = comparison.difference(standing.learner, baseline, "auc")
        return ranks.p_above >= 1 - _DOUBT_OF_RANKS / n_tried
    except ParameterError:  # too few common test sets, or no probabilities, to say anything
        return False


def _simplicity(comparison: "Comparison", standing: "Standing") -> tuple[float, float, float]:
    sign = 1.0 if comparison.metric.less_is_better else -1.0
    rank = _work_of_reading(comparison, standing)
    size = standing.size if rank <= _READABLE else 0
    return rank, size, sign * standing.score.estimate


def is_as_hard_to_read(comparison: "Comparison", chosen: "Standing", other: "Standing") -> bool:
    """Whether both models are too large to be read, so that neither is the simpler one."""
    rank = _work_of_reading(comparison, chosen)
    return rank > _READABLE and rank == _work_of_reading(comparison, other)


def _work_of_reading(comparison: "Comparison", standing: "Standing") -> float:
    family = _family(comparison, standing)
    if family == "tree" and standing.size > _READABLE_LEAVES:
        return _READING["linear"] + 0.5
    return float(_READING.get(family, _UNKNOWN_FAMILY))


def _family(comparison: "Comparison", standing: "Standing") -> str:
    name = comparison.learner(standing.learner).name
    return "" if name is None else catalog.entry(name).family


def _what_can_be_read(comparison: "Comparison", chosen: "Standing") -> str:
    """Say what a model that a person can read would score, when the chosen one is none.

    Nothing is said about estimators of other libraries, whose kind is not known.
    """
    is_known = _family(comparison, chosen) in _READING
    if not is_known or _work_of_reading(comparison, chosen) <= _READABLE:
        return ""
    for standing in comparison.standings:
        is_readable = _work_of_reading(comparison, standing) <= _READABLE
        if is_readable and _is_worth_reading(comparison, standing):
            score = f"{comparison.plan.metric} {ends_words(standing.score)}"
            return f"If the model itself must be read, {standing.learner} comes closest: {score}."
    return ""


def _is_worth_reading(comparison: "Comparison", standing: "Standing") -> bool:
    """Whether a learner is shown to beat the baseline, if that has a score."""
    baseline = comparison.plan.baseline
    if not any(one.learner == baseline for one in comparison.standings):
        return standing.learner != baseline
    return beats_baseline(comparison, standing, baseline)


def ends_words(score: Interval) -> str:
    """Return a score with the ends of its interval."""
    return interval(score.estimate, score.low, score.high)
