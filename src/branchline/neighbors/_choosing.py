"""Choosing k and the weighting of neighbors by cross-validation inside the training rows.

1. Rows are split into ten folds (``_folds``); fewer than 20 rows are left out one by one.
2. For each fold, scales, column weights and profiles are learned from the other rows, so that a row
   does not influence its own position; at most 500 rows of a fold are predicted.
3. One search for the largest k serves every k and both weightings.
4. The fewest errors win (for numbers, the least squared error); among equals the smaller squared
   error of the probabilities, then the smaller k.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from branchline._folds import Fold, fold_rows
from branchline._validation import ClassTarget, NumberTarget, TrainingData
from branchline.neighbors._distance_options import DistanceLearner, Learner
from branchline.neighbors._fold_numbers import fold_squares
from branchline.neighbors._measured_space import MeasureLearner
from branchline.neighbors._responses import (
    Numbers,
    has_many_classes,
    plain_responses,
    scaled_numbers,
    spread_out,
)
from branchline.neighbors._search import Nearest, Search, nearest_of_squares
from branchline.neighbors._votes import sums_for_each_k

__all__ = [
    "WEIGHTINGS",
    "Choice",
    "choose",
    "folds_of",
    "in_units",
    "losses",
]

WEIGHTINGS = ("uniform", "distance")
N_FOLDS = 10
_FEW_ROWS = 20
_MOST_ASKED = 500
_COUNTS = (1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15, 18, 21, 25, 30, 36, 43, 51)


@dataclass(frozen=True)
class Choice:
    """What was chosen, and the error of each candidate.

    ``curve`` has a row for each k: k, the error with uniform weights, with weights by distance (NaN
    for a weighting that was not tried).
    """

    n_neighbors: int
    weights: str
    curve: Numbers


def choose(
    data: TrainingData, learn: Learner, *, k: int | None, weights: str, n_threads: int
) -> Choice:
    """Choose k (unless it is given) and the weighting (if "auto")."""
    if k is not None and weights != "auto":
        return Choice(k, weights, np.zeros((0, 3)))
    folds = _split(data)
    most = min((len(fold.learn_rows) for fold in folds), default=0)
    counts = [min(k, max(most, 1))] if k is not None else [c for c in _COUNTS if c <= most] or [1]
    kinds = WEIGHTINGS if weights == "auto" else (weights,)
    if most == 0 or (len(counts) == 1 and len(kinds) == 1):
        return Choice(k or 1, kinds[0], np.zeros((0, 3)))
    errors = np.zeros((len(WEIGHTINGS), len(counts), 2))
    n_asked = 0
    for nearest, rest, asked in _held_out(data, folds, learn, max(counts), n_threads):
        responses, truth = _compared(data, rest, asked, nearest)
        for kind in kinds:
            means = sums_for_each_k(nearest, counts, kind, responses)
            errors[WEIGHTINGS.index(kind)] += [losses(data, mean, truth) for mean in means]
        n_asked += asked.table.n_rows
    choice = _best(errors / n_asked, counts, kinds, k)
    choice.curve[:, 1:] = in_units(data, choice.curve[:, 1:])
    return choice


def _held_out(
    data: TrainingData, folds: list[Fold], learn: Learner, k: int, n_threads: int
) -> Iterator[tuple[Nearest, TrainingData, TrainingData]]:
    """Yield the neighbors of held-out rows, the rows they are among, and the rows held out."""
    if not isinstance(learn, DistanceLearner):
        yield from _measured(data, folds, learn, k, n_threads)
        return
    squares = fold_squares(data, folds, learn, n_threads)
    if squares is not None:
        yield nearest_of_squares(squares, k), data, data
        return
    for rest, asked in _parts(data, folds, _MOST_ASKED):
        space = learn(rest)
        search = Search.build(space.of(rest.table), learn.metric)
        yield search.nearest(space.of(asked.table), k, n_threads=n_threads), rest, asked


def _measured(
    data: TrainingData, folds: list[Fold], learn: MeasureLearner, k: int, n_threads: int
) -> Iterator[tuple[Nearest, TrainingData, TrainingData]]:
    """Yield what ``_held_out`` does, for a distance that is not one of columns."""
    for fold, (rest, asked) in zip(folds, _parts(data, folds, _MOST_ASKED), strict=True):
        space = learn(rest)
        search = space.search(rest.table, learn.row_numbers[fold.learn_rows])
        yield search.nearest(space.of(asked.table), k, n_threads=n_threads), rest, asked


def _compared(
    data: TrainingData, rest: TrainingData, asked: TrainingData, nearest: Nearest
) -> tuple[Numbers, Numbers]:
    """Return the responses of all entries of ``nearest``, and the true ones of the rows asked."""
    if not has_many_classes(data.target):
        return plain_responses(data, rest)[nearest.point], plain_responses(data, asked)
    truth = asked.class_target.class_of_row.astype(np.int64)
    classes = rest.class_target.class_of_row.astype(np.int64)[nearest.point]
    # The few classes around a row are numbered anew, in the same order; its own is among them.
    n_classes, query = data.class_target.n_classes, np.arange(len(truth))
    pairs = np.concatenate([nearest.query * n_classes + classes, query * n_classes + truth])
    kinds, place = np.unique(pairs, return_inverse=True)
    place = place - np.searchsorted(kinds, np.concatenate([nearest.query, query]) * n_classes)
    one_hot = np.eye(int(place.max()) + 1)[place]
    return one_hot[: len(classes)], one_hot[len(classes) :]


def _best(errors: Numbers, counts: list[int], kinds: tuple[str, ...], k: int | None) -> Choice:
    places = [WEIGHTINGS.index(kind) for kind in kinds]
    ranked = [(*errors[kind, at], counts[at], kind) for kind in places for at in range(len(counts))]
    *_, count, kind = min(ranked)
    curve = np.full((len(counts), 3), np.nan)
    curve[:, 0] = counts
    for place in places:
        curve[:, 1 + place] = errors[place, :, 0]
    return Choice(k or int(count), WEIGHTINGS[int(kind)], curve)


def losses(data: TrainingData, means: Numbers, truth: Numbers) -> tuple[float, float]:
    """Return errors and squared errors of predicted classes; squared errors of numbers, and 0."""
    squares = float(((means - truth) ** 2).sum())
    if isinstance(data.target, NumberTarget):
        return squares, 0.0
    wrong = means.argmax(axis=1) != truth.argmax(axis=1)
    return float(wrong.sum()), squares


def in_units(data: TrainingData, errors: Numbers) -> Numbers:
    """Return squared errors of scaled numbers in the unit of the target; others as they are."""
    if isinstance(data.target, ClassTarget):
        return errors
    exponent = scaled_numbers(data.number_target.values)[1]
    with np.errstate(over="ignore"):
        return np.minimum(np.ldexp(errors, 2 * exponent), np.finfo(np.float64).max)


# -- folds ----------------------------------------------------------------------------------------


def folds_of(
    data: TrainingData, *, most: int = _MOST_ASKED
) -> list[tuple[TrainingData, TrainingData]]:
    """Return the rows to learn from and at most ``most`` to ask for, fold by fold."""
    return list(_parts(data, _split(data), most))


def _split(data: TrainingData) -> list[Fold]:
    n_rows = data.table.n_rows
    return fold_rows(data).split(n_rows if n_rows < _FEW_ROWS else N_FOLDS)


def _parts(
    data: TrainingData, folds: list[Fold], most: int
) -> Iterator[tuple[TrainingData, TrainingData]]:
    for fold in folds:
        yield data.rows(fold.learn_rows), data.rows(spread_out(fold.test_rows, most))
