"""Which rows of a table are copies of each other, and when repeats are natural.

1. Rows with equal inputs are copies, whatever their target.
2. A table with few possible rows (categories, and numbers with few values; three rows or more for
   each combination, such as class, age group and sex of 2 000 passengers) repeats rows by nature:
   new rows will be repeats, too.
3. A table whose rows all have the same number of copies was given several times: no sample repeats
   all its rows equally.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Places
from branchline._row_keys import input_hashes
from branchline.table import Table

__all__ = ["EqualRows", "blocks_of"]

Units = npt.NDArray[np.int64]

# With at least this many rows for each possible row, equal rows are natural, not copies.
_ROWS_PER_CELL = 3
# Rows of a column that must all differ before all its rows are looked at.
_QUICK_LOOK = 1000
# A numeric column with more values can take any value.
_MOST_LEVELS = 20
# At least this many different rows, all with the same number of copies, are a repeated table.
_FEWEST_REPEATED = 12


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Which rows have equal inputs.

    Parameters
    ----------
    of_row
        The number of each row's block; None when every row is a block of its own.
    is_saturated
        Whether repeats are natural: each copy is then a block of its own.
    """

    of_row: Places | None
    is_saturated: bool = False


def blocks_of(table: Table, size: Units) -> EqualRows:
    """Return which rows of a table have equal inputs; ``size`` counts the copies of each."""
    if table.n_rows > _MOST_LEVELS and _some_column_differs(table):
        return EqualRows(None)
    all_hashes = input_hashes(table)
    if size.sum() == table.n_rows and _all_differ(all_hashes):
        return EqualRows(None)
    hashes, of_row = np.unique(all_hashes, return_inverse=True)
    copies = np.bincount(of_row, size).astype(np.float64)
    if len(hashes) < size.sum() and not _is_repeated(copies) and _is_saturated(table, copies.sum()):
        return EqualRows(None, is_saturated=True)
    return EqualRows(of_row if len(hashes) < table.n_rows else None)


def _some_column_differs(table: Table) -> bool:
    """Whether one of the first numeric columns has a different value in every row: a quick look."""
    if table.sparse is not None:
        return False
    for field in [field for field in table.schema.fields if field.type.kind == "numeric"][:3]:
        values = table.column(field.name).values
        if _all_differ(values[:_QUICK_LOOK]) and _all_differ(values):
            return True
    return False


def _all_differ(values: npt.NDArray[Any]) -> bool:
    """Whether no value is there twice; missing values (NaN) are one."""
    ordered = np.sort(values)
    same = ordered[1:] == ordered[:-1]
    if values.dtype.kind == "f":
        same |= np.isnan(ordered[:-1])  # they stand at the end
    return not same.any()


def _is_repeated(copies: npt.NDArray[np.float64]) -> bool:
    """Whether a whole table was given several times: no sample repeats all its rows equally."""
    return len(copies) >= _FEWEST_REPEATED and bool((copies == copies[0]).all())


def _is_saturated(table: Table, n_rows: float) -> bool:
    """Whether there are few possible rows: a third of the rows that there are, or fewer."""
    if table.sparse is not None:
        return False
    possible, seen = 1, set()
    for field in table.schema:
        codes = np.unique(input_hashes(table.select(field.name)), return_inverse=True)[1]
        n_values, parts = int(codes.max()) + 1, codes.tobytes()
        if field.type.kind == "numeric" and n_values > _MOST_LEVELS:
            return False
        if parts not in seen:  # a second copy of a column makes no new rows possible
            seen.add(parts)
            possible *= n_values
        if possible * _ROWS_PER_CELL > n_rows:
            return False
    return True
