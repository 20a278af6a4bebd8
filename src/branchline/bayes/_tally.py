"""What naive Bayes remembers of the rows it has seen: whole numbers that add up over batches.

1. Rows of each class, by weight. Weights are whole multiples of 2^−s: s = 0 when all are whole
   numbers, else such that the largest of the first batch has 40 bits.
2. For a numeric column and each class: weight, exact Σ w x and Σ w x² (``_class_sums``), and how
   often each value occurs (``_cells``), unless columns are taken to be Gaussian.
3. For a category column: the weight of each category in each class.

The tally of two batches is the sum of their tallies, to the last bit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._dtypes import UNITS
from branchline.bayes._cells import Cells, count_cells
from branchline.bayes._class_rows import ClassRows
from branchline.bayes._class_sums import class_sums
from branchline.bayes._number_groups import number_groups, places_of
from branchline.errors import DataError
from branchline.table import Table

__all__ = [
    "MOST_UNITS",
    "CategoryTally",
    "ColumnTally",
    "NumberTally",
    "Tally",
    "UnitWeights",
    "category_tallies",
    "number_tallies",
    "take_tally",
    "unit_weights",
]

Units: TypeAlias = npt.NDArray[np.int64]

MOST_UNITS = 2**62
_WEIGHT_BITS = 40
_WHOLE_BITS = 52  # as everywhere: whole weights of a larger sum do not count as copies


@dataclass(frozen=True)
class UnitWeights:
    """Weights of a batch: ``units · 2^−bits``; None when every row weighs 1."""

    units: Units | None
    bits: int
    is_whole: bool


@dataclass(frozen=True)
class NumberTally:
    """A numeric column: weight and exact sums in each class, and the values in cells."""

    units: Units
    firsts: tuple[int, ...]
    seconds: tuple[int, ...]
    cells: Cells | None

    def add(self, other: "NumberTally") -> "NumberTally":
        """Return the tally of both batches."""
        cells = None
        if self.cells is not None and other.cells is not None:
            cells = self.cells.add(other.cells)
        return NumberTally(
            self.units + other.units,
            tuple(a + b for a, b in zip(self.firsts, other.firsts, strict=True)),
            tuple(a + b for a, b in zip(self.seconds, other.seconds, strict=True)),
            cells,
        )

    def finer(self, times: int) -> "NumberTally":
        """Return the same weights in smaller units."""
        cells = self.cells and self.cells.finer(times)
        firsts = tuple(times * total for total in self.firsts)
        seconds = tuple(times * total for total in self.seconds)
        return NumberTally(self.units * times, firsts, seconds, cells)

    def with_classes(self, places: npt.NDArray[np.intp], n_classes: int) -> "NumberTally":
        """Return the tally with its classes at ``places`` among more classes."""
        firsts, seconds = [0] * n_classes, [0] * n_classes
        for old, new in enumerate(places.tolist()):
            firsts[new], seconds[new] = self.firsts[old], self.seconds[old]
        cells = self.cells and self.cells.with_classes(places, n_classes)
        units = _spread(self.units, places, n_classes)
        return NumberTally(units, tuple(firsts), tuple(seconds), cells)


@dataclass(frozen=True)
class CategoryTally:
    """A category column: the weight of each category (a row) in each class (a column)."""

    units: Units

    def add(self, other: "CategoryTally") -> "CategoryTally":
        """Return the tally of both batches; the later one may know more categories."""
        units = other.units.copy()
        units[: len(self.units)] += self.units
        return CategoryTally(units)

    def finer(self, times: int) -> "CategoryTally":
        """Return the same weights in smaller units."""
        return CategoryTally(self.units * times)

    def with_classes(self, places: npt.NDArray[np.intp], n_classes: int) -> "CategoryTally":
        """Return the tally with its classes at ``places`` among more classes."""
        return CategoryTally(_spread(self.units, places, n_classes))


ColumnTally: TypeAlias = NumberTally | CategoryTally


@dataclass(frozen=True)
class Tally:
    """All that was seen: rows, weights by class, and a tally for each column."""

    n_rows: int
    bits: int
    is_whole: bool
    class_units: Units
    columns: Sequence[ColumnTally]

    @property
    def weight_of_unit(self) -> float:
        """What one unit weighs: rows weigh 1 on average, or as given when weights are whole."""
        if self.is_whole:
            return 1.0
        return self.n_rows / int(self.class_units.sum())

    def add(self, other: "Tally") -> "Tally":
        """Return the tally of both batches."""
        bits = max(self.bits, other.bits)
        left, right = self._in_units(bits), other._in_units(bits)
        _refuse_too_heavy(int(left.class_units.sum()) + int(right.class_units.sum()))
        return Tally(
            self.n_rows + other.n_rows,
            bits,
            self.is_whole and other.is_whole,
            left.class_units + right.class_units,
            tuple(_add(*pair) for pair in zip(left.columns, right.columns, strict=True)),
        )

    def with_classes(self, places: npt.NDArray[np.intp], n_classes: int) -> "Tally":
        """Return the tally with its classes at ``places`` among more classes."""
        if n_classes == len(self.class_units):
            return self
        return replace(
            self,
            class_units=_spread(self.class_units, places, n_classes),
            columns=tuple(column.with_classes(places, n_classes) for column in self.columns),
        )

    def _in_units(self, bits: int) -> "Tally":
        if bits == self.bits:
            return self
        times = 2 ** (bits - self.bits)
        _refuse_too_heavy(int(self.class_units.sum()) * times)
        columns = tuple(column.finer(times) for column in self.columns)
        return replace(self, bits=bits, class_units=self.class_units * times, columns=columns)


def _add(left: ColumnTally, right: ColumnTally) -> ColumnTally:
    """Add two tallies of a column; it may change its kind as long as it had no value."""
    if isinstance(left, NumberTally) and isinstance(right, NumberTally):
        return left.add(right)
    if isinstance(left, CategoryTally) and isinstance(right, CategoryTally):
        return left.add(right) if left.units.any() else right
    return right


def unit_weights(weights: Floats | None, bits: int | None) -> UnitWeights:
    """Return the positive weights of rows as whole units; ``bits`` is that of earlier ones."""
    if weights is None:
        return UnitWeights(None, 0, True)
    scale = math.frexp(float(weights.max()))[1]
    is_whole = scale <= _WHOLE_BITS and bool((weights == np.rint(weights)).all())
    if is_whole and math.fsum(weights) < 2**_WHOLE_BITS:
        units = weights.astype(UNITS)
        return UnitWeights(None if (units == 1).all() else units, 0, True)
    if not bits:
        bits = _WEIGHT_BITS - scale
    scaled = np.ldexp(weights, bits)
    _refuse_too_heavy(math.fsum(scaled))
    return UnitWeights(np.maximum(1, np.rint(scaled)).astype(UNITS), bits, False)


def take_tally(table: Table, rows: ClassRows, weights: UnitWeights, *, with_cells: bool) -> Tally:
    """Count a batch of rows."""
    columns = number_tallies(table, rows, with_cells=with_cells) | category_tallies(table, rows)
    in_order = tuple(columns[place] for place in range(table.n_columns))
    return Tally(table.n_rows, weights.bits, weights.is_whole, rows.weights, in_order)


def number_tallies(table: Table, rows: ClassRows, *, with_cells: bool) -> dict[int, ColumnTally]:
    """Return the tallies of numeric columns, by position."""
    found: dict[int, ColumnTally] = {}
    for group in number_groups(table, places_of(table, "numeric")):
        sums = class_sums(group, rows)
        for number, place in enumerate(group.places):
            cells = count_cells(group.column(number), rows) if with_cells else None
            found[place] = NumberTally(sums.units[number], *sums.whole_sums(number), cells)
    return found


def category_tallies(table: Table, rows: ClassRows) -> dict[int, ColumnTally]:
    """Return the tallies of category columns, by position."""
    found: dict[int, ColumnTally] = {}
    for place in places_of(table, "category"):
        size = len(table.schema.fields[place].type.categories or ())
        codes = table.column(table.names[place]).values
        found[place] = CategoryTally(_count(codes, rows, size))
    return found


def _count(codes: Any, rows: ClassRows, size: int) -> Units:
    """Return the weight of each pair of a code (negative ones do not count) and a class."""
    place = codes.astype(np.int64) * rows.n_classes + rows.class_of_row
    known = codes >= 0
    place = place if known.all() else place[known]
    if rows.units is None:
        counted = np.bincount(place, minlength=size * rows.n_classes)
    else:
        counted = np.zeros(size * rows.n_classes, dtype=UNITS)
        np.add.at(counted, place, rows.units[known])
    return counted.reshape(size, rows.n_classes).astype(UNITS)


def _spread(units: Units, places: npt.NDArray[np.intp], n_classes: int) -> Units:
    wide = np.zeros((*units.shape[:-1], n_classes), dtype=UNITS)
    wide[..., places] = units
    return wide


def _refuse_too_heavy(total: float) -> None:
    if total >= MOST_UNITS:
        raise DataError(
            "The weights of all rows together are beyond what can be counted without rounding: "
            "whole weights may sum up to 2^62, others to 2^22 times the largest of the first.",
            code="D101",
        )
