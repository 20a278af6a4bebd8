"""A table as a pandas frame; ``_to_frames`` says what becomes of each type."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pandas

from branchline._arrays import AnyArray
from branchline.table._column import Column
from branchline.table._table import Table

__all__ = ["pandas_frame"]

_MIDNIGHT = datetime(1970, 1, 1)


def pandas_frame(table: Table) -> pandas.DataFrame:
    """Return the table as a pandas frame."""
    names = list(table.names)
    if table.matrix is not None:
        return pandas.DataFrame(table.matrix, columns=names, copy=True)
    if table.sparse is not None:
        return _sparse_frame(table.sparse, names)
    series = {column.name: _series(column) for column in table.columns}
    return pandas.DataFrame(series, index=pandas.RangeIndex(table.n_rows), columns=names)


def _sparse_frame(matrix: Any, names: list[str]) -> pandas.DataFrame:
    """Return sparse columns; cells that are not stored are zero."""
    frame = pandas.DataFrame.sparse.from_spmatrix(matrix, columns=names)
    if all(dtype.fill_value == 0 for dtype in set(frame.dtypes)):
        return frame
    # pandas 3.0 takes such cells of floats for missing ones; columns made one by one are right.
    by_column, make = matrix.tocsc(), pandas.arrays.SparseArray.from_spmatrix
    columns = {name: make(by_column[:, [place]]) for place, name in enumerate(names)}
    return pandas.DataFrame(columns, copy=False)


def _series(column: Column) -> Any:
    if column.kind == "category":
        return _CATEGORY_MAKERS.get(column.type.source, _category)(column)
    return _NUMERIC_MAKERS.get(column.type.source, _number)(column)


def _number(column: Column) -> Any:
    values = column.values
    if column.missing is None:
        return values.copy()
    if values.dtype.kind in "iu":
        return pandas.arrays.IntegerArray(values.copy(), column.missing.copy())
    return column.numbers()


def _date(column: Column) -> Any:
    return _moments(column, "datetime64").astype("datetime64[s]")


def _moment(column: Column) -> Any:
    series = pandas.Series(_moments(column, "datetime64"))
    zone = column.type.timezone
    return series if zone is None else series.dt.tz_localize("UTC").dt.tz_convert(zone)


def _duration(column: Column) -> Any:
    moments = _moments(column, "timedelta64")
    return moments.astype("timedelta64[s]") if column.type.unit == "D" else moments


def _moments(column: Column, numpy_type: str) -> AnyArray:
    moments = column.values.astype(f"{numpy_type}[{column.type.unit}]")
    moments[column.is_missing] = "NaT"
    return moments


def _time(column: Column) -> Any:
    since_midnight = column.values.astype(f"timedelta64[{column.type.unit}]")
    python_deltas = since_midnight.astype("timedelta64[us]").tolist()
    times = np.array([(_MIDNIGHT + delta).time() for delta in python_deltas], dtype=object)
    times[column.is_missing] = None
    return times


def _boolean(column: Column) -> Any:
    missing = column.values < 0
    if not missing.any():
        return column.values.astype(bool)
    return pandas.arrays.BooleanArray(column.values == 1, missing)


def _text(column: Column) -> Any:
    names = pandas.Index(column.categories or ("",))  # pandas' own type for text, whatever version
    return names.array.take(_codes(column), allow_fill=True)


def _category(column: Column) -> Any:
    names = pandas.Index(column.categories, dtype=None if column.categories else "str")
    ordered = column.type.source == "ordered"
    return pandas.Categorical.from_codes(_codes(column), categories=names, ordered=ordered)


def _codes(column: Column) -> AnyArray:
    """Return the codes with −1 for every cell without a name, missing or unseen."""
    return np.maximum(column.values, -1)


_NUMERIC_MAKERS: dict[str, Callable[[Column], Any]] = {
    "date": _date,
    "datetime": _moment,
    "duration": _duration,
    "time": _time,
}
_CATEGORY_MAKERS: dict[str, Callable[[Column], Any]] = {"boolean": _boolean, "string": _text}
