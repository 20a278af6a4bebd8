"""Columns of a stream: names of categories are listed in the order in which they come.

1. The first batch says which columns there are, and of which kind each one is.
2. Categories that come later are added behind those that are known, up to a limit; later ones count
   as missing. So the list does not depend on how rows are cut into batches.
3. A column without any value so far takes the kind that it has when a value comes.
4. A batch with further columns is refused, and so is one that lacks a column.
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Bools
from branchline.errors import BranchlineWarning, DataError, Repair
from branchline.table import MISSING_CODE, UNSEEN_CODE, Column, ColumnType, Field, Schema, Table

__all__ = ["arrange", "columns_in_order", "has_values", "native_columns"]


def arrange(schema: Schema | None, table: Table, seen: Bools, most: int) -> Table:
    """Return a batch in the columns of the stream, its new categories listed.

    Parameters
    ----------
    schema
        The columns so far; None for the first batch.
    table
        The batch.
    seen
        Which columns had a value before.
    most
        The most categories of a column that are listed.
    """
    if schema is None:
        columns = [_listed(column, (), most) for column in table.columns]
        return Table.from_columns(columns, named=table.schema.named)
    _refuse_new_columns(schema, table)
    if not (schema.named and table.schema.named):
        if table.n_columns != len(schema):
            return schema.apply(table)  # which says what is wrong
        table = table.with_names(schema.names, named=schema.named)
    schema.refuse_absent(table)
    if table.matrix is not None and all(field.type.kind == "numeric" for field in schema):
        return schema.apply(table)
    fields = [
        _grown(field, table.column(field.name), most, had_values=bool(had))
        for field, had in zip(schema, seen, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # all categories beyond the limit
        return Schema(tuple(fields), schema.named).apply(table)


def _refuse_new_columns(schema: Schema, table: Table) -> None:
    extra = schema.extra(table)
    if extra:
        raise DataError(
            f"This batch has columns that the first one did not have: {', '.join(extra[:8])}"
            f"{', …' if len(extra) > 8 else ''}. A stream keeps its columns.",
            code="D635",
            column=extra[0],
            repair=Repair("X = Table(X).select(model.feature_names_in_)\nmodel.partial_fit(X, y)"),
        )


def _grown(field: Field, column: Column, most: int, *, had_values: bool) -> Field:
    """Return the field with the new categories of a column."""
    if not had_values:
        return Field(field.name, _listed(column, (), most).type)
    if field.type.kind != "category" or field.type.source == "boolean":
        return field
    known = field.type.categories or ()
    if column.kind == "numeric":  # numbers that came back as such: 1, 2, 3
        column = Table.from_columns([column]).with_kinds({column.name: "category"}).columns[0]
    alone = Schema((field,), named=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        here = alone.apply(Table.from_columns([column])).columns[0]
    unseen = np.flatnonzero(here.values == UNSEEN_CODE)
    if not len(unseen) or len(known) >= most:
        return field
    return Field(field.name, _with(field.type, _names_in_order(column.take(unseen)), most))


def _with(kind: ColumnType, new: list[Any], most: int) -> ColumnType:
    known = kind.categories or ()
    if kind.source == "string" or all(isinstance(name, str) for name in known):
        new = [str(name) for name in new]
    source = kind.source if kind.source == "string" else "category"
    names = tuple(dict.fromkeys((*known, *new)))[:most]
    return replace(kind, source=source, categories=names)


def _listed(column: Column, known: tuple[Any, ...], most: int) -> Column:
    """Return a column whose categories stand in the order in which they come."""
    if column.kind != "category" or column.type.source == "boolean":
        return column
    order = _codes_in_order(column)
    code_of = np.full(len(column.categories) + 2, UNSEEN_CODE, dtype=np.int32)
    code_of[-1] = MISSING_CODE
    code_of[order[:most]] = np.arange(min(len(order), most), dtype=np.int32)
    names = (*known, *(column.categories[code] for code in order[:most]))
    source = column.type.source if column.type.source == "string" else "category"
    kind = replace(column.type, source=source, categories=names)
    return Column(column.name, kind, code_of[column.values])


def _codes_in_order(column: Column) -> AnyArray:
    codes, first = np.unique(column.values, return_index=True)
    here = codes >= 0
    in_order: AnyArray = codes[here][np.argsort(first[here], kind="stable")]
    return in_order


def _names_in_order(column: Column) -> list[Any]:
    return [column.categories[code] for code in _codes_in_order(column)]


def has_values(table: Table) -> Bools:
    """Return which columns have a value."""
    if table.matrix is not None:
        return np.array(~np.isnan(table.matrix).all(axis=0))
    return np.array([not bool(column.is_missing.all()) for column in table.columns])


def columns_in_order(schema: Schema) -> list[str]:
    """Return the names of the columns as the kernel takes them: in the order of the alphabet.

    So the order of columns in a table does not matter.
    """
    return sorted(schema.names)


def native_columns(table: Table) -> tuple[list[AnyArray], AnyArray]:
    """Return the columns as the kernel takes them, and the number of their categories, or −1."""
    columns, n_categories = [], []
    for name in columns_in_order(table.schema):
        column = table.column(name)
        is_category = column.kind == "category"
        values = column.values if is_category else column.numbers()
        if not is_category and values.dtype != np.float32:
            values = values.astype(np.float64, copy=False)
        columns.append(values)
        n_categories.append(len(column.categories) if is_category else -1)
    return columns, np.array(n_categories, dtype=np.int32)
