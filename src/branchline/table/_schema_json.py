"""Schemas as plain data, for model files, and back with every part checked.

1. A schema is ``named`` and a list of ``columns``; a column has a name, a kind, a source and what
   these need: ``categories``, a ``unit`` of time, a ``timezone``, how it was ``written``, and which
   texts (``marks``) mean missing. Anything else is refused.
2. Source and kind belong together: numbers and times are numeric, texts and booleans are not.
3. Category names are texts, booleans or numbers that read differently.
"""

import math
from typing import Any

from branchline.errors import ModelFileError
from branchline.table._column import ColumnType
from branchline.table._schema import Field, Schema, _key
from branchline.table.converting._written import is_written

__all__ = ["schema_from_json", "schema_to_json"]

_MOST_MARKS = 1000
_SOURCES = {
    "numeric": ("float", "integer", "date", "datetime", "duration", "time"),
    "category": ("boolean", "string", "category", "ordered"),
}
_UNITS = {
    "date": ("D",),
    "datetime": ("s", "ms", "us", "ns"),
    "duration": ("D", "s", "ms", "us", "ns"),
    "time": ("s", "ms", "us", "ns"),
}
_PARTS = {
    **dict.fromkeys(_SOURCES["category"], ("categories", "marks")),
    **dict.fromkeys(_UNITS, ("unit", "written", "marks")),
    "datetime": ("unit", "timezone", "written", "marks"),
    "float": ("written", "marks"),
    "integer": ("written", "marks"),
    "boolean": ("categories", "written", "marks"),
}
_WRITTEN = {  # what the cells of a source were written as, when they were converted
    "float": "number",
    "integer": "number",
    "date": "date",
    "datetime": "date",
    "time": "time",
    "duration": "duration",
    "boolean": "boolean",
}


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """Return a schema as plain data."""
    return {"named": schema.named, "columns": [_field_to_json(field) for field in schema.fields]}


def schema_from_json(data: Any) -> Schema:
    """Rebuild a schema from plain data, refusing anything that is not one."""
    if not isinstance(data, dict) or set(data) != {"named", "columns"}:
        raise _malformed("it is not an object with columns")
    if not isinstance(data["columns"], list) or not isinstance(data["named"], bool):
        raise _malformed("it lacks a list of columns, or does not say whether they are named")
    fields = tuple(_field_from_json(entry) for entry in data["columns"])
    if len({field.name for field in fields}) != len(fields):
        raise _malformed("two columns have the same name")
    return Schema(fields, data["named"])


def _malformed(what: str) -> ModelFileError:
    return ModelFileError(f"The schema of the model is malformed: {what}.", code="M004")


def _field_to_json(field: Field) -> dict[str, Any]:
    categories = field.type.categories
    entry = {
        "name": field.name,
        "kind": field.type.kind,
        "source": field.type.source,
        "categories": None if categories is None else list(categories),
        "unit": field.type.unit,
        "timezone": field.type.timezone,
        "written": field.type.written,
        "marks": list(field.type.marks) or None,
    }
    return {key: value for key, value in entry.items() if value is not None}


def _field_from_json(entry: Any) -> Field:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise _malformed("a column has no name")
    name, kind, source = entry["name"], entry.get("kind"), entry.get("source")
    shown = repr(name[:60])
    if not isinstance(source, str) or not isinstance(kind, str):
        raise _malformed(f"column {shown} has no kind or no source")
    if source not in _SOURCES.get(kind, ()):
        raise _malformed(f"column {shown} has no kind, or one that does not fit its source")
    if not set(entry) <= {"name", "kind", "source", *_PARTS.get(source, ())}:
        raise _malformed(f"column {shown} says something that does not fit its source")
    categories, unit, timezone = (entry.get(key) for key in ("categories", "unit", "timezone"))
    if kind == "category" and not _are_categories(source, categories):
        raise _malformed(f"the categories of column {shown} are not names that read differently")
    if source in _UNITS and not (isinstance(unit, str) and unit in _UNITS[source]):
        raise _malformed(f"column {shown} has no such unit of time")
    if not _is_zone(timezone):
        raise _malformed(f"column {shown} has no such time zone")
    names, written = None if categories is None else tuple(categories), _written(entry, shown)
    marks = _marks(entry, shown)
    return Field(name, ColumnType(kind, source, names, unit, timezone, written, marks))  # type: ignore[arg-type]


def _marks(entry: dict[str, Any], shown: str) -> tuple[str, ...]:
    """Return the texts that count as missing; models of version 0.1 say nothing of them."""
    marks = entry.get("marks", [])
    texts = isinstance(marks, list) and all(isinstance(mark, str) for mark in marks)
    if not texts or ("marks" in entry and not 0 < len(set(marks)) == len(marks) <= _MOST_MARKS):
        raise _malformed(f"column {shown} has no list of different texts that mean missing")
    return tuple(marks)


def _written(entry: dict[str, Any], shown: str) -> str | None:
    """Return how cells were written; models of version 0.1 say nothing of it."""
    written: str | None = entry.get("written")
    if "written" in entry and not is_written(written, _WRITTEN[entry["source"]]):
        raise _malformed(f"column {shown} was written in no way that can be read")
    return written


def _are_categories(source: str, names: Any) -> bool:
    if not isinstance(names, list):
        return False
    if source == "boolean":
        return len(names) == 2 and names[0] is False and names[1] is True
    if not all(_is_name(source, name) for name in names):
        return False
    return len({_key(name) for name in names}) == len(names)


def _is_name(source: str, name: Any) -> bool:
    if source == "string" or isinstance(name, str):
        return isinstance(name, str)
    return isinstance(name, int) or (isinstance(name, float) and not math.isnan(name))


def _is_zone(zone: Any) -> bool:
    # Libraries name zones in many ways ("Europe/Brussels", "UTC+02:00"), so any short text will do.
    return zone is None or (isinstance(zone, str) and len(zone) <= 200 and zone.isprintable())
