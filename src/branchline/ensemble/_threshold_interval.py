"""How far a chosen threshold would move with other rows: its 95 % interval.

1. Rows are drawn with replacement from those that were predicted out of fold: blocks of rows that
   belong together (copies, groups) as one, so that the interval is not too narrow.
2. Each draw chooses its threshold anew, by the same metric, among the same candidates.
3. The middle 95 % of these choices is the interval; it always holds the threshold itself.

The learner is not fitted again: the interval is about the choice, given its probabilities. A metric
is flat around its best threshold, so the choice converges slowly (the error falls with the cube
root of the number of rows), and a wide interval is usual. It says that thresholds in it are about
as good, not that something is wrong.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._folds import FoldRows
from branchline._intervals import Interval
from branchline._state import malformed, numbers_from_state
from branchline.ensemble._threshold_sweep import METRICS, Counts, Sweep, best_place, candidates

__all__ = ["ends_of", "interval_from_state", "threshold_interval"]

Floats = npt.NDArray[np.float64]
Units = npt.NDArray[np.int64]
_N_DRAWS = 200


def threshold_interval(
    probabilities: Floats,
    is_positive: npt.NDArray[np.bool_],
    units: Units,
    folds: FoldRows,
    sweep: Sweep,
    seed: int,
) -> Interval:
    """Return the threshold with the range of those that other rows would have chosen.

    Parameters
    ----------
    probabilities, is_positive, units
        As they were swept: a probability, a class and a weight for each row.
    folds
        The same rows, with what belongs together.
    sweep
        What was found: the threshold, its metric and its costs.
    seed
        The seed of the draws.
    """
    order = np.argsort(probabilities, kind="stable")
    thresholds = candidates(probabilities)
    starts = np.searchsorted(probabilities[order], thresholds, side="left")
    chosen = []
    for drawn in _draws(folds, units, seed):
        counts = _counts(drawn[order], is_positive[order], starts, sweep.costs)
        if counts.n_positive > 0 and counts.n_negative > 0:
            scores = METRICS[sweep.metric](counts)
            costs = sweep.costs if sweep.metric == "cost" else None
            chosen.append(thresholds[best_place(thresholds, scores, costs)])
    low, high = np.quantile(chosen or [sweep.threshold], [0.025, 0.975])
    ends = min(float(low), sweep.threshold), max(float(high), sweep.threshold)
    return Interval(sweep.threshold, *ends)


def _draws(folds: FoldRows, units: Units, seed: int) -> npt.NDArray[np.int64]:
    """Return the weight of each row in each draw: blocks as one, or unit by unit."""
    rng = np.random.default_rng([seed, 11])
    if folds.is_saturated:  # many copies of few possible rows are rows of their own
        return np.asarray(rng.poisson(units, (_N_DRAWS, len(units))), dtype=np.int64)
    drawn = (folds.bootstrap(rng, seed)[0] for _ in range(_N_DRAWS))
    return np.array([np.bincount(rows, minlength=len(units)) * units for rows in drawn])


def _counts(
    units: Units,
    is_positive: npt.NDArray[np.bool_],
    starts: npt.NDArray[np.intp],
    costs: tuple[float, float],
) -> Counts:
    """Return hits and false alarms at each threshold; rows are sorted by their probability."""
    sides = []
    for mine in (is_positive, ~is_positive):
        below = np.concatenate([[0], np.cumsum(np.where(mine, units, 0))])
        sides.append((np.asarray(below[-1] - below[starts], dtype=np.float64), float(below[-1])))
    return Counts(sides[0][0], sides[1][0], sides[0][1], sides[1][1], *costs)


def ends_of(interval: Interval | None) -> Floats:
    """Return the ends of an interval as they are saved; none where there is none."""
    return np.array([] if interval is None else [interval.low, interval.high])


def interval_from_state(state: Mapping[str, Any], sweep: Sweep | None) -> Interval | None:
    """Return the interval of a packed threshold; files of version 0.1 do not have it."""
    if sweep is None or "threshold_ends" not in state or len(state["threshold_ends"]) == 0:
        return None
    low, high = numbers_from_state(state, "threshold_ends", length=2, low=0.0, high=2.0).tolist()
    if not low <= sweep.threshold <= high:
        raise malformed("'threshold' is not in its interval")
    return Interval(sweep.threshold, low, high)
