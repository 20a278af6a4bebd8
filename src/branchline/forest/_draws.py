"""What rows weigh when a forest draws them: copies to be drawn, and what each draw counts.

- Whole weights are *copies*, drawn one by one; so weight k is the same as k rows.
- Other weights are no copies: a row is drawn as one, and each draw counts what it weighs. So do
  whole ones of more than 2^16: nobody has so many copies of a row, and drawing them takes time.
- Weights of classes multiply what a draw counts, in 2^20ths, the mean over all copies being 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._dtypes import UNITS
from branchline._random import KeyedRows, key_rows
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.tree._costs import class_weights, weigh_classes

__all__ = ["Draws", "draws_of", "first_copies", "keyed_rows"]

Longs = npt.NDArray[np.int64]

_CLASS_BITS = 20
_MOST_COPIES = 2**16


@dataclass(frozen=True)
class Draws:
    """How rows are drawn.

    Parameters
    ----------
    copies
        How many copies each row stands for; None: one each.
    units
        What a draw of each row counts, in units; None: one unit each.
    unit
        What a unit weighs.
    kept
        Which of the rows given weigh anything; None: all.
    """

    copies: Longs | None
    units: Longs | None
    unit: float
    kept: npt.NDArray[np.bool_] | None = None

    @property
    def row_units(self) -> Longs | None:
        """What each row counts with all its copies; None: one unit each."""
        if self.copies is None or self.units is None:
            return self.units if self.copies is None else self.copies
        return self.copies * self.units

    def aligned(self, of_rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return what is known of rows for all rows given; NaN where they weigh nothing."""
        if self.kept is None or self.kept.all():
            return of_rows
        wide = np.full((len(self.kept), *of_rows.shape[1:]), np.nan)
        wide[self.kept] = of_rows
        return wide

    @property
    def weights(self) -> RowWeights:
        """The same as weights of rows."""
        return RowWeights(self.row_units, self.unit)


def draws_of(
    data: TrainingData, sample_weight: Any, class_weight: Any = None
) -> tuple[TrainingData, Draws]:
    """Return the rows that weigh something, and how they are drawn.

    Parameters
    ----------
    data
        The rows that weigh something by themselves.
    sample_weight
        The weights as they were given; None: none were.
    class_weight
        The weights of classes as they were given.
    """
    kept = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64) > 0
    is_whole = data.weights.unit == 1.0 and _are_few(data.weights.units)
    if class_weight is None:
        weights = data.weights
        if is_whole:
            return data, Draws(weights.units, None, 1.0, kept)
        return data, Draws(None, weights.units, weights.unit, kept)
    weight = class_weights(data.class_target, data, class_weight)
    if (weight == 0).any():
        kept = np.ones(data.table.n_rows, dtype=np.bool_) if kept is None else kept
        kept[np.flatnonzero(kept)[weight[data.class_target.class_of_row] == 0]] = False
    if not is_whole:
        weighed = weigh_classes(data, class_weight)
        return weighed, Draws(None, weighed.weights.units, weighed.weights.unit, kept)
    data = _without(data, weight == 0)
    class_of_row = data.class_target.class_of_row
    copies = data.weights.units
    count = np.bincount(class_of_row, copies, minlength=len(weight))
    weight = weight * (count.sum() / (count * weight).sum())
    units = np.maximum(1, np.rint(np.ldexp(weight, _CLASS_BITS))).astype(UNITS)
    return data, Draws(copies, units[class_of_row], 2.0**-_CLASS_BITS, kept)


def _are_few(copies: Longs | None) -> bool:
    return copies is None or bool(copies.max() <= _MOST_COPIES)


def keyed_rows(
    codes: Codes,
    words: npt.NDArray[Any],
    copies: Longs | None,
    weight: Longs | None,
    *,
    n_threads: int,
) -> KeyedRows:
    """Give each row its key; rows of equal content are numbered in the order of their weights."""
    rows = key_rows(codes, words, copies, n_threads=n_threads)
    if weight is None:
        return rows
    return KeyedRows(rows.keys, rows.copies, first_copies(rows.keys, rows.copies, weight))


def first_copies(keys: npt.NDArray[np.uint64], copies: Longs, weight: Longs) -> Longs:
    """Return the number of each row's first copy among rows of equal keys, the lightest first."""
    order = np.argsort(weight, kind="stable")
    first = np.empty(len(order), dtype=UNITS)
    first[order] = _core.first_copies(keys[order], copies[order])
    return first


def _without(data: TrainingData, is_out: npt.NDArray[np.bool_]) -> TrainingData:
    """Return the rows of the other classes."""
    target = data.class_target
    keep = ~is_out[target.class_of_row]
    if keep.all():
        return data
    units = data.weights.units
    return TrainingData(
        data.table.rows(keep),
        ClassTarget(target.classes, target.class_of_row[keep]),
        RowWeights(None if units is None else units[keep], data.weights.unit),
    )
