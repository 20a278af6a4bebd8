"""k-means on a large table: Lloyd's iteration over blocks of rows.

1. Up to 32,768 rows are drawn by a hash of their content. Their clusters, the best of several
   starts, are where the iteration begins.
2. A pass over all rows puts each row to its nearest center, and adds the numbers of each cluster
   without rounding (``_exact_products``). Centers become means, until they do not move.
3. A cluster without rows keeps its center.

So the centers depend neither on the order of rows nor on blocks or threads.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places
from branchline._exact_products import Cutter, ProductSums, exponents_of
from branchline._exact_sum import parts_of_weighted_sum, rounded_once
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread
from branchline._prepared_blocks import PreparedBlocks
from branchline.cluster._cluster_sums import nearest_centers
from branchline.table import Table

__all__ = [
    "MOST_DRAWN",
    "ClusterPass",
    "DrawnPoints",
    "in_order_of_weight",
    "lloyd_in_blocks",
    "pass_of_clusters",
]

MOST_DRAWN = 2**15
_SLICES = 2


@dataclass(frozen=True, eq=False)
class ClusterPass:
    """What a pass over all rows finds for given centers.

    Parameters
    ----------
    sums, known
        For each cluster and term, the weighted sum of the known cells and their weight.
    weight
        The weight of each cluster.
    inertia
        W: the weighted sum of squared distances to the centers, over the known cells.
    """

    sums: Floats
    known: Floats
    weight: Floats
    inertia: float

    def means(self, centers: Floats) -> Floats:
        """Return the means of clusters; the center where no cell is known."""
        return np.where(
            self.known > 0, self.sums / np.where(self.known > 0, self.known, 1), centers
        )


def lloyd_in_blocks(
    blocks: PreparedBlocks, start: Floats, *, max_iter: int, limit: float, n_threads: int
) -> tuple[Floats, ClusterPass, int]:
    """Return the centers by weight of their clusters, what the last pass found, and the passes.

    It ends when the squared moves of the centers sum up to at most ``limit``.
    """
    centers, n_iter, distance = start, 0, np.inf
    while n_iter < max_iter and distance > limit:
        moved = pass_of_clusters(blocks, centers, n_threads).means(centers)
        distance = float(np.square(moved - centers).sum())
        centers, n_iter = moved, n_iter + 1
    return *in_order_of_weight(centers, pass_of_clusters(blocks, centers, n_threads)), n_iter


def in_order_of_weight(centers: Floats, found: ClusterPass) -> tuple[Floats, ClusterPass]:
    """Return the clusters that have rows, the heaviest first; equal ones stay as they were."""
    order = np.argsort(-found.weight, kind="stable")
    order = order[found.weight[order] > 0]
    parts = found.sums[order], found.known[order], found.weight[order]
    return np.ascontiguousarray(centers[order]), ClusterPass(*parts, found.inertia)


@one_thread
def pass_of_clusters(blocks: PreparedBlocks, centers: Floats, n_threads: int) -> ClusterPass:
    """Put each row to its nearest center, and add up what its cluster is made of."""
    k, width = centers.shape
    n_columns = 2 * width + 1
    refuse_over_budget(64 * k * _SLICES * n_columns, "the sums of clusters")
    is_switch = np.concatenate([np.zeros(width, dtype=bool), np.ones(width + 1, dtype=bool)])
    exponents = exponents_of(np.concatenate([blocks.largest, np.ones(width + 1)]))
    cells = Cutter(exponents, is_switch, _SLICES)
    is_weighted = bool(blocks.weights.min() != 1.0 or blocks.weights.max() != 1.0)
    heaviest = exponents_of(np.full(k, float(blocks.weights.max())))
    members = Cutter(heaviest, np.full(k, not is_weighted), _SLICES)
    sums = ProductSums(members, cells)
    inertia: list[float] = []
    for some, points in blocks.blocks():
        weights = blocks.weights[some]
        labels = _nearest(points, centers, n_threads)
        inertia += parts_of_weighted_sum(_squared_distances(points, centers, labels), weights)
        known = ~np.isnan(points)
        rows = np.vstack([np.where(known, points, 0.0), known, np.ones((1, len(labels)))])
        own = np.zeros((k, len(labels)))
        own[labels, np.arange(len(labels))] = weights
        sums.add(members.cut(own), cells.cut(rows))
    total = sums.total()[0]
    return ClusterPass(total[:, :width], total[:, width:-1], total[:, -1], rounded_once(inertia))


def _nearest(points: Floats, centers: Floats, n_threads: int) -> Places:
    if len(points) == 0:  # no term varies: there is one cluster
        return np.zeros(points.shape[1], dtype=np.intp)
    return nearest_centers(np.ascontiguousarray(points.T), centers, n_threads)


def _squared_distances(points: Floats, centers: Floats, labels: Places) -> Floats:
    """Return each row's squared distance to its center, a term after the other."""
    found = np.zeros(len(labels))
    for term, of_term in zip(points, centers.T, strict=True):
        apart = term - of_term[labels]
        np.square(apart, out=apart)
        apart[np.isnan(apart)] = 0.0
        found += apart
    return found


class DrawnPoints:
    """The numbers of a large table's rows in an order that was drawn, fetched when asked for."""

    def __init__(self, blocks: PreparedBlocks, order: Places) -> None:
        self._table: Table = blocks.data.table
        self._preparation, self._order = blocks.preparation, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, some: slice) -> Floats:
        places = self._order[some]
        ascending = np.argsort(places)  # files are read in one direction
        numbers = self._preparation.matrix(self._table.rows(places[ascending]))
        found = np.empty((len(places), max(1, numbers.shape[1])))
        found[ascending] = numbers if numbers.shape[1] else 0.0
        return found
