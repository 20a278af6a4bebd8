"""Tallies of wide tables, taken when they are needed: to save, to add a batch, to print.

A tally of values has a cell for nearly every number of a table with few rows: it is larger than the
table, and Gaussian columns do not need it. So the rows are kept instead.

1. Means and deviations come from the compiled sums at once; categories are counted at once.
2. The tallies of columns are made of the kept rows when the first of them is asked for.
"""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from branchline.bayes._class_rows import ClassRows
from branchline.bayes._class_sums import class_sums
from branchline.bayes._moments import Moments
from branchline.bayes._number_groups import number_groups, places_of
from branchline.bayes._tally import (
    ColumnTally,
    Tally,
    UnitWeights,
    category_tallies,
    number_tallies,
)
from branchline.table import Table

__all__ = ["DeferredColumns", "deferred_tally"]


class DeferredColumns(Sequence[ColumnTally]):
    """The tallies of all columns, taken when the first is asked for."""

    def __init__(self, table: Table, rows: ClassRows, *, with_cells: bool) -> None:
        self.categories = category_tallies(table, rows)
        # Its own copy: the caller may change theirs.
        self._table: Table | None = table.rows(np.arange(table.n_rows))
        self._rows = rows
        self._with_cells = with_cells
        self._taken: tuple[ColumnTally, ...] = ()
        self._length = table.n_columns

    def moments(self, weight_of_unit: float) -> Moments | None:
        """Return the moments of numeric columns; None once tallies were taken."""
        if self._table is None:
            return None
        places = places_of(self._table, "numeric")
        groups = number_groups(self._table, places)
        return Moments.of_sums(places, [class_sums(g, self._rows) for g in groups], weight_of_unit)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> ColumnTally: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ColumnTally]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return self._columns()[place]

    def _columns(self) -> tuple[ColumnTally, ...]:
        table = self._table
        if table is not None:
            found = number_tallies(table, self._rows, with_cells=self._with_cells)
            found |= self.categories
            self._taken = tuple(found[place] for place in range(self._length))
            self._table = None
        return self._taken


def deferred_tally(
    table: Table, rows: ClassRows, weights: UnitWeights, *, with_cells: bool
) -> Tally:
    """Return a tally whose columns are counted when they are first asked for."""
    columns = DeferredColumns(table, rows, with_cells=with_cells)
    return Tally(table.n_rows, weights.bits, weights.is_whole, rows.weights, columns)
