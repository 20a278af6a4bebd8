"""The columns that trees are grown on: those that vary, in an order of their own.

1. A constant column is never drawn, so it changes neither the draws nor the keys of rows.
2. Categories get the ranks of their names among those that occur; so it does not matter how a
   container numbers them, or which it declares without using them.
3. Columns are sorted by a hash of their content (``native/include/branchline/column_keys.hpp``).
   So neither draws of columns nor the choice between two columns that separate rows equally well
   depend on the order in which the table lists them.
4. ``restored`` puts grown tests back into the numbering of the table.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes, code_bytes
from branchline._random import target_bits
from branchline._row_keys import canonical_codes
from branchline._trees._packing import narrowed
from branchline.table import Table

__all__ = ["GrowingColumns", "RowsOfColumns", "growing_columns"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

_CATEGORIES = int(_core.NodeKind.categories.value)


@dataclass(frozen=True)
class GrowingColumns:
    """Columns to grow on.

    Parameters
    ----------
    native
        What the native grower takes.
    lowest, highest
        The values that the codes of each number cover; the ranks of categories.
    coded
        The codes that rows are keyed by.
    places
        Where each column stands in the table.
    ranks
        For each category column by its number here, the rank of each code of the table (0 first);
        rank 0 for names that do not occur.
    """

    native: _core.GrowColumns
    lowest: list[Floats]
    highest: list[Floats]
    coded: Codes
    places: Longs
    ranks: dict[int, Longs]

    def restored(self, grown: dict[str, Any]) -> dict[str, Any]:
        """Return grown trees with columns and categories as the table numbers them."""
        feature = grown["feature"]
        if self.ranks:
            grown = {**grown, "pool": self._pool(grown)}
        return {**grown, "feature": narrowed(self.places[feature])}

    def _pool(self, grown: dict[str, Any]) -> npt.NDArray[np.uint8]:
        """Return the bits of category tests, one for each code of the table."""
        inner_kind = grown["kind"][grown["kind"] != 0]
        tests = np.flatnonzero(inner_kind == _CATEGORIES)
        column = grown["feature"][tests].astype(np.int64)
        n_before = (np.array([self._n_ranks(c) for c in range(len(self.places))]) + 7) // 8
        n_after = (np.array([self._n_codes(c) for c in range(len(self.places))]) + 7) // 8
        begin = np.concatenate([[0], np.cumsum(n_before[column])])
        begin_after = np.concatenate([[0], np.cumsum(n_after[column])])
        pool = np.zeros(begin_after[-1], dtype=np.uint8)
        for c, rank in self.ranks.items():
            here = np.flatnonzero(column == c)
            if not len(here):
                continue
            old = grown["pool"][begin[here][:, None] + np.arange(n_before[c])]
            bits = np.unpackbits(old, axis=1, bitorder="little")
            missing_right = grown["missing_left"][tests[here]] == 0
            bits = np.concatenate([missing_right[:, None].astype(np.uint8), bits], axis=1)
            new = np.packbits(bits[:, rank[1:]], axis=1, bitorder="little")
            pool[begin_after[here][:, None] + np.arange(n_after[c])] = new
        return pool

    def _n_ranks(self, c: int) -> int:
        return int(self.ranks[c].max()) if c in self.ranks else 0

    def _n_codes(self, c: int) -> int:
        return len(self.ranks[c]) - 1 if c in self.ranks else 0


class RowsOfColumns(NamedTuple):
    """What tells columns apart beside codes: the target of rows, how many each stands for."""

    target: npt.NDArray[Any]
    copies: Longs | None
    n_threads: int = 1


def growing_columns(
    table: Table, codes: Codes, more: Codes | None = None, *, rows: RowsOfColumns | None = None
) -> GrowingColumns:
    """Return the columns of a table that vary; the first one when none does.

    Parameters
    ----------
    table, codes
        The rows, and their codes.
    more
        Codes of rows that are to stand after them, though they do not decide which columns vary.
    rows
        Targets and copies of the rows, by which columns are sorted; None: in the table's order.
    """
    vary = [place for place, column in enumerate(codes.columns) if _varies(column)]
    columns = [_growing_column(table, codes, place) for place in vary or [0]]
    if rows is not None:
        bits, coded = target_bits(rows.target), [column.codes for column in columns]
        keys = _core.column_keys(coded, bits, rows.copies, rows.n_threads)
        columns = [columns[number] for number in np.argsort(keys, kind="stable")]
    if more is not None:
        columns = [column.extended(more) for column in columns]
    places = np.array([column.place for column in columns], dtype=np.int64)
    ranks = {n: column.ranks for n, column in enumerate(columns) if column.ranks is not None}
    return _growing(columns, places, codes.is_category[places], ranks)


def _varies(column: npt.NDArray[Any]) -> bool:
    """Return whether a column has different codes: the ends differ in most columns that vary."""
    return bool(column.item(0) != column.item(-1) or column.min() != column.max())


class _GrowingColumn(NamedTuple):
    place: int
    codes: npt.NDArray[Any]
    lowest: Floats
    highest: Floats
    ranks: Longs | None

    def extended(self, more: Codes) -> "_GrowingColumn":
        """Return the column with the codes of rows after its own."""
        after = more.columns[self.place]
        after = after if self.ranks is None else self.ranks[after]
        return self._replace(codes=np.concatenate([self.codes, after.astype(self.codes.dtype)]))


def _growing_column(table: Table, codes: Codes, place: int) -> _GrowingColumn:
    if not codes.is_category[place]:
        low, high = codes.lowest[place], codes.highest[place]
        return _GrowingColumn(place, codes.columns[place], low, high, None)
    rank = canonical_codes(table, codes, place).astype(np.int64)
    column = rank.astype(f"u{code_bytes(int(rank.max()))}")[codes.columns[place]]
    values = np.arange(1.0, rank.max() + 1.0)
    return _GrowingColumn(place, column, values, values, rank)


def _growing(
    columns: list[_GrowingColumn],
    places: Longs,
    is_category: npt.NDArray[np.bool_],
    ranks: dict[int, Longs],
) -> GrowingColumns:
    coded = [column.codes for column in columns]
    lowest, highest = [column.lowest for column in columns], [column.highest for column in columns]
    n_codes = np.array([len(low) for low in lowest], dtype=np.int64)
    pooling = (None,) * len(places)
    as_codes = Codes(tuple(coded), tuple(lowest), tuple(highest), n_codes, is_category, pooling)
    native = _core.GrowColumns(
        coded, n_codes, is_category, np.ones(len(places)), np.zeros(len(places), dtype=np.uint32)
    )
    return GrowingColumns(native, lowest, highest, as_codes, places, ranks)
