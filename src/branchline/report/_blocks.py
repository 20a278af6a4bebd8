"""What a report is made of: sections of a few kinds of blocks, the same for HTML and Markdown.

Blocks hold plain text, which is escaped when it is written. Only pictures hold markup, and that is
our own.
"""

from dataclasses import dataclass, field
from typing import Self, TypeAlias

from branchline._drawing import spark_text

__all__ = [
    "Block",
    "Code",
    "Facts",
    "Folded",
    "Grid",
    "Heading",
    "Items",
    "Notice",
    "Picture",
    "Section",
    "SideBySide",
    "Spark",
    "Words",
]


@dataclass(frozen=True)
class Words:
    """A paragraph; ``look`` is "lead" for the first sentence of all, "quiet" for small print."""

    text: str
    look: str = ""


@dataclass(frozen=True)
class Heading:
    """The title of a part of a section."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list of points, each a subject (which may be empty) and a sentence."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Notice:
    """A sentence that must not be overlooked; ``tone`` is "caution" or "good"."""

    text: str
    tone: str = "caution"


@dataclass(frozen=True)
class Facts:
    """A few numbers with their names and a line of explanation each, shown large."""

    facts: tuple[tuple[str, str, str], ...]


class Spark(str):
    """A cell that shows the shape of a column: characters in text, bars on a page."""

    counts: tuple[int, ...]

    def __new__(cls, counts: tuple[int, ...]) -> Self:
        """Return the characters, with the counts that they stand for."""
        made = super().__new__(cls, spark_text(counts))
        made.counts = counts
        return made


@dataclass(frozen=True)
class Grid:
    """A table.

    Parameters
    ----------
    caption
        What it shows.
    heads
        The heads of its columns.
    rows
        Its cells.
    n_words
        How many columns, from the left, are words; the others are numbers.
    marked
        Places of rows to bring out.
    breaks
        Places of rows before which a line is drawn.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_words: int = 1
    marked: frozenset[int] = frozenset()
    breaks: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Picture:
    """A drawing with its title, an explanation, and its numbers as a table or as text.

    ``narrow`` is another drawing of the same for small screens.
    """

    title: str
    svg: str
    words: str = ""
    numbers: "Grid | Code | None" = None
    narrow: str | None = None


@dataclass(frozen=True)
class SideBySide:
    """Pictures that stand next to each other where there is room."""

    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class Code:
    """Lines to be shown as they are; ``language`` is "python", "sh" or nothing."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Folded:
    """Blocks that are shown when asked for, and in print."""

    summary: str
    blocks: "tuple[Block, ...]"


Block: TypeAlias = (
    Words | Heading | Items | Notice | Facts | Grid | Picture | SideBySide | Code | Folded
)


@dataclass(frozen=True)
class Section:
    """A part of the report with a title and an address in it; ``link`` is a shorter title."""

    anchor: str
    title: str
    blocks: tuple[Block, ...] = field(default=())
    link: str = ""
