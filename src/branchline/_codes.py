"""Tables become small integers: the form in which trees, forests and boosting see data.

1. A numeric column's distinct values are numbered in order (exact ranks), or grouped into at most
   ``max_bins`` bins of about equal weight; a category c becomes c + 1; missing and unseen become 0.
2. Each code remembers the smallest and largest value it covers, so that thresholds can be put
   between values.
3. A category column with more than 65 534 names keeps the most frequent; the rest share a code.

The work is done in ``native/kernels/fit_codes.cpp``; the rule for bins is stated in ``codes.hpp``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._dtypes import CATEGORY, UNITS
from branchline._memory import budget_bytes, refuse_over_budget
from branchline.table import (
    MAX_CATEGORIES,
    Column,
    Table,
    TableScan,
    keep_codes,
    read_codes,
    release,
)

__all__ = [
    "MAX_CATEGORIES",
    "Codes",
    "apply_codes",
    "best_cpu_level",
    "code_bytes",
    "fit_codes",
    "kept_codes",
    "native_columns",
]

Units: TypeAlias = npt.NDArray[np.int64]
Pooling: TypeAlias = npt.NDArray[np.int32]

# What coding one column of numbers takes per row: a copy as floats, two sorted lists, its codes.
_SORT_BYTES = 48


@dataclass(frozen=True)
class Codes:
    """A coded table.

    Parameters
    ----------
    columns
        One array of codes a column: uint8, uint16 or uint32.
    lowest, highest
        The smallest and largest value that each code of a numeric column covers (code 1 first);
        empty for a category.
    n_codes
        The largest code of each column.
    is_category
        Which columns are categories.
    pooling
        For a category column with too many names, the code of each of them (minus one); else None.
    """

    columns: tuple[npt.NDArray[Any], ...]
    lowest: tuple[npt.NDArray[np.float64], ...]
    highest: tuple[npt.NDArray[np.float64], ...]
    n_codes: npt.NDArray[np.int64]
    is_category: npt.NDArray[np.bool_]
    pooling: tuple[Pooling | None, ...]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    @cached_property
    def any_pooled(self) -> bool:
        """Whether names of a column share a code; asked for every tree, answered once."""
        return any(pooling is not None for pooling in self.pooling)


def fit_codes(
    table: Table, *, units: Units | None = None, max_bins: int | None = None, n_threads: int = 1
) -> Codes:
    """Learn the codes of a table and encode it.

    Parameters
    ----------
    table
        The rows to learn from.
    units
        Integer row weights of at least 1; None counts every row once.
    max_bins
        The most codes a numeric column may have; None keeps every distinct value apart.
    n_threads
        Threads to use; the result does not depend on it.
    """
    if isinstance(table, TableScan):
        return _fit_codes_of_scan(table, units, max_bins, n_threads)
    bytes_a_cell = 4 if max_bins is None else code_bytes(max_bins)  # exact ranks may need all four
    needed = bytes_a_cell * table.n_rows * table.n_columns
    refuse_over_budget(needed, "the codes of the table", is_copy=True)
    if table.sparse is not None and max_bins is None:
        return _fit_sparse_codes(table, n_threads)
    pooling = tuple(_pool_rare(column, units) for column in _category_columns(table))
    columns, n_categories = native_columns(table, pooling)
    coded = _core.fit_codes(columns, n_categories, units, max_bins or 0, n_threads)
    return _codes_of(coded, n_categories, pooling)


def _fit_codes_of_scan(
    table: TableScan, units: Units | None, max_bins: int | None, n_threads: int
) -> Codes:
    """Learn the codes of a few columns at a time; the codes stand on disk, as the columns do.

    A cache with a name keeps those of whole columns of numbers whose rows count once.
    """
    at_once = min(n_threads, max(1, budget_bytes() // (_SORT_BYTES * max(1, table.n_rows))))
    places = range(table.n_columns)
    keys = [_key_of_codes(table, place, units, max_bins) for place in places]
    coded = [None if key is None else read_codes(table.cache, key) for key in keys]
    waiting = [place for place in places if coded[place] is None]
    pooling: list[Pooling | None] = [
        _pool_rare(column, units) for column in _category_columns(table)
    ]
    for first in range(0, len(waiting), at_once):
        some = waiting[first : first + at_once]
        found = _coded_columns(table, some, pooling, units, max_bins, n_threads)
        for place, (codes, low, high) in zip(some, found, strict=True):
            key = keys[place]
            if key is None:
                coded[place] = table.folder.kept(codes), low, high
            else:
                coded[place] = keep_codes(table.cache, key, codes, low, high), low, high
    columns = zip(table.columns, pooling, strict=True)
    n_categories = [_n_codes_of_category(column, pool) for column, pool in columns]
    return _codes_of(list(coded), np.array(n_categories, dtype=CATEGORY), tuple(pooling))


def _key_of_codes(
    table: TableScan, place: int, units: Units | None, max_bins: int | None
) -> str | None:
    """Return what the codes of a column are kept by; None where they are not kept."""
    key = table.folder.key_of(table.columns[place]) if units is None else None
    return None if key is None or max_bins is None else f"{key}_{max_bins}"


def _coded_columns(  # noqa: PLR0913
    table: TableScan,
    places: list[int],
    pooling: list[Pooling | None],
    units: Units | None,
    max_bins: int | None,
    n_threads: int,
) -> list[Any]:
    """Return the codes of some columns, and the lowest and highest value of each code."""
    some = table.select([table.names[place] for place in places])
    columns, n_categories = native_columns(some, [pooling[place] for place in places])
    found: list[Any] = _core.fit_codes(columns, n_categories, units, max_bins or 0, n_threads)
    release(*(column.values for column in some.columns))
    return found


def _fit_sparse_codes(table: Table, n_threads: int) -> Codes:
    """Learn exact codes from the cells that are stored; all others share the code of 0."""
    cells = table.sparse
    coded = _core.fit_sparse_codes(
        np.ascontiguousarray(cells.data, dtype=np.float64),
        np.ascontiguousarray(cells.indices, dtype=np.int32),
        np.ascontiguousarray(cells.indptr, dtype=np.int64),
        table.n_rows,
        n_threads,
    )
    n_categories = np.full(table.n_columns, -1, dtype=CATEGORY)
    return _codes_of(coded, n_categories, (None,) * table.n_columns)


def _codes_of(
    coded: list[Any], n_categories: npt.NDArray[np.int32], pooling: tuple[Pooling | None, ...]
) -> Codes:
    lowest = tuple(low for _, low, _ in coded)
    is_category = n_categories >= 0
    n_codes = np.array([len(low) for low in lowest], dtype=UNITS)
    return Codes(
        columns=tuple(codes for codes, _, _ in coded),
        lowest=lowest,
        highest=tuple(high for _, _, high in coded),
        n_codes=np.where(is_category, n_categories, n_codes),
        is_category=is_category,
        pooling=pooling,
    )


def apply_codes(
    known: Codes, table: Table, *, n_threads: int = 1, cpu_level: int | None = None
) -> Codes:
    """Encode another table, of the same schema, with codes learned earlier."""
    level = best_cpu_level() if cpu_level is None else cpu_level
    coded: list[Any] = []
    at_once = n_threads if isinstance(table, TableScan) else max(1, table.n_columns)
    for first in range(0, table.n_columns, at_once):
        here = slice(first, first + at_once)
        some = table if at_once >= table.n_columns else table.select(table.names[here])
        columns, n_categories = native_columns(some, known.pooling[here])
        found = _core.apply_codes(
            columns,
            n_categories,
            list(known.lowest[here]),
            list(known.highest[here]),
            level,
            n_threads,
        )
        coded += kept_codes(table, found)
    return Codes(
        tuple(coded),
        known.lowest,
        known.highest,
        known.n_codes,
        known.is_category,
        known.pooling,
    )


def kept_codes(table: Table, codes: Sequence[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Return codes of a table larger than memory as arrays on disk; others as they are."""
    if not isinstance(table, TableScan):
        return list(codes)
    return [table.folder.kept(column) for column in codes]


def code_bytes(n_codes: int) -> int:
    """Return how many bytes codes from 0 to ``n_codes`` need: 1, 2 or 4."""
    return 1 if n_codes <= 0xFF else 2 if n_codes <= 0xFFFF else 4


def best_cpu_level() -> int:
    """Return the highest level of vector instructions that this processor has."""
    return int(_core.cpu_levels()[-1])


def native_columns(
    table: Table, pooling: Sequence[Pooling | None] | None = None
) -> tuple[list[npt.NDArray[Any]], npt.NDArray[np.int32]]:
    """Return a table's columns as the compiled core takes them, and their numbers of categories.

    Numbers are float32 or float64 arrays (not copied when they are so already), categories int32;
    the number of categories of a numeric column is −1.
    """
    if table.matrix is not None:
        views = [_in_step(table.matrix[:, place]) for place in range(table.n_columns)]
        return views, np.full(table.n_columns, -1, dtype=CATEGORY)
    pools = pooling or (None,) * table.n_columns
    columns = [
        _native_column(column, pool) for column, pool in zip(table.columns, pools, strict=True)
    ]
    n_categories = [
        _n_codes_of_category(column, pool)
        for column, pool in zip(table.columns, pools, strict=True)
    ]
    return columns, np.array(n_categories, dtype=CATEGORY)


def _native_column(column: Column, pool: Pooling | None) -> npt.NDArray[Any]:
    if column.kind == "numeric":
        return _in_step(column.numbers())
    if pool is None:
        return _in_step(column.values)
    pooled: npt.NDArray[Any] = np.where(column.values < 0, CATEGORY.type(-1), pool[column.values])
    return pooled


def _in_step(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy a column of packed records, whose values do not lie whole steps apart."""
    return values.copy() if values.strides[0] % values.itemsize else values


def _n_codes_of_category(column: Column, pool: Pooling | None) -> int:
    if column.kind == "numeric":
        return -1
    return len(column.categories) if pool is None else int(pool.max()) + 1


def _category_columns(table: Table) -> Sequence[Column | None]:
    if table.matrix is not None or table.sparse is not None:
        return (None,) * table.n_columns
    return [column if column.kind == "category" else None for column in table.columns]


def _pool_rare(column: Column | None, units: Units | None) -> Pooling | None:
    """Return the pooled code of each category when there are too many; the last is the pool."""
    if column is None or len(column.categories) <= MAX_CATEGORIES:
        return None
    present = column.values >= 0
    weight = np.bincount(
        column.values[present],
        weights=None if units is None else units[present],
        minlength=len(column.categories),
    )
    kept = np.sort(np.argsort(-weight, kind="stable")[: MAX_CATEGORIES - 1])
    pool = np.full(len(column.categories), MAX_CATEGORIES - 1, dtype=CATEGORY)
    pool[kept] = np.arange(len(kept), dtype=CATEGORY)
    return pool
