"""Lists of values as a frame of the library the reader likes."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from branchline._validation import OneOf, check_parameters
from branchline.table import need_library

__all__ = ["Library", "as_frame", "plain"]

Library: TypeAlias = Literal["pandas", "polars"]


def as_frame(columns: Mapping[str, Any], library: Library) -> Any:
    """Return a frame of pandas or polars, whichever is asked for; None is missing."""
    known = {"library": OneOf(("pandas", "polars"))}
    check_parameters("to_frame", {"library": library}, known)
    return need_library(library).DataFrame(dict(columns))


def plain(value: Any) -> Any:
    """Return a NumPy scalar as the Python object it stands for, anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value
