"""Sums over the rows of clusters, for k-means on batches; missing cells (NaN) are left out."""

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places

__all__ = ["moved_centers", "nearest_centers", "sums_of_clusters", "weights_known", "within"]

_ROWS = 2**14  # that are compared at a time


def nearest_centers(points: Floats, centers: Floats, n_threads: int) -> Places:
    """Return the nearest center of each row; the first on ties."""
    return np.asarray(_core.nearest_centers(points, centers, n_threads), dtype=np.intp)


def within(points: Floats, weights: Floats, centers: Floats, labels: Places) -> float:
    """Return W: the weighted sum of squared distances of rows to the centers of their clusters."""
    total = 0.0
    for first in range(0, len(points), _ROWS):
        part = slice(first, first + _ROWS)
        apart = np.nan_to_num(points[part] - centers[labels[part]])
        total += float(weights[part] @ np.einsum("ij,ij->i", apart, apart))
    return total


def sums_of_clusters(values: Floats, labels: Places, k: int) -> Floats:
    """Return the sum of each column over the rows of each cluster."""
    return np.stack([np.bincount(labels, column, minlength=k) for column in values.T], axis=1)


def weights_known(points: Floats, weights: Floats, labels: Places, k: int) -> Floats:
    """Return for each cluster and column the weight of the rows whose cell is known."""
    return sums_of_clusters(np.isfinite(points) * weights[:, None], labels, k)


def moved_centers(centers: Floats, held: Floats, known: Floats, sums: Floats) -> Floats:
    """Return the means of all rows so far: ``held`` weighs the old centers, ``known`` the batch."""
    total = held + known
    return np.where(total > 0, (held * centers + sums) / np.where(total > 0, total, 1.0), centers)
