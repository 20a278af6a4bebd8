"""An interval that knows how much a learner depends on its rows: everything is done again.

1. Rows are drawn with replacement, copies of a row and rows of a group together.
2. The learner is cross-validated on each sample as it was on the table. Copies of a row stay in one
   fold, so no row is tested by a model that has seen it.
3. The standard deviation of these scores is the standard error: it holds both which rows are tested
   and which are learned from. Scores between 0 and 1 get Wilson's interval with it.

Rows drawn one by one forget which came before. With times, the interval is never narrower than the
usual one, which allows for that. docs/coverage.md compares both.
"""

import math
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._folds import FoldRows
from branchline._intervals import Interval, scaled_wilson
from branchline._row_scores import CONFIDENCE, count_different
from branchline.assess._metric import Metric
from branchline.errors import BranchlineError, BranchlineWarning

__all__ = ["bootstrap_interval"]

_FEWEST = 3


def bootstrap_interval(
    usual: Interval,
    metric: Metric,
    rows: FoldRows,
    n_samples: int,
    score_of: Callable[[npt.NDArray[np.intp]], float],
    seed: int,
) -> Interval:
    """Return the score with the interval of its repetitions on samples of the rows.

    Parameters
    ----------
    usual
        The score with its usual interval, which is kept where too few samples can be scored.
    metric
        What is measured.
    rows
        The rows, with what belongs together.
    n_samples
        Number of samples.
    score_of
        Scores the learner on a sample, given by its rows.
    seed
        The seed of the samples.
    """
    draws, scores = np.random.default_rng([seed, 17]), []
    for _ in range(n_samples):
        sample, _left_out = rows.bootstrap(draws, seed)
        scores.append(_score(score_of, sample))
    known = [score for score in scores if math.isfinite(score)]
    if len(known) < _FEWEST:
        return usual
    found = _around(usual.estimate, float(np.std(known, ddof=1)), metric, rows)
    if rows.times is None:
        return found
    return Interval(usual.estimate, min(usual.low, found.low), max(usual.high, found.high))


def _score(
    score_of: Callable[[npt.NDArray[np.intp]], float], sample: npt.NDArray[np.intp]
) -> float:
    """Return the score of a sample; NaN where it has none, as without a row of some class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        try:
            return score_of(sample)
        except BranchlineError:
            return math.nan


def _around(estimate: float, error: float, metric: Metric, rows: FoldRows) -> Interval:
    quantile = float(stats.norm.ppf(0.5 + CONFIDENCE / 2))
    if (metric.lowest, metric.highest) == (0.0, 1.0):
        return scaled_wilson(estimate, error, count_different(rows.owner_of_row), quantile)
    half = quantile * error
    found = Interval(estimate, estimate - half, estimate + half)
    return found.within(metric.lowest, metric.highest)
