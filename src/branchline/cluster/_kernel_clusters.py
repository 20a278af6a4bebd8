"""The search of kernel k-means, on a kernel matrix or its thin factor.

S = K H holds for each row its kernel values with each cluster, summed by weight (H: the weights of
rows, each in the column of its cluster). D, the squared distances to the centers, follows from S.

1. The start: k-means++ with D² of the kernel (Arthur and Vassilvitskii 2007), the best of a few
   draws at each step.
2. All rows go to the nearest center, until none moves; each step lowers W if the kernel is
   positive semidefinite. An empty cluster gets the row that is farthest from its center.
3. Single moves (Hartigan 1975): the row whose move from cluster a to b lowers W most,
   n_a w / (n_a − w) D_a − n_b w / (n_b + w) D_b, moves; S changes by one column of K. Kernel
   spaces have many dimensions, in which step 2 often stops early.
"""

import math
from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places
from branchline.svm._kernel_product import KernelProduct, WholeKernel

__all__ = ["KernelClusters", "find_kernel_clusters"]

# Falls of W below this share of the variance are rounding.
_NOTHING = 1e-10
# The number of looks for single moves is at most this times the number of rows.
_MOVES = 10


@dataclass(frozen=True, eq=False)
class KernelClusters:
    """Clusters in the space of a kernel.

    Parameters
    ----------
    labels
        The cluster of each row.
    norms
        The squared length of each center; 0 for a cluster without rows.
    within
        W: the weighted sum of squared distances to the centers.
    n_iterations
        How often all rows were looked at, or one was moved.
    """

    labels: Places
    norms: Floats
    within: float
    n_iterations: int


def find_kernel_clusters(
    kernel: KernelProduct,
    weights: Floats,
    k: int,
    *,
    n_starts: int,
    max_iterations: int,
    seed: int,
) -> KernelClusters:
    """Return the clusters of the least W; the first of several.

    Parameters
    ----------
    kernel
        The kernel matrix of the rows.
    weights
        The weight of each row, above 0.
    k
        Number of clusters, at most as many as rows.
    n_starts
        Number of starts.
    max_iterations
        Maximum number of steps in which all rows move, for each start.
    seed
        Seed of the starts.
    """
    best: KernelClusters | None = None
    for start in range(n_starts):
        search = _Search(kernel, weights, k)
        search.start(np.random.default_rng([seed, start]))
        search.move_all(max_iterations)
        search.move_single_rows()
        found = search.result()
        if best is None or found.within < best.within:
            best = found
    assert best is not None
    return best


class _Search:
    """One start: labels, S, the weights of clusters, and D."""

    def __init__(self, kernel: KernelProduct, weights: Floats, k: int) -> None:
        self.kernel, self.weights, self.k = kernel, weights, k
        self.diagonal = np.asarray(kernel.diagonal, dtype=np.float64)
        self.rows = np.arange(len(weights))
        self.labels = np.zeros(len(weights), dtype=np.intp)
        self.sums = np.zeros((len(weights), k))
        self.sizes, self.norms = np.zeros(k), np.zeros(k)
        self.n_iterations = 0
        self.scale = max(float(weights @ np.abs(self.diagonal)), 1e-300)

    # -- the start ------------------------------------------------------------------------------

    def start(self, generator: np.random.Generator) -> None:
        """Draw k rows as centers, and put each row to the nearest one."""
        n_tries = 2 + int(math.log(self.k))
        nearest = np.full(len(self.weights), np.inf)
        for step in range(self.k):
            shares = self.weights if step == 0 else self.weights * nearest
            total = float(shares.sum())
            draws = generator.random(1 if step == 0 else n_tries)
            if total <= _NOTHING * self.scale:
                break  # all other rows are where a center is
            ends = np.cumsum(shares)
            chosen = np.searchsorted(ends, draws * ends[-1], side="right")
            tried = [self._apart(min(int(row), len(ends) - 1)) for row in chosen]
            fallen = [np.minimum(nearest, apart) for apart in tried]
            at = int(np.argmin([float(self.weights @ one) for one in fallen]))
            self.labels[tried[at] < nearest] = step
            nearest = fallen[at]
        self._measure()

    def _column(self, row: int) -> Floats:
        if isinstance(self.kernel, WholeKernel):
            return np.asarray(self.kernel.gram[row])  # K is symmetric
        return np.asarray(self.kernel.factor @ self.kernel.factor[row])

    def _apart(self, row: int) -> Floats:
        """Return the squared distance of each row from one of them."""
        squares = self.diagonal + self.diagonal[row] - 2 * self._column(row)
        squares[row] = 0.0
        return np.asarray(np.maximum(squares, 0.0))

    # -- all rows -------------------------------------------------------------------------------

    def move_all(self, most: int) -> None:
        """Put all rows to their nearest center until none moves, or W does not fall."""
        within = np.inf
        for _ in range(most):
            self.n_iterations += 1
            squares = self._squares()
            own = squares[self.rows, self.labels]
            last, within = within, float(self.weights @ own)
            if within >= last - _NOTHING * self.scale:
                return
            nearest = squares.argmin(axis=1)
            moves = squares[self.rows, nearest] < own - _NOTHING * np.abs(self.diagonal)
            if not moves.any():
                return
            last_labels, self.labels = self.labels, np.where(moves, nearest, self.labels)
            self._fill_empty(own)
            self._follow(last_labels)

    def _fill_empty(self, own: Floats) -> None:
        """Give each empty cluster the row farthest from its center; lone rows stay."""
        counts = np.bincount(self.labels, minlength=self.k)
        for cluster in np.flatnonzero(counts == 0):
            far = np.where(counts[self.labels] > 1, own * self.weights, -np.inf)
            row = int(np.argmax(far))
            if far[row] <= _NOTHING * self.scale:
                return
            counts[self.labels[row]] -= 1
            self.labels[row], counts[cluster], own[row] = cluster, 1, 0.0

    def _measure(self) -> None:
        """Compute S and what follows from it."""
        held = np.zeros((len(self.weights), self.k))
        held[self.rows, self.labels] = self.weights
        self.sums = np.ascontiguousarray(self.kernel.times(held))
        self._measure_clusters()

    def _follow(self, last_labels: Places) -> None:
        """Bring S up to date after some rows moved."""
        moved = np.flatnonzero(self.labels != last_labels)
        if len(moved) > len(self.labels) // 4:
            self._measure()
            return
        changes = np.zeros((len(moved), self.k))
        changes[np.arange(len(moved)), self.labels[moved]] = self.weights[moved]
        changes[np.arange(len(moved)), last_labels[moved]] = -self.weights[moved]
        if isinstance(self.kernel, WholeKernel):
            self.sums += self.kernel.gram[moved].T @ changes
        else:
            self.sums += self.kernel.factor @ (self.kernel.factor[moved].T @ changes)
        self._measure_clusters()

    def _measure_clusters(self) -> None:
        """Compute the weight of each cluster, and the squared length of its center, from S."""
        own = self.weights * self.sums[self.rows, self.labels]
        self.sizes = np.asarray(np.bincount(self.labels, self.weights, self.k), dtype=np.float64)
        inner = np.bincount(self.labels, weights=own, minlength=self.k)
        self.norms = inner / np.where(self.sizes > 0, self.sizes, 1.0) ** 2

    def _squares(self) -> Floats:
        """Return D; a cluster without rows is endlessly far away."""
        sizes = np.where(self.sizes > 0, self.sizes, 1.0)
        squares = self.sums * (-2 / sizes)
        squares += self.diagonal[:, None]
        squares += self.norms
        squares[:, self.sizes <= 0] = np.inf
        return squares

    # -- single rows ----------------------------------------------------------------------------

    def move_single_rows(self) -> None:
        """Move the rows whose moves lower W most, until none lowers it."""
        for _ in range(_MOVES * len(self.weights)):
            moves = self._best_moves()
            if not moves:
                return
            for row, cluster in moves:
                step = self.weights[row] * self._column(row)
                self.sums[:, self.labels[row]] -= step
                self.sums[:, cluster] += step
                self.labels[row] = cluster
            self._measure_clusters()
            self.n_iterations += 1

    def _best_moves(self) -> list[tuple[int, int]]:
        """Return rows and where to, the largest fall of W first.

        No two moves touch the same cluster, so their falls add up.
        """
        weights = self.weights
        paid = self._squares()
        own, size = paid[self.rows, self.labels], self.sizes[self.labels]
        alone = np.bincount(self.labels, minlength=self.k)[self.labels] < 2
        left = np.where(alone, np.inf, np.maximum(size - weights, 1e-300))
        saved = size * weights / left * own
        paid[:, self.sizes <= 0] = 0.0
        paid *= self.sizes * weights[:, None] / (self.sizes + weights[:, None])
        paid[self.rows, self.labels] = np.inf
        paid[:, self.sizes <= 0] = np.inf
        cluster = paid.argmin(axis=1)
        fall = saved - paid[self.rows, cluster]
        rows = np.flatnonzero(fall > _NOTHING * self.scale)
        moves, touched = [], np.zeros(self.k, dtype=bool)
        for row in rows[np.argsort(-fall[rows], kind="stable")].tolist():
            pair = [self.labels[row], cluster[row]]
            if not touched[pair].any():
                moves.append((row, int(cluster[row])))
                touched[pair] = True
        return moves

    def result(self) -> KernelClusters:
        """Return what was found, with S computed anew."""
        self._measure()
        own = self._squares()[self.rows, self.labels]
        within = max(0.0, float(self.weights @ own))
        return KernelClusters(self.labels, self.norms, within, self.n_iterations)
