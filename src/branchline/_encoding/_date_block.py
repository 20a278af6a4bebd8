"""What repeats in dates: the season, the day of the week, the hour.

A date is also a number of days (``NumberBlock``); this block adds, where rows span enough time,

1. the season as sine and cosine of the day of the year (from a year on),
2. the day of the week as seven indicators (from a fortnight on),
3. the time of day as sine and cosine (when it varies).

Moments with a time zone are read in that zone. A missing moment gets 0 for sines and 1/7 for days.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._encoding._block import Options, Term
from branchline._state import malformed
from branchline.table import Column, Table

__all__ = ["DateBlock", "fit_date"]

Moments = npt.NDArray[np.datetime64]

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_YEAR, _FORTNIGHT = 365.25, 14
_DATES = frozenset(("date", "datetime"))


@dataclass(frozen=True)
class DateBlock:
    """The parts that are taken from one column of dates or times, in the order of ``_PARTS``."""

    place: int
    column: str
    parts: tuple[str, ...]
    drop_reference: bool

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of all parts."""
        levels = [level for part in self.parts for level in self._levels(part)]
        return tuple(Term(f"{self.column}: {level}", self.column, level) for level in levels)

    @property
    def width(self) -> int:
        """How many numbers the column becomes."""
        return len(self.terms)

    def encode(self, column: Column) -> Floats:
        """Return the parts of each moment."""
        # A column of any other source reaches a block only when all its cells are missing.
        moments = _moments(column) if column.type.source in _DATES else None
        encoded = [self._part(part, column, moments) for part in self.parts]
        return np.hstack(encoded)

    def pack(self) -> Mapping[str, Any]:
        """Return the block as plain values."""
        return {
            "kind": "date",
            "place": self.place,
            "parts": list(self.parts),
            "drop_reference": self.drop_reference,
        }

    @staticmethod
    def unpack(state: Mapping[str, Any], place: int, column: str, source: str) -> "DateBlock":
        """Check packed values and return the block."""
        parts, drop = state.get("parts"), state.get("drop_reference")
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise malformed("the parts of a date are not a list of names")
        known = [part for part in _PARTS if part in parts]
        if not known or parts != known or type(drop) is not bool:
            raise malformed("the parts of a date are not known")
        if source not in _DATES and known != ["hour"]:
            raise malformed("a time of day has no season and no weekday")
        return DateBlock(place, column, tuple(known), drop)

    def _levels(self, part: str) -> tuple[str, ...]:
        if part != "weekday":
            return (f"{part} sine", f"{part} cosine")
        return tuple(f"weekday={day}" for day in _DAYS[self.drop_reference :])

    def _part(self, part: str, column: Column, moments: Moments | None) -> Floats:
        values = _PARTS[part](column, moments)
        if part == "weekday":
            rows = np.vstack([np.eye(7), np.full(7, 1 / 7)])
            day = np.where(np.isnan(values), 7, values).astype(np.intp)
            days: Floats = rows[day, self.drop_reference :]
            return days
        angle = 2 * np.pi * values
        circle = np.column_stack([np.sin(angle), np.cos(angle)])
        return np.asarray(np.nan_to_num(circle, nan=0.0))


def fit_date(place: int, column: Column, options: Options) -> DateBlock | None:
    """Choose the parts of a column that can repeat in the time it spans; None when none can."""
    if not options.date_parts or column.type.source not in {"date", "datetime", "time"}:
        return None
    days = column.numbers()
    known = days[~np.isnan(days)]
    if len(known) == 0:
        return None
    span = float(known.max() - known.min())
    is_clock = column.type.source == "time"
    parts = []
    if not is_clock:
        parts += ["season"] if span >= _YEAR else []
        parts += ["weekday"] if span >= _FORTNIGHT else []
    of_day = _hour(column, None if is_clock else _moments(column))
    if len(np.unique(of_day[~np.isnan(of_day)])) > 1:
        parts.append("hour")
    return DateBlock(place, column.name, tuple(parts), options.drop_reference) if parts else None


def _moments(column: Column) -> Moments:
    """Return the moments as the clock of their own time zone shows them, NaT where missing."""
    if column.type.timezone is not None:
        series = Table.from_columns([column]).to_polars()[column.name]
        return np.asarray(series.dt.replace_time_zone(None).to_numpy())
    whole = np.where(column.is_missing, 0, column.values).astype(np.int64)
    moments = whole.astype(f"datetime64[{column.type.unit or 'D'}]")
    moments[column.is_missing] = np.array("NaT", moments.dtype)
    return moments


def _season(column: Column, moments: Moments | None) -> Floats:
    """Return the day of the year as a share of a year."""
    if moments is None:  # all cells are missing, so that the column is not one of dates
        return np.full(len(column), np.nan)
    day = moments.astype("datetime64[D]")
    return (_days(day - day.astype("datetime64[Y]").astype("datetime64[D]")) + 1) / _YEAR


def _weekday(column: Column, moments: Moments | None) -> Floats:
    """Return 0 for Monday to 6 for Sunday; the first of 1970 was a Thursday."""
    if moments is None:
        return np.full(len(column), np.nan)
    day = moments.astype("datetime64[D]")
    return np.where(np.isnat(day), np.nan, (day.astype(np.int64) + 3) % 7)


def _hour(column: Column, moments: Moments | None) -> Floats:
    """Return the time of day as a share of a day."""
    if moments is None:
        return column.numbers().astype(np.float64) % 1.0
    return _days(moments - moments.astype("datetime64[D]").astype(moments.dtype))


def _days(spans: Any) -> Floats:
    return np.asarray(spans / np.timedelta64(1, "D"), dtype=np.float64)


_PARTS: dict[str, Callable[[Column, Moments | None], Floats]] = {
    "season": _season,
    "weekday": _weekday,
    "hour": _hour,
}
