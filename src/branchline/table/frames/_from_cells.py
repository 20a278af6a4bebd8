"""A column from a list of Python objects: find the family of the cells, then read them all at once.

1. The set of the cells' types says which families occur (numbers, text, dates, …).
2. One family: its reader makes the column. None, NaN, NaT and pandas' NA are missing.
3. Booleans among numbers count as 0 and 1; whole numbers among real ones as real.
4. Any other mixture is text: a column with 1 and "a" is a category of "1" and "a".
"""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline.errors import DataError, KindError, Repair
from branchline.table._column import Column, ColumnType
from branchline.table._schema import _key
from branchline.table.frames._categories import boolean_column, text_column
from branchline.table.frames._shapes import complex_numbers
from branchline.table.frames._time_columns import time_column
from branchline.table.frames._whole_numbers import EXACT, named_by_numbers, whole_column

__all__ = ["column_from_cells"]

_MISSING = "missing"
_MISSING_TYPES = {"NoneType", "NAType", "NaTType", "MaskedConstant"}  # pandas' and NumPy's too
_REAL = (float, np.floating, Decimal, Fraction)
_FAMILIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("boolean", (bool, np.bool_)),
    ("duration", (timedelta, np.timedelta64)),  # before "whole": NumPy's is a kind of integer
    ("whole", (int, np.integer)),
    ("real", _REAL),
    ("complex", (complex, np.complexfloating)),
    ("text", (str,)),
    ("moment", (datetime, np.datetime64)),  # before "date": a datetime is a kind of date
    ("date", (date,)),
    ("time", (time,)),
)
_FAMILY_OF_MIXTURE: dict[frozenset[str], str] = {
    frozenset(): "real",
    frozenset({"whole", "real"}): "real",
    frozenset({"boolean", "whole"}): "real",
    frozenset({"boolean", "real"}): "real",
    frozenset({"boolean", "whole", "real"}): "real",
    frozenset({"date", "moment"}): "moment",
}


def column_from_cells(name: str, cells: list[Any]) -> Column:
    """Return the column called ``name`` that holds ``cells``."""
    family_of_type = {kind: _family(kind) for kind in set(map(type, cells))}
    unknown = [kind for kind, family in family_of_type.items() if family is None]
    if unknown:
        raise _unusable(name, cells, unknown[0])
    if _needs_plain_none(family_of_type):
        cells = [None if family_of_type[type(cell)] == _MISSING else cell for cell in cells]
    present = frozenset(family for family in family_of_type.values() if family) - {_MISSING}
    if present == {"text", "real"}:
        return _text(name, cells)
    if "real" in present and not present <= {"real", "whole"} and not any(map(_is_real, cells)):
        # NaN among booleans or dates is pandas' way to say missing.
        cells = [None if isinstance(cell, _REAL) else cell for cell in cells]
        present -= {"real"}
    return _READERS[_one_family(present)](name, cells)


def _one_family(present: frozenset[str]) -> str:
    if len(present) == 1:
        return next(iter(present))
    return _FAMILY_OF_MIXTURE.get(present, "mixed")


def _is_real(cell: Any) -> bool:
    """Whether a cell is a real number other than NaN."""
    return isinstance(cell, _REAL) and bool(cell == cell)


def _family(kind: type) -> str | None:
    if kind.__name__ in _MISSING_TYPES:
        return _MISSING
    return next((family for family, kinds in _FAMILIES if issubclass(kind, kinds)), None)


def _needs_plain_none(family_of_type: dict[type, str | None]) -> bool:
    return any(
        family == _MISSING and kind is not type(None) for kind, family in family_of_type.items()
    )


def _unusable(name: str, cells: list[Any], kind: type) -> KindError:
    rows = [row for row, cell in enumerate(cells) if type(cell) is kind]
    return KindError(
        f"Column {name!r} holds a {kind.__name__}; every cell argument must be a string, a number, "
        "a boolean, a date or a time.",
        code="K004",
        column=name,
        rows=rows,
        values=[cells[row] for row in rows[:2]],
        repair=Repair(f"X = X.drop(columns=[{name!r}])"),
    )


# -- one reader a family -----------------------------------------------------------------------


def _text(name: str, cells: list[Any]) -> Column:
    """Read texts, None and NaN; real numbers among them make it a mixture."""
    distinct = dict.fromkeys(cells)  # in the order of the rows: kinder to the cache than a set
    if any(map(_is_real, distinct)):
        return _mixed(name, cells)
    names = [cell for cell in distinct if isinstance(cell, str)]
    code_of_name = dict(zip(names, range(len(names)), strict=True))
    codes = np.fromiter(map(code_of_name.get, cells, repeat(-1)), np.int32, len(cells))
    return text_column(name, codes, [str.__str__(text) for text in names])


def _mixed(name: str, cells: list[Any]) -> Column:
    return _text(name, [None if _is_missing(cell) else _key(cell) for cell in cells])


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, (*_REAL, np.datetime64, np.timedelta64)):
        return bool(cell != cell)  # NaN and NaT are the only values that differ from themselves
    return type(cell).__name__ in _MISSING_TYPES


def _boolean(name: str, cells: list[Any]) -> Column:
    return boolean_column(name, np.array([-1 if cell is None else cell for cell in cells], np.int8))


def _whole(name: str, cells: list[Any]) -> Column:
    """Read whole numbers as int64 or uint64; larger ones as floats that hold them, or as names."""
    absent = np.fromiter((cell is None for cell in cells), bool, len(cells))
    filled = [0 if cell is None else cell for cell in cells] if absent.any() else cells
    for dtype in (np.int64, np.uint64):
        try:
            values = np.array(filled, dtype=dtype)
        except OverflowError:
            continue
        return whole_column(name, values, absent if absent.any() else None)
    return _real_or_names(name, cells)


def _real_or_names(name: str, cells: list[Any]) -> Column:
    """Read whole numbers beyond 64 bits, and whole ones among real ones, without merging any."""
    whole = [int(cell) for cell in cells if isinstance(cell, (int, np.integer))]
    if not any(abs(cell) > EXACT and _is_rounded(cell) for cell in whole):
        return _real(name, cells)
    fraction = any(_is_real(cell) and cell != int(cell) for cell in cells if _is_finite(cell))
    if fraction or not all(cell is None or cell != cell or _is_finite(cell) for cell in cells):
        return _real(name, cells)  # a measurement: rounding loses nothing that matters
    return named_by_numbers(name, [None if _is_missing(cell) else cell for cell in cells])


def _is_rounded(cell: int) -> bool:
    try:
        return int(float(cell)) != cell
    except OverflowError:  # beyond the largest float
        return True


def _is_finite(cell: Any) -> bool:
    return cell is not None and cell == cell and abs(cell) != np.inf


def _real(name: str, cells: list[Any]) -> Column:
    try:
        values = np.array(cells, dtype=np.float64)  # None becomes NaN
    except OverflowError:  # a whole number beyond the largest float
        values = np.array([_to_float(cell) for cell in cells])
    return Column(name, ColumnType("numeric", "float"), values)


def _to_float(cell: Any) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except OverflowError:
        return np.inf if cell > 0 else -np.inf


def _complex(name: str, cells: list[Any]) -> Column:
    raise complex_numbers(name)


def _date(name: str, cells: list[Any]) -> Column:
    return time_column(name, _as_times(name, cells, "datetime64[D]"))


def _moment(name: str, cells: list[Any]) -> Column:
    zones = {cell.tzinfo for cell in cells if isinstance(cell, datetime)}
    if zones <= {None}:
        return time_column(name, _as_times(name, cells, "datetime64[us]"))
    if None in zones or not all(cell is None or isinstance(cell, datetime) for cell in cells):
        raise _zone_or_not(name, cells)
    naive = [None if cell is None else cell.astimezone(UTC).replace(tzinfo=None) for cell in cells]
    zone = getattr(zones.pop(), "key", "UTC") if len(zones) == 1 else "UTC"
    return time_column(name, np.array(naive, dtype="datetime64[us]"), zone)


def _zone_or_not(name: str, cells: Iterable[Any]) -> DataError:
    naive = [
        row for row, cell in enumerate(cells) if cell is not None and not getattr(cell, "tzinfo", 0)
    ]
    return DataError(
        f"Column {name!r} has moments with a time zone and moments without.",
        code="D013",
        column=name,
        rows=naive,
        repair=Repair(f"import pandas\nX[{name!r}] = pandas.to_datetime(X[{name!r}], utc=True)"),
    )


def _duration(name: str, cells: list[Any]) -> Column:
    return time_column(name, _as_times(name, cells, "timedelta64[us]"))


def _as_times(name: str, cells: list[Any], dtype: str) -> AnyArray:
    try:
        return np.array(cells, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as problem:
        raise KindError(
            f"Column {name!r} holds moments or durations that cannot be counted in one unit: "
            f"{problem}",
            code="K004",
            column=name,
        ) from problem


def _time(name: str, cells: list[Any]) -> Column:
    """Read times of day as nanoseconds since midnight."""
    absent = np.fromiter((cell is None for cell in cells), bool, len(cells))
    seconds = (
        0 if cell is None else (cell.hour * 60 + cell.minute) * 60 + cell.second for cell in cells
    )
    values = np.fromiter(seconds, np.int64, len(cells)) * 10**9
    values += [0 if cell is None else cell.microsecond * 1000 for cell in cells]
    kind = ColumnType("numeric", "time", unit="ns")
    return Column(name, kind, values, absent if absent.any() else None)


_READERS: dict[str, Callable[[str, list[Any]], Column]] = {
    "boolean": _boolean,
    "whole": _whole,
    "real": _real_or_names,
    "complex": _complex,
    "text": _text,
    "moment": _moment,
    "date": _date,
    "duration": _duration,
    "time": _time,
    "mixed": _mixed,
}
