"""What a single row may add to a score that the rows seen do not show.

Rows that all lose the same do not prove that the next one will. Two cases matter:

1. A constant prediction at its best, as the shares of two equal classes: every row loses log 2. The
   loss is at its minimum there, so its error is not of first order (1 / √n) but of second (1 / n),
   which no spread of rows shows. One row that loses as much as a guess does, log k of k classes
   (Brier: 1 − 1 / k), is of that size.
2. Not a single error was seen. One row may still be wrong: it costs the largest cost, or, for
   numbers, as much as the mean of the target does. For numbers this is taken only where no row
   differs at all: a small error of a good model is measured, not lacking.

Shares (accuracy, recall, AUC …) need none of this: Wilson's interval has a width always.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from branchline._row_scores import RowValues
from branchline.assess._metric import Metric
from branchline.assess._outcome import Outcome

__all__ = ["unseen_row"]

Floats = npt.NDArray[np.float64]


def unseen_row(metric: Metric, parts: Sequence[Outcome], found: RowValues) -> float:
    """Return what one row more may add to the sum of a score's deviations, at least.

    Parameters
    ----------
    metric
        What is measured.
    parts
        The predictions of each test set.
    found
        The score, and what each row adds to it.
    """
    name = metric.name.partition("@")[0]
    if name in _OF_CLASSES:
        return _OF_CLASSES[name](metric, parts)
    if name not in _OF_NUMBERS or np.ptp(found.deviations) > 0:
        return 0.0
    truth = np.concatenate([part.truth for part in parts]).astype(np.float64)
    return _OF_NUMBERS[name](truth - truth.mean(), found.score)


def _n_classes(parts: Sequence[Outcome]) -> int:
    return max(2, len(parts[0].classes or ()))


def _lift(metric: Metric, parts: Sequence[Outcome]) -> float:
    n_positive = sum(int(part.is_positive.sum()) for part in parts)
    assert metric.at is not None
    return sum(len(part) for part in parts) / (max(1, n_positive) * metric.at)


def _rmse(around: Floats, score: float) -> float:
    """Return what makes the square of the error differ by the variance, in one row."""
    if score > 0:
        return float(np.mean(around**2)) / (2 * score)
    return float(np.std(around)) * math.sqrt(len(around) / 2)


_OF_CLASSES: dict[str, Callable[[Metric, Sequence[Outcome]], float]] = {
    "log_loss": lambda _, parts: math.log(_n_classes(parts)),
    "brier": lambda _, parts: 1 - 1 / _n_classes(parts),
    "cost": lambda _, parts: float(np.abs(parts[0].cost_matrix).max(initial=0.0)),
    "net_benefit": lambda _, parts: 1.0,
    "lift": _lift,
}
_OF_NUMBERS: dict[str, Callable[[Floats, float], float]] = {
    "mae": lambda around, _: float(np.abs(around).mean()),
    "mse": lambda around, _: float(np.mean(around**2)),
    "rmse": _rmse,
    "r2": lambda around, _: 1.0,
}
