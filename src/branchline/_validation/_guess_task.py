"""What a target suggests: numbers are predicted, names and pairs of numbers are classes."""

from typing import Any

import numpy as np

from branchline._arrays import AnyArray
from branchline._validation._door import Task
from branchline.table import as_table

__all__ = ["guess_task", "known_values", "task_of"]


def guess_task(y: Any) -> Task:
    """Return the task that a target suggests."""
    return task_of(known_values(y))


def known_values(y: Any) -> AnyArray:
    """Return the values of a target that are not missing, as an array."""
    values = np.asarray(as_table({"y": y}, texts="raw").column("y").to_numpy())
    return values[~np.isnan(values)] if values.dtype.kind == "f" else values


def task_of(known: AnyArray) -> Task:
    """Return the task that known values suggest."""
    is_number = known.dtype.kind in "iuf"
    return "regression" if is_number and len(np.unique(known)) > 2 else "classification"
