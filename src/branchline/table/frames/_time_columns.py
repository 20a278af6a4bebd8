"""Dates, moments and durations as whole numbers since 1970, in one of five units.

1. NumPy's units are brought to the nearest one that holds them: D, s, ms, us or ns.
2. Days are dates; anything finer is a moment ("datetime"). Differences are durations.
3. NaT becomes a mark in ``missing``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.errors import KindError, Repair
from branchline.table._column import Column, ColumnType, Source

__all__ = ["time_column"]

_UNIT_TO_USE = {
    "Y": "D",
    "M": "D",
    "W": "D",
    "h": "s",
    "m": "s",
    "ps": "ns",
    "fs": "ns",
    "as": "ns",
    "generic": "s",
}


def time_column(name: str, values: npt.NDArray[Any], timezone: str | None = None) -> Column:
    """Return a column from a datetime64 or timedelta64 array; moments with a zone are in UTC."""
    given = np.datetime_data(values.dtype)[0]
    unit = _UNIT_TO_USE.get(given, given)
    absent = np.isnat(values)
    if values.dtype.kind == "m" and given in {"Y", "M", "generic"}:
        raise _no_fixed_length(name, given)
    whole = values.astype(f"{values.dtype.kind}8[{unit}]", copy=False).view(np.int64)
    source: Source = "duration" if values.dtype.kind == "m" else "datetime"
    if source == "datetime" and unit == "D":
        source = "date"
    kind = ColumnType("numeric", source, unit=unit, timezone=timezone)
    return Column(name, kind, whole, absent if absent.any() else None)


def _no_fixed_length(name: str, unit: str) -> KindError:
    words = {"Y": "years", "M": "months", "generic": "no unit"}[unit]
    return KindError(
        f"Column {name!r} holds durations in {words}, which have no fixed length.",
        code="K004",
        column=name,
        repair=Repair(f"X[{name!r}] = X[{name!r}].astype(int)"),
    )
