"""A table as a polars frame; ``_to_frames`` says what becomes of each type."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars

from branchline._arrays import AnyArray
from branchline.table._column import Column
from branchline.table._schema import _key
from branchline.table._table import Table

__all__ = ["polars_frame"]

# polars counts moments and durations in ms, us or ns, and times of day in ns only.
_MILLISECONDS = {"D": 86_400_000, "s": 1_000}
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def polars_frame(table: Table) -> polars.DataFrame:
    """Return the table as a polars frame."""
    return polars.DataFrame([_series(column) for column in table.columns])


def _series(column: Column) -> polars.Series:
    if column.kind == "category":
        return _CATEGORY_MAKERS.get(column.type.source, _category)(column)
    return _NUMERIC_MAKERS.get(column.type.source, _number)(column)


def _number(column: Column) -> polars.Series:
    return _with_nulls(column, column.values)


def _with_nulls(column: Column, values: AnyArray) -> polars.Series:
    series = polars.Series(column.name, values)
    if not column.is_missing.any():
        return series
    return series.set(polars.Series(column.is_missing), None)


def _date(column: Column) -> polars.Series:
    return _with_nulls(column, column.values.astype(np.int32)).cast(polars.Date)


def _moment(column: Column) -> polars.Series:
    return _in_unit(column, lambda unit: polars.Datetime(unit, column.type.timezone))


def _duration(column: Column) -> polars.Series:
    return _in_unit(column, polars.Duration)


def _in_unit(column: Column, dtype: Callable[[Any], polars.DataType]) -> polars.Series:
    unit = column.type.unit or "D"
    steps = _MILLISECONDS.get(unit, 1)
    whole = _with_nulls(column, column.values.astype(np.int64) * steps)
    return whole.cast(dtype("ms" if unit in _MILLISECONDS else unit))


def _time(column: Column) -> polars.Series:
    steps = _NANOSECONDS[column.type.unit or "ns"]
    return _with_nulls(column, column.values.astype(np.int64) * steps).cast(polars.Time)


def _boolean(column: Column) -> polars.Series:
    known = polars.Series([False, True])
    return known.gather(_places(column)).alias(column.name)


def _text(column: Column) -> polars.Series:
    names = polars.Series([_key(name) for name in column.categories], dtype=polars.String)
    return names.gather(_places(column)).alias(column.name)


def _category(column: Column) -> polars.Series:
    return _text(column).cast(polars.Categorical)


def _ordered(column: Column) -> polars.Series:
    return _text(column).cast(polars.Enum([_key(name) for name in column.categories]))


def _places(column: Column) -> polars.Series:
    """Return the codes as positions, null where a name is missing."""
    return polars.Series(column.values).cast(polars.UInt32, strict=False)


_NUMERIC_MAKERS: dict[str, Callable[[Column], polars.Series]] = {
    "date": _date,
    "datetime": _moment,
    "duration": _duration,
    "time": _time,
}
_CATEGORY_MAKERS: dict[str, Callable[[Column], polars.Series]] = {
    "boolean": _boolean,
    "string": _text,
    "ordered": _ordered,
}
