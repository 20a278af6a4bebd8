"""A learner with chosen inputs beside the same learner with all inputs, on the same test sets.

1. The difference is paired, and it is that of the whole procedure: choosing and learning.
2. That inputs can go is said only where a loss that matters has a probability of at most 5 %, and
   there are rows enough to have seen one.
"""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._intervals import Interval
from branchline.assess._metrics import METRICS
from branchline.assess._paired_tests import Difference
from branchline.assess.comparing._chosen_inputs import twin_of
from branchline.assess.comparing._recommend import LIKELY, SURE
from branchline.errors import ParameterError

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["VERDICTS", "AgainstAll", "against_all", "pair_of"]

VERDICTS = ("gains", "costs nothing that matters", "tied", "probably costs", "costs")
# What does not happen in n rows happens in at most 3 / n of all, with 95 % confidence.
_RULE_OF_THREE = 3.0


@dataclass(frozen=True, eq=False)
class AgainstAll:
    """A learner with the chosen inputs beside the same learner with all inputs.

    Parameters
    ----------
    learner, metric
        Which learner, and what is measured.
    score, score_all
        The scores with chosen and with all inputs, with 95 % intervals.
    error, error_all
        The same as errors: share of wrong classes, or mean squared error.
    difference
        Chosen against all on the same test sets, better being positive; None: too few test sets.
    n_splits, n_rows
        The number of test sets that both have, and of rows in them.
    """

    learner: str
    metric: str
    score: Interval
    score_all: Interval
    error: Interval
    error_all: Interval
    difference: Difference | None
    n_splits: int
    n_rows: int

    @property
    def verdict(self) -> str:
        """What the choice does: one of ``VERDICTS``, or "unknown"."""
        found = self.difference
        if found is None:
            return "unknown"
        if found.p_value <= 1 - SURE and found.mean.estimate > 0:
            return "gains"
        if found.p_lower <= 1 - SURE and self.has_enough_rows:
            return "costs nothing that matters"
        if found.p_value <= 1 - SURE:
            return "costs"
        return "probably costs" if found.p_lower > LIKELY else "tied"

    @property
    def has_enough_rows(self) -> bool:
        """Whether a loss that matters could have been seen at all.

        Where no row is predicted otherwise, up to 3 of n new rows may be (with 95 % confidence).
        """
        matters = METRICS[self.metric].negligible
        return matters is None or self.n_rows >= _RULE_OF_THREE / matters

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "verdict": self.verdict}


def pair_of(comparison: "Comparison") -> "Comparison | None":
    """Return a comparison of the recommended learner with its twin, which has all inputs.

    None where the twin was not tested: the baseline is recommended, or time was over.
    """
    if not comparison.labels:
        return None
    learner = comparison.learner(comparison.recommendation.learner)
    twin = twin_of(learner)
    tested = [one for one in comparison.all_inputs if one.learner == twin.label and not one.error]
    if not tested:
        return None
    labels = {learner.label, comparison.plan.baseline}
    own = [one for one in comparison.results if one.learner in labels]
    learners = [one for one in comparison.plan.learners if one.label in labels]
    plan = replace(comparison.plan, learners=(*learners, twin), by=())
    return replace(comparison, plan=plan, results=(*own, *tested), all_inputs=())


def against_all(comparison: "Comparison") -> AgainstAll | None:
    """Return the recommended learner with chosen and with all inputs; None: not tested so."""
    pair = pair_of(comparison)
    if pair is None or len(pair.labels) < len(pair.plan.learners):
        return None
    label = comparison.recommendation.learner
    twin = pair.plan.learners[-1].label
    error = "error" if comparison.problem.classes is not None else "mse"
    try:
        difference = pair.difference(label, twin)
    except ParameterError:
        difference = None
    return AgainstAll(
        label,
        comparison.plan.metric,
        pair.score(label),
        pair.score(twin),
        pair.score(label, error),
        pair.score(twin, error),
        difference,
        pair.n_compared_folds,
        len(np.unique(np.concatenate([pair.splits[at].test for at in pair.results_of(twin)]))),
    )
