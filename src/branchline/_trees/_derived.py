"""Derived columns: what a tree tests that is not a column of the table, but is computed from some.

1. A derived column knows its inputs (names of columns), its type, how to compute itself from a
   table, and its name, from which all words follow: "age − 0.37·income ≤ 2.1".
2. A tree that tests derived columns owns them (``DerivedColumns``). They stand after the columns
   of the table: a test of feature ``n_given + j`` looks at derived column j.
3. Walkers, readers and drawings work on the table or the schema *extended* by them.
4. Equal names mean equal columns: what a name does not tell is told by a number in it.

The kinds stand in ``_derived_kinds``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchline._state import malformed
from branchline.table import Column, ColumnType, Field, Schema, Table

__all__ = [
    "DerivedColumn",
    "DerivedColumns",
    "blocks_of_rows",
    "derived_from_state",
    "unique_columns",
]

# Derived columns of that many cells are computed at a time.
_MOST_CELLS = 2**22


class DerivedColumn(Protocol):
    """A column that is computed from others."""

    @property
    def name(self) -> str:
        """What words call it."""

    @property
    def type(self) -> ColumnType:
        """What it holds."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns it is computed from."""

    @property
    def meaning(self) -> str:
        """What its name leaves open; nothing where the name says all."""

    def values(self, table: Table) -> npt.NDArray[Any]:
        """Return numbers, NaN where missing; or category codes, −1 where missing."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, with its ``kind``."""


@dataclass(frozen=True)
class DerivedColumns:
    """The derived columns of a tree.

    Parameters
    ----------
    n_given
        The number of columns of the table, which stand before them.
    columns
        The derived columns; their names are all different.
    """

    n_given: int
    columns: tuple[DerivedColumn, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[DerivedColumn]:
        return iter(self.columns)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Names and types."""
        return tuple(Field(column.name, column.type) for column in self.columns)

    def extend_schema(self, schema: Schema) -> Schema:
        """Return a schema with the derived columns after its own."""
        known = self.__dict__.get("_extended")
        if known is None or known[0] is not schema:
            fields = (*schema.fields[: self.n_given], *self.fields)
            known = self.__dict__["_extended"] = (schema, Schema(fields, schema.named))
        extended: Schema = known[1]
        return extended

    def __getstate__(self) -> dict[str, Any]:
        """Return what makes up the columns; the rest is worked out anew."""
        return {"n_given": self.n_given, "columns": self.columns}

    def given_schema(self, schema: Schema) -> Schema:
        """Return the columns of the table alone."""
        return Schema(schema.fields[: self.n_given], schema.named)

    def extend_table(self, table: Table) -> Table:
        """Return a table with the derived columns after its own."""
        if table.n_rows == 1 and table.matrix is not None:
            cells = self._cells_of_one(table)
            if cells is not None:
                return Table._over(self.extend_schema(table.schema), matrix=cells)
        made = [Column(one.name, one.type, one.values(table)) for one in self.columns]
        extended = Table.from_columns([*table.columns, *made], named=table.schema.named)
        extended.groups, extended.times = table.groups, table.times
        return extended

    def _cells_of_one(self, table: Table) -> npt.NDArray[np.float64] | None:
        """Return the only row with its derived numbers, cell by cell: arrays of one cost more."""
        assert table.matrix is not None
        cells, place = table.matrix[0].tolist(), table.schema.position
        made: list[float] = []
        for one in self.columns:
            sum_of = getattr(one, "of_cells", None)
            if sum_of is None:
                return None
            made.append(sum_of(cells, place))
        return np.array([[*cells, *made]])

    def meaning_of(self, feature: int) -> str:
        """Return what the name of a column leaves open; nothing for a column of the table."""
        return "" if feature < self.n_given else self.columns[feature - self.n_given].meaning

    def inputs_of(self, feature: int, schema: Schema) -> list[int]:
        """Return the columns of the table that a test of ``feature`` looks at."""
        if feature < self.n_given:
            return [feature]
        names = self.columns[feature - self.n_given].inputs
        return [schema.position[name] for name in names]

    def used_by(
        self, feature: npt.NDArray[np.int32]
    ) -> tuple["DerivedColumns | None", npt.NDArray[np.int32]]:
        """Return the columns that some tests use, and the tests numbered anew."""
        places = np.unique(feature[feature >= self.n_given])
        if len(places) == 0:
            return None, feature
        new = self.n_given + np.searchsorted(places, feature)
        kept = tuple(self.columns[place] for place in (places - self.n_given).tolist())
        numbered = np.where(feature >= self.n_given, new, feature).astype(np.int32)
        return DerivedColumns(self.n_given, kept), numbered

    # -- saving ---------------------------------------------------------------------------------

    def to_list(self) -> list[dict[str, Any]]:
        """Return the columns as plain data."""
        return [column.to_dict() for column in self.columns]


def derived_from_state(state: Mapping[str, Any], schema: Schema | None) -> DerivedColumns | None:
    """Return the derived columns of a packed tree, refusing what no fit could have made.

    ``schema`` are the columns of the table; None: they are not known, and inputs are not checked.
    """
    from branchline._trees._derived_kinds import derived_from_dict

    written, n_given = state.get("derived"), state.get("n_given")
    if written is None and n_given is None:
        return None
    if not isinstance(written, list) or not written or type(n_given) is not int or n_given < 1:
        raise malformed("the derived columns are not a list")
    if schema is not None and n_given != len(schema):
        raise malformed("the derived columns do not follow those of the table")
    columns = tuple(derived_from_dict(one, schema) for one in written)
    names = [*(schema.names if schema is not None else ()), *(one.name for one in columns)]
    if len(set(names)) < len(names):
        raise malformed("two columns have one name")
    return DerivedColumns(n_given, columns)


def unique_columns(
    columns: Sequence[DerivedColumn],
) -> tuple[tuple[DerivedColumn, ...], npt.NDArray[np.int64]]:
    """Return each column once, and the place of each of the given ones among them."""
    place_of: dict[str, int] = {}
    kept: list[DerivedColumn] = []
    places = []
    for column in columns:
        if column.name not in place_of:
            place_of[column.name] = len(kept)
            kept.append(column)
        places.append(place_of[column.name])
    return tuple(kept), np.array(places, dtype=np.int64)


def blocks_of_rows(derived: DerivedColumns, n_rows: int) -> list[slice]:
    """Return the rows of a table in blocks, so that derived columns stay small."""
    size = max(1024, _MOST_CELLS // max(len(derived), 1))
    return [slice(begin, begin + size) for begin in range(0, max(n_rows, 1), size)]
