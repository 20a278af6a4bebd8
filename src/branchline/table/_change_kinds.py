"""Columns of another kind: numbers as a category named by them, texts as numbers or dates.

1. Numbers become a category named by them: integers stay integers, dates become ISO texts.
2. A category becomes numbers when every name in use is a number, written plainly or for people.
3. Dates, times, durations and booleans are read from texts as the kind says.
"""

from collections.abc import Collection, Mapping
from typing import Literal

import numpy as np

from branchline._names import no_such_column
from branchline.table._column import (
    FLOAT,
    INTEGER,
    MISSING_CODE,
    Column,
    ColumnType,
    number_of_name,
)
from branchline.table._table import Table
from branchline.table.converting._conversion import Conversion
from branchline.table.converting._reading import with_marks
from branchline.table.converting._written import Written, parse_kind
from branchline.table.files._moments import iso_texts, moment_unit
from branchline.table.frames._whole_numbers import EXACT

__all__ = ["change_kinds", "check_kinds"]


def check_kinds(kinds: Mapping[str, str], names: Collection[str]) -> None:
    """Refuse kinds that do not exist and columns that are not there."""
    for name, kind in kinds.items():
        if name not in names:
            raise no_such_column(name, tuple(names))
        parse_kind(name, kind)


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
        K002 when a category that shall be numeric has names that are not numbers.
    """
    check_kinds(kinds, table.names)
    asked = {name: parse_kind(name, kind) for name, kind in kinds.items()}
    if all(_is_so(table.schema[name], kind) for name, kind in asked.items()):
        return table
    columns = (
        with_marks(_changed(column, asked[column.name]), column.type.marks)
        if column.name in asked and not _is_so(column.type, asked[column.name])
        else column
        for column in table.columns
    )
    return Table.from_columns(columns, named=table.schema.named)


def _is_so(kind: ColumnType, asked: Written | Literal["category"]) -> bool:
    """Whether a column is of the kind that is asked for."""
    if asked == "category":
        return kind.kind == "category"
    if asked.what == "boolean":
        return kind.source == "boolean"
    if asked.what == "number":
        return kind.kind == "numeric"
    same = {"date": {"date", "datetime"}, "time": {"time"}, "duration": {"duration"}}
    return kind.source in same[asked.what]


def _changed(column: Column, asked: Written | Literal["category"]) -> Column:
    if asked == "category":
        return _to_category(column)
    if asked == Written("number") and all(
        number_of_name(name) is not None for name in column.categories
    ):
        return _to_numbers(column)
    import polars as pl

    texts = pl.Series([None if cell is None else _as_text(cell) for cell in column.to_list()])
    made = Conversion({column.name: asked}).column(column.name, texts.cast(pl.String), ".")
    return column if made is None else made  # None: every cell is missing


def _as_text(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


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
    """Read the category names, which are all numbers."""
    values = [number_of_name(name) for name in column.categories]
    known = [0 if value is None else value for value in values]
    missing = column.values < 0
    if any(isinstance(value, float) or abs(value) > EXACT for value in known) or missing.all():
        numbers = np.array([*map(float, known), np.nan, np.nan])  # codes −1 and −2 end up here
        return Column(column.name, FLOAT, numbers[column.values])
    whole = np.array([*map(int, known), 0, 0], dtype=np.int64)
    return Column(column.name, INTEGER, whole[column.values], missing if missing.any() else None)
