"""Distances of all held-out rows at once, where complete columns of numbers are many and rows few.

In fold f, with c_fj the squared weight of column j over its squared spread among the other rows,
‖q − t‖² = Σ_j c_fj (x_qj − x_tj)²: only c depends on the fold.

1. One native pass sorts each column once, and gives what it explains and how it spreads for all
   rows but each fold (``fold_columns.hpp``).
2. Σ c x_q² − 2 Σ c x_q x_t + Σ c x_t² of all pairs are two products of matrices, of columns that
   were moved to their means. Where digits would cancel, differences are squared one by one.
3. Columns with missing values and categories are few: their points are learned fold by fold
   (``_space``), and their squared distances are added.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from branchline._folds import Fold
from branchline._one_thread import one_thread
from branchline._validation import ClassTarget, TrainingData
from branchline.neighbors._distance_options import DistanceLearner
from branchline.neighbors._folded_columns import FoldedColumns, can_fold, folded_columns
from branchline.neighbors._many_numbers import MANY
from branchline.neighbors._responses import Numbers, Whole, outcomes_of

__all__ = ["fold_squares"]

_CELLS_AT_ONCE = 2**16
# Below this share of both squared norms, a squared distance has lost digits that ties need.
_CANCELLED = 1e-4


def fold_squares(
    data: TrainingData, folds: Sequence[Fold], learn: DistanceLearner, n_threads: int
) -> Numbers | None:
    """Return the squared distances of each row, held out with its fold, to all others.

    Those within a fold are infinite. None: distances must be found fold by fold.
    """
    fold_of_row = _fold_of_row(folds, data.table.n_rows)
    outcomes = outcomes_of(data.target)
    if fold_of_row is None or isinstance(outcomes, ClassTarget) or learn.metric != "euclidean":
        return None
    if not can_fold(data.table, outcomes):
        return None
    found = folded_columns(data.table, outcomes, fold_of_row, len(folds), n_threads)
    learn.known.append((data.table, found.shares_of_all(len(folds))))
    others = found.others
    if data.table.n_columns - len(others) < MANY or (learn.scale == "none" and len(others)):
        return None
    weights = _weights(data, folds, learn, found)
    squares = _squares(found, weights[:, found.places], learn.scale, fold_of_row)
    if len(others):
        _add_others(squares, data, folds, learn, weights, others)
    squares[fold_of_row[:, None] == fold_of_row] = np.inf
    return squares


def _fold_of_row(folds: Sequence[Fold], n_rows: int) -> Whole | None:
    """Return the fold that holds each row out; None unless all other rows are learned from."""
    fold_of_row = np.full(n_rows, -1, dtype=np.int64)
    for number, fold in enumerate(folds):
        is_held_out = fold.test > 0
        if (is_held_out == (fold.learn > 0)).any() or (fold_of_row[is_held_out] >= 0).any():
            return None
        fold_of_row[is_held_out] = number
    return fold_of_row if len(folds) and fold_of_row.min() >= 0 else None


def _weights(
    data: TrainingData, folds: Sequence[Fold], learn: DistanceLearner, found: FoldedColumns
) -> Numbers:
    """Return the weights of all columns, with a row for each fold."""
    fields = data.table.schema.fields if data.table.matrix is None else ()
    levels = [field.name for field in fields if field.type.kind == "category"]
    only_levels = replace(data, table=data.table.select(levels)) if levels else None
    rows = []
    for number, fold in enumerate(folds):
        part = None if only_levels is None else only_levels.rows(fold.learn_rows)
        rows.append(learn.weights_of(data.table, found.shares_of_all(number), part))
    return np.array(rows)


@one_thread
def _squares(found: FoldedColumns, weights: Numbers, scale: str, fold_of_row: Whole) -> Numbers:
    """Return the squared distances in the complete columns; entries within a fold mean nothing."""
    sizes = found.sizes(weights, scale) ** 2
    n_rows, width = found.moved.shape
    products, norms = np.zeros((n_rows, n_rows)), np.zeros((len(sizes), n_rows))
    step = max(MANY, _CELLS_AT_ONCE // n_rows)
    for first in range(0, width, step):
        some = found.moved[:, first : first + step]
        size = sizes[:, first : first + step]
        products += (some * size[fold_of_row]) @ some.T
        norms += size @ (some * some).T
    theirs = norms[fold_of_row]
    both = theirs + np.diagonal(theirs)[:, None]
    squares: Numbers = both - 2.0 * products
    query, point = np.nonzero((squares < _CANCELLED * both) & (fold_of_row[:, None] != fold_of_row))
    step = max(1, _CELLS_AT_ONCE // width)
    for first in range(0, len(query), step):
        at, other = query[first : first + step], point[first : first + step]
        apart = found.moved[at] - found.moved[other]
        apart *= apart
        squares[at, other] = (apart * sizes[fold_of_row[at]]).sum(axis=1)
    return squares


def _add_others(
    squares: Numbers,
    data: TrainingData,
    folds: Sequence[Fold],
    learn: DistanceLearner,
    weights: Numbers,
    others: Whole,
) -> None:
    """Add the squared distances in columns with missing values, far cells or categories."""
    names = data.table.names
    part = replace(data, table=data.table.select([names[at] for at in others.tolist()]))
    for fold, weight in zip(folds, weights, strict=True):
        rest, asked = part.rows(fold.learn_rows), part.rows(fold.test_rows)
        space = learn.space(rest, weight[others])
        if space.width:
            apart = cdist(space.of(asked.table), space.of(rest.table), "sqeuclidean")
            squares[np.ix_(fold.test_rows, fold.learn_rows)] += apart
