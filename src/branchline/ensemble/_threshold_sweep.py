"""The best threshold on a probability for a metric: all thresholds are tried.

1. Rows are sorted by the probability p of the positive class. A threshold between two neighboring
   probabilities decides alike wherever it lies between them, so their midpoint stands for all.
2. Below the lowest and above the highest probability lie "always" and "never". Neither is left out:
   when errors of one kind cost little, one of them may be best.
3. Counts of hits and false alarms at each threshold are running sums of whole units, hence exact.
4. The best score wins; among equal ones the threshold nearest to 0.5. That itself is tried too, so
   nothing is changed when nothing is gained.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import malformed, number_from_state

__all__ = [
    "HALF",
    "METRICS",
    "NEVER",
    "Counts",
    "Sweep",
    "best_place",
    "candidates",
    "sweep_from_state",
    "sweep_thresholds",
]

Floats = npt.NDArray[np.float64]

HALF = 0.5
# No probability reaches it.
NEVER = float(np.nextafter(1.0, 2.0))
# Scores that differ by less are equal: the rounding of a few divisions and sums.
_ROUNDING = 1e-12
# A curve of more thresholds than this shows evenly spaced ones.
_LONGEST_CURVE = 2000


@dataclass(frozen=True)
class Counts:
    """The predictions at each threshold.

    Parameters
    ----------
    found, alarms
        The units of the positive class, and of the other, that are predicted as positive.
    n_positive, n_negative
        All units of the positive class and of the other.
    missed_cost, alarm_cost
        What an error costs on a positive and on a negative row.
    """

    found: Floats
    alarms: Floats
    n_positive: float
    n_negative: float
    missed_cost: float
    alarm_cost: float


def _accuracy(counts: Counts) -> Floats:
    right = counts.found + (counts.n_negative - counts.alarms)
    return right / (counts.n_positive + counts.n_negative)


def _balanced_accuracy(counts: Counts) -> Floats:
    left_alone = (counts.n_negative - counts.alarms) / counts.n_negative
    return (counts.found / counts.n_positive + left_alone) / 2


def _f1(counts: Counts) -> Floats:
    return 2 * counts.found / (counts.n_positive + counts.found + counts.alarms)


def _cost(counts: Counts) -> Floats:
    n_rows = counts.n_positive + counts.n_negative
    missed = (counts.n_positive - counts.found) / n_rows
    return counts.missed_cost * missed + counts.alarm_cost * (counts.alarms / n_rows)


METRICS: dict[str, Callable[[Counts], Floats]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "f1": _f1,
    "cost": _cost,
}


@dataclass(frozen=True)
class Sweep:
    """All thresholds with their scores, and the best of them.

    Parameters
    ----------
    threshold, score
        The best threshold and its score.
    score_at_half
        The score of 0.5.
    curve
        A row for each threshold, in their order: it and its score. Of a long curve only evenly
        spaced points, the best and 0.5.
    metric, costs
        What was optimized: a name of ``METRICS``; the costs of a missed row and of a false alarm.
    """

    threshold: float
    score: float
    score_at_half: float
    curve: Floats
    metric: str = "accuracy"
    costs: tuple[float, float] = (1.0, 1.0)


def sweep_thresholds(
    probabilities: Floats,
    is_positive: npt.NDArray[np.bool_],
    units: npt.NDArray[np.int64],
    metric: str,
    costs: tuple[float, float] = (1.0, 1.0),
) -> Sweep:
    """Try every threshold on rows of both classes.

    Parameters
    ----------
    probabilities
        The probability of the positive class of each row.
    is_positive
        Whether a row is of that class.
    units
        The weight of each row.
    metric
        A name of ``METRICS``.
    costs
        For "cost": of missing a positive row, and of a false alarm; the score is their mean.
    """
    thresholds = candidates(probabilities)
    found = _units_from(thresholds, probabilities[is_positive], units[is_positive])
    alarms = _units_from(thresholds, probabilities[~is_positive], units[~is_positive])
    totals = float(units[is_positive].sum()), float(units[~is_positive].sum())
    scores = METRICS[metric](Counts(found, alarms, *totals, *costs))
    best = best_place(thresholds, scores, costs if metric == "cost" else None)
    half = int(np.searchsorted(thresholds, HALF))
    shown = _thinned(len(thresholds), (best, half))
    curve = np.column_stack([thresholds[shown], scores[shown]])
    at_best, at_half = float(scores[best]), float(scores[half])
    return Sweep(float(thresholds[best]), at_best, at_half, curve, metric, costs)


def candidates(probabilities: Floats) -> Floats:
    """Return the midpoints, "always", "never" and 0.5, in order."""
    distinct = np.unique(probabilities)
    low, high = distinct[:-1], distinct[1:]
    middle = low + (high - low) / 2
    # No float lies between neighboring ones: then the upper one separates them.
    middle = np.where(middle > low, middle, high)
    ends = [distinct[0] / 2, (1 + distinct[-1]) / 2 if distinct[-1] < 1 else NEVER]
    if ends[1] <= distinct[-1]:  # the last float before 1
        ends[1] = 1.0
    return np.unique(np.concatenate([middle, ends, [HALF]]))


def _units_from(thresholds: Floats, probabilities: Floats, units: Any) -> Floats:
    """Return the units of rows whose probability is at least each threshold."""
    order = np.argsort(probabilities, kind="stable")
    below = np.concatenate([[0], np.cumsum(units[order])])
    counted = below[-1] - below[np.searchsorted(probabilities[order], thresholds, side="left")]
    return np.asarray(counted, dtype=np.float64)


def best_place(thresholds: Floats, scores: Floats, costs: tuple[float, float] | None) -> int:
    """Return the place of the best score; of equal ones the nearest to 0.5, then the lower."""
    gains = scores if costs is None else -scores / max(costs)
    tied = np.flatnonzero(gains >= gains.max() - _ROUNDING)
    return int(tied[np.argmin(np.abs(thresholds[tied] - HALF))])


def _thinned(n_points: int, always: tuple[int, int]) -> npt.NDArray[np.intp]:
    """Return the places of the points that a curve shows."""
    if n_points <= _LONGEST_CURVE:
        return np.arange(n_points)
    spread = np.linspace(0, n_points - 1, _LONGEST_CURVE).astype(np.intp)
    return np.union1d(spread, np.array(always, dtype=np.intp))


def sweep_from_state(state: Mapping[str, Any], highest: float) -> Sweep | None:
    """Return the sweep of a packed model, None where there was none; refuse what is none.

    ``highest`` is the highest score there can be.
    """
    curve, threshold = state.get("curve"), number_from_state(state, "threshold")
    if not isinstance(curve, np.ndarray) or curve.dtype != np.float64 or curve.ndim != 2:
        raise malformed("'curve' is not a table of numbers")
    curve = np.array(curve)  # a masked array would answer no question with yes
    if len(curve) == 0:
        if curve.shape[1] != 2 or threshold != HALF or _scores(state) != (None, None):
            raise malformed("'threshold' was not chosen by a score")
        return None
    if curve.shape[1] != 2 or len(curve) > _LONGEST_CURVE + 2 or not _is_curve(curve, highest):
        raise malformed("'curve' does not hold thresholds in order, each with its score")
    points, scores = dict(curve.tolist()), _scores(state)
    if None in scores or (points.get(threshold), points.get(HALF)) != scores:
        raise malformed("'threshold' is not a point of the curve")
    return Sweep(threshold, points[threshold], points[HALF], curve)


def _scores(state: Mapping[str, Any]) -> tuple[Any, Any]:
    found = state.get("score"), state.get("score_at_half")
    if not all(score is None or type(score) is float for score in found):
        raise malformed("the score of a threshold is not a number")
    return found


def _is_curve(curve: Floats, highest: float) -> bool:
    thresholds, scores = curve.T
    in_order = bool((np.diff(thresholds) > 0).all())
    inside = bool((thresholds >= 0).all() and (thresholds <= NEVER).all())
    scored = bool(np.isfinite(scores).all() and (scores >= 0).all() and (scores <= highest).all())
    return in_order and inside and scored
