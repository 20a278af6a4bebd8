"""Targets of which only some values are known: a missing class has the index after the last."""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import CLASS_INDEX
from branchline._validation._target import (
    ClassTarget,
    Owner,
    as_array,
    classes_of,
    is_missing,
    refuse_unusable_names,
    target_values,
)
from branchline.errors import DataError, Repair

__all__ = ["check_partial_class_target", "known_part", "known_rows"]


def check_partial_class_target(
    y: Any, owner: Owner, n_rows: int, keep: npt.NDArray[np.bool_] | None
) -> ClassTarget:
    """Return class names as indices; a row without a class has the index after the last one."""
    names = target_values(y, owner, n_rows)
    is_labeled = ~is_missing(names)
    known = _of_one_kind(names[is_labeled])
    refuse_unusable_names(known, owner)
    kept = is_labeled if keep is None else is_labeled & keep
    if not kept.any():
        raise DataError(
            "No row has a label: every value of the target y is missing. At least one row of each "
            "class needs its label.",
            code="D620",
            n_rows=n_rows,
            repair=Repair("y[0] = 'the name of its class'  # and so on"),
        )
    labeled = classes_of(known[kept[is_labeled]])
    class_of_row = np.full(n_rows, labeled.n_classes, dtype=CLASS_INDEX)
    class_of_row[kept] = labeled.class_of_row
    return ClassTarget(labeled.classes, class_of_row if keep is None else class_of_row[keep])


def known_rows(y: Any, n_rows: int) -> npt.NDArray[np.bool_] | None:
    """Return which values of a target are known; None where it has not one value for each row."""
    values = _values(y)
    if values is None or values.shape != (n_rows,):
        return None
    return ~is_missing(values)


def known_part(y: Any, known: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return the known values of a target."""
    values = _values(y)
    assert values is not None
    return _of_one_kind(values[known])


def _values(y: Any) -> npt.NDArray[Any] | None:
    try:
        return as_array(y, Owner("compare", None))
    except DataError:  # its check says why
        return None


def _of_one_kind(known: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return values as an array of their own kind, now that no None is among them."""
    if known.dtype.kind != "O" or len({type(value) for value in known}) != 1:
        return known
    return np.array(known.tolist())
