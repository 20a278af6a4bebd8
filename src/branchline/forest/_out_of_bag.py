"""What a forest predicts for rows that its trees have not seen: its error without folds.

1. A row is predicted by the trees whose bag does not hold it, about 37 % of a bootstrap forest.
2. The accuracy (or R²) over all rows that are out of some bag estimates that on new rows.
3. With T trees the squared error is that of infinitely many plus V / T (V: how much trees disagree
   about a row). So what T trees still lack is about what they gained over T / 2 trees; "auto" grows
   as many as bring it below half a percent of the error.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._exact_sum import exact_weighted_sum
from branchline._folds import fold_rows
from branchline._intervals import Interval
from branchline._row_scores import (
    Origin,
    RowValues,
    count_different,
    explained_of_rows,
    interval_of_rows,
    ratio_of_rows,
)
from branchline._validation import ClassTarget, TrainingData
from branchline.forest._growth import OutOfBag

__all__ = ["OobRows", "added", "lacking", "oob_interval", "oob_score", "trees_to_grow"]

Floats = npt.NDArray[np.float64]

# "auto": the forest of infinitely many trees would be better by less than this share of the error.
_ENOUGH = 0.005


@dataclass(frozen=True)
class OobRows:
    """Rows with their targets, and what was predicted for them out of bag, for metrics of any kind.

    ``known`` marks the rows that are out of some bag; all else is about these alone.
    """

    known: npt.NDArray[np.bool_]
    mean: Floats
    weight: Floats
    truth: npt.NDArray[Any]


def added(first: OutOfBag | None, second: OutOfBag) -> OutOfBag:
    """Return the out-of-bag results of two parts of a forest together."""
    if first is None:
        return second
    return OutOfBag(
        first.sums + second.sums,
        first.n_votes + second.n_votes,
        np.concatenate([first.leaf_units, second.leaf_units]),
    )


def oob_rows(data: TrainingData, oob: OutOfBag) -> OobRows:
    """Return the rows that are out of some bag, with their targets as class indices or numbers."""
    known = oob.is_known
    weight = data.weights.of_rows(data.table.n_rows)[known]
    if isinstance(data.target, ClassTarget):
        truth: npt.NDArray[Any] = data.target.class_of_row[known].astype(np.int64)
    else:
        truth = data.target.matrix[known]
    return OobRows(known, oob.mean[known], weight, truth)


def oob_score(data: TrainingData, oob: OutOfBag, decided: npt.NDArray[np.int64] | None) -> Any:
    """Return accuracy or R² over the rows that are out of some bag; None when it does not exist.

    ``decided`` is the class index that each known row is given; None for numbers.
    """
    rows = oob_rows(data, oob)
    if not rows.known.any():
        return None
    if decided is not None:
        return math.fsum(rows.weight[decided == rows.truth]) / math.fsum(rows.weight)
    total = math.fsum(rows.weight)
    scores = []
    for truth, mean in zip(rows.truth.T, rows.mean.T, strict=True):
        # Squares of very large or small numbers are beyond all floats.
        exponent = math.frexp(float(np.abs(truth).max()))[1]
        truth, mean = np.ldexp(truth, -exponent), np.ldexp(mean, -exponent)
        center = exact_weighted_sum(truth, rows.weight) / total
        around = exact_weighted_sum(np.square(truth - center), rows.weight)
        left = exact_weighted_sum(np.square(truth - mean), rows.weight)
        scores.append(1.0 - left / around if truth.min() < truth.max() else None)
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def oob_interval(
    data: TrainingData, oob: OutOfBag, decided: npt.NDArray[np.int64] | None
) -> Interval | None:
    """Return the out-of-bag score with its 95 % interval; None when it does not exist.

    Copies of a row, and rows of a group, count as one.
    """
    rows = oob_rows(data, oob)
    if not rows.known.any():
        return None
    owner_of_row = fold_rows(data).owner_of_row
    n_train, owners = count_different(owner_of_row), owner_of_row[rows.known]
    origin = Origin(owners, n_train, copies=len(owners) / count_different(owners))
    if decided is not None:
        hits = (decided == rows.truth).astype(np.float64)
        values = ratio_of_rows(rows.weight * hits, rows.weight)
        assert values is not None
        return interval_of_rows(values, origin)
    scale = np.ldexp(1.0, -np.frexp(np.abs(rows.truth).max(axis=0))[1])
    found = [
        one
        for truth, mean in zip((rows.truth * scale).T, (rows.mean * scale).T, strict=True)
        if (one := explained_of_rows(truth, mean, rows.weight)) is not None
    ]
    if not found:
        return None
    deviations = np.mean([one.deviations for one in found], axis=0)
    score = float(np.mean([one.score for one in found]))
    return interval_of_rows(RowValues(score, deviations, len(owners)), origin, -math.inf)


def _squared_errors(rows: OobRows) -> Floats:
    """Return Σ (truth − mean)² of each row: over classes (1 for the right one), or outputs."""
    truth = rows.truth
    if truth.ndim == 1:
        truth = np.eye(rows.mean.shape[1])[truth]
    errors: Floats = np.square(truth - rows.mean).sum(axis=1)
    return errors


def lacking(data: TrainingData, half: OutOfBag, all_of_it: OutOfBag) -> tuple[float, float]:
    """Return what infinitely many trees would take off the squared error, and that error."""
    both = half.is_known & all_of_it.is_known
    if not both.any():
        return 0.0, 0.0
    weight = data.weights.of_rows(data.table.n_rows)
    errors = []
    for oob in (half, all_of_it):
        rows = oob_rows(data, oob)
        row_errors = np.full(len(both), np.nan)
        row_errors[rows.known] = _squared_errors(rows)
        errors.append(exact_weighted_sum(row_errors[both], weight[both]) / math.fsum(weight[both]))
    return max(0.0, errors[0] - errors[1]), errors[1]


def trees_to_grow(n_trees: int, gain: float, error: float, most: int) -> int:
    """Return how many trees are enough when ``n_trees`` still lack ``gain``."""
    if error <= 0 or gain <= 0:
        return n_trees
    return int(min(most, max(n_trees, math.ceil(n_trees * gain / (_ENOUGH * error)))))
