"""Columns of moments that make a table a time series: one row for each moment, at equal steps."""

from collections.abc import Iterator

import numpy as np

from branchline._arrays import AnyArray
from branchline.table._column import Column
from branchline.table._table import Table

__all__ = ["has_equal_steps", "is_series", "time_series"]

_FEWEST_ROWS = 50
# The share of rows that have a moment of their own, and of steps that have the usual length.
_ALL_DIFFERENT, _EQUAL_STEPS = 0.9, 0.5


def time_series(table: Table) -> Iterator[str]:
    """Yield the names of the columns whose moments follow each other at equal steps, row by row.

    The order of rows does not count. Dates of birth, for example, have no usual step.
    """
    if table.matrix is not None or table.sparse is not None or table.n_rows < _FEWEST_ROWS:
        return
    for column in table.columns:
        if is_series(column):
            yield column.name


def is_series(column: Column) -> bool:
    """Whether a column has a moment for each row, and most follow each other at equal steps."""
    if column.type.source not in {"date", "datetime"}:
        return False
    moments = np.unique(column.values[~column.is_missing])
    if len(moments) < max(_FEWEST_ROWS, _ALL_DIFFERENT * len(column)):
        return False
    return has_equal_steps(moments)


def has_equal_steps(moments: AnyArray) -> bool:
    """Whether at least half of the steps between sorted moments have the same length."""
    steps = np.diff(moments)
    return bool(np.unique(steps, return_counts=True)[1].max() >= _EQUAL_STEPS * len(steps))
