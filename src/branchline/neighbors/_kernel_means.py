"""Means of all rows weighted by a kernel of their distance (Nadaraya, 1964; Watson, 1964).

With distances dᵢ, bandwidth h and kernel K the prediction is Σ K(dᵢ / h) rᵢ / Σ K(dᵢ / h), where
    gaussian       K(u) = exp(−u² / 2)
    epanechnikov   K(u) = max(0, 1 − u²)
    boxcar         K(u) = 1 for u ≤ 1, else 0.
Where no row is within reach, the nearest ones count, alike.

The bandwidth is chosen as k is (``_choosing``): the rows of a fold are predicted from the others
for each of 17 bandwidths, from 1/64 to 4 times the median distance of two rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from branchline._validation import ClassTarget, TrainingData
from branchline.neighbors._choosing import folds_of, in_units, losses
from branchline.neighbors._distance_options import DistanceLearner
from branchline.neighbors._responses import (
    MANY_CLASSES,
    Numbers,
    Whole,
    plain_responses,
    spread_out,
)
from branchline.neighbors._search import TIE

__all__ = [
    "KERNELS",
    "Responses",
    "choose_bandwidth",
    "class_responses",
    "kernel_means",
    "means_of_kernel",
]

_BLOCK_PAIRS = 2**21
_MOST_ASKED = 50
_SAMPLE = 200
_STEPS = np.arange(-12, 5) / 2
_METRIC = {"euclidean": "euclidean", "manhattan": "cityblock"}


def _gaussian(distances: Numbers, nearest: Numbers, h: float) -> Numbers:
    # Only ratios matter: dividing by the largest weight, that of the nearest row, none vanishes.
    with np.errstate(over="ignore", under="ignore"):
        lead = (distances - nearest) * (distances + nearest)
        return np.asarray(np.exp(lead / h / h * -0.5))  # h² could vanish


def _epanechnikov(distances: Numbers, nearest: Numbers, h: float) -> Numbers:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.maximum(0.0, 1.0 - (distances / h) ** 2))


def _boxcar(distances: Numbers, nearest: Numbers, h: float) -> Numbers:
    return np.asarray(distances <= h * (1 + TIE)).astype(np.float64)


KERNELS: dict[str, Callable[[Numbers, Numbers, float], Numbers]] = {
    "gaussian": _gaussian,
    "epanechnikov": _epanechnikov,
    "boxcar": _boxcar,
}


@dataclass(frozen=True)
class RowsOfClasses:
    """Rows in the order of their classes: with very many classes, sums over rows go by class."""

    n_classes: int
    order: Whole
    present: Whole
    begins: Whole

    @staticmethod
    def of(class_of_row: npt.NDArray[Any], n_classes: int) -> "RowsOfClasses":
        """Put rows in the order of their classes."""
        order = np.argsort(class_of_row, kind="stable")
        present, begins = np.unique(class_of_row[order], return_index=True)
        return RowsOfClasses(n_classes, order, present.astype(np.int64), begins)

    def sums(self, weights: Numbers) -> Numbers:
        """Return the weight of each class (a column) for each query (a row)."""
        found = np.zeros((len(weights), self.n_classes))
        found[:, self.present] = np.add.reduceat(weights[:, self.order], self.begins, axis=1)
        return found


Responses: TypeAlias = Numbers | RowsOfClasses


def class_responses(class_of_row: npt.NDArray[Any], n_classes: int) -> Responses:
    """Return what class each row has: 0 or 1 for each class, or rows by class when many."""
    if n_classes > MANY_CLASSES:
        return RowsOfClasses.of(class_of_row, n_classes)
    found = np.zeros((n_classes, len(class_of_row)))  # a row for each class: sums go along it
    found[class_of_row, np.arange(len(class_of_row))] = 1.0
    return found.T


def kernel_means(
    queries: Numbers, points: Numbers, responses: Responses, *, metric: str, kernel: str, h: float
) -> Numbers:
    """Return the weighted mean response (a column each) for each query."""
    blocks = [
        _means(distances, responses, kernel, h) for distances in _distances(queries, points, metric)
    ]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _distances(queries: Numbers, points: Numbers, metric: str) -> Iterator[Numbers]:
    """Yield the distances of queries to all points, a block of queries at a time.

    A pair's distance does not depend on what else is in the block.
    """
    size = max(1, _BLOCK_PAIRS // len(points))
    for at in range(0, max(1, len(queries)), size):
        some = queries[at : at + size]
        if points.shape[1]:
            yield cdist(some, points, _METRIC[metric])
        else:
            yield np.zeros((len(some), len(points)))


def _means(distances: Numbers, responses: Responses, kernel: str, h: float) -> Numbers:
    nearest = distances.min(axis=1, keepdims=True)
    weights = KERNELS[kernel](distances, nearest, h)
    total = weights.sum(axis=1)
    alone = total == 0
    if alone.any():
        weights[alone] = distances[alone] <= nearest[alone] * (1 + TIE)
        total = weights.sum(axis=1)
    return _means_of_weights(weights, total, responses)


def means_of_kernel(weights: Numbers, responses: Responses) -> Numbers:
    """Return the mean response weighted by kernel values; all rows count alike where all are 0."""
    top = weights.max(axis=1, keepdims=True)
    shares = np.where(top > 0, weights / np.where(top > 0, top, 1.0), 1.0)
    return _means_of_weights(shares, shares.sum(axis=1), responses)


def _means_of_weights(weights: Numbers, total: Numbers, responses: Responses) -> Numbers:
    if isinstance(responses, RowsOfClasses):
        return np.asarray(responses.sums(weights) / total[:, None])
    # Products by BLAS would depend on how many rows are asked for at a time.
    if len(weights) == 1:
        return np.asarray(np.add.reduce(weights * responses.T, axis=1)[None, :] / total[:, None])
    sums = [(weights * column).sum(axis=1) for column in responses.T]
    return np.asarray(np.column_stack(sums) / total[:, None])


def choose_bandwidth(
    data: TrainingData, learn: DistanceLearner, *, metric: str, kernel: str
) -> tuple[float, Numbers]:
    """Return the bandwidth of the least cross-validated error, and (bandwidth, error) of all."""
    widths = _typical_distance(data, learn, metric) * 2.0**_STEPS
    folds = folds_of(data, most=_MOST_ASKED)
    if not folds:
        return float(widths[len(widths) // 2]), np.zeros((0, 2))
    errors = np.zeros((len(widths), 2))
    n_asked = 0
    for rest, asked in folds:
        space = learn(rest)
        points, queries = space.of(rest.table), space.of(asked.table)
        responses, truth = _responses(data, rest), plain_responses(data, asked)
        at = 0
        for distances in _distances(queries, points, metric):
            some = truth[at : at + len(distances)]
            means = (_means(distances, responses, kernel, float(h)) for h in widths)
            errors += [losses(data, mean, some) for mean in means]
            at += len(distances)
        n_asked += asked.table.n_rows
    errors /= n_asked
    best = min(range(len(widths)), key=lambda place: (*errors[place], -place))
    return float(widths[best]), np.column_stack([widths, in_units(data, errors[:, 0])])


def _responses(data: TrainingData, rest: TrainingData) -> Responses:
    if isinstance(rest.target, ClassTarget):
        return class_responses(rest.target.class_of_row, rest.target.n_classes)
    return plain_responses(data, rest)


def _typical_distance(data: TrainingData, learn: DistanceLearner, metric: str) -> float:
    """Return the median distance between some of the rows, 1 when all are at one place."""
    some = spread_out(np.arange(data.table.n_rows), _SAMPLE)
    sample = learn(data).of(data.table.rows(some))
    distances = next(_distances(sample, sample, metric))
    apart = distances[distances > 0]
    return float(np.median(apart)) if len(apart) else 1.0
