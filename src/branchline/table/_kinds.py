"""Kinds: what a column of texts holds.

1. A column without any value is numeric, all missing.
2. Otherwise the first reading that understands every text wins: integer (64 bits), float, boolean
   (true, false), ISO date or moment. A reading is tried on a few rows first.
3. Money, percentages, other dates, times, and yes and no in several spellings are converted where
   that is asked for (``branchline.table.converting``).
4. Where all other texts of a column are well-known marks for a missing value ("-", "n/a"), these
   count as missing, with a warning.
5. What nothing understands is a category; its names are sorted, so that row order never matters.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.table._column import Column
from branchline.table.converting._conversion import Conversion
from branchline.table.converting._missing_marks import marks_among, without_texts
from branchline.table.converting._odd_cells import (
    marked,
    nearly_readable,
    tell_marks,
    tell_odd_cells,
)
from branchline.table.converting._reading import with_marks
from branchline.table.converting._value_words import may_be_values
from branchline.table.files._moments import iso_column
from branchline.table.frames._from_polars import column_from_polars
from branchline.table.frames._whole_numbers import EXACT

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LONGEST_WHOLE",
    "SAMPLE",
    "THOUSANDS",
    "WHOLE",
    "as_comma_float",
    "columns_from_texts",
    "rounds_whole_numbers",
]

Cast: TypeAlias = "Callable[[pl.Expr], pl.Expr]"

SAMPLE = 256
_FIRST_VALUES = 64
_FEWEST_VALUES = 3  # different values beside marks: "1" and "-" may be a yes and a no
WHOLE = r"^[+-]?[0-9]+$"
LONGEST_WHOLE = 300  # digits, which a float may hold
THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}MARK[0-9]{3}$"


def columns_from_texts(
    texts: "pl.DataFrame",
    names: Sequence[str],
    *,
    words: Collection[str] = (),
    decimal: str | None = ".",
    conversion: Conversion | None = None,
) -> list[Column]:
    """Return columns of the kind their texts show.

    Parameters
    ----------
    texts
        Columns of texts without outer blanks, null for missing; its own column names do not count.
    names
        The names of the columns.
    words
        Names of columns that are categories whatever they look like.
    decimal
        The decimal mark, "." or ","; None to find out.
    conversion
        How money, dates and the like are converted; None leaves them texts.
    """
    # polars reads names such as "*" or "^a$" as patterns, so columns go by position
    texts = texts.rename(dict(zip(texts.columns, map(str, range(len(names))), strict=True)))
    name_of = dict(zip(texts.columns, names, strict=True))
    texts = _without_known_marks(texts, name_of, conversion)
    waiting = [key for key in texts.columns if name_of[key] not in words]
    found: dict[str, Column] = {}
    mark = decimal or _decimal_mark(texts, waiting)
    if conversion is not None:
        first = {key: conversion.before_others(name_of[key], texts[key], mark) for key in waiting}
        found = {key: column for key, column in first.items() if column is not None}
    waiting = [key for key in waiting if key not in found]
    for cast in _readings(mark):
        for series in _understood(texts, waiting, cast):
            if rounds_whole_numbers(series, texts[series.name]):
                series = texts[series.name]  # long identifiers stay texts
            found[series.name] = column_from_polars(name_of[series.name], _or_floats(series))
        waiting = [key for key in waiting if key not in found]
    for key in texts.columns:
        if key not in found:
            may_be = key in waiting
            column = _converted(name_of[key], texts[key], mark, conversion) if may_be else None
            found[key] = column or column_from_polars(name_of[key], texts[key])
    if conversion is not None and conversion.tells:
        _tell_new_marks(texts, found, conversion)
    return [found[key] for key in texts.columns]


def _tell_new_marks(
    texts: "pl.DataFrame", found: dict[str, Column], conversion: Conversion
) -> None:
    """Warn of texts that count as missing, found beside numbers or dates."""
    new = [
        marked(
            column.name,
            texts[key],
            column.type.marks,
            _what(column),
            conversion.counted.get(column.name),
        )
        for key, column in found.items()
        if column.type.marks
    ]
    tell_marks(new, conversion.origin)


def _what(column: Column) -> str:
    return "dates" if column.type.is_time else "numbers"


def _without_known_marks(
    texts: "pl.DataFrame", name_of: dict[str, str], conversion: Conversion | None
) -> "pl.DataFrame":
    """Return the texts, null where a model remembers that they mean missing."""
    known = {} if conversion is None else conversion.marks
    return texts.with_columns(
        without_texts(texts[key], known[name]) for key, name in name_of.items() if known.get(name)
    )


def _converted(
    name: str, texts: "pl.Series", mark: str, conversion: Conversion | None
) -> Column | None:
    """Return texts that are not plain numbers as a column of dates, amounts and so on, or None."""
    column = iso_column(name, texts)
    if column is None and conversion is not None:
        column = conversion.column(name, texts, mark) or _despite_marks(
            name, texts, mark, conversion
        )
    return column


def _despite_marks(
    name: str, texts: "pl.Series", mark: str, conversion: Conversion
) -> Column | None:
    """Return numbers or dates beside which only marks for a missing value stand, or None."""
    distinct = texts.drop_nulls().unique(maintain_order=True)
    if not may_be_values(distinct.head(_FIRST_VALUES).to_list()):
        return None
    marks = marks_among(distinct)
    if marks and len(distinct) - len(marks) >= _FEWEST_VALUES:
        rest = without_texts(texts, marks).to_frame()
        quiet = replace(conversion, tells=False)
        [column] = columns_from_texts(rest, [name], decimal=mark, conversion=quiet)
        if column.kind == "numeric":
            return with_marks(column, marks)
    counted = conversion.counted.get(name)
    odd = nearly_readable(texts, counted) if conversion.tells else None
    if odd is not None:
        tell_odd_cells(name, odd, conversion.origin)
    return None


def _readings(decimal: str) -> tuple[Cast, ...]:
    return _as_integer, _as_float if decimal == "." else as_comma_float, _as_boolean


def _or_floats(series: "pl.Series") -> "pl.Series":
    """Return the series; one without any value as floats."""
    import polars as pl

    return series.cast(pl.Float64) if series.null_count() == len(series) else series


def rounds_whole_numbers(numbers: "pl.Series", texts: "pl.Series") -> bool:
    """Whether texts are whole numbers beyond 2⁵³ of which a float would round some."""
    if not numbers.dtype.is_numeric() or numbers.null_count() == len(numbers):
        return False
    low, high = numbers.min(), numbers.max()
    if high <= EXACT and low >= -EXACT:  # type: ignore[operator]
        return False
    large = texts.filter(numbers.abs() > EXACT).unique()
    if not texts.drop_nulls().str.contains(WHOLE).all():
        return False
    return any(len(text) > LONGEST_WHOLE or int(float(text)) != int(text) for text in large)


def _as_integer(text: "pl.Expr") -> "pl.Expr":
    import polars as pl

    return text.cast(pl.Int64, strict=False)


def _as_float(text: "pl.Expr") -> "pl.Expr":
    import polars as pl

    return text.cast(pl.Float64, strict=False)


def as_comma_float(text: "pl.Expr") -> "pl.Expr":
    """Read 1,5 as a number, but not 1.500: where the comma is decimal that is fifteen hundred."""
    import polars as pl

    with_point = text.str.replace(",", ".", literal=True)
    return _as_float(pl.when(text.str.contains(".", literal=True)).then(None).otherwise(with_point))


def _as_boolean(text: "pl.Expr") -> "pl.Expr":
    import polars as pl

    lower = text.str.to_lowercase()
    value = pl.when(lower == "true").then(True).when(lower == "false").then(False)
    return value.otherwise(None).name.keep()


def _understood(texts: "pl.DataFrame", keys: list[str], cast: Cast) -> "list[pl.Series]":
    """Return those columns, cast, in which ``cast`` understands every text."""
    import polars as pl

    made = texts.clear()
    for rows in (texts.head(SAMPLE), texts):
        made = rows.select([cast(pl.col(key)).alias(key) for key in keys])
        keys = [key for key in keys if made[key].null_count() == rows[key].null_count()]
    return [made[key] for key in keys]


def _decimal_mark(texts: "pl.DataFrame", keys: list[str]) -> str:
    """Return "," when numbers are written with commas and none with a point that is decimal."""
    points = [s.name for s in _understood(texts, keys, _as_float)]
    others = [key for key in keys if key not in points]
    commas = [s.name for s in _understood(texts, others, as_comma_float)]
    if not commas or any(_has_decimals(texts[key], ".") for key in points):
        return "."
    if any(_has_decimals(texts[key], ",") for key in commas):
        return ","
    if any(texts[key].str.contains(".", literal=True).any() for key in points):
        return "."
    warn(
        f"{texts[commas[0]].drop_nulls()[0]!r} was read with a decimal comma. If the comma "
        'separates thousands, read the file with decimal="." (--decimal .).',
        BranchlineWarning,
    )
    return ","


def _has_decimals(texts: "pl.Series", mark: str) -> bool:
    """Whether a mark stands somewhere where it cannot group thousands."""
    marked = texts.filter(texts.str.contains(mark, literal=True))
    return not marked.str.contains(THOUSANDS.replace("MARK", f"[{mark}]")).all()
