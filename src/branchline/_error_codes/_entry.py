"""What an error code stands for."""

from dataclasses import dataclass

__all__ = ["ErrorCode"]


@dataclass(frozen=True)
class ErrorCode:
    """One code: a short title, and a paragraph that explains the cause and the remedy.

    See Also
    --------
    BranchlineError : base of every error that Branchline raises on purpose.

    Examples
    --------
    >>> from branchline.errors import ERROR_CODES
    >>> len(ERROR_CODES["D001"].title)
    7
    """

    code: str
    title: str
    explanation: str
