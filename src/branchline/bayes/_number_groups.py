"""The numeric columns of a table, a few at a time, as blocks with a row for each column.

Sums over rows and sums over columns are both fast on such blocks, and a block of some hundred rows
stays in the processor's cache whatever the table is made of: a matrix, columns, sparse cells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.table import Table

__all__ = ["NumberGroup", "number_groups"]

# Columns taken together: a group of a sparse table is made dense.
_WIDTH = 64


@dataclass(frozen=True)
class NumberGroup:
    """Some numeric columns, as a matrix with a row for each case or as arrays.

    ``places`` says where the columns stand in the table.
    """

    places: tuple[int, ...]
    matrix: npt.NDArray[Any] | None
    columns: tuple[npt.NDArray[Any], ...]

    def block(self, rows: Any) -> npt.NDArray[np.float64]:
        """Return the values at ``rows`` (positions or a slice), a row for each column."""
        if self.matrix is not None:
            some = self.matrix[rows] if isinstance(rows, slice) else self.matrix.take(rows, axis=0)
            return np.ascontiguousarray(some.T, dtype=np.float64)
        return np.array([column[rows] for column in self.columns], dtype=np.float64)

    def column(self, place: int) -> npt.NDArray[np.float64]:
        """Return one column of the group, by its number in the group."""
        values = self.columns[place] if self.matrix is None else self.matrix[:, place]
        return np.ascontiguousarray(values, dtype=np.float64)

    def largest(self) -> npt.NDArray[np.float64]:
        """Return the largest size of a number in each column; NaN where a cell is missing."""
        if self.matrix is None or not len(self.matrix):
            return np.array([_largest(column) for column in self.columns], dtype=np.float64)
        high, low = _by_columns(np.maximum, self.matrix), _by_columns(np.minimum, self.matrix)
        found: npt.NDArray[np.float64] = np.maximum(high, -low).astype(np.float64)
        return found


def number_groups(table: Table, places: Sequence[int]) -> Iterator[NumberGroup]:
    """Go through the numeric columns at ``places``, a group at a time."""
    for begin in range(0, len(places), _WIDTH):
        some = tuple(places[begin : begin + _WIDTH])
        if table.matrix is not None:
            whole = len(some) == table.n_columns
            yield NumberGroup(some, table.matrix if whole else table.matrix[:, list(some)], ())
        elif table.sparse is not None:
            yield NumberGroup(some, table.sparse[:, list(some)].toarray(), ())
        else:
            columns = table.columns
            yield NumberGroup(some, None, tuple(columns[place].numbers() for place in some))


def _largest(column: npt.NDArray[Any]) -> float:
    return max(float(column.max()), -float(column.min())) if len(column) else 0.0


def _by_columns(
    choose: np.ufunc, matrix: npt.NDArray[Any], rows_at_once: int = 64
) -> npt.NDArray[Any]:
    """Return the least or largest of each column: rows side by side make one long, fast row."""
    n_rows, n_columns = matrix.shape
    whole = n_rows - n_rows % rows_at_once
    ends = choose.reduce(matrix[whole:], axis=0) if whole < n_rows else None
    if not whole:
        return np.asarray(ends)
    wide = choose.reduce(matrix[:whole].reshape(-1, rows_at_once * n_columns), axis=0)
    found = choose.reduce(wide.reshape(rows_at_once, n_columns), axis=0)
    return np.asarray(found if ends is None else choose(found, ends))
