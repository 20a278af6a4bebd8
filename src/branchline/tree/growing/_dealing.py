"""Dealing rows to folds so that neither the order of rows nor copies matter.

1. Rows are put in order: class by class, within a class by a hash of the row and the seed.
2. Copies are dealt round the folds in that order; a row of weight k stands for k copies.
So each class is spread evenly, and equal tables give equal folds whatever the order of their rows.
Weights that are not whole are no copies: such a row goes to one fold.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline._row_keys import scramble
from branchline.tree.growing._growth import Growth, Sample

__all__ = ["Deal", "deal_folds", "deal_validation"]


@dataclass(frozen=True)
class Deal:
    """What one fold grows on and what it is tried on.

    ``held_out`` lists rows in the order of the deal, with the weight of what is held out of each.
    """

    grown: Sample
    held_out: npt.NDArray[np.uint32]
    weight: npt.NDArray[np.float64]


def deal_folds(growth: Growth, n_folds: int, seed: int) -> list[Deal]:
    """Return the deals of all folds; fewer than asked for when there are fewer copies of rows."""
    order, copies = _in_order(growth, seed)
    n_folds = min(n_folds, int(copies.sum()))
    return [_deal(growth, order, copies, [fold], n_folds) for fold in range(n_folds)]


def deal_validation(growth: Growth, fraction: float, seed: int) -> Deal:
    """Return a deal that holds out about ``fraction`` of the rows."""
    order, copies = _in_order(growth, seed)
    n_folds = min(100, max(2, int(copies.sum())))
    n_held = min(n_folds - 1, max(1, round(fraction * n_folds)))
    # Folds that are spread over the whole range, so that small classes are held out evenly.
    held = np.unique(np.floor((np.arange(n_held) + 0.5) * n_folds / n_held).astype(int))
    return _deal(growth, order, copies, held.tolist(), n_folds)


def _in_order(growth: Growth, seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the order in which rows are dealt, and the copies of each row."""
    mixed = scramble(growth.row_keys ^ scramble(np.array([seed], dtype=np.uint64)))
    is_class = growth.numbers is None
    stratum = growth.data.class_target.class_of_row if is_class else np.zeros(growth.n_rows)
    units = growth.data.weights.units
    is_whole = units is not None and growth.data.weights.unit == 1.0
    copies = units if is_whole and units is not None else np.ones(growth.n_rows, dtype=UNITS)
    # Equal rows of unequal weight (not whole, so no copies) go by weight.
    weight = np.zeros(growth.n_rows) if units is None or is_whole else units
    return np.lexsort((weight, mixed, stratum)), copies


def _deal(
    growth: Growth,
    order: npt.NDArray[np.int64],
    copies: npt.NDArray[np.int64],
    folds: list[int],
    n_folds: int,
) -> Deal:
    """Hold out the copies that fall to some of the folds."""
    end = np.cumsum(copies[order])
    begin = end - copies[order]
    held = np.zeros(len(order), dtype=UNITS)
    for fold in folds:  # how many places ≡ fold (mod n_folds) lie in [begin, end)
        held += (end - 1 - fold) // n_folds - (begin - 1 - fold) // n_folds
    some = held > 0
    held_out = order[some].astype(np.uint32)
    units = growth.weights.units
    if units is None:
        keep = np.ones(growth.n_rows, dtype=bool)
        keep[held_out] = False
        return Deal(
            Sample(np.flatnonzero(keep).astype(np.uint32)), held_out, np.ones(len(held_out))
        )
    per_copy = units // copies
    left = units.copy()
    left[order] -= held * per_copy[order]
    weight = held[some] * per_copy[order][some] * growth.weights.unit
    is_whole_row = bool((left[held_out] == 0).all())
    rows = np.flatnonzero(left > 0).astype(np.uint32)
    return Deal(Sample(rows, None if is_whole_row else left), held_out, weight)
