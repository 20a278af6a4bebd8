"""What an error code stands for."""

from dataclasses import dataclass

__all__ = ["ErrorCode"]


@dataclass(frozen=True)
class ErrorCode:
    """One code: a short title, and a paragraph that explains the cause and the remedy."""

    code: str
    title: str
    explanation: str
