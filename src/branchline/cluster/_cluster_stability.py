"""Whether clusters come back when rows are drawn again.

Rows are drawn with replacement, clustered, and all rows are placed among the new clusters. The
adjusted Rand index says how alike all clusters are; the Jaccard index of a cluster is
|both| / |either| with the new cluster that is most like it (Hennig 2007).
"""

from dataclasses import dataclass

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline.cluster._adjusted_rand import rand_of_counts
from branchline.cluster._group_test import cluster_rows

__all__ = ["DOUBTFUL", "SOLID", "Stability", "how_alike", "stability", "word_of"]

SOLID, DOUBTFUL = 0.75, 0.6
_STARTS = 2


@dataclass(frozen=True, eq=False)
class Stability:
    """How clusters come back.

    Parameters
    ----------
    rand
        The adjusted Rand index of each sample.
    jaccard
        The Jaccard index of each cluster (in columns) in each sample.
    """

    rand: Floats
    jaccard: Floats

    @property
    def mean(self) -> float:
        """The mean adjusted Rand index."""
        return float(self.rand.mean())

    @property
    def clusters(self) -> list[tuple[float, float, float]]:
        """The mean Jaccard index of each cluster, and the ends of its 95 % interval."""
        low, high = np.quantile(self.jaccard, [0.025, 0.975], axis=0)
        return [tuple(one) for one in np.stack([self.jaccard.mean(axis=0), low, high], 1).tolist()]


def stability(rows: Floats, labels: Places, k: int, *, n_bootstraps: int, seed: int) -> Stability:
    """Return how the clusters of rows come back in samples of the rows."""
    generator = np.random.default_rng([seed, 2, k])
    n_rows = len(rows)
    rand, jaccard = np.empty(n_bootstraps), np.empty((n_bootstraps, k))
    for sample in range(n_bootstraps):
        drawn = np.bincount(generator.integers(0, n_rows, n_rows), minlength=n_rows)
        there = drawn > 0
        some = np.ascontiguousarray(rows[there])
        n_clusters = min(k, len(some))
        made = cluster_rows(
            some, n_clusters, seed + sample, n_starts=_STARTS, weights=drawn[there].astype(float)
        )
        placed = _core.nearest_centers(rows, made.centers, 1).astype(np.intp)
        pairs = np.bincount(labels * n_clusters + placed, minlength=k * n_clusters)
        counts: Floats = pairs.reshape(k, n_clusters).astype(np.float64)
        rand[sample], jaccard[sample] = how_alike(counts)
    return Stability(rand, jaccard)


def how_alike(counts: Floats) -> tuple[float, Floats]:
    """Return the adjusted Rand index of two clusterings, and the Jaccard index of each cluster.

    ``counts`` says how many rows are in each cluster of the first (rows) and the second.
    """
    either = counts.sum(axis=1)[:, None] + counts.sum(axis=0)[None, :] - counts
    return rand_of_counts(counts), (counts / np.maximum(either, 1.0)).max(axis=1)


def word_of(jaccard: float) -> str:
    """Return what a mean Jaccard index says of a cluster."""
    return "solid" if jaccard >= SOLID else "doubtful" if jaccard >= DOUBTFUL else "dissolves"
