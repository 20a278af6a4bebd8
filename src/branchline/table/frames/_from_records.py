"""Tables from Python's own containers.

1. A list of dictionaries: one a row; the names in the order they first occur, absent = missing.
2. A dictionary of columns: name → list, array or series.
3. A list of lists, tuples or arrays: one a row, as NumPy would read it, except that numbers beside
   text stay numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from branchline.errors import DataError, KindError, Repair
from branchline.table._column import AnyArray, Column
from branchline.table._names import column_names
from branchline.table._table import Table
from branchline.table.frames._from_cells import column_from_cells
from branchline.table.frames._from_frames import column_from_series, is_series
from branchline.table.frames._from_numpy import column_from_array, from_numpy
from branchline.table.frames._shapes import no_columns

__all__ = ["from_mapping", "from_records", "from_rows"]


def from_records(rows: Sequence[Mapping[Any, Any]]) -> Table:
    """Return a table of one dictionary a row; absent keys are missing."""
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise KindError(
                f"The first row is a dictionary, but row {place} is a {type(row).__name__}.",
                code="K003",
                rows=[place],
            )
    labels = list(dict.fromkeys(label for row in rows for label in row))
    if not labels:
        raise no_columns(len(rows))
    names, named = column_names(labels)
    return Table.from_columns(
        [
            column_from_cells(name, [row.get(label) for row in rows])
            for name, label in zip(names, labels, strict=True)
        ],
        named=named,
    )


def from_mapping(data: Mapping[Any, Any]) -> Table:
    """Return a table of columns by name."""
    if not data:
        raise no_columns(0)
    names, named = column_names(data)
    return Table.from_columns(
        [_column(name, values) for name, values in zip(names, data.values(), strict=True)],
        named=named,
    )


def from_rows(rows: Sequence[Any]) -> Table:
    """Return a table of one sequence a row."""
    return from_numpy(_as_array(rows))


def _column(name: str, values: Any) -> Column:
    if isinstance(values, np.ndarray):
        return column_from_array(name, values)
    if is_series(values):
        return column_from_series(name, values)
    if hasattr(values, "__array__"):
        return column_from_array(name, np.asarray(values))
    if isinstance(values, Sequence) and not isinstance(values, str | bytes):
        return column_from_cells(name, list(values))
    raise KindError(
        f"Column {name!r} is a {type(values).__name__}; a column is a list, an array or a series, "
        "with one value a row.",
        code="K003",
        column=name,
        values=[values],
        repair=Repair(f"X[{name!r}] = list(X[{name!r}])"),
    )


def _as_array(rows: Sequence[Any]) -> AnyArray:
    try:
        array = np.asarray(rows)
    except ValueError as problem:
        raise _ragged(rows) from problem
    if array.dtype.kind in "US" and array.ndim == 2:
        # NumPy turns numbers beside text into text; objects keep each cell as it is.
        return np.array(rows, dtype=object)
    return array


def _ragged(rows: Sequence[Any]) -> DataError:
    """Return the error for rows of which NumPy could not make a rectangle."""
    lengths = [len(row) if hasattr(row, "__len__") else 0 for row in rows]
    odd = [place for place, length in enumerate(lengths) if length != lengths[0]]
    if not odd:
        return DataError("The rows hold sequences of different lengths.", code="D008")
    return DataError(
        f"The rows have different lengths: row 0 has {lengths[0]} cells, row {odd[0]} has "
        f"{lengths[odd[0]]}.",
        code="D008",
        rows=odd,
    )
