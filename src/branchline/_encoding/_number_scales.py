"""The scales of numeric columns, many columns at a time.

``fit_scales`` takes columns, one in each row of a matrix, and learns for each

1. the power of two that none of its values exceeds (0 without scaling);
2. center and spread: weighted mean and standard deviation, or least value and range, or 0 and 1;
3. the weighted median, which later stands for missing values.

All steps go along rows, so a column has the same bits alone and among others. A missing value is
one of weight 0; columns without any take a shorter way to the same numbers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._encoding._block import LARGEST

__all__ = ["ScaleSteps", "Scales", "fit_scales", "has_missing", "weighted_median"]

_SAMPLE = 64
_CLEARLY = 1e-9  # sums are rounded
# Up to this many values of a column it is sorted together with others.
_FEW_VALUES = 2048
_LARGEST_POWER = 1022
# Squares of values below 2^400, and their sums, are in the range of floats.
_EXPONENT_OF_SQUARES = 400


@dataclass(frozen=True, eq=False)
class Scales:
    """The scale of each column, in units of 2^exponent; a spread of 0 for a constant."""

    exponent: npt.NDArray[np.int64]
    center: Floats
    spread: Floats
    fill: Floats

    @cached_property
    def steps(self) -> "ScaleSteps":
        """What scaling does to rows, found out once: rows to predict often come one by one."""
        return ScaleSteps(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the steps, which are found out anew."""
        return type(self), (self.exponent, self.center, self.spread, self.fill)

    def take(self, which: npt.NDArray[Any]) -> "Scales":
        """Return the scales of some columns."""
        parts = (self.exponent, self.center, self.spread, self.fill)
        return Scales(*(part[which] for part in parts))


class ScaleSteps:
    """Scaling of many columns side by side, where rows are: one pass of the core over them.

    Exponents that no power of two has, and rows that do not lie in order, take the steps of NumPy;
    those that would change nothing are left out.
    """

    def __init__(self, scales: Scales) -> None:
        self._exponent, self._center, self._spread = scales.exponent, scales.center, scales.spread
        self._filled = np.ascontiguousarray((scales.fill - scales.center) / scales.spread)
        self._subtracts = bool(scales.center.any())
        self._divides = bool((scales.spread != 1).any())
        self._native: _core.RowScales | None = None
        # Products with these powers of two are exact, or rounded once, as ldexp is.
        if bool((np.abs(scales.exponent) <= _LARGEST_POWER).all()):
            # x − 0 and x / 1 are x, so these steps need no choice.
            center = scales.center if self._subtracts else np.zeros(len(scales.center))
            numbers = np.ldexp(1.0, -scales.exponent), center, scales.spread
            power, center, spread = (np.ascontiguousarray(each) for each in numbers)
            self._native = _core.RowScales(power, center, spread, self._filled, LARGEST)

    def apply(self, cells: Floats) -> None:
        """Scale some rows where they are."""
        if self._native is not None and cells.flags.c_contiguous:
            self._native.scale(cells)
            return
        missing = np.isnan(cells) if has_missing(cells) else None
        with np.errstate(over="ignore"):
            np.ldexp(cells, -self._exponent, out=cells)
            if self._subtracts:
                cells -= self._center
            if self._divides:
                cells /= self._spread
        if missing is not None:
            np.copyto(cells, self._filled, where=missing)
        np.maximum(cells, -LARGEST, out=cells)
        np.minimum(cells, LARGEST, out=cells)


def fit_scales(columns: Floats, weights: Floats, scale: str, room: Floats | None = None) -> Scales:
    """Learn the scales of columns, one in each row: all complete, or each with a missing value.

    Every column has at least one value. ``room``, two matrices of at least as many columns, holds
    what is computed on the way: fresh memory for each of many calls would cost more than the sums.
    """
    room = np.empty((2, *columns.shape)) if room is None else room[:, : len(columns)]
    is_plain = scale == "standard" and weights.min() == weights.max()
    if is_plain and columns.shape[1] <= _FEW_VALUES and not has_missing(columns):
        found = _fit_plain(columns, weights, room)
        if found is not None:
            return found
    least, most = np.fmin.reduce(columns, axis=1), np.fmax.reduce(columns, axis=1)
    if has_missing(columns):
        weights = np.where(np.isnan(columns), 0.0, weights)
    exponent = np.frexp(np.maximum(np.abs(least), np.abs(most)))[1].astype(np.int64)
    exponent[(least == most) | (scale == "none")] = 0
    scaled = _in_units(columns, exponent, room[0])
    ends = np.ldexp(least, -exponent), np.ldexp(most, -exponent)
    center, spread = _CENTER_AND_SPREAD[scale](scaled, weights, *ends, room[1])
    fill = _weighted_medians(scaled, weights, room[1])
    for values in (center, spread, fill):
        values[least == most] = 0.0
    return Scales(exponent, center, spread, fill)


def _fit_plain(columns: Floats, weights: Floats, room: Floats) -> Scales | None:
    """Learn the scales of complete columns of few values and equal weights; None: out of reach.

    A value in units of 2^exponent has the digits of the value itself as long as neither overflows,
    so the sums are taken of the values, and least, largest and middle value read off one sort.
    """
    in_order, middle = room[0], columns.shape[1] // 2
    np.copyto(in_order, columns)
    in_order.sort(axis=1)
    least, most = in_order[:, 0].copy(), in_order[:, -1].copy()
    exponent = np.frexp(np.maximum(np.abs(least), np.abs(most)))[1].astype(np.int64)
    if np.abs(exponent).max(initial=0) > _EXPONENT_OF_SQUARES:
        return None
    center, spread = _standard(columns, weights, least, most, room[1])
    below = in_order[:, (columns.shape[1] - 1) // 2]
    values = np.stack([center, spread, below, in_order[:, middle]])
    exponent[least == most] = 0
    center, spread, below, above = np.ldexp(values, -exponent)
    fill = below / 2 + above / 2
    for found in (center, spread, fill):
        found[least == most] = 0.0
    return Scales(exponent, center, spread, fill)


def has_missing(columns: Floats) -> bool:
    """Return whether any value is missing; of many, a sum finds out faster than a look at each."""
    if columns.size <= _FEW_VALUES:
        return bool(np.isnan(columns).any())
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(columns.sum()) and np.isnan(columns).any())


def _in_units(columns: Floats, exponent: npt.NDArray[np.int64], room: Floats) -> Floats:
    """Return columns, one in each row, in units of 2^exponent."""
    if not exponent.any():
        return columns
    if np.abs(exponent).max() > _LARGEST_POWER:
        return np.ldexp(columns, -exponent[:, None], out=room)
    # Products with these powers of two are exact, or rounded once, as ldexp is.
    return np.multiply(columns, np.ldexp(1.0, -exponent)[:, None], out=room)


def _standard(
    columns: Floats, weights: Floats, least: Floats, most: Floats, room: Floats
) -> tuple[Floats, Floats]:
    # Offsets from the least value first: of values that differ little, the mean keeps all digits.
    total = weights.sum(axis=-1)
    offset = np.subtract(columns, least[:, None], out=room)
    if weights.ndim == 2:
        offset[np.isnan(offset)] = 0.0
    mean = _sums(offset, weights) / total
    offset -= mean[:, None]
    np.square(offset, out=offset)
    spread = np.sqrt(_sums(offset, weights) / total)
    return least + mean, np.where(spread > 0, spread, most - least)


def _sums(columns: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of each row, added up in the same way whatever the other rows are."""
    return np.asarray(np.einsum("ij,j->i" if weights.ndim == 1 else "ij,ij->i", columns, weights))


def _range(
    _: Floats, __: Floats, least: Floats, most: Floats, ___: Floats
) -> tuple[Floats, Floats]:
    return least, most - least


def _none(columns: Floats, *_: Floats) -> tuple[Floats, Floats]:
    return np.zeros(len(columns)), np.ones(len(columns))


_CENTER_AND_SPREAD: dict[str, Callable[..., tuple[Floats, Floats]]] = {
    "standard": _standard,
    "range": _range,
    "none": _none,
}


def _weighted_medians(columns: Floats, weights: Floats, room: Floats) -> Floats:
    """Return the weighted median of each column, one in each row of ``columns``."""
    n_values = columns.shape[1]
    if n_values > _FEW_VALUES:
        return np.array([_median_of(*column) for column in _with_weights(columns, weights)])
    if weights.ndim == 1 and weights.min() == weights.max():
        np.copyto(room, columns)
        room.sort(axis=1)
        return np.asarray(room[:, (n_values - 1) // 2] / 2 + room[:, n_values // 2] / 2)
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
    if weights[0] == weights[-1] and weights.min() == weights.max():
        sides = np.count_nonzero(values < value), np.count_nonzero(values > value)
        return bool(max(sides) * weights[0] < half * (1 - _CLEARLY))
    before, after = weights[values < value].sum(), weights[values > value].sum()
    return bool(max(before, after) < half * (1 - _CLEARLY))
