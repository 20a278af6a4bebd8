"""Columns of texts become numbers, dates, durations or booleans, as they show or as is asked.

1. Kinds that the user asks for decide; every text must then fit.
2. Kinds that a model remembers (``likely``) come next; a column that does not fit them stays text.
3. Else the first way of writing that fits every text is taken: yes and no, numbers, dates, clocks.
4. Two ways that both fit and differ are asked back with the two repairs, or the column stays text.
"""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from branchline.errors import KindError, Repair
from branchline.table._column import Column, ColumnType
from branchline.table.converting._clocks import detect_clock, read_clock, read_duration
from branchline.table.converting._dates import detect_date, read_date
from branchline.table.converting._numbers import detect_number, has_digit, read_number
from branchline.table.converting._written import Written
from branchline.table.converting._yes_no import detect_yes_no, read_yes_no
from branchline.table.frames._from_polars import column_from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Conversion", "detect", "kind_flag", "read_as", "read_texts", "two_ways"]

Found = Written | tuple[Written, Written] | None

_SAMPLE = 64
_MOST_CHARACTERS = 40


@dataclass(frozen=True)
class Conversion:
    """How texts become columns.

    Parameters
    ----------
    asked
        Ways of writing by column name; every text must fit.
    likely
        Ways that a model remembers; used where every text fits.
    ambiguous
        "ask": refuse columns that two ways fit; "keep": leave them texts.
    mark
        The decimal mark that the user states, None to find out.
    """

    asked: Mapping[str, Written] = field(default_factory=dict)
    likely: Mapping[str, Written] = field(default_factory=dict)
    ambiguous: Literal["ask", "keep"] = "ask"
    mark: str | None = None

    def column(self, name: str, texts: "pl.Series", prefer: str) -> Column | None:
        """Return the texts as a column; None when they are just texts."""
        distinct = texts.drop_nulls().unique(maintain_order=True)
        if not len(distinct):
            return None
        if name in self.asked:
            return self._as_asked(name, texts, distinct, prefer)
        found = detect(distinct, self.mark or prefer, self.mark)
        if isinstance(found, tuple):
            if self.ambiguous == "ask":
                raise _ambiguous(name, distinct, found)
            return None
        return None if found is None else read_as(name, texts, found)

    def before_others(self, name: str, texts: "pl.Series", prefer: str) -> Column | None:
        """Return the column where what is asked or remembered comes before plain numbers."""
        asked, likely = self.asked.get(name), self.likely.get(name)
        if texts.null_count() == len(texts):
            return None
        if asked is not None:
            if asked.detail or asked.what in {"time", "duration", "boolean"}:
                return self.column(name, texts, prefer)
            return None
        if likely is None or str(likely) in {"number", "date"}:  # plain numbers, ISO dates
            return None
        return read_as(name, texts, likely)

    def _as_asked(
        self, name: str, texts: "pl.Series", distinct: "pl.Series", prefer: str
    ) -> Column | None:
        written = self.asked[name]
        if not written.detail:
            found = _detect_one(written.what, distinct, self.mark or prefer)
            if isinstance(found, tuple):
                raise _ambiguous(name, distinct, found)
            written = found or written
        column = read_as(name, texts, written)
        if column is None and written != Written("number"):  # which the end of reading refuses
            raise _refuse_texts(name, texts, written)
        return column


def detect(distinct: "pl.Series", prefer: str = ".", mark: str | None = None) -> Found:
    """Return how distinct texts (none null) are written; two ways when both fit; None for text."""
    head = distinct.head(_SAMPLE)
    if int(head.str.len_chars().max() or 0) > _MOST_CHARACTERS:  # type: ignore[arg-type]
        return None
    yes_no = detect_yes_no(distinct)
    if yes_no is not None or not has_digit(head):
        return yes_no
    for what in ("number", "date", "time"):
        found = _detect_one(what, head, prefer)
        if found is not None and len(distinct) > len(head):
            found = _detect_one(what, distinct, prefer)
        if found is not None:
            return _of_mark(found, mark)
    return None


def _of_mark(found: Found, mark: str | None) -> Found:
    """Return what fits the decimal mark that the user states."""
    ways = found if isinstance(found, tuple) else (found,)
    if mark is None or ways[0] is None or ways[0].what != "number":
        return found
    return next((way for way in ways if way and way.mark == mark), None)


def _detect_one(what: str, distinct: "pl.Series", prefer: str) -> Found:
    if what == "number":
        return detect_number(distinct, prefer)
    return _DETECTORS[what](distinct)


_DETECTORS: dict[str, "Callable[[pl.Series], Found]"] = {
    "date": detect_date,
    "time": detect_clock,
    "duration": detect_clock,
    "boolean": detect_yes_no,
}


def read_texts(texts: "pl.Series", written: Written) -> "pl.Series":
    """Return the texts as numbers, dates, microseconds or booleans; null where they do not fit."""
    if written.what == "number":
        return read_number(texts, written)
    if written.what == "date":
        return _read_dates(texts, written)
    return {"time": read_clock, "duration": read_duration, "boolean": read_yes_no}[written.what](
        texts
    )


def _read_dates(texts: "pl.Series", written: Written) -> "pl.Series":
    """Read dates in their format, or as ISO where all are written so."""
    iso = Written("date", "%Y-%m-%d")
    dates = read_date(texts, written if written.detail else iso)
    if dates.null_count() > texts.null_count() and written.detail:
        other = read_date(texts, iso)
        return other if other.null_count() == texts.null_count() else dates
    return dates


def read_as(name: str, texts: "pl.Series", written: Written) -> Column | None:
    """Return the column that texts are when they are written so; None when some do not fit."""
    import polars as pl

    distinct = texts.drop_nulls().unique(maintain_order=True)
    read = read_texts(distinct, written)
    if read.null_count():
        return None
    values = texts.replace_strict(distinct, read, default=None, return_dtype=read.dtype)
    if written.what in {"time", "duration"}:
        kind = ColumnType("numeric", written.what, unit="us", written=written.what)
        missing = values.is_null().to_numpy() if values.null_count() else None
        return Column(name, kind, values.fill_null(0).cast(pl.Int64).to_numpy(), missing)
    column = column_from_polars(name, values)
    return Column(name, replace(column.type, written=str(written)), column.values, column.missing)


# -- errors ---------------------------------------------------------------------------------------


class TwoWays(NamedTuple):
    """Two ways of reading that both fit a column: a text that they read differently, and how."""

    example: str
    ways: tuple[Written, Written]
    meanings: tuple[str, str]


def two_ways(distinct: "pl.Series", ways: tuple[Written, Written]) -> TwoWays:
    """Return what two ways of reading make of a text that they read differently."""
    import polars as pl

    both = [read_texts(distinct, way) for way in ways]
    place = int((both[0] != both[1]).cast(pl.Int8).arg_max() or 0)
    if ways[0].what == "number":  # the sign need not be said
        ways = (Written("number", ways[0].detail[:1]), Written("number", ways[1].detail[:1]))
    return TwoWays(distinct[place], ways, (str(both[0][place]), str(both[1][place])))


def _ambiguous(name: str, distinct: "pl.Series", found: tuple[Written, Written]) -> KindError:
    example, ways, meanings = two_ways(distinct, found)
    what = "dates" if ways[0].what == "date" else "numbers"
    calls = [f"table = read_table(path, kinds={{{name!r}: {str(way)!r}}})" for way in ways]
    flags = [kind_flag(name, way) for way in ways]
    return KindError(
        f"Column {name!r} holds {what} that can be read in two ways: {example!r} is {meanings[0]} "
        f"or {meanings[1]}, and no value decides. Say which.",
        code="K102" if what == "dates" else "K101",
        column=name,
        values=distinct.head(3).to_list(),
        repair=Repair(
            "from branchline import read_table\n"
            f"{calls[0]}  # {meanings[0]}\n"
            f"# or: {calls[1]}  # {meanings[1]}",
            f"{flags[0]} for {meanings[0]}, {flags[1]} for {meanings[1]}, or "
            f"{kind_flag(name, 'category')} to keep the texts",
        ),
    )


def kind_flag(name: str, kind: Written | str) -> str:
    """Return the option of the command line that reads a column so."""
    return f"--kind {shlex.quote(f'{name}={kind}')}"


def _refuse_texts(name: str, texts: "pl.Series", written: Written) -> KindError:
    """Return the error for texts that do not fit the kind that was asked for."""
    unfit = read_texts(texts, written).is_null() & texts.is_not_null()
    rows = np.flatnonzero(unfit.to_numpy())
    return KindError(
        f"Column {name!r} cannot be of kind {str(written)!r}: {len(rows)} of its {len(texts)} "
        "cells hold text that does not fit.",
        code="K002",
        column=name,
        rows=rows[:5],
        n_rows=len(rows),
        values=texts.filter(unfit).unique(maintain_order=True).head(5).to_list(),
        repair=Repair(flag=kind_flag(name, "category")),
    )
