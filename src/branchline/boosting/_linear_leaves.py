"""Leaves of boosted trees that are linear sums: what is fitted, kept and added to scores.

1. A cell x of a column of numbers becomes z = (x − middle) / half, in −1..1 in training.
2. The compiled core fits a slope for each column of numbers that the path of a leaf tests
   (``native/include/branchline/linear_leaves.hpp``), round by round.
3. A leaf adds its constant, and slope · (z − center) for each of its terms, where z is kept within
   the range of the leaf's training rows. A missing cell adds nothing.

Y. Shi, J. Li and Z. Li, Gradient boosting with piece-wise linear regression trees, 2019.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._memory import refuse_over_budget
from branchline._state import malformed, numbers_from_state
from branchline._trees._packing import planes_from_state, to_planes
from branchline.table import Table

__all__ = ["LinearInputs", "LinearTerms", "linear_inputs", "pack_terms", "unpack_terms"]

Float32s = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]

_MOST_TERMS = 16
_NUMBERS = ("slope", "center", "low", "high")


@dataclass(frozen=True, eq=False)
class LinearInputs:
    """The numbers that leaves may use while a model is fitted.

    Parameters
    ----------
    native
        The numbers of all rows, as the compiled core takes them.
    columns
        The place of each of them in the table.
    middle, half
        For each column of the table how cells are moved and scaled; half 0: not a number.
    """

    native: _core.LinearColumns
    columns: Longs
    middle: Floats
    half: Floats

    def terms(self, fitted: Sequence[Mapping[str, Any]]) -> "LinearTerms":
        """Return the terms of rounds that were fitted with these numbers."""
        parts = {
            name: np.concatenate([some[name] for some in fitted])
            for name in ("n_terms", "column", *_NUMBERS)
        }
        parts["column"] = self.columns[parts["column"]].astype(np.uint32)
        return LinearTerms(**parts, middle=self.middle, half=self.half)


@dataclass(frozen=True, eq=False)
class LinearTerms:
    """The terms of all leaves, one leaf after another.

    Parameters
    ----------
    n_terms
        The number of terms of each leaf.
    column
        For each term its column in the table.
    slope, center, low, high
        A term adds slope · (z − center), z kept from low to high.
    middle, half
        For each column of the table z = (x − middle) / half.
    """

    n_terms: npt.NDArray[np.uint8]
    column: npt.NDArray[np.uint32]
    slope: Float32s
    center: Float32s  # words: ok
    low: Float32s
    high: Float32s
    middle: Floats
    half: Floats

    @property
    def first(self) -> Longs:
        """Where the terms of each leaf begin, and at last their number."""
        return np.concatenate([[0], np.cumsum(self.n_terms, dtype=np.int64)])

    def of_leaves(self, n_leaves: int) -> "LinearTerms":
        """Return the terms of the first leaves alone."""
        n = int(self.n_terms[:n_leaves].sum())
        parts = {name: getattr(self, name)[:n] for name in ("column", *_NUMBERS)}
        return LinearTerms(self.n_terms[:n_leaves], **parts, middle=self.middle, half=self.half)

    def native(self, column: npt.NDArray[np.uint32]) -> _core.LinearTerms:
        """Return the terms as the compiled core takes them, with columns as numbered there."""
        return _core.LinearTerms(
            self.first,
            column,
            self.slope,
            self.center,
            self.low,
            self.high,  # words: ok
        )

    def z_of(self, table: Table, used: Longs) -> Float32s:
        """Return the moved and scaled numbers of some columns, one column after another."""
        z = [_scaled(table, int(c), self.middle[c], self.half[c]) for c in used]
        return np.concatenate(z) if z else np.zeros(0, np.float32)


def linear_inputs(
    table: Table, more: Table | None, places: Longs, is_number: npt.NDArray[np.bool_]
) -> LinearInputs:
    """Return the numbers of a table that leaves may use.

    Parameters
    ----------
    table, more
        The training rows, and validation rows that stand after them.
    places, is_number
        For each column that trees are grown on its place in the table, and whether it is a number.
    """
    tables = [table] if more is None else [table, more]
    columns = places[is_number]
    n_rows = sum(some.n_rows for some in tables)
    refuse_over_budget(4 * n_rows * len(columns), "the numbers of linear leaves")
    middle, half = np.zeros((2, table.n_columns))
    for c in columns:
        x = table.columns[c].numbers().astype(np.float64)
        low, high = np.nanmin(x) / 2, np.nanmax(x) / 2  # halves: their sum does not overflow
        middle[c], half[c] = low + high, high - low
    z = [_scaled(some, int(c), middle[c], half[c]) for c in columns for some in tables]
    place = np.where(is_number, np.cumsum(is_number) - 1, -1).astype(np.int32)
    numbers = np.concatenate(z) if z else np.zeros(0, np.float32)
    return LinearInputs(_core.LinearColumns(numbers, place), columns, middle, half)


def _scaled(table: Table, column: int, middle: float, half: float) -> Float32s:
    x = table.columns[column].numbers().astype(np.float64)
    with np.errstate(over="ignore"):
        return ((x - middle) / half).astype(np.float32)


def pack_terms(terms: LinearTerms | None) -> dict[str, Any]:
    """Return the values that make up terms, by name; nothing without terms."""
    if terms is None:
        return {}
    numbers = {
        f"term_{name}": to_planes(getattr(terms, name).view(np.uint32), 4) for name in _NUMBERS
    }
    return {
        "n_terms": terms.n_terms,
        "term_column": to_planes(terms.column, 4),
        **numbers,
        "term_middle": terms.middle,
        "term_half": terms.half,
    }


def unpack_terms(state: Mapping[str, Any], n_names: Longs, n_leaves: int) -> LinearTerms | None:
    """Rebuild terms, refusing values that no fit could have produced.

    Parameters
    ----------
    state
        What was packed.
    n_names
        For each column its number of categories; 0 for numbers.
    n_leaves
        The number of leaves of all trees.
    """
    if "n_terms" not in state:
        return None
    n_terms = np.asarray(state["n_terms"])
    if n_terms.dtype != np.uint8 or n_terms.shape != (n_leaves,) or (n_terms > _MOST_TERMS).any():
        raise malformed("'n_terms' does not fit the leaves")
    n = int(n_terms.sum())
    column = planes_from_state(state, "term_column", n, 4)
    numbers = {
        name: planes_from_state(state, f"term_{name}", n, 4).view(np.float32) for name in _NUMBERS
    }
    if not all(np.isfinite(values).all() for values in numbers.values()):
        raise malformed("a term has values out of range")
    if (numbers["low"] > numbers["high"]).any():
        raise malformed("the range of a term is empty")
    middle = numbers_from_state(state, "term_middle", length=len(n_names))
    half = numbers_from_state(state, "term_half", length=len(n_names), low=0.0)
    if (column >= len(n_names)).any() or (half[column] <= 0).any() or (n_names[column] > 0).any():
        raise malformed("a term has no column of numbers")
    return LinearTerms(n_terms, column.astype(np.uint32), **numbers, middle=middle, half=half)
