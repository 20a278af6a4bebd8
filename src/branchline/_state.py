"""Packing fitted values for a model file, and checking each one when it comes back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.errors import ModelFileError

__all__ = [
    "array_from_state",
    "classes_from_state",
    "classes_to_state",
    "malformed",
    "number_from_state",
    "numbers_from_state",
]


def malformed(what: str) -> ModelFileError:
    """Return the error for a value that no fit could have produced."""
    return ModelFileError(
        f"The model's values do not fit together: {what}. The file is damaged or was made by hand.",
        code="M005",
    )


def classes_to_state(classes: npt.NDArray[Any]) -> Any:
    """Return class names as an array of numbers, or as a list of text."""
    if classes.dtype.kind in "biuf":
        return classes
    if all(isinstance(name, str) for name in classes.tolist()):
        return [str(name) for name in classes]
    raise ModelFileError(
        "Only classes that are text, numbers or booleans can be saved.",
        code="M006",
        values=dict.fromkeys(type(name).__name__ for name in classes.tolist()),
    )


def classes_from_state(state: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Return the class names: at least one, all different, in order."""
    packed = state.get("classes")
    if isinstance(packed, list):
        if not packed or not all(isinstance(name, str) for name in packed):
            raise malformed("class names must be text")
        classes = np.array(packed)
    elif isinstance(packed, np.ndarray) and packed.dtype.kind in "biuf" and packed.ndim == 1:
        classes = packed
    else:
        raise malformed("there are no class names")
    if len(classes) == 0 or not (classes[1:] > classes[:-1]).all():
        raise malformed("class names must be different and in order")
    return classes


def array_from_state(
    state: Mapping[str, Any], name: str, dtype: np.dtype[Any], *, length: int | None = None
) -> npt.NDArray[Any]:
    """Return a one-dimensional array of a known dtype and length."""
    array = state.get(name)
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
        raise malformed(f"{name!r} is not a row of {dtype.name} values")
    if length is not None and len(array) != length:
        raise malformed(f"{name!r} has {len(array)} values instead of {length}")
    return array


def numbers_from_state(
    state: Mapping[str, Any],
    name: str,
    *,
    length: int,
    low: float = -np.inf,
    high: float = np.inf,
) -> npt.NDArray[np.float64]:
    """Return finite floats within bounds."""
    array = array_from_state(state, name, np.dtype(np.float64), length=length)
    if not (np.isfinite(array).all() and (array >= low).all() and (array <= high).all()):
        raise malformed(f"{name!r} has values out of range")
    return array


def number_from_state(state: Mapping[str, Any], name: str) -> float:
    """Return one finite float."""
    value = state.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise malformed(f"{name!r} is not a finite number")
    return float(value)
