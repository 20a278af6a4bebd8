"""The numeric columns of a table as matrices, many columns at a time.

Compiled kernels read a matrix in any order of memory. Columns that stand side by side in a NumPy
matrix are a view of it; others (of frames, of sparse tables) are copied, some hundred at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.table import Table

__all__ = ["GROUP_WIDTH", "NumberGroup", "number_groups", "places_of"]

# Scores add up columns in groups of this many.
GROUP_WIDTH = 64
# Columns that are copied at once: a multiple of the width, so that groups are the same.
_COPIED = 8 * GROUP_WIDTH


@dataclass(frozen=True)
class NumberGroup:
    """Some numeric columns, as a matrix with a row for each row of the table or as arrays.

    ``places`` are the positions of the columns in the table.
    """

    places: tuple[int, ...]
    matrix: npt.NDArray[Any] | None
    columns: tuple[npt.NDArray[Any], ...]

    def as_matrix(self) -> npt.NDArray[Any]:
        """Return the columns as a matrix of floats of 32 or 64 bits."""
        if self.matrix is None:
            return np.array(self.columns, dtype=np.float64).T
        return _as_floats(self.matrix)

    def block(self, rows: Any) -> npt.NDArray[np.float64]:
        """Return the values at ``rows`` (positions or a slice), with a row for each column."""
        if self.matrix is not None:
            some = self.matrix[rows] if isinstance(rows, slice) else self.matrix.take(rows, axis=0)
            return np.ascontiguousarray(some.T, dtype=np.float64)
        return np.array([column[rows] for column in self.columns], dtype=np.float64)

    def column(self, place: int) -> npt.NDArray[np.float64]:
        """Return one column of the group, by its number in the group."""
        values = self.columns[place] if self.matrix is None else self.matrix[:, place]
        return np.ascontiguousarray(values, dtype=np.float64)

    def largest(self) -> npt.NDArray[np.float64]:
        """Return the largest size of a number in each column; NaN where a value is missing."""
        columns = self.columns if self.matrix is None else self.matrix.T
        return np.array([_largest(column) for column in columns], dtype=np.float64)


def places_of(table: Table, kind: str) -> Sequence[int]:
    """Return the positions of the columns of a kind: "numeric" or "category"."""
    if table.matrix is not None or table.sparse is not None:
        return range(table.n_columns if kind == "numeric" else 0)
    return [place for place, field in enumerate(table.schema) if field.type.kind == kind]


def number_groups(table: Table, places: Sequence[int]) -> Iterator[NumberGroup]:
    """Go through the numeric columns at ``places``, a group at a time."""
    if table.matrix is not None and _stand_side_by_side(places):
        yield NumberGroup(tuple(places), table.matrix[:, places[0] : places[-1] + 1], ())
        return
    for begin in range(0, len(places), _COPIED):
        some = tuple(places[begin : begin + _COPIED])
        if table.matrix is not None:
            yield NumberGroup(some, table.matrix[:, list(some)], ())
        elif table.sparse is not None:
            yield NumberGroup(some, table.sparse[:, list(some)].toarray(), ())
        else:
            columns = table.columns
            yield NumberGroup(some, None, tuple(columns[place].numbers() for place in some))


def _stand_side_by_side(places: Sequence[int]) -> bool:
    return len(places) > 0 and places[-1] - places[0] == len(places) - 1


def _as_floats(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    is_plain = matrix.dtype in (np.float32, np.float64) and matrix.dtype.isnative
    if is_plain and matrix.flags.aligned:
        return matrix
    return np.ascontiguousarray(matrix, dtype=np.float64)


def _largest(column: npt.NDArray[Any]) -> float:
    return max(float(column.max()), -float(column.min())) if len(column) else 0.0
