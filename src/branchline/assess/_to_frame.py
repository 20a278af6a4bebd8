"""Columns of results as a frame of pandas or polars."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from branchline._validation import OneOf, check_parameters
from branchline.table.frames._to_frames import need_library

__all__ = ["Library", "frame_of"]

Library: TypeAlias = Literal["pandas", "polars"]


def frame_of(columns: Mapping[str, Any], library: Library = "pandas") -> Any:
    """Return columns as a frame of the library that is asked for."""
    known = {"library": OneOf(("pandas", "polars"))}
    check_parameters("to_frame", {"library": library}, known)
    return need_library(library).DataFrame(dict(columns))
