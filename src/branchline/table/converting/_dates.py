"""Dates and moments that are not ISO: which format reads every text of a column.

1. A format is a date (day, month or year first; by /, - or point; months as names), alone or with a
   time behind it. Those that fit the first text are tried on the others.
2. Points mean that the day comes first; two-digit years are read only with / or points.
3. Where day first and month first both fit all texts and differ, nothing decides: the column is
   ambiguous.
"""

from functools import cache
from typing import TYPE_CHECKING

from branchline.table.converting._date_formats import DateFormat
from branchline.table.converting._written import Written

if TYPE_CHECKING:
    import polars as pl

__all__ = ["date_formats_of", "detect_date", "read_date"]

_NUMERIC = (
    "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d",
    "%d/%m/%y", "%m/%d/%y", "%d.%m.%y",
)  # fmt: skip
_NAMED = (
    "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%d/%b/%Y", "%b %d, %Y", "%B %d, %Y",
    "%b %d %Y", "%B %d %Y", "%d. %B %Y", "%b %Y", "%B %Y", "%b-%y", "%b-%Y",
)  # fmt: skip
_TIMES = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M%p", "%I:%M:%S %p")


@cache
def _formats() -> tuple[DateFormat, ...]:
    dates = (*_NUMERIC, *_NAMED)
    timed = (
        f"{date}{gap}{time}" for date in dates if "%d" in date for gap in " T" for time in _TIMES
    )
    return tuple(DateFormat(form) for form in (*dates, *timed))


def read_date(texts: "pl.Series", written: Written) -> "pl.Series":
    """Return dates or moments, null for texts that are not written so."""
    return DateFormat(written.detail).read(texts)


def date_formats_of(texts: "pl.Series", n_texts: int = 8) -> list[DateFormat]:
    """Return the formats that fit one of the first few texts."""
    first = texts.drop_nulls().head(n_texts).to_list()
    return [form for form in _formats() if any(map(form.fits, first))]


def detect_date(texts: "pl.Series") -> Written | tuple[Written, Written] | None:
    """Return the format that reads all of the (distinct) texts, two that differ, or None."""
    first = texts[0]
    fits: dict[str, pl.Series] = {}
    for form in _formats():
        if not form.fits(first) or not texts.str.contains(form.pattern).all():
            continue
        dates = form.read(texts)
        if not dates.null_count():
            fits[form.text] = dates
    return _decide(fits)


def _decide(fits: "dict[str, pl.Series]") -> Written | tuple[Written, Written] | None:
    if not fits:
        return None
    (first, dates), *others = fits.items()
    for other, values in others:
        if values.dtype == dates.dtype and not (values == dates).all():
            return Written("date", first), Written("date", other)
    return Written("date", first)
