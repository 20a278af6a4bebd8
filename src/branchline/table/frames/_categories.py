"""Category columns from codes and names, with the names in an order that rows cannot change.

1. Text: the names are sorted by code point, so the order of the rows never matters.
2. Declared categories keep their order and also the names that no row uses.
3. Names are compared as text later, so two names that read the same are refused.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.errors import DataError
from branchline.table._column import MISSING_CODE, Category, Column, ColumnType, Source
from branchline.table._schema import _key

__all__ = ["boolean_column", "declared_column", "text_column"]

_BOOLEAN = ColumnType("category", "boolean", (False, True))


def boolean_column(name: str, codes: npt.NDArray[Any]) -> Column:
    """Return a category of False and True from the codes 0, 1 and −1 (missing)."""
    return Column(name, _BOOLEAN, codes.astype(np.int32))


def text_column(
    name: str, codes: npt.NDArray[Any], names: Sequence[str], source: Source = "string"
) -> Column:
    """Return a category whose names are sorted; ``codes`` point into ``names`` as given."""
    order = sorted(range(len(names)), key=names.__getitem__)
    new_code = np.empty(len(names) + 1, dtype=np.int32)
    new_code[order] = np.arange(len(names), dtype=np.int32)
    new_code[-1] = MISSING_CODE  # reached by the code −1
    kind = ColumnType("category", source, tuple(names[place] for place in order))
    return Column(name, kind, new_code[codes])


def declared_column(
    name: str, codes: npt.NDArray[Any], names: Iterable[Any], *, ordered: bool
) -> Column:
    """Return a category with the names as declared; ``codes`` point into them, −1 is missing."""
    plain = tuple(_plain(value) for value in names)
    _refuse_lookalikes(name, plain)
    kind = ColumnType("category", "ordered" if ordered else "category", plain)
    return Column(name, kind, codes.astype(np.int32))


def _plain(value: Any) -> Category:
    """Return a category name as a Python value; anything but text and numbers becomes text."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if type(value) in (str, int, float, bool) else str(value)


def _refuse_lookalikes(name: str, names: tuple[Category, ...]) -> None:
    first: dict[str, Category] = {}
    for value in names:
        key = _key(value)
        if key in first:
            raise DataError(
                f"Column {name!r} has two categories that read the same, {first[key]!r} and "
                f"{value!r}.",
                code="D009",
                column=name,
                values=(first[key], value),
            )
        first[key] = value
