"""Codes of axes."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "P690",
        "Too few components to draw",
        "The panels of independent components show two columns, two whitened axes and two "
        "components next to each other. The model has only one of them. Fit a table with two "
        "columns that vary, and ask for two components.",
    ),
)
