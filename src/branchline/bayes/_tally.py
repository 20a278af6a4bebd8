"""What naive Bayes remembers of the rows it has seen: whole numbers that add up over batches.

1. Rows of each class, by weight. Weights are whole multiples of 2^−s: s = 0 when all are whole
   numbers, else such that the largest of the first batch has 40 bits.
2. For a numeric column and each class: weight, exact Σ w x and Σ w x² (``_exact_sums``), and how
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
from branchline.bayes._exact_sums import ClassRows, exact_sums
from branchline.bayes._number_groups import NumberGroup, number_groups
from branchline.errors import DataError
from branchline.table import Table

__all__ = [
    "MOST_UNITS",
    "CategoryTally",
    "ColumnTally",
    "NumberTally",
    "Tally",
    "UnitWeights",
    "take_tally",
    "unit_weights",
]

Units: TypeAlias = npt.NDArray[np.int64]

MOST_UNITS = 2**62
_WEIGHT_BITS = 40
_WHOLE_BITS = 52  # as everywhere: whole weights of a larger sum are no copies


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
        cells = self.cells and replace(self.cells, units=self.cells.units * times)
        firsts = tuple(times * total for total in self.firsts)
        seconds = tuple(times * total for total in self.seconds)
        return NumberTally(self.units * times, firsts, seconds, cells)

    def with_classes(self, places: npt.NDArray[np.intp], n_classes: int) -> "NumberTally":
        """Return the tally with its classes at ``places`` among more classes."""
        firsts, seconds = [0] * n_classes, [0] * n_classes
        for old, new in enumerate(places.tolist()):
            firsts[new], seconds[new] = self.firsts[old], self.seconds[old]
        cells = self.cells
        if cells is not None:
            cells = replace(cells, units=_spread(cells.units, places, n_classes))
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
    columns: tuple[ColumnTally, ...]

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


def take_tally(
    table: Table,
    class_of_row: npt.NDArray[np.uint32],
    n_classes: int,
    weights: UnitWeights,
    *,
    with_cells: bool,
) -> Tally:
    """Count a batch of rows."""
    rows = ClassRows.of(class_of_row, n_classes, weights.units)
    fields = table.schema.fields
    numeric = [place for place, field in enumerate(fields) if field.type.kind == "numeric"]
    columns: dict[int, ColumnTally] = {}
    for group in number_groups(table, numeric):
        tallies = _number_tallies(group, class_of_row, rows, with_cells=with_cells)
        columns.update(zip(group.places, tallies, strict=True))
    for place, field in enumerate(fields):
        if field.type.kind == "category":
            codes, size = table.columns[place].values, len(field.type.categories or ())
            units = _count(codes, class_of_row, (size, n_classes), weights.units)
            columns[place] = CategoryTally(units)
    return Tally(
        table.n_rows,
        weights.bits,
        weights.is_whole,
        rows.weights(),
        tuple(columns[place] for place in range(len(fields))),
    )


def _number_tallies(
    group: NumberGroup, class_of_row: npt.NDArray[np.uint32], rows: ClassRows, *, with_cells: bool
) -> Sequence[NumberTally]:
    sums, everyone = exact_sums(group, rows), rows.weights()
    holes, n_classes = sums.has_holes, len(everyone)
    found = []
    for number in range(len(group.places)):
        column = group.column(number) if with_cells or holes[number] else None
        units = everyone
        if holes[number] and column is not None:
            present = np.where(np.isnan(column), -1, class_of_row.astype(np.int64))
            units = _count(present, None, (n_classes, 1), rows.units)[:, 0]
        cells = None
        if with_cells and column is not None:
            cells = count_cells(column, rows)
        first, second = tuple(sums.firsts[number]), tuple(sums.seconds[number])
        found.append(NumberTally(units, first, second, cells))
    return found


def _count(codes: Any, kinds: Any, shape: tuple[int, int], units: Units | None) -> Units:
    """Return the weight of each pair of a code (negative ones do not count) and a class."""
    size = shape[0] * shape[1]
    place = codes.astype(np.int64) * shape[1] + (0 if kinds is None else kinds)
    known = codes >= 0
    place = place if known.all() else place[known]
    if units is None:
        counted = np.bincount(place, minlength=size)
    else:
        counted = np.zeros(size, dtype=UNITS)
        np.add.at(counted, place, units[known])
    return counted.reshape(shape).astype(UNITS)


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
