"""Tables from polars frames, column by column, by the class of the dtype.

1. Numbers without nulls are borrowed where polars holds them in one piece.
2. Text is coded by polars; an Enum keeps its declared names and order; a Categorical is sorted like
   text, since the order of its names depends on which rows came first.
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
from branchline.table.frames._categories import boolean_column, declared_column
from branchline.table.frames._shapes import no_columns
from branchline.table.frames._whole_numbers import named_by_numbers, whole_column

__all__ = ["column_from_polars", "from_polars"]


def from_polars(frame: Any) -> Table:
    """Return a table from a polars frame, or from anything that offers Arrow's stream."""
    import polars

    if not isinstance(frame, polars.DataFrame):
        frame = polars.DataFrame(frame)
    names, named = column_names(frame.columns)
    if not names:
        raise no_columns(frame.height)
    columns = [column_from_polars(name, frame.to_series(at)) for at, name in enumerate(names)]
    return Table.from_columns(columns, named=named)


def column_from_polars(name: str, series: Any) -> Column:
    """Return a column from a polars series."""
    reader = _READERS.get(type(series.dtype).__name__)
    if reader is None:
        raise _unusable(name, series)
    return reader(name, series)


def _unusable(name: str, series: Any) -> KindError:
    kind = type(series.dtype).__name__
    repair = _REPAIRS.get(kind, "X = X.drop({name!r})").format(name=name)
    return KindError(
        f"Column {name!r} holds polars' {series.dtype}, which is neither numbers, text, booleans, "
        "dates nor times.",
        code="K004",
        column=name,
        values=[str(cell)[:40] for cell in series.head(2)],
        repair=Repair(repair),
    )


_REPAIRS = {
    "Struct": "X = X.unnest({name!r})",
    "Binary": "X = X.with_columns(polars.col({name!r}).cast(polars.String))",
    "List": "X = X.with_columns(polars.col({name!r}).list.len())",
}


# -- one reader a class of dtype ---------------------------------------------------------------


def _missing_of(series: Any) -> AnyArray | None:
    return series.is_null().to_numpy() if series.null_count() else None


def _integer(name: str, series: Any) -> Column:
    return whole_column(name, series.fill_null(0).to_numpy(), _missing_of(series))


def _long_integer(name: str, series: Any) -> Column:
    """Read 128-bit integers, for which NumPy has no type."""
    import polars

    cells = series.to_list()
    if all(cell is None or int(float(cell)) == cell for cell in cells):
        return _float(name, series.cast(polars.Float64))
    return named_by_numbers(name, cells)


def _float(name: str, series: Any) -> Column:
    return Column(name, ColumnType("numeric", "float"), series.to_numpy())


def _as_float(name: str, series: Any) -> Column:
    """Read numbers that NumPy has no type for: decimals, and no value at all."""
    import polars

    if type(series.dtype).__name__ == "Decimal" and series.dtype.scale == 0:
        return _long_integer(name, series)
    return _float(name, series.cast(polars.Float64))


def _boolean(name: str, series: Any) -> Column:
    import polars

    return boolean_column(name, series.cast(polars.Int8).fill_null(-1).to_numpy())


def _text(name: str, series: Any, source: Source = "string") -> Column:
    import polars

    names = series.drop_nulls().unique().sort()  # by bytes of UTF-8: the same as by code point
    codes = series.cast(polars.Enum(names)).to_physical()
    kind = ColumnType("category", source, tuple(names.to_list()))
    return Column(name, kind, _codes(codes))


def _categorical(name: str, series: Any) -> Column:
    import polars

    return _text(name, series.cast(polars.String), "category")


def _enum(name: str, series: Any) -> Column:
    names = series.dtype.categories.to_list()
    return declared_column(name, _codes(series.to_physical()), names, ordered=True)


def _codes(physical: Any) -> AnyArray:
    import polars

    return np.asarray(physical.cast(polars.Int32).fill_null(-1).to_numpy())


def _moments(name: str, series: Any) -> Column:
    source, unit = _SOURCE_AND_UNIT[type(series.dtype).__name__]
    kind = ColumnType(
        "numeric",
        source,
        unit=unit or series.dtype.time_unit,
        timezone=getattr(series.dtype, "time_zone", None),
    )
    return Column(name, kind, series.to_physical().fill_null(0).to_numpy(), _missing_of(series))


_SOURCE_AND_UNIT: dict[str, tuple[Source, str | None]] = {
    "Date": ("date", "D"),
    "Datetime": ("datetime", None),
    "Duration": ("duration", None),
    "Time": ("time", "ns"),
}
_READERS: dict[str, Callable[[str, Any], Column]] = {
    **dict.fromkeys(("Int8", "Int16", "Int32", "Int64"), _integer),
    **dict.fromkeys(("UInt8", "UInt16", "UInt32", "UInt64"), _integer),
    **dict.fromkeys(("Float16", "Float32", "Float64"), _float),
    **dict.fromkeys(("Decimal", "Null"), _as_float),
    **dict.fromkeys(("Int128", "UInt128"), _long_integer),
    **dict.fromkeys(_SOURCE_AND_UNIT, _moments),
    "Boolean": _boolean,
    "String": _text,
    "Categorical": _categorical,
    "Enum": _enum,
}
