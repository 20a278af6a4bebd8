"""Adding a batch to a schema: columns by name, new categories, new classes.

1. Columns are found by name, as at prediction; one that is absent is an error.
2. A category that was never seen is added behind those that are known.
3. A column that had no value at all so far takes the kind it has now.
4. A class that was never seen is added, unless the classes were given at the first batch.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.errors import BranchlineWarning, DataError, Repair
from branchline.table import UNSEEN_CODE, Column, ColumnType, Field, Schema, Table

__all__ = ["class_places", "grown_schema", "union_of_classes"]


def grown_schema(schema: Schema, table: Table, is_empty: Sequence[bool]) -> Schema:
    """Return the schema with the categories of one more table; ``is_empty`` of columns so far."""
    by_name = table
    if not (schema.named and table.schema.named) and table.n_columns == len(schema):
        by_name = table.with_names(schema.names)
    fields = []
    for field, empty in zip(schema, is_empty, strict=True):
        here = by_name.schema.position.get(field.name)
        if here is None:
            return schema  # its ``apply`` says which columns are absent
        column = by_name.column(field.name)
        fields.append(Field(field.name, column.type) if empty else _grown(schema, field, column))
    return Schema(tuple(fields), schema.named)


def _grown(schema: Schema, field: Field, column: Column) -> Field:
    if field.type.kind != "category" or column.categories == field.type.categories:
        return field
    alone = Schema((field,), named=True)
    with warnings.catch_warnings():
        # None of the names may be known: here they are learned.
        warnings.simplefilter("ignore", BranchlineWarning)
        known = alone.apply(Table.from_columns([column])).columns[0]
    unseen = np.flatnonzero(known.values == UNSEEN_CODE)
    if not len(unseen):
        return field
    new = dict.fromkeys(column.take(unseen).to_list())
    return Field(field.name, _with_names(field.type, sorted(new, key=str)))


def _with_names(kind: ColumnType, new: list[Any]) -> ColumnType:
    known = kind.categories or ()
    new = [name if isinstance(name, str | int | float) else str(name) for name in new]
    if kind.source == "string" or all(isinstance(name, str) for name in known):
        new = [_as_text(name) for name in new]
    if kind.source == "boolean":
        # Two truth values are all that a boolean has.
        known, new = tuple(str(name) for name in known), [str(name) for name in new]
    source = kind.source if kind.source == "string" else "category"
    return ColumnType("category", source, (*known, *dict.fromkeys(new)))


def _as_text(name: Any) -> str:
    is_whole = isinstance(name, float) and name.is_integer()
    return str(int(name)) if is_whole else str(name)


def union_of_classes(known: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return all classes in order."""
    try:
        kinds = {known.dtype.kind, new.dtype.kind}
        if kinds - {"U"} and "U" in kinds:
            raise TypeError("text and numbers")
        return np.unique(np.concatenate([known, new]))
    except TypeError as error:
        raise DataError(
            "The classes of this batch are of another kind than those of the batches before: "
            f"{_some(known)} then, {_some(new)} now.",
            code="D100",
            repair=Repair("y = [str(name) for name in y]\nmodel.partial_fit(X, y)"),
        ) from error


def class_places(classes: npt.NDArray[Any], new: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return where ``new`` classes stand among ``classes``; one that is not there is an error."""
    places = np.searchsorted(classes, new)
    inside = np.minimum(places, len(classes) - 1)
    if bool((classes[inside] != new).any()):
        strange = new[classes[inside] != new]
        raise DataError(
            f"The target has classes that are not among those given at the first batch: "
            f"{_some(strange)}. Known are {_some(classes)}.",
            code="D100",
            values=strange.tolist()[:5],
            repair=Repair("model.fit(X, y)"),
        )
    return places.astype(np.intp)


def _some(names: npt.NDArray[Any]) -> str:
    shown = ", ".join(repr(name) for name in names.tolist()[:5])
    return shown + (", …" if len(names) > 5 else "")
