"""Sums of numbers and of their squares by class, without rounding: batches add up to the whole.

Every float is a whole multiple of 2^−1074. A sum of such multiples is a whole number: it depends
neither on the order of rows, nor on batches, nor on weights instead of copies.

1. The compiled kernel adds up columns whose numbers span up to 126 bits, weights included, and
   gives means and deviations with the sums (``class_moments.hpp``).
2. The few other columns are added up in pieces (``_long_sums``) and rounded in ``moments_of``.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline.bayes._class_rows import ClassRows
from branchline.bayes._long_sums import SMALLEST, long_sums
from branchline.bayes._number_groups import NumberGroup

__all__ = ["ClassSums", "class_sums", "moments_of"]

_ROOT_BITS = 64

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ClassSums:
    """Sums of a group's columns by class.

    ``units``, ``firsts`` and ``seconds`` are by column, then by class; ``mean`` and ``deviation``
    have those of all classes together as a last entry. ``firsts`` is Σ w x in units of 2^low,
    ``seconds`` Σ w x² in units of 2^(2 low).
    """

    units: npt.NDArray[np.int64]
    mean: Floats
    deviation: Floats
    low: npt.NDArray[np.int32]
    firsts: npt.NDArray[np.uint64]
    seconds: npt.NDArray[np.uint64]
    long: dict[int, tuple[tuple[int, ...], tuple[int, ...]]]

    def whole_sums(self, column: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return Σ w x in units of 2^−1074 and Σ w x² in units of 2^−2148, for each class."""
        if column in self.long:
            return self.long[column]
        up = int(self.low[column]) + SMALLEST
        # Words, the low one first; only sums of numbers have a sign.
        firsts = zip(self.firsts[column, :, 0].tolist(), self._signs[column].tolist(), strict=True)
        seconds = self.seconds[column].tolist()
        return (
            tuple((low + (high << 64)) << up for low, high in firsts),
            tuple((a + (b << 64) + (c << 128) + (d << 192)) << 2 * up for a, b, c, d in seconds),
        )

    @cached_property
    def _signs(self) -> npt.NDArray[np.int64]:
        return self.firsts[:, :, 1].astype(np.int64)


def class_sums(group: NumberGroup, rows: ClassRows) -> ClassSums:
    """Return the sums of a group's columns in each class; missing values add nothing."""
    found = _core.class_moments(group.as_matrix(), rows.class_of_row, rows.units, rows.n_classes)
    shape = (len(group.places), rows.n_classes)
    mean, deviation = (
        found[name].reshape(shape[0], shape[1] + 1) for name in ("mean", "deviation")
    )
    sums = ClassSums(
        found["units"].reshape(shape),
        mean,
        deviation,
        found["low"],
        found["firsts"].reshape(*shape, 2),
        found["seconds"].reshape(*shape, 4),
        {},
    )
    for column in np.flatnonzero(found["fits"] == 0).tolist():
        _add_long(sums, column, group, rows)
    return sums


def _add_long(sums: ClassSums, column: int, group: NumberGroup, rows: ClassRows) -> None:
    """Add up one column in pieces, and write its sums and moments."""
    values = group.column(column)
    present = np.where(np.isnan(values), 0, 1) if rows.units is None else rows.units
    sums.units[column] = 0
    np.add.at(sums.units[column], rows.class_of_row, np.where(np.isnan(values), 0, present))
    found = long_sums(NumberGroup((0,), None, (values,)), rows)
    firsts, seconds = tuple(found.firsts[0]), tuple(found.seconds[0])
    sums.long[column] = firsts, seconds
    units = sums.units[column].tolist()
    by_class = [moments_of(*one) for one in zip(units, firsts, seconds, strict=True)]
    by_class.append(moments_of(sum(units), sum(firsts), sum(seconds)))
    sums.mean[column], sums.deviation[column] = np.array(by_class).T


def moments_of(units: int, first: int, second: int) -> tuple[float, float]:
    """Return mean and standard deviation, from sums in units of 2^−1074 and 2^−2148."""
    if units == 0:
        return 0.0, 0.0
    mean = first / (units << SMALLEST)
    spread = units * second - first * first  # (units · sd)², in units of 2^−2·SMALLEST
    if spread <= 0:
        return mean, 0.0
    # A root of 64 bits gives the right float but for one in thousands.
    half = (2 * _ROOT_BITS - spread.bit_length() + 1) // 2
    root = math.isqrt(spread << (2 * half) if half >= 0 else spread >> (-2 * half))
    # root / units · 2^−(half + SMALLEST), by whole numbers, so that nothing overflows on the way
    down = half + SMALLEST
    return mean, root / (units << down) if down >= 0 else (root << -down) / units
