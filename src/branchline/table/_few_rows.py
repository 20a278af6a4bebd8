"""A few rows in a schema that is known: the shortest way from cells to a table.

Single rows are predicted by the million, and reading each as if nothing were known of it takes
longer than most predictions. With a schema, the usual rows need no questions:

1. an array of floats where unnamed floats were learned from is the matrix of the table; a table
   over such a matrix is taken as it is;
2. rows as dictionaries, and frames of pandas, with exactly the columns of the schema, give their
   cells by name; where all columns are plain numbers, the cells are one matrix;
3. otherwise a column of plain numbers takes numbers, and a column of categories takes the texts
   that it knows, in the codes that ``fit_column`` gives them; nothing else.

Whatever is unusual (other names, types, texts, infinite numbers, more rows) is None here, and is
read by ``as_table`` and ``Schema.apply``, which give the same cells, and every warning and error.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline.table._column import FLOAT, MISSING_CODE, Column
from branchline.table._schema import Field, Schema
from branchline.table._table import Table
from branchline.table.frames._whole_numbers import EXACT

__all__ = ["few_rows"]

_FEW = 64
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_NUMBERS = frozenset({float, int, type(None), np.float64, np.int64})
_WHOLE = frozenset({int, np.int64})
_NAMES = frozenset({str, bool, np.bool_, type(None), float, np.float64})  # NaN, of floats

Cells = Sequence[Any]


def few_rows(X: Any, schema: Schema) -> Table | None:
    """Return a few usual rows as a table of the schema; None: they are for the common way."""
    kind = type(X)
    if kind is np.ndarray or kind is Table:
        return _from_array(X, schema) if kind is np.ndarray else _as_it_is(X, schema)
    if not schema.named:
        return None
    if kind is list:
        return _from_dictionaries(X, schema)
    if kind is dict:
        return _from_lists(X, schema)
    if kind.__qualname__ == "DataFrame" and kind.__module__ in {"pandas", "pandas.core.frame"}:
        return _from_pandas(X, schema)
    return None


def _as_it_is(table: Table, schema: Schema) -> Table | None:
    """Return a table of the schema itself, as ensembles hand it to their members."""
    matrix = table.matrix
    if matrix is None or not 0 < len(matrix) <= _FEW:
        return None
    is_same = table.schema is schema or table.schema == schema
    return None if not is_same or np.count_nonzero(np.isinf(matrix)) else table


def _from_array(X: Any, schema: Schema) -> Table | None:
    fits = X.ndim == 2 and X.dtype in _FLOATS and 0 < len(X) <= _FEW
    if not fits or schema.named or X.shape[1] != len(schema) or not schema.holds_floats:
        return None
    return _over_matrix(X, schema)


def _over_matrix(matrix: Any, schema: Schema) -> Table | None:
    if np.count_nonzero(np.isinf(matrix)):
        return None
    return Table._over(schema.as_floats, matrix=matrix)


def _from_dictionaries(rows: list[Any], schema: Schema) -> Table | None:
    if not 0 < len(rows) <= _FEW:
        return None
    names, n_columns = schema.names, len(schema)
    if any(type(row) is not dict or len(row) != n_columns for row in rows):
        return None
    try:
        return _from_cells([[row[name] for name in names] for row in rows], schema)
    except KeyError:
        return None


def _from_lists(columns: dict[Any, Any], schema: Schema) -> Table | None:
    if len(columns) != len(schema):
        return None
    lengths = {len(cells) if type(cells) is list else 0 for cells in columns.values()}
    if len(lengths) != 1 or not 0 < lengths.pop() <= _FEW:
        return None
    try:
        by_column = [columns[name] for name in schema.names]
    except KeyError:
        return None
    return _from_cells([*zip(*by_column, strict=True)], schema)


def _from_pandas(frame: Any, schema: Schema) -> Table | None:
    n_rows = len(frame)
    if not 0 < n_rows <= _FEW or not _has_names(frame.columns, schema):
        return None
    if schema.takes_floats and len(schema) > 1:
        values = frame.to_numpy()
        # What pandas hands out without the right to write is its own block, of all columns.
        if values.dtype in _FLOATS and not values.flags.writeable:
            return _over_matrix(values, schema)
    if n_rows > 1:
        return None
    return _from_cells([[frame.iat[0, place] for place in range(len(schema))]], schema)


# The labels of the last frame, which rows taken from one frame share, and the names they are.
_last_labels: tuple[Any, tuple[str, ...]] | None = None


def _has_names(labels: Any, schema: Schema) -> bool:
    """Whether the labels of a frame (they never change) are the names of the schema."""
    global _last_labels
    known = _last_labels
    if known is None or known[0] is not labels:
        if len(labels) != len(schema):
            return False
        known = _last_labels = (labels, tuple(labels))
    return known[1] == schema.names


def _from_cells(rows: Sequence[Cells], schema: Schema) -> Table | None:
    """Return a table of cells in the order of the schema; None where one is unusual."""
    if schema.takes_floats:
        if not all(map(_are_numbers, rows)):
            return None
        return _over_matrix(np.array(rows, dtype=np.float64), schema)  # None becomes NaN
    columns = []
    by_column = zip(*rows, strict=True)
    for field, codes, cells in zip(schema, schema.codes_of_cells, by_column, strict=True):
        column = _numbers(field, cells) if codes is None else _codes(field, codes, cells)
        if column is None:
            return None
        columns.append(column)
    return Table._over(schema, columns=columns)


def _are_numbers(cells: Cells) -> bool:
    """Whether all cells are numbers, or missing, that a float holds as they are."""
    kinds = set(map(type, cells))
    if not kinds <= _NUMBERS:
        return False
    return kinds.isdisjoint(_WHOLE) or all(
        -EXACT <= cell <= EXACT for cell in cells if type(cell) in _WHOLE
    )


def _numbers(field: Field, cells: Cells) -> Column | None:
    if field.type.unit is not None or not _are_numbers(cells):
        return None
    values = np.array(cells, dtype=np.float64)
    return None if np.count_nonzero(np.isinf(values)) else Column(field.name, FLOAT, values)


def _codes(field: Field, known: dict[tuple[type, Any], int], cells: Cells) -> Column | None:
    if not set(map(type, cells)) <= _NAMES:
        return None
    codes = [
        MISSING_CODE if cell is None or cell != cell else known.get((type(cell), cell))
        for cell in cells
    ]
    if None in codes:
        return None
    return Column(field.name, field.type, np.array(codes, dtype=np.int32))
