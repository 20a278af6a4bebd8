"""The rows that members learn from, in an order of their own, and how they are dealt and drawn.

1. Each row has a key, a hash of its cells and its target (``_row_keys``). Rows are sorted by key;
   equal ones become one row that counts for all its copies.
2. Folds: rows go class by class, within a class by a hash of key and seed; copies are dealt round
   the folds in that order.
3. Bootstrap: each copy of a row is drawn Poisson(1) times, by (seed, member, key, copy number);
   beyond a thousand copies of one row their sum is drawn at once, from its normal limit.

So folds and bags depend neither on the order of rows nor on the container, and a row of weight k
is dealt and drawn as k copies are. Weights that are not whole are no copies: such a row is dealt
and drawn as one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from branchline import _core
from branchline._canonical_rows import canonical_rows
from branchline._codes import fit_codes
from branchline._dtypes import UNITS
from branchline._random import KeyedRows
from branchline._row_keys import content_keys, scramble
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.table import Table

__all__ = ["TrainingRows", "Units", "arrange_rows", "take_target"]

Units = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

# A sparse table of more cells than this stays sparse; its equal rows are not merged.
_DENSE_CELLS = 2**22
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
    """

    table: Table
    target: Any
    keys: Words
    units: Units
    unit: float
    is_weighted: bool
    place_of_input: Places

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return self.table.n_rows

    @property
    def copies(self) -> Units:
        """How many copies each row stands for; one where weights are not whole."""
        return self.units if self.unit == 1.0 else np.ones(self.n_rows, dtype=UNITS)

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

    def deal(self, n_folds: int, seed: int) -> list[Units]:
        """Return the units that each fold holds out of each row.

        There are fewer folds when there are fewer copies; a single copy is held out of nothing.
        """
        mixed = scramble(self.keys ^ scramble(np.array([seed], dtype=np.uint64)))
        is_class = isinstance(self.target, ClassTarget)
        stratum = self.target.class_of_row if is_class else np.zeros(self.n_rows)
        order = np.lexsort((mixed, stratum))
        end = np.cumsum(self.copies[order])
        begin = end - self.copies[order]
        n_folds = min(n_folds, int(end[-1]))
        per_copy = self.units // self.copies
        folds = []
        for fold in range(n_folds):  # how many places ≡ fold (mod n_folds) lie in [begin, end)
            held = np.zeros(self.n_rows, dtype=UNITS)
            held[order] = (end - 1 - fold) // n_folds - (begin - 1 - fold) // n_folds
            folds.append(held * per_copy)
        return folds

    def draw(self, seed: int, member: int) -> Units:
        """Return the units of each row in a bootstrap sample; all rows if none would be drawn."""
        few = np.minimum(self.copies, _MANY_COPIES)
        keyed = KeyedRows(self.keys, few, _core.first_copies(self.keys, few))
        drawn = keyed.bootstrap_counts(seed, member).astype(UNITS)
        many = np.flatnonzero(self.copies > _MANY_COPIES)
        drawn[many] = _draw_many(self.keys[many], self.copies[many], seed, member)
        return drawn * (self.units // self.copies) if drawn.any() else self.units


def arrange_rows(data: TrainingData, *, is_weighted: bool) -> TrainingRows:
    """Return the distinct rows of checked training data in canonical order."""
    units = data.weights.units
    counted = np.ones(data.table.n_rows, dtype=UNITS) if units is None else units
    order, keys, is_new = _order(data)
    starts = np.flatnonzero(is_new)
    places = np.empty(len(order), dtype=np.intp)
    places[order] = np.cumsum(is_new) - 1
    first = order[starts]
    return TrainingRows(
        data.table.rows(first),
        take_target(data.target, first),
        keys[first],
        np.add.reduceat(counted[order], starts),
        data.weights.unit,
        is_weighted,
        places,
    )


def _order(data: TrainingData) -> tuple[Places, Words, npt.NDArray[np.bool_]]:
    """Return the canonical order, the key of each row, and which rows, in order, are new."""
    if data.table.sparse is not None and data.n_cells > _DENSE_CELLS:
        return _sparse_order(data)
    words, codes = _target_words(data), fit_codes(data.table)
    units, is_whole = data.weights.units, data.weights.unit == 1.0
    keys = content_keys(data.table, codes, words, units if is_whole else None)
    order = np.argsort(keys, kind="stable")
    is_new = np.zeros(len(order), dtype=bool)
    is_new[0] = True
    for column in [*codes.columns, *words.T]:  # equal keys alone prove nothing
        in_order = column[order]
        is_new[1:] |= in_order[1:] != in_order[:-1]
    return order, keys, is_new


def _sparse_order(data: TrainingData) -> tuple[Places, Words, npt.NDArray[np.bool_]]:
    """Return the order of a large sparse table's rows; their keys are their ranks in it."""
    n_rows = data.table.n_rows
    numbered = RowWeights(np.arange(1, n_rows + 1, dtype=UNITS), 0.5)  # row numbers travel along
    sorted_rows = canonical_rows(TrainingData(data.table, data.target, numbered), merge=False)
    assert sorted_rows.weights.units is not None
    order = sorted_rows.weights.units.astype(np.intp) - 1
    keys = np.empty(n_rows, dtype=np.uint64)
    keys[order] = scramble(np.arange(n_rows, dtype=np.uint64))
    return order, keys, np.ones(n_rows, dtype=bool)


def _draw_many(keys: Words, copies: Units, seed: int, member: int) -> Units:
    """Return draws of Poisson(copies) by its normal limit: the mean plus √copies deviations."""
    purpose = scramble(scramble(np.array([seed], dtype=np.uint64)) ^ np.uint64(member))
    words = scramble(keys ^ purpose) >> np.uint64(11)
    deviation = ndtri((words.astype(np.float64) + 0.5) / 2.0**53)
    drawn: Units = np.rint(copies + np.sqrt(copies) * deviation).astype(UNITS)
    return drawn


def _target_words(data: TrainingData) -> Words:
    """Return the target as 64-bit words."""
    if isinstance(data.target, ClassTarget):
        return data.target.class_of_row[:, None].astype(np.uint64)
    values = data.number_target.matrix + 0.0  # −0.0 and 0.0 are one number
    return np.ascontiguousarray(values).view(np.uint64)


def take_target(target: Any, rows: Places) -> Any:
    """Return the target of some rows."""
    if isinstance(target, ClassTarget):
        return ClassTarget(target.classes, target.class_of_row[rows])
    return type(target)(target.values[rows])
