"""A remark on a column or a table, in the terms of Python and of the command line."""

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Note", "Remark"]

# What a topic finds: a sentence, or two of them, for Python and for the command line.
Remark: TypeAlias = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Note:
    """A remark.

    Parameters
    ----------
    topic
        A stable name for programs.
    text
        The sentence for people, with its remedy in Python.
    command
        The same with the remedy on the command line; None where the two do not differ.
    """

    topic: str
    text: str
    command: str | None = None

    def __str__(self) -> str:
        return self.text

    def words(self, *, command_line: bool) -> str:
        """Return the sentence in the terms of Python or of the command line."""
        return self.command if command_line and self.command is not None else self.text
