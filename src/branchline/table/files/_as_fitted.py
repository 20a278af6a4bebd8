"""How a model reads cells: as they were read when it was fitted."""

from collections.abc import Iterable
from typing import Any

from branchline.table._schema import Field
from branchline.table.files._files import DEFAULT_MISSING

__all__ = ["as_fitted"]


def as_fitted(schema: Iterable[Field]) -> dict[str, Any]:
    """Return options of reading: 007 stays a name, 9% a number, "-" a missing value."""
    return {
        "likely": {
            field.name: field.type.written or ("date" if field.type.is_time else field.type.kind)
            for field in schema
        },
        "marks": {field.name: field.type.marks for field in schema if field.type.marks},
        "names": _names_like_missing(schema),
    }


def _names_like_missing(schema: Iterable[Field]) -> dict[str, tuple[str, ...]]:
    """Return categories that a model knows although they usually mean missing: NA for Namibia."""
    usual = set(DEFAULT_MISSING)
    found = {field.name: usual & set(map(str, field.type.categories or ())) for field in schema}
    return {name: tuple(sorted(texts)) for name, texts in found.items() if texts}
