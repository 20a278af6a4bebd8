"""Kinds: what a column of texts holds, and how a column becomes numeric or a category.

1. A column without any value is numeric, all missing.
2. Otherwise the first reading that understands every text wins: integer (64 bits), float, boolean
   (true, false), ISO date or moment. A reading is tried on a few rows first.
3. What nothing understands is a category; its names are sorted, so that row order never matters.
4. Afterwards numbers become a category named by them, and a category becomes numbers when every
   name in use is a number.
"""

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, get_args

import numpy as np

from branchline.errors import BranchlineWarning, KindError, ParameterError, Repair
from branchline.table._column import (
    FLOAT,
    INTEGER,
    MISSING_CODE,
    Column,
    ColumnType,
    Kind,
    number_of_name,
)
from branchline.table._names import no_such_column
from branchline.table._table import Table
from branchline.table.files._moments import iso_column, iso_texts, moment_unit
from branchline.table.frames._from_polars import column_from_polars
from branchline.table.frames._whole_numbers import EXACT

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "change_kinds",
    "check_kinds",
    "columns_from_texts",
    "rounds_whole_numbers",
]

Cast: TypeAlias = "Callable[[pl.Expr], pl.Expr]"

_SAMPLE = 256
_LARGEST = 2**63 - 1
_WHOLE = r"^[+-]?[0-9]+$"
_LONGEST_WHOLE = 300  # digits, which a float may hold
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"


# -- from texts ---------------------------------------------------------------------------------


def columns_from_texts(
    texts: "pl.DataFrame",
    names: Sequence[str],
    *,
    words: Collection[str] = (),
    decimal: str | None = ".",
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
    """
    # polars reads names such as "*" or "^a$" as patterns, so columns go by position
    texts = texts.rename(dict(zip(texts.columns, map(str, range(len(names))), strict=True)))
    name_of = dict(zip(texts.columns, names, strict=True))
    waiting = [key for key in texts.columns if name_of[key] not in words]
    found: dict[str, Column] = {}
    for cast in _readings(decimal or _decimal_mark(texts, waiting)):
        for series in _understood(texts, waiting, cast):
            if rounds_whole_numbers(series, texts[series.name]):
                series = texts[series.name]  # long identifiers stay texts
            found[series.name] = column_from_polars(name_of[series.name], _or_floats(series))
        waiting = [key for key in waiting if key not in found]
    for key in texts.columns:
        if key not in found:
            moments = iso_column(name_of[key], texts[key]) if key in waiting else None
            found[key] = moments or column_from_polars(name_of[key], texts[key])
    return [found[key] for key in texts.columns]


def _readings(decimal: str) -> tuple[Cast, ...]:
    return _as_integer, _as_float if decimal == "." else _as_comma_float, _as_boolean


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
    if not texts.drop_nulls().str.contains(_WHOLE).all():
        return False
    return any(len(text) > _LONGEST_WHOLE or int(float(text)) != int(text) for text in large)


def _as_integer(text: "pl.Expr") -> "pl.Expr":
    import polars as pl

    return text.cast(pl.Int64, strict=False)


def _as_float(text: "pl.Expr") -> "pl.Expr":
    import polars as pl

    return text.cast(pl.Float64, strict=False)


def _as_comma_float(text: "pl.Expr") -> "pl.Expr":
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
    for rows in (texts.head(_SAMPLE), texts):
        made = rows.select([cast(pl.col(key)).alias(key) for key in keys])
        keys = [key for key in keys if made[key].null_count() == rows[key].null_count()]
    return [made[key] for key in keys]


def _decimal_mark(texts: "pl.DataFrame", keys: list[str]) -> str:
    """Return "," when numbers are written with commas and none with a point."""
    points = [s.name for s in _understood(texts, keys, _as_float)]
    if any(texts[key].str.contains(".", literal=True).any() for key in points):
        return "."
    others = [key for key in keys if key not in points]
    commas = [s.name for s in _understood(texts, others, _as_comma_float)]
    if not commas:
        return "."
    if all(texts[key].drop_nulls().str.contains(_THOUSANDS).all() for key in commas):
        warnings.warn(
            f"{texts[commas[0]].drop_nulls()[0]!r} was read with a decimal comma. If the comma "
            'parts thousands, read the file with decimal="."; the column is then text.',
            BranchlineWarning,
            stacklevel=2,
        )
    return ","


# -- changing kinds -----------------------------------------------------------------------------


def check_kinds(kinds: Mapping[str, str], names: Collection[str]) -> None:
    """Refuse kinds that do not exist and columns that are not there."""
    for name, kind in kinds.items():
        if name not in names:
            raise no_such_column(name, tuple(names))
        if kind not in get_args(Kind):
            raise ParameterError(
                f"Column {name!r} cannot be of kind {kind!r}; the kinds are numeric and category.",
                code="D040",
                column=name,
                values=(kind,),
                repair=Repair(f'kinds = {{{name!r}: "category"}}', f"--kind {name}=category"),
            )


def change_kinds(table: Table, kinds: Mapping[str, str]) -> Table:
    """Return ``table`` with the kinds of some columns changed.

    Parameters
    ----------
    table
        Any table; one over a matrix is taken apart into columns.
    kinds
        The new kinds by column name.

    Raises
    ------
    KindError
        K002 when a category that shall be numeric has names that are no numbers.
    """
    check_kinds(kinds, table.names)
    other = {name: kind for name, kind in kinds.items() if table.schema[name].kind != kind}
    if not other:
        return table
    change = {"numeric": _to_numbers, "category": _to_category}
    columns = (
        change[other[column.name]](column) if column.name in other else column
        for column in table.columns
    )
    return Table.from_columns(columns, named=table.schema.named)


def _to_category(column: Column) -> Column:
    """Name the categories by the numbers: integers stay integers, dates become ISO texts."""
    known = ~column.is_missing
    in_days = column.type.source in {"duration", "time"}
    values = column.numbers() if in_days else column.values
    distinct, places = np.unique(values[known], return_inverse=True)
    codes = np.full(len(column), MISSING_CODE, dtype=np.int32)
    codes[known] = places
    names = distinct.tolist()
    if column.type.source in {"date", "datetime"}:
        names = iso_texts(Column(column.name, column.type, distinct), moment_unit(column)).tolist()
    return Column(column.name, ColumnType("category", "category", tuple(names)), codes)


def _to_numbers(column: Column) -> Column:
    """Read the category names as numbers, or say which are none."""
    values = [number_of_name(name) for name in column.categories]
    bad = [code for code, value in enumerate(values) if value is None]
    wrong = np.flatnonzero(np.isin(column.values, bad))
    if len(wrong):
        raise _not_numbers(column, wrong)
    known = [0 if value is None else value for value in values]
    missing = column.values < 0
    if any(isinstance(value, float) or abs(value) > _LARGEST for value in known) or missing.all():
        numbers = np.array([*map(float, known), np.nan, np.nan])  # codes −1 and −2 end up here
        return Column(column.name, FLOAT, numbers[column.values])
    whole = np.array([*map(int, known), 0, 0], dtype=np.int64)
    return Column(column.name, INTEGER, whole[column.values], missing if missing.any() else None)


def _not_numbers(column: Column, rows: "np.typing.NDArray[np.intp]") -> KindError:
    texts = list(dict.fromkeys(str(column.categories[code]) for code in column.values[rows[:500]]))
    return KindError(
        f"Column {column.name!r} cannot be numeric: {len(rows)} of its {len(column)} cells hold "
        "text that is not a number.",
        code="K002",
        column=column.name,
        rows=rows[:5].tolist(),
        n_rows=len(rows),
        values=texts,
        repair=Repair(flag=f"--kind {column.name}=category"),
    )
