"""The scales of numeric columns, many columns at a time.

``fit_scales`` takes columns, one in each row of a matrix, and learns for each

1. the power of two that none of its values exceeds (0 without scaling);
2. centre and spread: weighted mean and standard deviation, or least value and range, or 0 and 1;
3. the weighted median, which later stands for missing values.

All steps go along rows, so a column has the same bits alone and among others. A missing value is
one of weight 0; columns without any take a shorter way to the same numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats

__all__ = ["Scales", "fit_scales", "weighted_median"]

_SAMPLE = 64
_CLEARLY = 1e-9  # sums are rounded
# Up to this many values of a column it is sorted together with others.
_FEW_VALUES = 2048


@dataclass(frozen=True, eq=False)
class Scales:
    """The scale of each column, in units of 2^exponent; a spread of 0 for a constant."""

    exponent: npt.NDArray[np.int64]
    centre: Floats
    spread: Floats
    fill: Floats

    def take(self, which: npt.NDArray[Any]) -> "Scales":
        """Return the scales of some columns."""
        parts = (self.exponent, self.centre, self.spread, self.fill)
        return Scales(*(part[which] for part in parts))


def fit_scales(columns: Floats, weights: Floats, scale: str) -> Scales:
    """Learn the scales of columns, one in each row: all complete, or each with a missing value.

    Every column has at least one value.
    """
    holes = np.isnan(columns)
    if holes.any():
        weights = np.where(holes, 0.0, weights)
    least, most = np.fmin.reduce(columns, axis=1), np.fmax.reduce(columns, axis=1)
    exponent = np.frexp(np.maximum(np.abs(least), np.abs(most)))[1].astype(np.int64)
    exponent[(least == most) | (scale == "none")] = 0
    scaled = np.ldexp(columns, -exponent[:, None]) if exponent.any() else columns
    centre, spread = _CENTER_AND_SPREAD[scale](scaled, weights)
    fill = _weighted_medians(scaled, weights)
    for values in (centre, spread, fill):
        values[least == most] = 0.0
    return Scales(exponent, centre, spread, fill)


def _standard(columns: Floats, weights: Floats) -> tuple[Floats, Floats]:
    # Offsets from the least value first: of values that differ little, the mean keeps all digits.
    least, total = np.fmin.reduce(columns, axis=1), weights.sum(axis=-1)
    offset = columns - least[:, None]
    if weights.ndim == 2:
        offset[np.isnan(offset)] = 0.0
    mean = _sums(offset, weights) / total
    offset -= mean[:, None]
    np.square(offset, out=offset)
    spread = np.sqrt(_sums(offset, weights) / total)
    return least + mean, np.where(spread > 0, spread, np.fmax.reduce(columns, axis=1) - least)


def _sums(columns: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of each row, added up in the same way whatever the other rows are."""
    return np.asarray(np.einsum("ij,j->i" if weights.ndim == 1 else "ij,ij->i", columns, weights))


def _range(columns: Floats, _: Floats) -> tuple[Floats, Floats]:
    least = np.fmin.reduce(columns, axis=1)
    return least, np.fmax.reduce(columns, axis=1) - least


def _none(columns: Floats, _: Floats) -> tuple[Floats, Floats]:
    return np.zeros(len(columns)), np.ones(len(columns))


_CENTER_AND_SPREAD = {"standard": _standard, "range": _range, "none": _none}


def _weighted_medians(columns: Floats, weights: Floats) -> Floats:
    """Return the weighted median of each column, one in each row of ``columns``."""
    n_values = columns.shape[1]
    if n_values > _FEW_VALUES:
        return np.array([_median_of(*column) for column in _with_weights(columns, weights)])
    if weights.ndim == 1 and weights.min() == weights.max():
        in_order = np.sort(columns, axis=1)
        return np.asarray(in_order[:, (n_values - 1) // 2] / 2 + in_order[:, n_values // 2] / 2)
    order = np.argsort(columns, axis=1, kind="stable")  # missing values come last
    of_cells = np.broadcast_to(weights, columns.shape)
    in_order = np.take_along_axis(columns, order, axis=1)
    below = np.cumsum(np.take_along_axis(of_cells, order, axis=1), axis=1)
    half = below[:, -1:] / 2
    last = (~np.isnan(columns)).sum(axis=1) - 1
    low = np.minimum((below < half).sum(axis=1), last)
    high = np.minimum((below <= half).sum(axis=1), last)
    each = np.arange(len(columns))
    return np.asarray(in_order[each, low] / 2 + in_order[each, high] / 2)


def _with_weights(columns: Floats, weights: Floats) -> Iterator[tuple[Floats, Floats]]:
    if weights.ndim == 1:
        return ((values, weights) for values in columns)
    return zip(columns, weights, strict=True)


def _median_of(values: Floats, weights: Floats) -> float:
    is_known = ~np.isnan(values)
    if is_known.all():
        return weighted_median(values, weights)
    return weighted_median(values[is_known], weights[is_known])


def weighted_median(values: Floats, weights: Floats) -> float:
    """Return the value that half of the weight lies below; half-way between two such values."""
    some = np.sort(values[:: 1 + len(values) // _SAMPLE])
    likely = float(some[len(some) // 2])
    if _is_median(likely, values, weights):
        return likely
    if weights.min() == weights.max():
        return float(np.median(values))  # by partition, which is faster than sorting
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    low = values[order[np.searchsorted(below, half)]]
    high = values[order[min(np.searchsorted(below, half, side="right"), len(order) - 1)]]
    return float(low / 2 + high / 2)


def _is_median(value: float, values: Floats, weights: Floats) -> bool:
    """Whether clearly less than half of the weight lies on either side of a value.

    So it is in columns of many equal numbers, which then need not be sorted.
    """
    half = weights.sum() / 2
    before, after = weights[values < value].sum(), weights[values > value].sum()
    return bool(max(before, after) < half * (1 - _CLEARLY))
