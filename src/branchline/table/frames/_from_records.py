"""Tables from Python's own containers.

1. A list of dictionaries: one a row; the names in the order they first occur, absent = missing.
2. A dictionary of columns: name → list, array or series.
3. A list of lists, tuples or arrays: one a row, as NumPy would read it, except that numbers beside
   text stay numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._names import column_names
from branchline.errors import DataError, KindError, Repair
from branchline.table._column import Column
from branchline.table._table import Table
from branchline.table.frames._from_cells import column_from_cells
from branchline.table.frames._from_frames import column_from_series, is_series
from branchline.table.frames._from_numpy import column_from_array, from_numpy
from branchline.table.frames._shapes import flat_list, no_columns

__all__ = ["from_mapping", "from_records", "from_rows"]


def from_records(rows: Sequence[Mapping[Any, Any]]) -> Table:
    """Return a table of one dictionary per row; absent keys are missing."""
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
    columns = []
    for name, label in zip(names, labels, strict=True):
        others = f"{{name: value for name, value in row.items() if name != {label!r}}}"
        with _repaired_by(f"X = [{others} for row in X]"):
            columns.append(column_from_cells(name, [row.get(label) for row in rows]))
    return Table.from_columns(columns, named=named)


def from_mapping(data: Mapping[Any, Any]) -> Table:
    """Return a table of columns by name."""
    if not data:
        raise no_columns(0)
    names, named = column_names(data)
    columns = []
    for name, (label, values) in zip(names, data.items(), strict=True):
        if not _is_column(values):
            raise _no_column(name, label, data)
        without = f"X = {{name: values for name, values in X.items() if name != {label!r}}}"
        with _repaired_by(without):
            columns.append(_column(name, values))
    return Table.from_columns(columns, named=named)


def from_rows(rows: Sequence[Any]) -> Table:
    """Return a table of one sequence a row."""
    array = _as_array(rows)
    if array.dtype.names is None and array.ndim != 2:
        raise flat_list(len(rows), array.ndim)
    without = "[value for place, value in enumerate(row) if place != {place}]"
    with _repaired_by(f"X = [{without} for row in X]"):
        return from_numpy(array)


@contextmanager
def _repaired_by(python: str) -> Iterator[None]:
    """Give errors of unusable columns the repair that fits the container at hand."""
    try:
        yield
    except KindError as error:
        if error.code == "K004":
            place = (error.column or "").removeprefix("x")  # columns without names are x0, x1, …
            error.repair = Repair(python.replace("{place}", place))
        raise


def _column(name: str, values: Any) -> Column:
    if isinstance(values, np.ndarray):
        return column_from_array(name, values)
    if is_series(values):
        return column_from_series(name, values)
    if hasattr(values, "__array__"):
        return column_from_array(name, np.asarray(values))
    return column_from_cells(name, list(values))


def _is_column(values: Any) -> bool:
    if is_series(values) or (hasattr(values, "__array__") and np.ndim(values)):
        return True
    return isinstance(values, Sequence) and not isinstance(values, str | bytes)


def _no_column(name: str, label: object, data: Mapping[Any, Any]) -> KindError:
    values = data[label]
    return KindError(
        f"Column {name!r} is a {type(values).__name__}; a column is a list, an array or a series, "
        "with one value per row.",
        code="K003",
        column=name,
        values=[values],
        repair=Repair(_as_column(label, data)),
    )


def _as_column(label: object, data: Mapping[Any, Any]) -> str:
    """Return the Python that makes a column of what is none: one row, a repeated value, a list."""
    values = data[label]
    if isinstance(values, Mapping):
        return f"X[{label!r}] = list(X[{label!r}].values())"
    is_scalar = isinstance(values, str | bytes) or hasattr(values, "__array__")
    if isinstance(values, Iterable) and not is_scalar:
        return f"X[{label!r}] = list(X[{label!r}])"
    n_rows = next((len(column) for column in data.values() if _is_column(column)), None)
    if n_rows is None:
        return "X = [X]  # one row"
    return f"X[{label!r}] = [X[{label!r}]] * {n_rows}  # the same value in every row"


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
