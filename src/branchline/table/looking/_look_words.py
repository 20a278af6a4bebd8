"""Numbers and dates of a column as short words; texts and shares come from the shared modules.

Values keep about five digits; whole numbers keep all of theirs.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._plain_numbers import cell, cells
from branchline._plain_numbers import fine_percent as percent
from branchline._plain_text import clean, pad, quoted, shorten, width, wrap
from branchline.table._column import ColumnType, days_per_unit

__all__ = [
    "clean",
    "pad",
    "percent",
    "quoted",
    "range_words",
    "shorten",
    "value_words",
    "width",
    "wrap",
]


def value_words(value: Any, kind: ColumnType) -> str:
    """Return a cell's value as a short text; moments are in UTC."""
    if kind.kind == "numeric" and kind.is_time:
        return _time_words(value, kind)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return cell(value, 5)
    return clean(str(value))


def range_words(values: Sequence[Any], kind: ColumnType) -> tuple[str, ...]:
    """Return values of a column that stand together, such as its lowest and its highest."""
    are_numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    if not are_numbers or (kind.kind == "numeric" and kind.is_time):
        return tuple(value_words(value, kind) for value in values)
    return tuple(cells(values, 5))


def _time_words(value: int, kind: ColumnType) -> str:
    unit = kind.unit or "D"
    if kind.source in {"date", "datetime"}:
        moment = np.array(value).astype(f"datetime64[{unit}]")
        text = str(moment if unit == "D" else moment.astype("datetime64[s]")).replace("T", " ")
        return text.removesuffix(" 00:00:00").removesuffix(":00")
    seconds = round(value * days_per_unit(unit) * 86_400)
    days, rest = divmod(abs(seconds), 86_400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    text = " ".join([f"{days} d"] * (days > 0) + [clock] * (rest > 0 or not days))
    return f"−{text}" if seconds < 0 else text
