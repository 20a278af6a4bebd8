"""Rows for a hashed model: columns by name, as in every schema, but categories keep their names.

A schema turns category names into codes learned at fit, and names not seen then into one code. A
hashed model needs the names themselves, so its schema lists no categories and each table brings its
own. (Booleans have two, and the schema knows how they are written.)
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._validation import PredictionData, TrainingData, check_prediction_data
from branchline.errors import BranchlineWarning, DataError
from branchline.table import Column, Field, Schema, Table, as_table

__all__ = [
    "check_hashed_rows",
    "places_of_classes",
    "without_categories",
    "without_one_class_remark",
]

_ONE_CLASS = "The target y has only one class"


def check_hashed_rows(X: Any, schema: Schema, *, owner: str) -> PredictionData:
    """Bring rows into the columns of a schema; each category column keeps its own names."""
    table = as_table(X, texts="raw")
    by_name = schema.named and table.schema.named
    if not by_name and table.n_columns != len(schema):
        return check_prediction_data(table, schema, owner=owner)  # which says what is wrong
    found = {
        field.name: field.name if by_name else table.names[place]
        for place, field in enumerate(schema.fields)
        if field.type.kind == "category" and field.type.source != "boolean"
    }
    present = {name: theirs for name, theirs in found.items() if theirs in table.schema.position}
    numeric = [name for name in present.values() if table.schema[name].kind == "numeric"]
    if numeric:  # a category that came back as numbers (1, 2, 3)
        table = table.with_kinds(dict.fromkeys(numeric, "category"))
    fields = [_field(field, table.schema, present.get(field.name)) for field in schema.fields]
    rows = check_prediction_data(table, Schema(tuple(fields), schema.named), owner=owner)
    return PredictionData(_with_booleans(rows.table, schema))


def _with_booleans(table: Table, schema: Schema) -> Table:
    """Name 0 and 1 in columns of booleans False and True, as they are hashed."""
    if all(field.type.source != "boolean" for field in schema):
        return table
    columns = [
        Column(column.name, field.type, column.values, column.missing)
        if field.type.source == "boolean"
        else column
        for field, column in zip(schema.fields, table.columns, strict=True)
    ]
    return Table.from_columns(columns, named=table.schema.named)


def _field(field: Field, given: Schema, name: str | None) -> Field:
    return field if name is None else Field(field.name, given[name])


def without_categories(data: TrainingData) -> TrainingData:
    """Return no rows of the same columns, their categories not listed (booleans have two)."""
    if all(field.type.kind == "numeric" for field in data.table.schema):
        return data
    columns = [_emptied(column) for column in data.table.columns]
    return replace(data, table=Table.from_columns(columns, named=data.table.schema.named))


def _emptied(column: Column) -> Column:
    kind = column.type
    if kind.kind == "category" and kind.source != "boolean":
        kind = replace(kind, categories=())
    missing = None if column.missing is None else column.missing[:0]
    return Column(column.name, kind, column.values[:0], missing)


def without_one_class_remark(check: Any, *given: Any, **options: Any) -> Any:
    """Check rows without the remark that there is only one class: others may come later."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_ONE_CLASS, category=BranchlineWarning)
        return check(*given, **options)


def places_of_classes(target: Any, classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return each row's place in the list of all classes."""
    place_of = {name: place for place, name in enumerate(classes.tolist())}
    unknown = [name for name in target.classes.tolist() if name not in place_of]
    if unknown:
        raise DataError(
            f"The target y holds {unknown[0]!r}, which is not among the classes that the first "
            f"partial_fit was given: {', '.join(map(str, classes[:20].tolist()))}.",
            code="D115",
            values=unknown[:5],
        )
    places = np.array([place_of[name] for name in target.classes.tolist()], dtype=np.intp)
    of_row: npt.NDArray[np.intp] = places[target.class_of_row]
    return of_row
