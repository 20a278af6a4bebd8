"""Columns of a result as a frame of pandas or polars."""

from collections.abc import Mapping
from typing import Any, Literal

from branchline._validation import OneOf, check_parameters
from branchline.table import need_library

__all__ = ["Library", "result_frame"]

Library = Literal["pandas", "polars"]


def result_frame(columns: Mapping[str, Any], library: Library = "pandas") -> Any:
    """Return a frame of the library that is asked for; None is missing."""
    check_parameters("to_frame", {"library": library}, {"library": OneOf(("pandas", "polars"))})
    return need_library(library).DataFrame(dict(columns))
