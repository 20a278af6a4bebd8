"""Rows that a fitted kernel has prepared: one part for each leaf of its formula.

A part holds what one leaf needs of each row. Rows are taken from all parts in step.

- ``DensePart``: rows of a matrix of numbers.
- ``MatchPart``: columns of codes or numbers that match or do not.
- ``StringPart``: a text each.
- ``GivenPart``: rows of a Gram matrix that was given.
- ``ObjectPart``: rows as a user's function sees them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from branchline._state import malformed
from branchline.errors import ModelFileError, Repair

__all__ = [
    "DensePart",
    "Floats",
    "GivenPart",
    "MatchPart",
    "ObjectPart",
    "Part",
    "Parts",
    "Points",
    "StringPart",
    "cannot_be_packed",
    "plain_state",
]

Floats = npt.NDArray[np.float64]


class Part(Protocol):
    """What one leaf of a kernel needs of some rows."""

    def __len__(self) -> int: ...

    def take(self, rows: Any) -> Self:
        """Return the part of some rows: positions, a mask or a slice."""

    def pack(self) -> dict[str, Any]:
        """Return the part as plain values."""


Parts = tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Points:
    """Prepared rows.

    Parameters
    ----------
    parts
        What each leaf of the kernel needs, in the order of the formula.
    n_rows
        How many rows there are; a kernel without leaves (a constant) needs nothing else.

    See Also
    --------
    FittedKernel : ``prepare`` returns it.

    Examples
    --------
    >>> from branchline import Table
    >>> from branchline.kernels import RBF
    >>> table = Table([[0.0], [1.0]])
    >>> fitted = RBF(gamma=0.5).fit(table)
    >>> points = fitted.prepare(table)
    >>> points.n_rows
    2
    """

    parts: Parts
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    @property
    def matrix(self) -> Floats:
        """The matrix of a kernel that is one number kernel (``FittedKernel.form`` is not None)."""
        part = self.parts[0]
        if not isinstance(part, DensePart):
            raise TypeError("these rows are not numbers alone")
        return part.matrix

    def take(self, rows: Any) -> "Points":
        """Return some of the rows: positions, a mask or a slice."""
        count = len(np.arange(self.n_rows)[rows])
        return Points(tuple(part.take(rows) for part in self.parts), count)

    def pack(self) -> dict[str, Any]:
        """Return the rows as plain values; ``FittedKernel.unpack_points`` reads them."""
        return {"parts": [part.pack() for part in self.parts], "n_rows": self.n_rows}


@dataclass(frozen=True, eq=False)
class DensePart:
    """Rows of numbers: a row-major matrix."""

    matrix: Floats

    def __len__(self) -> int:
        return len(self.matrix)

    @cached_property
    def single(self) -> npt.NDArray[np.float32]:
        """The matrix in single precision."""
        return np.ascontiguousarray(self.matrix, dtype=np.float32)

    def take(self, rows: Any) -> "DensePart":
        """Return some rows."""
        return DensePart(np.ascontiguousarray(self.matrix[rows]))

    def pack(self) -> dict[str, Any]:
        """Return the matrix."""
        return {"matrix": self.matrix}


@dataclass(frozen=True, eq=False)
class MatchPart:
    """Columns whose cells match when they are equal: a row of the matrix for each column.

    Cells are float64: numbers, or codes of categories and leaves (exact below 2^53). NaN matches
    nothing, not even itself.
    """

    columns: Floats

    def __len__(self) -> int:
        return int(self.columns.shape[1])

    def take(self, rows: Any) -> "MatchPart":
        """Return some rows."""
        return MatchPart(np.ascontiguousarray(self.columns[:, rows]))

    def pack(self) -> dict[str, Any]:
        """Return the columns, with a flag for each missing value: files hold finite numbers."""
        missing = np.isnan(self.columns)
        return {"columns": np.where(missing, 0.0, self.columns), "holes": missing}


@dataclass(frozen=True, eq=False)
class StringPart:
    """Texts in UTF-8; a missing text is empty."""

    texts: list[bytes]

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Any) -> "StringPart":
        """Return some texts."""
        return StringPart([self.texts[at] for at in np.arange(len(self.texts))[rows].tolist()])

    def pack(self) -> dict[str, Any]:
        """Return the texts."""
        return {"texts": [text.decode("utf-8", "surrogatepass") for text in self.texts]}


@dataclass(frozen=True, eq=False)
class GivenPart:
    """Rows of a given Gram matrix, with a column for each training row.

    Parameters
    ----------
    rows
        The kernel of each row with all training rows; None when it is not needed any more
        (training rows that come from a model file).
    places
        Which training row each row is; None for rows that are not training rows.
    """

    rows: Floats | None
    places: npt.NDArray[np.int64] | None
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def take(self, rows: Any) -> "GivenPart":
        """Return some rows."""
        kept = np.arange(self.n_rows)[rows]
        places = None if self.places is None else self.places[kept]
        return GivenPart(None if self.rows is None else self.rows[kept], places, len(kept))

    def pack(self) -> dict[str, Any]:
        """Return which training rows these are: their kernel with others comes from the others."""
        if self.places is None:
            raise cannot_be_packed("rows of a given Gram matrix that are not training rows")
        return {"places": self.places}


@dataclass(frozen=True, eq=False)
class ObjectPart:
    """Rows as a function sees them: an array of numbers, or of Python objects."""

    rows: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: Any) -> "ObjectPart":
        """Return some rows."""
        return ObjectPart(self.rows[rows])

    def pack(self) -> dict[str, Any]:
        """Return the rows; no model file takes Python objects."""
        return {"rows": self.rows}


def cannot_be_packed(what: str) -> ModelFileError:
    """Return the error for what has no place in a model file."""
    return ModelFileError(
        f"This model cannot be written to a model file: it holds {what}, which only Python "
        "itself can keep.",
        code="M006",
        repair=Repair("import joblib\njoblib.dump(model, 'model.joblib')"),
    )


def plain_state(state: Any, names: set[str]) -> Mapping[str, Any]:
    """Return a packed part that has exactly the expected names."""
    if not isinstance(state, dict) or set(state) != names:
        raise malformed("a part of a kernel lacks a value, or has one too many")
    return state
