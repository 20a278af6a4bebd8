"""Tables over one matrix of numbers are read and encoded many columns at a time.

The columns of a matrix are interleaved: taken one by one, each would fetch the whole matrix again.

1. ``contiguous_columns`` gives a table's columns one after the other, a few copied together.
2. ``encode_matrix`` scales all numbers of some rows at once, rows that fit into the cache. The
   arithmetic of each number is that of ``NumberBlock``, so the bits are the same.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._encoding._number_blocks import NumberBlocks
from branchline.table import Column, Table

__all__ = ["contiguous_columns", "encode_matrix"]

_COLUMNS_AT_ONCE = 16
_CELLS_AT_ONCE = 2**16


def contiguous_columns(table: Table) -> Iterator[Column]:
    """Return the columns of a table in order, the values of each side by side in memory."""
    if table.matrix is None and table.sparse is None:
        yield from table.columns
        return
    for first in range(0, table.n_columns, _COLUMNS_AT_ONCE):
        some = slice(first, first + _COLUMNS_AT_ONCE)
        for field, values in zip(table.schema.fields[some], _transposed(table, some), strict=True):
            yield Column(field.name, field.type, values)


def _transposed(table: Table, some: slice) -> Any:
    if table.matrix is not None:
        return np.ascontiguousarray(table.matrix[:, some].T)
    return table.sparse[:, some].toarray(order="F").T


def encode_matrix(blocks: NumberBlocks, table: Table) -> Floats:
    """Return the scaled numbers of a table, a column a block."""
    matrix = _dense_cells(table, blocks.places)
    scale = blocks.scales.steps
    step = max(1, _CELLS_AT_ONCE // max(1, len(blocks)))
    for first in range(0, table.n_rows, step):
        scale.apply(matrix[first : first + step])
    return matrix


def _dense_cells(table: Table, places: npt.NDArray[np.int64]) -> Floats:
    """Return some columns side by side, row after row, as a new matrix."""
    if table.matrix is not None:
        cells = table.matrix if len(places) == table.n_columns else table.matrix[:, places]
        return np.array(cells, dtype=np.float64, order="C")
    if table.sparse is None:
        matrix = np.empty((table.n_rows, len(places)))
        for at, place in enumerate(places.tolist()):
            matrix[:, at] = table.columns[place].numbers()
        return matrix
    matrix = np.zeros((table.n_rows, len(places)))
    stored = table.sparse if len(places) == table.n_columns else table.sparse[:, places]
    matrix[stored.indices, np.repeat(np.arange(len(places)), np.diff(stored.indptr))] = stored.data
    return matrix
