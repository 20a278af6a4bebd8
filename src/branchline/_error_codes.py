"""Every error code with what it means and what to do: the text behind ``branchline errors``.

A code never changes its meaning. D: data, F: files of data, K: kinds, M: model files,
N: order of calls, P: parameters, X: extras.
"""

from dataclasses import dataclass

__all__ = ["ERROR_CODES", "ErrorCode"]


@dataclass(frozen=True)
class ErrorCode:
    """One code: a short title and a paragraph that explains cause and remedy."""

    code: str
    title: str
    explanation: str


_ENTRIES = (
    ErrorCode(
        "D001",
        "no rows",
        "A model cannot be learnt from a table without rows. Often a filter removed everything, or "
        "every row has weight zero.",
    ),
    ErrorCode(
        "D002",
        "no columns",
        "The table has no input columns. Check that the target was not the only column.",
    ),
)

ERROR_CODES: dict[str, ErrorCode] = {entry.code: entry for entry in _ENTRIES}
