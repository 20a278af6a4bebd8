"""The rows that members learn from, in an order of their own, and how they are drawn.

1. Each row has a key, a hash of its cells and its target (``_row_keys``). Rows are sorted by key;
   equal ones become one row that counts for all its copies.
2. Folds are those of ``_folds``: copies of a row stay together.
3. Bootstrap: each block of equal rows is drawn Poisson(1) times, by (seed, member, key). Where
   copies are blocks of their own (few possible rows), each copy is; beyond a thousand copies of
   one row their sum is drawn at once, from its normal limit.

So folds and bags depend neither on row order nor on the container, and weight k is k copies.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from branchline import _core
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._dtypes import UNITS
from branchline._folds import FoldRows, fold_rows
from branchline._random import KeyedRows
from branchline._row_keys import scramble
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.table import Table

__all__ = ["TrainingRows", "Units", "arrange_rows"]

Units = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

# More copies of a row than this are not drawn one by one.
_MANY_COPIES = 1024


@dataclass(frozen=True)
class TrainingRows:
    """Distinct rows in canonical order.

    Parameters
    ----------
    table
        The inputs.
    target
        The class or number of each row.
    keys
        The hash of each row.
    units
        What each row counts, in units.
    unit
        What a unit weighs; 1 when units are copies of a row.
    is_weighted
        Whether the user gave weights, so that every member must take them.
    place_of_input
        For each row of the input (those that weigh something), its place here.
    merged
        How many rows of the input each row stands for, where weights are not whole.
    """

    table: Table
    target: Any
    keys: Words
    units: Units
    unit: float
    is_weighted: bool
    place_of_input: Places
    merged: Units | None = None

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return self.table.n_rows

    @property
    def classes(self) -> npt.NDArray[Any] | None:
        """The classes, or None for numbers."""
        return self.target.classes if isinstance(self.target, ClassTarget) else None

    @property
    def answers(self) -> npt.NDArray[Any]:
        """What is to be predicted for each row: class names or numbers."""
        if isinstance(self.target, ClassTarget):
            names: npt.NDArray[Any] = self.target.classes[self.target.class_of_row]
            return names
        values: npt.NDArray[Any] = self.target.values
        return values

    @cached_property
    def folds(self) -> FoldRows:
        """The rows, ready to be split into folds or drawn."""
        weights = RowWeights(self.units, self.unit, self.merged)
        return fold_rows(TrainingData(self.table, self.target, weights, self.keys))

    def draw(self, seed: int, member: int) -> Units:
        """Return the units of each row in a bootstrap sample; all rows if none would be drawn."""
        rows = self.folds
        few = np.minimum(rows.copies, _MANY_COPIES)
        first = _core.first_copies(rows.keys, few) if rows.is_saturated else np.zeros_like(few)
        drawn = KeyedRows(rows.keys, few, first).bootstrap_counts(seed, member).astype(UNITS)
        many = np.flatnonzero(rows.copies > _MANY_COPIES)
        drawn[many] = _draw_many(rows.keys[many], rows.copies[many], seed, member)
        return drawn * (self.units // rows.copies) if drawn.any() else self.units


def arrange_rows(data: TrainingData, *, is_weighted: bool) -> TrainingRows:
    """Return the distinct rows of checked training data in canonical order."""
    rows, origins = canonical_rows_with_origins(data, merge=True)
    assert rows.row_keys is not None
    units = rows.weights.units
    return TrainingRows(
        rows.table,
        rows.target,
        rows.row_keys,
        np.ones(rows.table.n_rows, dtype=UNITS) if units is None else units,
        rows.weights.unit,
        is_weighted,
        origins.canonical_of_row,
        rows.weights.merged,
    )


def _draw_many(keys: Words, copies: Units, seed: int, member: int) -> Units:
    """Return draws of Poisson(copies) by its normal limit: the mean plus √copies deviations."""
    purpose = scramble(scramble(np.array([seed], dtype=np.uint64)) ^ np.uint64(member))
    words = scramble(keys ^ purpose) >> np.uint64(11)
    deviation = ndtri((words.astype(np.float64) + 0.5) / 2.0**53)
    drawn: Units = np.rint(copies + np.sqrt(copies) * deviation).astype(UNITS)
    return drawn
