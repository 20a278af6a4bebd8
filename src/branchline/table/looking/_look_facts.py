"""What can be counted in one column: distinct values, how often each occurs, missing cells.

1. Numbers are sorted once; runs of equal values give the distinct values and their counts, and
   these give lowest, median, highest and every quantile.
2. Categories are counted by code.
3. Every cell has 64 bits that stand for it, so that equal columns and equal rows can be found by
   hashing.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import AnyArray
from branchline.table._column import Category, Column
from branchline.table._table import Table

__all__ = ["Facts", "cell_bits", "collect_facts", "row_hashes"]

_EXACT_AS_FLOAT = 2**53
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_NAN_BITS = np.array([np.nan]).view(np.uint64)[0]


@dataclass(frozen=True)
class Facts:
    """A column with its distinct values in ascending order and their counts.

    The values of a category are its codes; infinite numbers are counted apart.
    """

    column: Column
    values: AnyArray
    counts: npt.NDArray[np.intp]
    n_missing: int
    n_infinite: int = 0

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def is_category(self) -> bool:
        """Whether the column is a category."""
        return self.column.kind == "category"

    @property
    def n_rows(self) -> int:
        """The number of cells."""
        return len(self.column)

    @cached_property
    def n_present(self) -> int:
        """The number of cells that have a (finite) value."""
        return int(self.counts.sum())

    @property
    def n_distinct(self) -> int:
        """The number of different values."""
        return len(self.values)

    @property
    def missing_share(self) -> float:
        """The share of cells without a value."""
        return self.n_missing / self.n_rows if self.n_rows else 0.0

    @cached_property
    def by_frequency(self) -> npt.NDArray[np.intp]:
        """Places of the values, most frequent first, ties in their own order."""
        return np.argsort(-self.counts, kind="stable")

    @cached_property
    def names(self) -> list[Category]:
        """The category names that occur, in code order."""
        return [self.column.categories[code] for code in self.values]

    def value(self, place: int) -> Any:
        """Return the distinct value at ``place`` as a Python value."""
        if self.is_category:
            return self.column.categories[self.values[place]]
        return self.values[place].item()

    def quantile(self, share: float) -> Any:
        """Return the value below which about ``share`` of the cells lie (one of the values)."""
        return self._at_rank(int(share * (self.n_present - 1)))

    def _at_rank(self, rank: int) -> Any:
        return self.values[self._reach.searchsorted(rank, side="right")].item()

    @cached_property
    def _reach(self) -> npt.NDArray[np.intp]:
        """How many cells each value and those before it fill."""
        return self.counts.cumsum()

    def median(self) -> Any:
        """Return the median; of moments and times, the lower of the two in the middle."""
        low = self.quantile(0.5)
        if self.column.type.is_time or self.n_present % 2:
            return low
        high = self._at_rank(self.n_present // 2)
        return low if low == high else low / 2 + high / 2


def collect_facts(column: Column) -> Facts:
    """Return the facts of a column."""
    n_missing = int(np.count_nonzero(column.is_missing))
    if column.kind == "category":
        codes = column.values[column.values >= 0]
        counts = np.bincount(codes, minlength=len(column.categories))
        used = np.flatnonzero(counts)
        return Facts(column, used, counts[used], n_missing)
    present = column.values[~column.is_missing] if n_missing else column.values
    n_infinite = 0
    if present.dtype.kind == "f":
        finite = np.isfinite(present)
        n_infinite = len(present) - int(np.count_nonzero(finite))
        present = present[finite] if n_infinite else present
    values, counts = _runs(np.sort(present))
    return Facts(column, values, counts, n_missing, n_infinite)


def _runs(ordered: AnyArray) -> tuple[AnyArray, npt.NDArray[np.intp]]:
    """Return the distinct values of a sorted array and how often each occurs."""
    if not len(ordered):
        return ordered, np.zeros(0, dtype=np.intp)
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return ordered[starts], np.diff(np.r_[starts, len(ordered)])


def cell_bits(column: Column) -> npt.NDArray[np.uint64]:
    """Return 64 bits a cell; equal cells have equal bits, whether whole or real numbers."""
    values = column.values
    if column.kind == "category":
        return values.astype(np.int64).view(np.uint64)
    if values.dtype.kind in "iu" and _needs_all_bits(column):
        bits = values.astype(np.int64).view(np.uint64)
    else:
        bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # + 0.0 turns −0 into 0
    if column.is_missing.any():
        bits[column.is_missing] = _NAN_BITS
    return bits


def _needs_all_bits(column: Column) -> bool:
    """Whether a float64 would round some of the whole numbers."""
    values = column.values
    if column.type.is_time:
        return True
    if values.dtype.itemsize < 8 or not len(values):
        return False
    return int(values.max()) > _EXACT_AS_FLOAT or int(values.min()) < -_EXACT_AS_FLOAT


def row_hashes(table: Table) -> npt.NDArray[np.uint64]:
    """Return 64 bits for each row; rows with equal cells have equal bits."""
    mixed = np.zeros(table.n_rows, dtype=np.uint64)
    for name in table.names:  # one at a time: a sparse column is dense only for a moment
        mixed = (mixed ^ cell_bits(table.column(name))) * _MIX  # the product wraps around
        mixed ^= mixed >> _SHIFT
    return mixed
