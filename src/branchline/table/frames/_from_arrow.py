"""Tables from Arrow tables (pyarrow), column by column, by the type of the column.

1. Chunks are joined first; nulls become NaN, the code −1 or a mark in ``missing``.
2. Text is coded by Arrow and its names sorted; a dictionary column keeps its names and their order.
3. Dates, moments, durations and times are their whole numbers, in their unit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._names import column_names
from branchline.errors import KindError, Repair
from branchline.table._column import Column, ColumnType, Source
from branchline.table._table import Table
from branchline.table.frames._categories import boolean_column, declared_column, text_column
from branchline.table.frames._shapes import no_columns
from branchline.table.frames._whole_numbers import named_by_numbers, whole_column

__all__ = ["column_from_arrow", "from_arrow"]

_MILLISECONDS_PER_DAY = 86_400_000


def from_arrow(frame: Any) -> Table:
    """Return a table from a pyarrow table or record batch."""
    names, named = column_names(frame.schema.names)
    if not names:
        raise no_columns(frame.num_rows)
    columns = [column_from_arrow(name, frame.column(at)) for at, name in enumerate(names)]
    return Table.from_columns(columns, named=named)


def column_from_arrow(name: str, values: Any) -> Column:
    """Return a column from a pyarrow array, chunked or not."""
    import pyarrow

    if isinstance(values, pyarrow.ChunkedArray):
        values = values.unify_dictionaries().combine_chunks()
    for family, reader in _READERS.items():
        if getattr(pyarrow.types, f"is_{family}")(values.type):
            return reader(name, values)
    raise KindError(
        f"Column {name!r} holds Arrow's {values.type}, which is neither numbers, text, booleans, "
        "dates nor times.",
        code="K004",
        column=name,
        repair=Repair(f"X = X.drop_columns({name!r})"),
    )


# -- one reader a family of types --------------------------------------------------------------


def _plain(values: Any) -> AnyArray:
    """Return the values as NumPy has them, 0 for null; null floats are NaN."""
    import pyarrow

    if values.null_count and not pyarrow.types.is_floating(values.type):
        values = values.fill_null(0)
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _missing_of(values: Any) -> AnyArray | None:
    return values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None


def _integer(name: str, values: Any) -> Column:
    return whole_column(name, _plain(values), _missing_of(values))


def _float(name: str, values: Any) -> Column:
    return Column(name, ColumnType("numeric", "float"), _plain(values))


def _decimal(name: str, values: Any) -> Column:
    """Read decimals as floats; whole ones that floats would round as names."""
    if values.type.scale <= 0:
        cells = values.to_pylist()
        if any(cell is not None and int(float(cell)) != cell for cell in cells):
            return named_by_numbers(name, cells)
    return _as_float(name, values)


def _as_float(name: str, values: Any) -> Column:
    return _float(name, values.cast("float64"))


def _boolean(name: str, values: Any) -> Column:
    codes = values.cast("int8").fill_null(-1)
    return boolean_column(name, _plain(codes))


def _text(name: str, values: Any) -> Column:
    coded = values.dictionary_encode()
    return text_column(name, _plain(coded.indices.fill_null(-1)), coded.dictionary.to_pylist())


def _dictionary(name: str, values: Any) -> Column:
    names = values.dictionary.to_pylist()
    codes = _plain(values.indices.cast("int64").fill_null(-1))
    # A dictionary may itself contain null: rows that point there are missing.
    named = [place for place, value in enumerate(names) if value is not None]
    new_code = np.full(len(names) + 1, -1, dtype=np.int32)
    new_code[named] = np.arange(len(named), dtype=np.int32)
    kept = [names[place] for place in named]
    return declared_column(name, new_code[codes], kept, ordered=values.type.ordered)


def _date32(name: str, values: Any) -> Column:
    return _moments(name, values, "int32", "date", "D")


def _date64(name: str, values: Any) -> Column:
    column = _moments(name, values, "int64", "date", "D")
    return Column(name, column.type, column.values // _MILLISECONDS_PER_DAY, column.missing)


def _timestamp(name: str, values: Any) -> Column:
    return _moments(name, values, "int64", "datetime", values.type.unit)


def _duration(name: str, values: Any) -> Column:
    return _moments(name, values, "int64", "duration", values.type.unit)


def _time(name: str, values: Any) -> Column:
    whole = f"int{values.type.bit_width}"
    return _moments(name, values, whole, "time", values.type.unit)


def _moments(name: str, values: Any, whole: str, source: Source, unit: str) -> Column:
    kind = ColumnType("numeric", source, unit=unit, timezone=getattr(values.type, "tz", None))
    return Column(name, kind, _plain(values.cast(whole)), _missing_of(values))


_READERS: dict[str, Callable[[str, Any], Column]] = {
    "floating": _float,
    "integer": _integer,
    "boolean": _boolean,
    "string": _text,
    "large_string": _text,
    "string_view": _text,
    "dictionary": _dictionary,
    "date32": _date32,
    "date64": _date64,
    "timestamp": _timestamp,
    "duration": _duration,
    "time": _time,
    "decimal": _decimal,
    "null": _as_float,
}
