"""The training rows that a model keeps: three blocks of cells, in canonical order.

1. Rows are put into an order that depends on their content only; their numbers in the user's table
   are kept beside.
2. Numbers go into a block of floats (NaN for missing), dates and times into one of integers in
   their unit, categories into one of codes. This is also what a model file holds.
3. ``stack`` puts two tables below each other, for ``partial_fit``: levels that are new are added.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._canonical_rows import canonical_rows_with_origins
from branchline._state import array_from_state, malformed
from branchline._validation import TrainingData, check_prediction_data
from branchline.neighbors._responses import Whole
from branchline.table import (
    MISSING_CODE,
    Column,
    ColumnType,
    Field,
    Schema,
    Table,
    as_table,
    days_per_unit,
)

__all__ = ["in_canonical_order", "pack_rows", "stack", "stored", "unpack_rows"]

_NO_TIME = np.iinfo(np.int64).min
_MOST_ROWS = 2**40


def in_canonical_order(data: TrainingData) -> tuple[TrainingData, Whole]:
    """Return the rows in canonical order, and the number of each in the table as it was given."""
    ordered, origins = canonical_rows_with_origins(data, merge=False)
    return ordered, origins.first.astype(np.int64)


def stored(table: Table) -> Table:
    """Return the table with its cells in the form in which model files hold them."""
    if table.matrix is not None:
        names = table.names if table.schema.named else None
        return Table.from_matrix(np.array(table.matrix, dtype=np.float64, order="C"), names)
    return Table.from_columns(
        [_plain(column) for column in table.columns], named=table.schema.named
    )


def _plain(column: Column) -> Column:
    if column.kind == "category":
        codes = np.maximum(column.values, MISSING_CODE).astype(np.int32)  # unseen ones are missing
        return Column(column.name, column.type, codes)
    if column.type.is_time:
        is_missing = column.is_missing
        values = np.where(is_missing, 0, column.values).astype(np.int64)
        return Column(column.name, column.type, values, is_missing if is_missing.any() else None)
    return Column(column.name, column.type, np.array(column.numbers(), dtype=np.float64))


# -- model files ----------------------------------------------------------------------------------


def pack_rows(table: Table, row_numbers: Whole) -> dict[str, Any]:
    """Return the cells as three blocks, and the row numbers."""
    times = [np.where(c.is_missing, _NO_TIME, c.values) for c in table.columns if c.type.is_time]
    return {
        "numbers": _block([c.values for c in table.columns if _is_number(c.type)], table, float),
        "times": _block(times, table, np.int64),
        "codes": _block([c.values for c in table.columns if c.kind == "category"], table, np.int32),
        "row_numbers": row_numbers,
    }


def _is_number(kind: ColumnType) -> bool:
    return kind.kind == "numeric" and not kind.is_time


def _block(columns: list[npt.NDArray[Any]], table: Table, dtype: Any) -> npt.NDArray[Any]:
    if not columns:
        return np.zeros((table.n_rows, 0), dtype=dtype)
    return np.column_stack(columns).astype(dtype)


def unpack_rows(state: Mapping[str, Any], schema: Schema) -> tuple[Table, Whole]:
    """Return the table and its row numbers, checked."""
    row_numbers = array_from_state(state, "row_numbers", np.dtype(np.int64))
    if len(row_numbers) == 0:
        raise malformed("there are no rows")
    if len(np.unique(row_numbers)) < len(row_numbers):
        raise malformed("a row number comes twice")
    if row_numbers.min() < 0 or row_numbers.max() >= _MOST_ROWS:
        raise malformed("a row number is out of range")
    kinds = [field.type for field in schema.fields]
    wanted = {
        "numbers": (np.float64, sum(map(_is_number, kinds))),
        "times": (np.int64, sum(kind.is_time for kind in kinds)),
        "codes": (np.int32, sum(kind.kind == "category" for kind in kinds)),
    }
    blocks = {
        name: iter(_block_from_state(state, name, dtype, (len(row_numbers), width)).T)
        for name, (dtype, width) in wanted.items()
    }
    columns = [_column(field, blocks) for field in schema.fields]
    return Table.from_columns(columns, named=schema.named), row_numbers


def _block_from_state(
    state: Mapping[str, Any], name: str, dtype: Any, shape: tuple[int, int]
) -> npt.NDArray[Any]:
    block = state.get(name)
    if not isinstance(block, np.ndarray) or block.dtype != dtype or block.shape != shape:
        raise malformed(f"{name!r} is not a block of {shape[0]} × {shape[1]} cells")
    return np.array(block)


def _column(field: Field, blocks: dict[str, Any]) -> Column:
    name, kind = field.name, field.type
    if kind.kind == "category":
        codes = np.ascontiguousarray(next(blocks["codes"]))
        if codes.min() < MISSING_CODE or codes.max() >= len(kind.categories or ()):
            raise malformed(f"a code of column {name!r} stands for no category")
        return Column(name, kind, codes)
    if kind.is_time:
        values = np.ascontiguousarray(next(blocks["times"]))
        is_missing = values == _NO_TIME
        return Column(
            name, kind, np.where(is_missing, 0, values), is_missing if is_missing.any() else None
        )
    numbers = np.ascontiguousarray(next(blocks["numbers"]))
    if np.isinf(numbers).any():
        raise malformed(f"column {name!r} holds infinity")
    return Column(name, kind, numbers)


# -- more rows ------------------------------------------------------------------------------------


def stack(table: Table, X: Any, owner: str) -> Table:
    """Return the rows of ``table`` and below them those of ``X``, columns matched by name."""
    more = as_table(X, texts="raw")
    schema = _extended(table.schema, more)
    below = check_prediction_data(more, schema, owner=owner).table
    columns = [
        _joined(field, *pair)
        for field, *pair in zip(schema.fields, table.columns, below.columns, strict=True)
    ]
    return Table.from_columns(columns, named=schema.named)


def _extended(schema: Schema, more: Table) -> Schema:
    """Return the schema with the levels that only ``more`` has."""
    by_position = not (schema.named and more.schema.named) and more.n_columns == len(schema)
    fields = []
    for place, field in enumerate(schema.fields):
        found = place if by_position else more.schema.position.get(field.name)
        known = field.type.categories
        other = () if found is None else more.schema.fields[found].type.categories or ()
        if known is not None:
            texts = {str(name) for name in known}
            new = [name for name in other if str(name) not in texts]
            if new:
                kind = ColumnType("category", "category", (*known, *new))
                field = Field(field.name, kind)
        fields.append(field)
    return Schema(tuple(fields), schema.named)


def _joined(field: Field, upper: Column, lower: Column) -> Column:
    if field.type.kind == "category" or not field.type.is_time:
        parts = [
            column.values if column.kind == "category" else column.numbers()
            for column in (upper, lower)
        ]
        return Column(field.name, field.type, np.concatenate(parts))
    values = lower.values
    if lower.type.unit != field.type.unit:
        days = np.nan_to_num(np.asarray(lower.numbers(), dtype=np.float64))
        values = np.rint(days / days_per_unit(field.type.unit or "D"))
    values = np.where(lower.is_missing, 0, values).astype(np.int64)
    is_missing = np.concatenate([upper.is_missing, lower.is_missing])
    joined = np.concatenate([np.where(upper.is_missing, 0, upper.values).astype(np.int64), values])
    return Column(field.name, field.type, joined, is_missing if is_missing.any() else None)
