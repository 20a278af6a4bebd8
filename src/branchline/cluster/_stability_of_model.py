"""``cluster_stability``: whether clusters of a model come back when rows are drawn again.

1. Rows are put in canonical order; of a large table evenly spread ones are taken.
2. Rows are drawn with replacement, and the same method is fitted on them, with the same number of
   clusters. All rows are placed among the new clusters.
3. The Jaccard index of a cluster is |both| / |either| with the new cluster that is most like it
   (Hennig 2007); the adjusted Rand index says how alike all clusters are.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import Floats, Places
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._plain_numbers import count, joined
from branchline._validation import Whole, check_parameters, check_seed, check_training_inputs
from branchline.cluster._cluster_stability import DOUBTFUL, SOLID, Stability, how_alike, word_of
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.table import Table

__all__ = ["FEW_ROWS", "ClusterStability", "StableCluster", "cluster_stability", "evenly_spread"]

_FEWEST_ROWS, FEW_ROWS = 3, 20


@dataclass(frozen=True)
class StableCluster:
    """How one cluster comes back: the mean Jaccard index and the ends of its 95 % interval.

    See Also
    --------
    ClusterStability : how the clusters of a model come back when rows are drawn again.
    cluster_stability

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, cluster_stability
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> found = cluster_stability(X, KMeans(3).fit(X), n_bootstraps=10)
    >>> round(found.clusters[1].jaccard, 2)
    0.99
    """

    label: int
    jaccard: float
    low: float
    high: float

    @property
    def word(self) -> str:
        """What that says: "solid" from 0.75 on, "doubtful" from 0.6 on, or "dissolves"."""
        return word_of(self.jaccard)

    def __str__(self) -> str:
        return f"{self.word} (Jaccard {self.jaccard:.2f} [{self.low:.2f}, {self.high:.2f}])"


@dataclass(frozen=True, eq=False)
class ClusterStability:
    """How the clusters of a model come back when rows are drawn again.

    Parameters
    ----------
    clusters
        How each cluster comes back, in the order of the labels.
    rand, low, high
        The mean adjusted Rand index of all clusters, and the ends of its 95 % interval.
    n_bootstraps, n_rows
        Number of samples, and of rows that were looked at.

    See Also
    --------
    cluster_stability

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, cluster_stability
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> round(cluster_stability(X, KMeans(3).fit(X), n_bootstraps=10).rand, 1)
    0.9
    """

    clusters: tuple[StableCluster, ...]
    rand: float
    low: float
    high: float
    n_bootstraps: int
    n_rows: int

    def verdict(self) -> str:
        """Return the verdict in a sentence."""
        weak = [str(one.label) for one in self.clusters if one.jaccard < SOLID]
        gone = [str(one.label) for one in self.clusters if one.jaccard < DOUBTFUL]
        if self.n_rows < FEW_ROWS:
            return f"{count(self.n_rows, 'row')} are too few to tell whether clusters come back."
        times = f"{count(self.n_bootstraps, 'bootstrap sample')} of the rows"
        if not weak:
            return f"Stable: every cluster comes back in {times}."
        if not gone:
            return f"Mostly stable in {times}; doubtful: {_named(weak)}."
        if len(gone) == len(self.clusters):
            return f"Not stable: no cluster comes back in {times}."
        others = [name for name in weak if name not in gone]
        also = f"; doubtful: {_named(others)}" if others else ""
        return f"Partly stable in {times}: not found again: {_named(gone)}{also}."

    def __str__(self) -> str:
        index = f"adjusted Rand index {self.rand:.2f} [{self.low:.2f}, {self.high:.2f}]"
        lines = [f"{self.verdict()[:-1]} ({index})."]
        return "\n".join([*lines, *(f"  cluster {one.label}: {one}" for one in self.clusters)])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "verdict": self.verdict(),
            "adjusted_rand": self.rand,
            "low": self.low,
            "high": self.high,
            "n_bootstraps": self.n_bootstraps,
            "n_rows": self.n_rows,
            "clusters": [
                {"label": one.label, "jaccard": one.jaccard, "low": one.low, "high": one.high,
                 "word": one.word}
                for one in self.clusters
            ],
        }  # fmt: skip


def cluster_stability(
    X: Any,
    model: Any,
    *,
    n_bootstraps: int = 30,
    max_rows: int = 1000,
    random_state: Any = 0,
) -> ClusterStability:
    """Say whether the clusters of a fitted model come back when rows are drawn again.

    Stable clusters need not be groups: k-means divides a long cloud of points in the same way again
    and again. ``how_many`` asks whether there are groups.

    Parameters
    ----------
    X
        The table that the model was fitted on.
    model
        A fitted clustering with ``predict``, such as ``KMeans`` or a mixture.
    n_bootstraps
        Number of bootstrap samples. Default 30.
    max_rows
        Larger tables are judged by this number of their rows. Default 1000.
    random_state
        Seed of the samples. Default 0.

    See Also
    --------
    ClusterStability : how the clusters of a model come back when rows are drawn again.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, cluster_stability
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = cluster_stability(X, KMeans(3).fit(X))
    >>> round(found.clusters[1].jaccard, 2)
    1.0
    """
    given = {"n_bootstraps": n_bootstraps, "max_rows": max_rows}
    known = {"n_bootstraps": Whole(2, 10_000), "max_rows": Whole(_FEWEST_ROWS, 100_000)}
    check_parameters("cluster_stability", given, known)
    _check_model(model)
    data = check_training_inputs(X, None)
    rows, origins = canonical_rows_with_origins(data, merge=False, n_threads=1)
    places = evenly_spread(rows.table.n_rows, max_rows)
    labels = np.asarray(model.predict(X))[origins.first[places]]
    names, own = np.unique(labels, return_inverse=True)
    table = rows.table.rows(places)
    found = _samples(table, own.reshape(-1), model, n_bootstraps, check_seed(random_state))
    low, high = np.quantile(found.rand, [0.025, 0.975])
    clusters = tuple(
        StableCluster(int(name), *one) for name, one in zip(names, found.clusters, strict=True)
    )
    return ClusterStability(
        clusters, found.mean, float(low), float(high), n_bootstraps, table.n_rows
    )


def _check_model(model: Any) -> None:
    if hasattr(model, "predict") and hasattr(model, "get_params"):
        return
    raise ParameterError(
        f"model must be a fitted clustering that places rows; {type(model).__name__} has no "
        "predict.",
        code="P720",
        values=[type(model).__name__],
        repair=Repair("cluster_stability(X, KMeans(3).fit(X))"),
    )


def _samples(table: Table, own: Places, model: Any, n_bootstraps: int, seed: int) -> Stability:
    k, n_rows = int(own.max()) + 1, table.n_rows
    generator = np.random.default_rng([seed, 3, k])
    rand, jaccard = np.empty(n_bootstraps), np.empty((n_bootstraps, k))
    for sample in range(n_bootstraps):
        drawn = np.bincount(generator.integers(0, n_rows, n_rows), minlength=n_rows)
        rand[sample], jaccard[sample] = how_alike(_pairs(own, _placed(table, drawn, model, k)))
    return Stability(rand, jaccard)


def _placed(table: Table, drawn: Places, model: Any, k: int) -> Places:
    """Return the cluster of all rows among those of the rows that were drawn."""
    again = clone(model)
    known = again.get_params(deep=False)
    for name in ("n_clusters", "n_components"):
        if known.get(name) == "auto":
            again.set_params(**{name: k})
    if known.get("covariance") == "auto":  # a mixture keeps the kind that it chose
        again.set_params(covariance=model.covariance_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)  # of the samples, not of the table
        again.fit(table, sample_weight=drawn.astype(np.float64))
        return np.asarray(again.predict(table), dtype=np.intp)


def _pairs(own: Places, placed: Places) -> Floats:
    """Return how many rows are in each pair of clusters."""
    k, n_placed = int(own.max()) + 1, int(placed.max()) + 1
    pairs = np.bincount(own * n_placed + placed, minlength=k * n_placed)
    return pairs.reshape(k, n_placed).astype(np.float64)


def evenly_spread(n_rows: int, most: int) -> Places:
    """Return all rows, or evenly spread ones."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.floor((np.arange(most) + 0.5) * n_rows / most).astype(np.intp)


def _named(labels: list[str]) -> str:
    return f"cluster{'s' if len(labels) > 1 else ''} {joined(labels)}"
