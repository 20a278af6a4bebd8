"""What rows weigh when a forest draws them: copies to be drawn, and what each draw counts.

- Whole weights are *copies*, drawn one by one; so weight k is the same as k rows.
- Other weights are no copies: a row is drawn as one, and each draw counts what it weighs.
- Weights of classes multiply what a draw counts, in 2^20ths, the mean over all copies being 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.tree._costs import class_weights, weigh_classes

__all__ = ["Draws", "draws_of"]

Longs = npt.NDArray[np.int64]

_CLASS_BITS = 20


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
    """

    copies: Longs | None
    units: Longs | None
    unit: float

    @property
    def row_units(self) -> Longs | None:
        """What each row counts with all its copies; None: one unit each."""
        if self.copies is None or self.units is None:
            return self.units if self.copies is None else self.copies
        return self.copies * self.units

    @property
    def weights(self) -> RowWeights:
        """The same as weights of rows."""
        return RowWeights(self.row_units, self.unit)


def draws_of(data: TrainingData, class_weight: Any = None) -> tuple[TrainingData, Draws]:
    """Return the rows that weigh something, and how they are drawn."""
    is_whole = data.weights.unit == 1.0
    if class_weight is None:
        weights = data.weights
        return data, Draws(weights.units, None, 1.0) if is_whole else Draws(
            None, weights.units, weights.unit
        )
    weight = class_weights(data.class_target, data, class_weight)
    if not is_whole:
        weighed = weigh_classes(data, class_weight)
        return weighed, Draws(None, weighed.weights.units, weighed.weights.unit)
    data = _without(data, weight == 0)
    class_of_row = data.class_target.class_of_row
    copies = data.weights.units
    count = np.bincount(class_of_row, copies, minlength=len(weight))
    weight = weight * (count.sum() / (count * weight).sum())
    units = np.maximum(1, np.rint(np.ldexp(weight, _CLASS_BITS))).astype(UNITS)
    return data, Draws(copies, units[class_of_row], 2.0**-_CLASS_BITS)


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
