"""Scores of predicted numbers, with sums that are rounded once: the order of rows changes no digit.

Differences are taken in units of the spread of the true values before they are squared, because
squares of very large numbers would overflow.
"""

import math

import numpy as np
import numpy.typing as npt

from branchline._exact_sum import exact_mean, exact_sum

__all__ = ["correlation", "mean_absolute_error", "r2", "root_mean_squared_error"]

Floats = npt.NDArray[np.float64]


def mean_absolute_error(truth: Floats, predicted: Floats) -> float:
    """Return the mean size of the errors."""
    return exact_mean(np.abs(truth - predicted))


def root_mean_squared_error(truth: Floats, predicted: Floats) -> float:
    """Return the root of the mean squared error."""
    return math.sqrt(exact_mean((truth - predicted) ** 2))


def r2(truth: Floats, predicted: Floats) -> float:
    """Return the share of the variance that is explained; NaN for fewer than two rows.

    Where all true values are equal it is 1 if all are predicted exactly, else 0.
    """
    if len(truth) < 2:
        return math.nan
    unit = float(np.ptp(truth)) or 1.0
    left = exact_sum(((truth - predicted) / unit) ** 2)
    total = exact_sum(((truth - exact_mean(truth)) / unit) ** 2)
    if total == 0:
        return float(left == 0)
    return 1.0 - left / total


def correlation(one: Floats, other: Floats) -> float:
    """Return Pearson's correlation; NaN where one side is constant."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return math.nan
    first, second = ((each - exact_mean(each)) / float(np.ptp(each)) for each in (one, other))
    size = math.sqrt(exact_sum(first * first)) * math.sqrt(exact_sum(second * second))
    return max(-1.0, min(1.0, exact_sum(first * second) / size))
