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
    ErrorCode(
        "P740",
        "Colors of another number of rows",
        "Rows of a picture are colored by one value for each row: a column of the table that is "
        "drawn, or a list of the same length, in the same order.",
    ),
    ErrorCode(
        "P741",
        "Places on another number of axes",
        "To decode rows, inverse_transform needs one number for each axis of the model: what "
        "transform returns. The array has another number of columns, or numbers are missing.",
    ),
)
