"""Times of day and durations as text: 13:05, 3:15 pm, 1:23:45, 2h 30m, 90 min, PT2H30M.

1. Clock texts are hours, minutes and perhaps seconds; with am or pm, or with padded hours below 24,
   they are times of day, else durations. Both are counted in microseconds.
2. Texts of amounts and units are durations. A bare "m", "d" or "s" may be a unit of something else
   (metres), so some other unit must occur in the column.
"""

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from branchline.table.converting._written import Written

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DURATION_WORDS", "detect_clock", "read_clock", "read_duration"]

_CLOCK = re.compile(
    r"(?P<sign>[+-]?)(?P<hour>[0-9]{1,4}):(?P<minute>[0-5][0-9])"
    r"(?::(?P<second>[0-5][0-9])(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
    r"\s?(?P<half>[ap]\.?m\.?)?",
    re.I,
)
_SECONDS = {
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "std"), 3_600.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "sek"), 1.0),
    "ms": 0.001,
}
DURATION_WORDS = (*_SECONDS, "and")
_UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_PIECE = re.compile(rf"([0-9]+(?:[.,][0-9]+)?)\s?({_UNIT})\.?(?![a-z])", re.I)
_PIECES = re.compile(rf"[+-]?(?:{_PIECE.pattern}(?:\s*,?\s*|\s+and\s+))+", re.I)
_ISO = re.compile(
    r"(?P<sign>-?)P(?:(?P<w>\d+)W)?(?:(?P<d>\d+)D)?"
    r"(?:T(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d+)?)S)?)?"
)
_LONE_UNITS = ({"m"}, {"d"}, {"s"}, {"w"})
_MOST_SECONDS = 1e12
_FEWEST_HOURS, _LATE_HOUR = 3, 10


def detect_clock(texts: "pl.Series") -> Written | None:
    """Return whether texts are times of day or durations; None for neither."""
    first = texts[0]
    if _CLOCK.fullmatch(first) is not None:
        clocks = [_CLOCK.fullmatch(text) for text in texts]
        if all(clocks):
            return _kind_of_clock([found for found in clocks if found])
    units: set[str] = set()
    for text in texts:
        if _seconds_of_words(text) is None:
            return None
        units |= {"P"} if "P" in text else {unit.lower() for _, unit in _PIECE.findall(text)}
    return None if units in _LONE_UNITS else Written("duration")


def _kind_of_clock(clocks: "list[re.Match[str]]") -> Written | None:
    halves = [bool(found["half"]) for found in clocks]
    if any(halves):
        return Written("time") if all(halves) else None
    hours = {int(found["hour"]) for found in clocks}
    padded = all(len(found["hour"]) == 2 and not found["sign"] for found in clocks)
    if padded and max(hours) < 24:
        return Written("time")
    if any(found["second"] for found in clocks):
        return Written("duration")
    if len(hours) < _FEWEST_HOURS or max(hours) < _LATE_HOUR:
        return None  # 1:10 and 1:50 may be dilutions or scores
    return Written("time" if max(hours) < 24 else "duration")


def read_clock(texts: "pl.Series") -> "pl.Series":
    """Return times of day in microseconds, null for texts that are none."""
    return _mapped(texts, lambda text: _within_a_day(_seconds_of_clock(text)))


def read_duration(texts: "pl.Series") -> "pl.Series":
    """Return durations in microseconds, null for texts that are none."""
    return _mapped(texts, lambda text: _bounded(_seconds_of_clock(text, _seconds_of_words(text))))


def _mapped(texts: "pl.Series", read: "object") -> "pl.Series":
    import polars as pl

    values = [None if text is None else read(text) for text in texts]  # type: ignore[operator]
    whole = [None if value is None else round(value * 1e6) for value in values]
    return pl.Series(texts.name, whole, pl.Int64)


def _within_a_day(seconds: float | None) -> float | None:
    return None if seconds is None or not 0 <= seconds < 86_400 else seconds


def _bounded(seconds: float | None) -> float | None:
    return None if seconds is None or abs(seconds) > _MOST_SECONDS else seconds


def _seconds_of_clock(text: str, otherwise: float | None = None) -> float | None:
    found = _CLOCK.fullmatch(text)
    if found is None:
        return otherwise
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"][0] in "pP" else 0)
    seconds = hour * 3600 + int(found["minute"]) * 60 + int(found["second"] or 0)
    total = seconds + float(f"0.{found['fraction'] or 0}")
    return -total if found["sign"] == "-" else total


def _seconds_of_words(text: str) -> float | None:
    iso = _ISO.fullmatch(text)
    if iso is not None and any(iso[unit] for unit in "wdhms"):
        total = sum(float(iso[unit] or 0) * _SECONDS[unit] for unit in "wdhms")
        return -total if iso["sign"] else total
    if len(text) > 100 or _PIECES.fullmatch(text) is None:
        return None
    pieces = _PIECE.findall(text)
    units = [_SECONDS[unit.lower()] for _, unit in pieces]
    if any(later >= earlier for earlier, later in pairwise(units)):
        return None  # 5 min 2 h is not how durations are written
    total = sum(
        float(amount.replace(",", ".")) * unit
        for (amount, _), unit in zip(pieces, units, strict=True)
    )
    return -total if text.startswith("-") else total
