"""Texts that are written in a known way, read as numbers, dates, microseconds or booleans."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from branchline.table._column import Column, ColumnType
from branchline.table.converting._clocks import read_clock, read_duration
from branchline.table.converting._dates import read_date
from branchline.table.converting._numbers import read_number
from branchline.table.converting._written import Written
from branchline.table.converting._yes_no import read_yes_no
from branchline.table.frames._from_polars import column_from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_as", "read_texts", "with_marks"]


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


def with_marks(column: Column, marks: Iterable[str]) -> Column:
    """Return the column, with the texts that were turned into missing values remembered."""
    known = tuple(dict.fromkeys((*column.type.marks, *marks)))
    return Column(column.name, replace(column.type, marks=known), column.values, column.missing)
