"""Which rows are held out: evenly spread, class by class, and never the last row of a class.

Rows come in canonical order, which depends on their content only and is as good as shuffled. So

1. rows are sorted by class (numbers have one class), keeping that order within a class;
2. place i is held out when ⌊(i + 1) f + s⌋ > ⌊i f + s⌋: a share f of all places, evenly spread;
   s says where to begin, so that several networks hold out different rows;
3. a class of which no row would be left is put back: a network must have seen every class.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["Mask", "deal_folds", "hold_out"]

Mask = npt.NDArray[np.bool_]
Classes = npt.NDArray[np.integer]

# The golden section spreads the beginnings of any number of networks evenly.
_GOLDEN = 0.6180339887498949
_FEWEST_ROWS = 10


def hold_out(class_of_row: Classes, fraction: float, turn: int) -> Mask | None:
    """Return which rows network number ``turn`` holds out; None when there are too few rows."""
    if len(class_of_row) < _FEWEST_ROWS:
        return None
    held = _held(class_of_row, fraction, (0.5 + turn * _GOLDEN) % 1.0)
    return held if held.any() and not held.all() else None


def deal_folds(class_of_row: Classes, n_folds: int) -> list[Mask]:
    """Return which rows each fold holds out; no folds when there are too few rows."""
    if len(class_of_row) < _FEWEST_ROWS:
        return []
    folds = [_held(class_of_row, 1 / n_folds, (fold + 0.5) / n_folds) for fold in range(n_folds)]
    return [held for held in folds if held.any()]


def _held(class_of_row: Classes, fraction: float, start: float) -> Mask:
    order = np.argsort(class_of_row, kind="stable")
    steps = np.floor(np.arange(len(order) + 1) * fraction + start)
    held = np.zeros(len(order), dtype=bool)
    held[order] = np.diff(steps) > 0
    n_classes = int(class_of_row.max()) + 1
    left = np.bincount(class_of_row[~held], minlength=n_classes)
    held &= left[class_of_row] > 0
    return held
