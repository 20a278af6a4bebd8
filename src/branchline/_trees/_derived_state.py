"""Parts of a derived column in a model file: names of columns, texts, numbers, each checked."""

import math
from collections.abc import Mapping
from typing import Any

from branchline._state import malformed
from branchline.table import Schema

__all__ = ["derived_inputs", "derived_numbers", "derived_texts"]


def derived_inputs(
    data: Mapping[str, Any], schema: Schema | None, kind: str, length: int | None = None
) -> tuple[str, ...]:
    """Return the columns that it is computed from: columns of the schema, of one kind."""
    names = derived_texts(data, "columns")
    if length is not None and len(names) != length:
        raise malformed("a derived column has too few or too many inputs")
    for name in names if schema is not None else ():
        assert schema is not None
        if name not in schema.position or schema[name].kind != kind:
            raise malformed("a derived column is computed from a column that does not exist")
    return names


def derived_texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of different texts."""
    texts = data.get(name)
    if not isinstance(texts, list) or not texts or not all(type(one) is str for one in texts):
        raise malformed(f"{name!r} of a derived column is not a list of text")
    if len(set(texts)) < len(texts):
        raise malformed(f"{name!r} of a derived column has a name twice")
    return tuple(texts)


def derived_numbers(data: Mapping[str, Any], name: str, length: int) -> tuple[float, ...]:
    """Return a list of finite numbers, of a known length."""
    numbers = data.get(name)
    is_list = isinstance(numbers, list) and len(numbers) == length
    if not is_list or not all(type(one) in (int, float) for one in numbers or ()):
        raise malformed(f"{name!r} of a derived column is not a list of numbers")
    floats = tuple(float(one) for one in numbers or ())
    if not all(map(math.isfinite, floats)):
        raise malformed(f"{name!r} of a derived column is not finite")
    return floats
