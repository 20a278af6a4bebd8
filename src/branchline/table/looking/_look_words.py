"""Numbers, shares, dates and names as short, safe, aligned words.

1. Values keep about five digits; whole numbers keep all of theirs.
2. Shares never round to 0 % or 100 % unless they are.
3. Names may hold anything: characters that do not print are escaped, and the width on a screen is
   counted (wide East Asian characters take two places, combining ones none).
"""

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._plain_numbers import cell, cells
from branchline._plain_numbers import percent as plain_percent
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


def percent(share: float) -> str:
    """Return a share as a percentage, small and large ones with a decimal."""
    return plain_percent(share, fine=True)


def clean(text: str) -> str:
    """Return the text with characters that do not print written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def width(text: str) -> int:
    """Return how many places the text takes on a screen."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, most: int) -> str:
    """Return the text cut to ``most`` places, with an ellipsis when something was cut."""
    if width(text) <= most:
        return text
    kept, used = [], 1  # one place for the ellipsis
    for character in text:
        used += _character_width(character)
        if used > most:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, most: int) -> list[str]:
    """Return the text as lines of at most ``most`` places, broken at blanks."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if width(longer) <= most:
            lines[-1] = longer
        else:
            lines.append(shorten(word, most))
    return [line for line in lines if line]


def quoted(name: object) -> str:
    """Return a name in quotation marks, cleaned and not too long."""
    return f"'{shorten(clean(str(name)), 40)}'"


def pad(text: str, places: int, *, right: bool = False) -> str:
    """Return the text filled up with blanks to ``places``, at its right or left."""
    blanks = " " * (places - width(text))
    return blanks + text if right else text + blanks
