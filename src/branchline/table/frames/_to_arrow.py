"""A table as an Arrow table; ``_to_frames`` says what becomes of each type."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow

from branchline.table._column import Column
from branchline.table._schema import _key
from branchline.table._table import Table

__all__ = ["arrow_table"]


def arrow_table(table: Table) -> pyarrow.Table:
    """Return the table as an Arrow table."""
    arrays = [_array(column) for column in table.columns]
    return pyarrow.Table.from_arrays(arrays, names=list(table.names))


def _array(column: Column) -> Any:
    if column.kind == "category":
        return _CATEGORY_MAKERS.get(column.type.source, _category)(column)
    return _NUMERIC_MAKERS.get(column.type.source, _number)(column)


def _number(column: Column) -> Any:
    return _with_nulls(column, column.values)


def _with_nulls(column: Column, values: Any) -> Any:
    missing = column.is_missing if column.is_missing.any() else None
    return pyarrow.array(np.ascontiguousarray(values), mask=missing)


def _date(column: Column) -> Any:
    return _with_nulls(column, column.values.astype(np.int32)).cast(pyarrow.date32())


def _moment(column: Column) -> Any:
    return _in_seconds_or_finer(column).cast(pyarrow.timestamp(_unit(column), column.type.timezone))


def _duration(column: Column) -> Any:
    return _in_seconds_or_finer(column).cast(pyarrow.duration(_unit(column)))


def _unit(column: Column) -> str:
    return "s" if column.type.unit in {"D", None} else str(column.type.unit)


def _in_seconds_or_finer(column: Column) -> Any:
    steps = 86_400 if column.type.unit in {"D", None} else 1
    return _with_nulls(column, column.values.astype(np.int64) * steps)


def _time(column: Column) -> Any:
    unit = _unit(column)
    short = unit in {"s", "ms"}
    values = column.values.astype(np.int32 if short else np.int64)
    kind = pyarrow.time32(unit) if short else pyarrow.time64(unit)
    return _with_nulls(column, values).cast(kind)


def _boolean(column: Column) -> Any:
    return pyarrow.array(column.values == 1, mask=column.values < 0)


def _text(column: Column) -> Any:
    return _category(column).cast(pyarrow.string())


def _category(column: Column) -> Any:
    codes = pyarrow.array(column.values, mask=column.values < 0)
    names = pyarrow.array(_names(column), type=None if column.categories else pyarrow.string())
    ordered = column.type.source == "ordered"
    return pyarrow.DictionaryArray.from_arrays(codes, names, ordered=ordered)


def _names(column: Column) -> list[Any]:
    """Return the category names; as texts when they are of several types, which Arrow has not."""
    types = {type(name) for name in column.categories}
    is_one_type = len(types) < 2 or types == {int, float}
    return [name if is_one_type else _key(name) for name in column.categories]


_NUMERIC_MAKERS: dict[str, Callable[[Column], Any]] = {
    "date": _date,
    "datetime": _moment,
    "duration": _duration,
    "time": _time,
}
_CATEGORY_MAKERS: dict[str, Callable[[Column], Any]] = {"boolean": _boolean, "string": _text}
