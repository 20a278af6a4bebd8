"""What the folds of ``_folds`` mean for a tree: what it grows on, and what it is tested on."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._folds import Fold
from branchline.tree.growing._growth import Growth, Sample

__all__ = ["HeldOut", "hold_out", "split_folds"]


@dataclass(frozen=True)
class HeldOut:
    """What one fold grows on, and the rows it is tested on with their weights."""

    grown: Sample
    rows: npt.NDArray[np.uint32]
    weight: npt.NDArray[np.float64]


def split_folds(growth: Growth, n_folds: int, seed: int) -> list[HeldOut]:
    """Return all folds; none when no row can be held out."""
    return [_held_out(growth, fold) for fold in growth.folds.split(n_folds, seed)]


def hold_out(growth: Growth, fraction: float, seed: int) -> HeldOut | None:
    """Return a fold that tests about ``fraction`` of the rows; None when no row can be held out."""
    fold = growth.folds.hold_out(fraction, seed)
    return None if fold is None else _held_out(growth, fold)


def _held_out(growth: Growth, fold: Fold) -> HeldOut:
    rows = fold.test_rows
    weight = fold.test[rows].astype(np.float64) * growth.folds.unit
    return HeldOut(_sample(growth, fold), rows.astype(np.uint32), weight)


def _sample(growth: Growth, fold: Fold) -> Sample:
    """Return the rows to grow on; with units where a row is held out in part."""
    rows = fold.learn_rows.astype(np.uint32)
    if not (fold.learn[fold.test_rows] > 0).any():
        return Sample(rows)
    return Sample(rows, fold.learn * growth.parts_a_unit)
