"""What one column of a table becomes: a block of numbers, with a name for each.

A block is made from training rows by its ``fit`` (None when the column says nothing: constant or
empty) and gives the numbers of any later column by ``encode``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from branchline._arrays import Floats
from branchline.table import Column

__all__ = ["LARGEST", "Block", "Floats", "Options", "Term"]

# No encoded number is larger: products of it with any weight stay finite.
LARGEST = 1e100


@dataclass(frozen=True)
class Term:
    """One number of the encoded table, and what it stands for.

    Parameters
    ----------
    name
        What reports call it: "age", "town=Mons", "age missing", "born: weekday=Monday".
    column
        The column of the table that it comes from.
    level
        The category, for an indicator; None for a number.
    unit
        How much of the original unit one step of the encoded number is; 1 for indicators.
    center
        The original value that is encoded as 0; 0 for indicators.
    """

    name: str
    column: str
    level: str | None = None
    unit: float = 1.0
    center: float = 0.0


@dataclass(frozen=True)
class Options:
    """How columns are encoded; see ``TableEncoder``, whose parameters these are."""

    scale: str = "standard"
    rare: float = 2.0  # levels that weigh fewer rows than this are pooled
    max_categories: int = 100
    indicators: bool = True
    date_parts: bool = False
    drop_reference: bool = False


class Block(Protocol):
    """The encoding of one column."""

    @property
    def place(self) -> int:
        """Where the column stands in the table."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """What each number of the block stands for."""

    @property
    def width(self) -> int:
        """How many numbers the column becomes."""

    def encode(self, column: Column) -> Floats:
        """Return the numbers of a column: one row a cell, one column a term."""

    def pack(self) -> Mapping[str, Any]:
        """Return the block as plain values."""
