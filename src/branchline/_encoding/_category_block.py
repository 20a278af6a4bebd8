"""A category column becomes an indicator for each of its levels.

1. Levels are the categories that occur, in the order of their names; missing is a level too.
2. Levels that weigh too few rows, and those beyond the most frequent ``max_categories``, are pooled
   as "other"; a category that was never seen joins them.
3. Two levels need one indicator. With more, all levels have one, or (for a model without a
   penalty) all but the most frequent.
4. A cell of which nothing is known (unseen, and nothing was pooled; missing, and nothing was
   missing) takes the frequencies of the levels: on average it changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._encoding._block import Options, Term
from branchline._state import array_from_state, frequencies_from_state, malformed
from branchline.table import MISSING_CODE, UNSEEN_CODE, Column, ColumnType

__all__ = ["CategoryBlock", "fit_category"]

_UNKNOWN = -1
_OTHER, _MISSING = " other", " missing"  # without "=": a category may have these names
_LEVEL = np.dtype(np.int32)


@dataclass(frozen=True, eq=False)
class CategoryBlock:
    """The levels of one category column.

    Parameters
    ----------
    place, column
        The column.
    levels
        What follows the column's name in each level's: "=Mons", " other", " missing".
    level_of_code
        The level of each category; then of an unseen one, then of a missing one (as −2 and −1
        index an array). −1 where nothing is known.
    frequency
        The weighted frequency of each level.
    reference
        The level that has no indicator; −1 when all have one.
    """

    place: int
    column: str
    levels: tuple[str, ...]
    level_of_code: npt.NDArray[np.int32]
    frequency: Floats
    reference: int

    @property
    def kept(self) -> npt.NDArray[np.intp]:
        """The levels that have an indicator."""
        return np.flatnonzero(np.arange(len(self.levels)) != self.reference)

    @property
    def terms(self) -> tuple[Term, ...]:
        """One indicator a level."""
        return tuple(self._term(self.levels[level]) for level in self.kept)

    @property
    def width(self) -> int:
        """How many numbers the column becomes."""
        return len(self.kept)

    def levels_of(self, column: Column) -> npt.NDArray[np.int32]:
        """Return the level of each cell, −1 where nothing is known."""
        levels: npt.NDArray[np.int32] = self.level_of_code[column.values]
        return levels

    def encode(self, column: Column) -> Floats:
        """Return the indicators."""
        rows = np.vstack([np.eye(len(self.levels)), self.frequency])[:, self.kept]
        encoded: Floats = rows[self.levels_of(column)]
        return encoded

    def pack(self) -> Mapping[str, Any]:
        """Return the block as plain values; names follow from the schema."""
        return {
            "kind": "category",
            "place": self.place,
            "level_of_code": self.level_of_code,
            "frequency": self.frequency,
            "reference": self.reference,
        }

    @staticmethod
    def unpack(
        state: Mapping[str, Any], place: int, name: str, kind: ColumnType
    ) -> "CategoryBlock":
        """Check packed values and return the block."""
        categories = kind.categories or ()
        codes = array_from_state(state, "level_of_code", _LEVEL, length=len(categories) + 2)
        n_levels = int(codes.max(initial=-1)) + 1
        if codes.min() < _UNKNOWN or n_levels < 2 or len(np.unique(codes[codes >= 0])) != n_levels:
            raise malformed("the levels of a category do not follow each other")
        frequency = frequencies_from_state(state, "frequency", length=n_levels)
        reference = state.get("reference")
        if type(reference) is not int or not -1 <= reference < n_levels:
            raise malformed("the reference of a category is not one of its levels")
        levels = _names_of_levels(categories, codes, n_levels)
        return CategoryBlock(place, name, levels, codes, frequency, reference)

    def _term(self, level: str) -> Term:
        return Term(self.column + level, self.column, level[1:])


def fit_category(
    place: int, column: Column, weights: Floats, options: Options
) -> CategoryBlock | None:
    """Learn the levels of a column; None when there are fewer than two."""
    n_codes = len(column.categories)
    weight = _weight_of(column.values % (n_codes + 2), weights, n_codes + 2)
    kept = _frequent(column, weight, options)
    present = np.flatnonzero(weight > 0)
    pooled = [code for code in present if code not in kept]
    if len(pooled) == 1:  # a pool of one would only lose its name
        kept = {*kept, int(pooled[0])}
        pooled = []
    order = sorted(kept, key=lambda code: _sort_key(column, code))
    level_of_code = np.full(n_codes + 2, len(order) if pooled else _UNKNOWN, dtype=_LEVEL)
    level_of_code[n_codes + 1] = len(order) if n_codes + 1 in pooled else _UNKNOWN
    level_of_code[order] = np.arange(len(order))
    n_levels = len(order) + bool(pooled)
    if n_levels < 2:
        return None
    known = present[level_of_code[present] >= 0]
    share = _weight_of(level_of_code[known], weight[known], n_levels)
    levels = _names_of_levels(column.categories, level_of_code, n_levels)
    reference = _reference(share, options)
    return CategoryBlock(place, column.name, levels, level_of_code, share / share.sum(), reference)


def _weight_of(codes: npt.NDArray[Any], weights: Floats, n_codes: int) -> Floats:
    return np.bincount(codes, weights=weights, minlength=n_codes).astype(np.float64)


def _frequent(column: Column, weight: Floats, options: Options) -> set[int]:
    """Return the codes that keep a level of their own, the missing one included."""
    n_codes = len(column.categories)
    often = [int(code) for code in np.flatnonzero(weight >= options.rare) if code != n_codes]
    by_weight = sorted(often, key=lambda code: (-weight[code], _sort_key(column, code)))
    return set(by_weight[: options.max_categories])


def _sort_key(column: Column, code: int) -> tuple[int, str]:
    is_name = code < len(column.categories)
    return (0, str(column.categories[code])) if is_name else (1, "")


def _reference(share: Floats, options: Options) -> int:
    if options.drop_reference:
        return int(np.argmax(share))
    return 0 if len(share) == 2 else -1


def _names_of_levels(
    categories: tuple[Any, ...], level_of_code: npt.NDArray[np.int32], n_levels: int
) -> tuple[str, ...]:
    """Return what follows the column's name: the category, missing, or other for several."""
    names = []
    for level in range(n_levels):
        codes = np.flatnonzero(level_of_code == level)
        only_missing = codes.tolist() == [len(categories) + 1]
        is_pool = len(codes) > 1
        name = f"={categories[codes[0]]}" if codes[0] < len(categories) else _OTHER
        names.append(_MISSING if only_missing else _OTHER if is_pool else name)
    return tuple(names)


assert (UNSEEN_CODE, MISSING_CODE) == (-2, -1)  # the last two places of ``level_of_code``
