"""How one learner did, and which difference of scores is too small to matter.

1. A metric without units, such as accuracy, has a fixed margin, mostly 0.01.
2. An error in the units of the target has 1 % of the baseline's error, but not more than 5 % of the
   best learner's own. Where the best has a twentieth of the baseline's error, 1 % of the latter is
   20 % of the former, and that does matter.
3. It has at least 0.1 % of the baseline's error: of two nearly perfect models neither is better.
"""

import math
from dataclasses import dataclass

from branchline._intervals import Interval
from branchline.assess._metrics import Metric
from branchline.assess._paired_tests import Difference

__all__ = ["Standing", "margin"]

_OF_BASELINE, _OF_BEST, _LEAST_OF_BASELINE = 0.01, 0.05, 0.001


@dataclass(frozen=True)
class Standing:
    """How one learner did.

    Parameters
    ----------
    learner
        Its label.
    score
        The deciding metric with its interval.
    fit_seconds, predict_seconds
        The mean over test sets.
    size, unit
        How much there is to read in its models, on average over test sets.
    n_splits
        On how many test sets it was tried.
    group
        1 for the best and those that show no difference to it that matters, then 2, 3 and so on.
    is_tied
        Whether it is statistically tied with the first of its group: the 95 % interval of their
        difference holds 0.
    against_best
        The difference to the best learner, better being positive; None for the best itself.
    fit_bytes
        The peak of memory while fitting, the median over test sets; None where it is not known.
    model_bytes
        The size of the saved model; None where it is not known.

    See Also
    --------
    Comparison : the results of a plan.
    Recommendation : which learner to take, and why.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.assess import compare
    >>> found = compare(load_dataset("iris"), "species", learners="tree", n_folds=3)
    >>> round(found.standings[0].score.estimate, 2)
    0.95
    """

    learner: str
    score: Interval
    fit_seconds: float
    predict_seconds: float
    size: int
    unit: str
    n_splits: int
    group: int
    is_tied: bool
    against_best: Difference | None
    fit_bytes: int | None = None
    model_bytes: int | None = None


def margin(metric: Metric, baseline: float, best: float) -> float:
    """Return the difference of scores that is too small to matter.

    ``baseline`` and ``best`` are the scores of the baseline and of the best learner; NaN where
    there is none.
    """
    if metric.negligible is not None:
        return metric.negligible
    if not math.isfinite(baseline):
        return 0.0
    most = _OF_BASELINE * abs(baseline)
    if not math.isfinite(best):
        return most
    return min(most, max(_OF_BEST * abs(best), _LEAST_OF_BASELINE * abs(baseline)))
