"""A few rows of plain floats, predicted without making a table of them.

Single predictions are asked for by the million; a table for each would cost most of the time.
Whatever is unusual is left to the common door.
"""

from typing import Any

import numpy as np

from branchline._trees._tree_arrays import are_in_step
from branchline.table import Schema

__all__ = ["are_few_floats", "are_plain_numbers"]

_FEW_ROWS = 64


def are_plain_numbers(schema: Schema) -> bool:
    """Return whether arrays of floats are what was learned from, without names to compare."""
    return not schema.named and all(
        field.type.kind == "numeric" and not field.type.is_time for field in schema
    )


def are_few_floats(X: Any, n_columns: int) -> bool:
    """Return whether X is an array of a few rows of floats, as the compiled core takes it."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.shape[1] != n_columns:
        return False
    is_float = X.dtype == np.float64 or X.dtype == np.float32
    return bool(is_float and 0 < len(X) <= _FEW_ROWS and are_in_step(X))
