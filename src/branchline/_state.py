"""Packing fitted values for a model file, and checking each one when it comes back.

Packed are arrays, numbers, text and lists. A check returns the value or raises ``malformed``: a
value that no fit could have produced is refused, whether it comes from a file or from a pickle.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.errors import ModelFileError
from branchline.table import Schema

__all__ = [
    "are_frequencies",
    "array_from_state",
    "check_restored",
    "classes_from_state",
    "classes_to_state",
    "column_attributes",
    "frequencies_from_state",
    "malformed",
    "number_from_state",
    "numbers_from_state",
]

# How far frequencies may be from a sum of 1, by rounding.
_ROUNDING = 1e-6


def malformed(what: str) -> ModelFileError:
    """Return the error for a value that no fit could have produced."""
    return ModelFileError(
        f"The model's values do not fit together: {what}. The file is damaged or was made by hand.",
        code="M005",
    )


def column_attributes(schema: Schema) -> dict[str, Any]:
    """Return the fitted attributes that say what the columns are, as scikit-learn names them."""
    about: dict[str, Any] = {"schema_": schema, "n_features_in_": len(schema)}
    if schema.named:
        about["feature_names_in_"] = np.array(schema.names, dtype=object)
    return about


def check_restored(model: Any) -> None:
    """Check the fitted values of an unpickled estimator as those of a saved one are checked.

    What the check makes of them takes their place, so that nothing unchecked is left.
    """
    try:
        schema = Schema.from_json(model.schema_.to_json())
        names = [str(name) for name in getattr(model, "feature_names_in_", ())]
        packed, n_columns = model._pack(), model.n_features_in_
    except ModelFileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise malformed("a fitted attribute is missing or of another type") from error
    is_count = isinstance(n_columns, int) and n_columns == len(schema)
    if not is_count or names != (list(schema.names) if schema.named else []):
        raise malformed("the columns are not those of the schema")
    model.__dict__.update(model._unpack(packed, schema))


# -- class names --------------------------------------------------------------------------------


def classes_to_state(classes: npt.NDArray[Any]) -> Any:
    """Return class names as an array of numbers, a list of text, or a list of Python objects.

    Classes that a model file cannot hold (dates, bytes) are returned as they are.
    """
    if classes.dtype.kind == "U":
        return classes.tolist()
    if classes.dtype.kind != "O":
        return classes
    names = [name.item() if isinstance(name, np.generic) else name for name in classes]
    same = len({type(name) for name in names}) == 1 and type(names[0]) in (bool, int, float, str)
    return {"objects": names} if same else classes


def classes_from_state(state: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Return the class names: at least one, all different, in order."""
    packed = state.get("classes")
    if isinstance(packed, list):
        classes = _text_classes(packed)
    elif isinstance(packed, dict):
        classes = _object_classes(packed)
    elif isinstance(packed, np.ndarray) and packed.ndim == 1:
        classes = packed
    else:
        raise malformed("the class names are missing")
    _check_classes(classes)
    return classes


def _text_classes(names: list[Any]) -> npt.NDArray[Any]:
    if not all(type(name) is str for name in names):
        raise malformed("class names must be text")
    classes = np.array(names, dtype=np.str_)
    # NumPy pads text with NUL, so a name that ends in it would come back as another one.
    if classes.tolist() != names:
        raise malformed("a class name ends in NUL")
    return classes


def _object_classes(packed: dict[str, Any]) -> npt.NDArray[Any]:
    names = packed.get("objects")
    if set(packed) != {"objects"} or not isinstance(names, list):
        raise malformed("the class names are missing")
    if len({type(name) for name in names}) != 1 or type(names[0]) not in (bool, int, float, str):
        raise malformed("class names must be of one kind")
    classes = np.empty(len(names), dtype=object)
    classes[:] = names
    return classes


def _check_classes(classes: npt.NDArray[Any]) -> None:
    if len(classes) == 0:
        raise malformed("the class names are missing")
    if classes.dtype.kind == "f" and not (classes == np.rint(classes)).all():
        raise malformed("classes that are numbers must be whole")
    if any(isinstance(name, float) and not math.isfinite(name) for name in classes.tolist()):
        raise malformed("a class is not a finite number")
    try:
        in_order = bool((classes[1:] > classes[:-1]).all())
    except TypeError as error:
        raise malformed("class names cannot be put in order") from error
    if not in_order:
        raise malformed("class names must be different and in order")


# -- numbers ------------------------------------------------------------------------------------


def array_from_state(
    state: Mapping[str, Any], name: str, dtype: np.dtype[Any], *, length: int | None = None
) -> npt.NDArray[Any]:
    """Return a one-dimensional array of a known dtype and length."""
    array = state.get(name)
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != dtype:
        raise malformed(f"{name!r} is not a row of {dtype.name} values")
    array = np.asarray(array)  # a masked array would answer no question with yes
    if not array.flags.c_contiguous:
        raise malformed(f"the values of {name!r} do not stand one after the other")
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


def frequencies_from_state(
    state: Mapping[str, Any], name: str, *, length: int
) -> npt.NDArray[np.float64]:
    """Return the frequencies of classes: numbers from 0 to 1 with a sum of 1."""
    array = numbers_from_state(state, name, length=length)
    if not are_frequencies(array):
        raise malformed(f"{name!r} are not frequencies with a sum of 1")
    return array


def are_frequencies(rows: npt.NDArray[np.float64]) -> bool:
    """Whether each row (the last axis) holds numbers from 0 to 1 with a sum of 1."""
    inside = bool((rows >= 0).all()) and bool((rows <= 1).all())
    return inside and bool((np.abs(rows.sum(axis=-1) - 1) <= _ROUNDING).all())


def number_from_state(state: Mapping[str, Any], name: str) -> float:
    """Return one finite float."""
    value = state.get(name)
    if not isinstance(value, float) or not math.isfinite(value):
        raise malformed(f"{name!r} is not a finite number")
    return float(value)
