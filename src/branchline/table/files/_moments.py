"""Dates and moments as text: ISO for CSV files, Java's patterns for ARFF files.

1. ISO texts are taken apart by one pattern and put together as integers: days, or microseconds.
2. Moments with a zone become UTC; a column where only some have a zone is not understood.
3. Java's pattern letters are translated into Python's and every distinct text is read once.
4. The way out writes the coarsest unit that loses nothing.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline.table._column import Column, ColumnType

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JavaPattern", "iso_column", "iso_texts", "moment_unit"]

_ISO = (
    r"^(?<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ](?<hour>[01][0-9]|2[0-3]):(?<minute>[0-5][0-9])"
    r"(?::(?<second>[0-5][0-9])(?:\.(?<fraction>[0-9]+))?)?"
    r" ?(?<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_ISO_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_SAMPLE = 256
_MICROSECONDS = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}
_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1)
_UNITS = ("s", "ms", "us", "ns")
_PER_SECOND = {"D": 1, "s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

_JAVA_PIECES = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z'])")
_JAVA_LETTERS = {
    "y": "%Y", "yy": "%y", "yyy": "%Y", "yyyy": "%Y", "u": "%Y", "uuuu": "%Y",
    "M": "%m", "MM": "%m", "MMM": "%b", "MMMM": "%B", "L": "%m", "LL": "%m",
    "d": "%d", "dd": "%d", "D": "%j", "DDD": "%j", "E": "%a", "EEE": "%a", "EEEE": "%A",
    "H": "%H", "HH": "%H", "h": "%I", "hh": "%I", "a": "%p", "m": "%M", "mm": "%M",
    "s": "%S", "ss": "%S", "S": "%f", "SS": "%f", "SSS": "%f", "SSSSSS": "%f",
    "Z": "%z", "X": "%z", "XX": "%z", "XXX": "%z",
}  # fmt: skip
_DIRECTIVES = frozenset(_JAVA_LETTERS.values())
_TIME_LETTERS = frozenset("HhamsSZX")


# -- ISO ----------------------------------------------------------------------------------------


def iso_column(name: str, texts: "pl.Series") -> Column | None:
    """Return the column of dates or moments, or None when some text is neither."""
    head = texts.head(_SAMPLE).drop_nulls()
    if not head.str.contains(_ISO).all():
        return None
    if head.str.contains(_ISO_DAY).all() and texts.str.contains(_ISO_DAY).all():
        return _date_column(name, texts)
    parts = texts.str.extract_groups(_ISO).struct.unnest()
    days = parts["day"].str.to_date("%Y-%m-%d", strict=False)
    n_missing = texts.null_count()
    if days.null_count() != n_missing or parts["hour"].null_count() != n_missing:
        return None
    n_without_zone = parts["zone"].null_count()
    if n_without_zone not in (n_missing, len(texts)):
        return None
    zone = "UTC" if n_without_zone == n_missing else None
    kind = ColumnType("numeric", "datetime", unit="us", timezone=zone)
    return _time_column(name, kind, _microseconds(parts, days))


def _date_column(name: str, texts: "pl.Series") -> Column | None:
    """Read days only, which is faster than looking for hours."""
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    if days.null_count() != texts.null_count():
        return None
    return _time_column(name, ColumnType("numeric", "date", unit="D"), _whole(days))


def _whole(days: "pl.Series") -> "pl.Series":
    import polars as pl

    return days.to_physical().cast(pl.Int64)


def _microseconds(parts: "pl.DataFrame", days: "pl.Series") -> "pl.Series":
    import polars as pl

    total = _whole(days) * _MICROSECONDS_A_DAY
    for part, factor in _MICROSECONDS.items():
        amount = parts[part].cast(pl.Int64)
        # seconds may be absent; where the day is absent the sum stays absent
        total += amount.fill_null(0) * factor
    fraction = (parts["fraction"].fill_null("") + "000000").str.slice(0, 6)
    return total + fraction.cast(pl.Int64) - _zone_offset(parts["zone"])


def _zone_offset(zone: "pl.Series") -> "pl.Series":
    """Return the offset from UTC in microseconds, 0 without a zone."""
    import polars as pl

    digits = zone.str.replace("Z", "+0000").str.replace(":", "", literal=True)
    hours = digits.str.slice(1, 2).cast(pl.Int64).fill_null(0)
    minutes = digits.str.slice(3, 2).cast(pl.Int64).fill_null(0)
    sign = 1 - 2 * digits.str.starts_with("-").fill_null(False).cast(pl.Int64)
    return sign * (hours * _MICROSECONDS["hour"] + minutes * _MICROSECONDS["minute"])


def _time_column(name: str, kind: ColumnType, values: "pl.Series") -> Column:
    missing = values.is_null().to_numpy() if values.null_count() else None
    return Column(name, kind, values.fill_null(0).to_numpy(), missing)


# -- Java's patterns ----------------------------------------------------------------------------


class JavaPattern:
    """A date pattern of Java's SimpleDateFormat, such as ``yyyy-MM-dd HH:mm:ss``.

    Parameters
    ----------
    pattern
        The pattern. A letter that has no translation is a ValueError.
    """

    def __init__(self, pattern: str) -> None:
        pieces: list[str] = []
        self.has_time = self.has_zone = self._in_milliseconds = False
        end = 0
        for piece in _JAVA_PIECES.finditer(pattern):
            if piece.start() != end:
                break
            pieces.append(self._translated(piece))
            end = piece.end()
        if end != len(pattern):
            raise ValueError(pattern[end:])
        self._pieces = pieces
        self.format = "".join(pieces)
        parts = [piece for piece in pieces if piece in _DIRECTIVES]
        if len(set(parts)) != len(parts):  # strptime cannot read a part of a date twice
            raise ValueError(pattern)

    def _translated(self, piece: "re.Match[str]") -> str:
        quoted, letter, other = piece.groups()
        if letter is None:
            literal = other if quoted is None else quoted.replace("''", "'") or "'"
            return literal.replace("%", "%%")
        if piece.group() not in _JAVA_LETTERS:
            raise ValueError(piece.group())
        self._in_milliseconds = self._in_milliseconds or piece.group() in {"S", "SS", "SSS"}
        self.has_time = self.has_time or letter in _TIME_LETTERS
        self.has_zone = self.has_zone or letter in "ZX"
        return _JAVA_LETTERS[piece.group()]

    @property
    def type(self) -> ColumnType:
        """The type of the columns it reads."""
        if not self.has_time:
            return ColumnType("numeric", "date", unit="D")
        zone = "UTC" if self.has_zone else None
        return ColumnType("numeric", "datetime", unit="us", timezone=zone)

    def read(self, text: str) -> int:
        """Return days or microseconds since 1970; a text that does not fit is a ValueError."""
        moment = datetime.strptime(text, self.format)
        if self._in_milliseconds and moment.microsecond:
            moment = moment.replace(microsecond=self._microsecond(text, moment.microsecond))
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
        since = moment - _EPOCH
        return since // timedelta(microseconds=1) if self.has_time else since.days

    def _microsecond(self, text: str, read: int) -> int:
        """Return what S means to Java: "5" is 5 ms, where strptime reads the fraction 0.5 s.

        More than three digits cannot be milliseconds and stay a fraction.
        """
        digits = f"{read:06}"
        for n_digits in (3, 2, 1):
            own = "".join(digits[:n_digits] if piece == "%f" else piece for piece in self._pieces)
            try:
                datetime.strptime(text, own)
            except ValueError:
                continue
            return 1000 * int(digits[:n_digits])
        return read


# -- out again ----------------------------------------------------------------------------------


def moment_unit(column: Column) -> str:
    """Return "D" for dates, else the coarsest of "s", "ms", "us", "ns" that loses nothing."""
    unit = column.type.unit or "D"
    if unit == "D":
        return unit if column.type.source == "date" else "s"
    for coarse in _UNITS[: _UNITS.index(unit)]:
        if not (
            column.values[~column.is_missing] % (_PER_SECOND[unit] // _PER_SECOND[coarse])
        ).any():
            return coarse
    return unit


def iso_texts(column: Column, unit: str) -> npt.NDArray[Any]:
    """Return dates or moments as ISO texts in ``unit``, "NaT" for missing."""
    moments = column.values.astype(f"datetime64[{column.type.unit}]")
    moments = np.where(column.is_missing, np.array("NaT", moments.dtype), moments)
    return np.datetime_as_string(moments.astype(f"datetime64[{unit}]"))
