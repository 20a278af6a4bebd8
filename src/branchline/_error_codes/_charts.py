"""Charts: marks, files and models that cannot be drawn (P370 to P379, D480 to D485)."""

from branchline._error_codes._entry import ErrorCode

__all__ = ["ENTRIES"]

ENTRIES = (
    ErrorCode(
        "D480",
        "no font on this machine",
        "A PNG is drawn with the fonts of the machine, and there are none. Install a font (on "
        "Debian: fonts-dejavu-core), or save the chart as .svg or .html, which the reader's "
        "machine draws.",
    ),
    ErrorCode(
        "P370",
        "a mark of a chart that cannot be drawn",
        "A mark holds lists of numbers of one length (a grid of cells one more edge than cells). "
        "The message names the mark and what does not fit.",
    ),
    ErrorCode(
        "P371",
        "unknown ending of a picture's file",
        "The ending of the name chooses the format: .svg, .png, .html, and for charts .pdf.",
    ),
)
