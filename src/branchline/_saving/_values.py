"""Parameters as JSON: plain values, lists of them, and mappings as lists of pairs.

A mapping becomes ``{"pairs": [[key, value], …]}``, because its keys may be numbers or tuples; a
tuple becomes ``{"tuple": […]}``; an array of numbers becomes a list. Nothing else is taken in
either direction, and nothing deeper than ``_DEEPEST``.

Estimators as parameters (an encoder, the members of an ensemble) become ``{"estimator": [name,
parameters]}``; ``_classes`` knows which classes there are and is handed in as a function. Kernels
become ``{"kernel": formula}``.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from branchline._base import Estimator
from branchline._saving._container import damaged
from branchline.kernels import Kernel
from branchline.kernels._packed_kernel import pack_formula, unpack_formula

__all__ = ["MakeEstimator", "from_json", "to_json"]

# Makes an unfitted estimator of a class's name, its parameters as JSON, and their depth.
MakeEstimator = Callable[[str, Any, int], Estimator]

_LONGEST_TEXT = 1000
_DEEPEST = 8
# Tuples can be chosen to share one hash; a mapping of n of them takes n² steps.
_MOST_PAIRS = 10_000


def to_json(value: Any, name_of: Callable[[Estimator], str], *, depth: int = 0) -> Any:
    """Return a parameter as JSON; a TypeError says what cannot be saved."""

    def part(inner: Any) -> Any:
        return to_json(inner, name_of, depth=depth + 1)

    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth < _DEEPEST and not (isinstance(value, np.ndarray) and value.dtype.kind not in "biufU"):
        if isinstance(value, Kernel):
            return {"kernel": pack_formula(value)}
        if isinstance(value, Estimator):
            settings = value.get_params(deep=False).items()
            return {"estimator": [name_of(value), {key: part(item) for key, item in settings}]}
        if isinstance(value, Mapping):
            return {"pairs": [[part(key), part(item)] for key, item in value.items()]}
        if isinstance(value, tuple):
            return {"tuple": [part(item) for item in value]}
        if isinstance(value, list | np.ndarray | set | frozenset):
            return [part(item) for item in _in_order(value)]
    raise TypeError(type(value).__name__)


def from_json(name: str, value: Any, make: MakeEstimator, *, depth: int = 0) -> Any:
    """Return the parameter that JSON of a file stands for."""
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        return value
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth < _DEEPEST and isinstance(value, list):
        return [from_json(name, part, make, depth=depth + 1) for part in value]
    if depth < _DEEPEST and isinstance(value, dict) and len(value) == 1:
        return _tagged(name, *next(iter(value.items())), make, depth)
    raise damaged(f"the parameter {name!r} is not a plain value")


def _tagged(name: str, tag: Any, inner: Any, make: MakeEstimator, depth: int) -> Any:
    """Return what a mapping of one tag stands for."""
    if tag == "tuple" and isinstance(inner, list):
        return tuple(from_json(name, part, make, depth=depth + 1) for part in inner)
    if tag == "pairs" and isinstance(inner, list):
        return _mapping(name, inner, make, depth)
    if tag == "kernel" and isinstance(inner, dict):
        return unpack_formula(inner)
    if tag == "estimator" and isinstance(inner, list):
        return _estimator(name, inner, make, depth)
    raise damaged(f"the parameter {name!r} is not a plain value")


def _estimator(name: str, parts: list[Any], make: MakeEstimator, depth: int) -> Estimator:
    if len(parts) != 2 or not isinstance(parts[0], str) or not isinstance(parts[1], dict):
        raise damaged(f"the parameter {name!r} is not an estimator")
    return make(parts[0], parts[1], depth + 1)


def _mapping(name: str, pairs: list[Any], make: MakeEstimator, depth: int) -> dict[Any, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise damaged(f"the parameter {name!r} is not a plain value")
    if len(pairs) > _MOST_PAIRS:
        raise damaged(f"the parameter {name!r} has more than {_MOST_PAIRS} keys")
    made = {}
    for key, value in pairs:
        known = from_json(name, key, make, depth=depth + 1)
        if not _can_be_key(known) or known in made:
            raise damaged(f"the parameter {name!r} has a key twice, or one that is a list")
        made[known] = from_json(name, value, make, depth=depth + 1)
    return made


def _can_be_key(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_can_be_key(part) for part in value)
    return not isinstance(value, list | dict | Estimator | Kernel)


def _in_order(values: Any) -> Any:
    """Return the parts of a list or an array; those of a set sorted, the same in every process."""
    if isinstance(values, np.ndarray):
        return values.tolist()
    if isinstance(values, set | frozenset):
        return sorted(values, key=lambda part: (type(part).__name__, repr(part)))
    return values
