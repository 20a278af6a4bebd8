"""k-medoids: k rows that stand for all others, each row with the nearest (FasterPAM).

1. Rows are put in canonical order, equal ones merged with their weights.
2. All distances are computed (``_row_distances``).
3. Rows to start from are chosen (BUILD, drawn, or both); swaps lower the sum of distances
   (``medoids.hpp``) until none does.
"""

from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._base import Clusterer, Complexity, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._row_distances._comparison import METRICS, fit_comparison
from branchline._row_distances._given_distances import given_distances
from branchline._row_distances._kept_rows import KeptRows
from branchline._row_keys import scramble
from branchline._state import malformed, number_from_state
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    TrainingData,
    check_seed,
    count_threads,
)
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._number_of_clusters import N_CLUSTERS, find_number, refuse_auto
from branchline.cluster._numbering import by_weight
from branchline.table import Schema

__all__ = ["KMedoids"]

# Tables of at most this many different rows are searched from two starts by default.
_FEW_ROWS = 2000

# Medoids, the cluster of each row, the loss, the medoids as rows, and how many groups there are.
_Found: TypeAlias = tuple[Places, Places, float, KeptRows, GroupCounts | None]


class KMedoids(Clusterer):
    """Find k typical rows of any table (medoids), and the cluster of rows around each.

    The sum of all distances from the nearest medoid is least, so that a few far rows matter less
    than in k-means, and any distance will do: numbers and categories may be mixed, and cells may be
    missing. New rows go to the nearest medoid. All distances are held in memory: 10,000 rows take
    0.8 GB.

    Parameters
    ----------
    n_clusters
        Number of clusters; fewer when there are fewer different rows. "auto": as many groups as
        ``how_many`` finds. Default 8.
    metric
        How rows are compared, as in ``distances``; "precomputed": the table is a square matrix of
        distances, and new rows bring their distance from each training row. Default "auto".
    standardize
        Whether numbers are divided by their standard deviation; default only with "auto".
    init
        Where the search begins: "build" (one row after the other, each the best), "random" (drawn
        by ``random_state``, faster), or "auto" (default: both up to 2,000 different rows, of which
        the better is kept; "random" beyond).
    random_state
        Seed of the draws. Default 0.
    n_jobs
        Number of threads; None (default): all cores. The result does not depend on it.

    Attributes
    ----------
    medoids_
        The place of each medoid among the rows that ``fit`` was given.
    labels_
        The cluster of each row; 0 is the heaviest.
    loss_
        The weighted sum of the distances from the nearest medoid.
    counts_
        With "auto": how many groups there are by each rule. A loaded model has none.

    See Also
    --------
    KMeans
    AgglomerativeClustering

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMedoids
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = KMedoids(3).fit(X)
    >>> [int((model.labels_ == k).sum()) for k in range(3)]
    [56, 50, 44]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_clusters": N_CLUSTERS,
        "metric": OneOf((*METRICS, "precomputed")),
        "standardize": AnyOf((Flag(), OneOf(("auto",)))),
        "init": OneOf(("auto", "build", "random")),
    }
    _tolerance = 1e-8
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"labels_", "medoids_", "counts_"})
    counts_: GroupCounts
    medoids_: Places
    loss_: float
    _kept: KeptRows

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        metric: str = "auto",
        standardize: bool | str = "auto",
        init: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.standardize = standardize
        self.init = init
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the medoids; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        seed = check_seed(self.random_state)
        found = (self._of_given if self.metric == "precomputed" else self._of_table)(data, seed)
        medoids, labels, loss, kept, counts = found
        places = data.kept_rows
        self._finish(
            data,
            medoids_=medoids if places is None else places[medoids],
            loss_=loss,
            _kept=kept,
            **({} if counts is None else {"counts_": counts}),
        )
        self.labels_ = self._labels_of_given(X, data, labels)
        return self

    def _of_table(self, data: TrainingData, seed: int) -> _Found:
        n_threads = count_threads(self.n_jobs, data.table.n_rows**2)
        rows, origins = canonical_rows_with_origins(data, merge=True, n_threads=n_threads)
        weights = rows.weights.of_rows(rows.table.n_rows)
        is_auto = self.n_clusters == "auto"
        counts = find_number(rows, weights, seed=seed, n_jobs=self.n_jobs) if is_auto else None
        k = int(self.n_clusters) if counts is None else counts.n_groups
        fitted, matrix = fit_comparison(rows, weights, self.metric, self.standardize)
        square = fitted.between(matrix, n_threads=n_threads)
        medoids, labels, loss = self._search(square, weights, k, rows.row_keys, seed)
        every = labels[origins.canonical_of_row]
        return origins.first[medoids], every, loss, KeptRows(fitted, matrix[medoids]), counts

    def _of_given(self, data: TrainingData, seed: int) -> _Found:
        refuse_auto(self)
        square = given_distances(data, type(self).__name__)
        weights = data.weights.of_rows(len(square))
        medoids, labels, loss = self._search(square, weights, int(self.n_clusters), None, seed)
        places = medoids if data.kept_rows is None else data.kept_rows[medoids]
        return medoids, labels, loss, KeptRows.of_matrix(places), None

    def _search(
        self, square: Floats, weights: Floats, k: int, keys: Any, seed: int
    ) -> tuple[Places, Places, float]:
        """Return medoids, the cluster of each row and the loss; the heaviest cluster is 0."""
        k = min(k, len(weights))
        results = [
            _core.find_medoids(square, weights, k, start)
            for start in self._starts(len(weights), k, keys, seed)
        ]
        found, loss, _ = min(results, key=lambda result: float(result[1]))
        medoids = np.sort(found.astype(np.intp))
        labels = np.argmin(square[medoids], axis=0)
        labels[medoids] = np.arange(k)  # a medoid at distance 0 from another keeps its own cluster
        number_of = by_weight(labels, weights)
        return medoids[np.argsort(number_of)], number_of[labels], float(loss)

    def _starts(self, n_rows: int, k: int, keys: Any, seed: int) -> list[Any]:
        """Return the rows that searches begin with; none stand for BUILD."""
        starts = []
        if self.init == "build" or (self.init == "auto" and n_rows <= _FEW_ROWS):
            starts.append(np.zeros(0, dtype=np.uint32))
        if self.init != "build":
            words = np.arange(n_rows, dtype=np.uint64) if keys is None else keys
            drawn = scramble(words ^ scramble(np.array([seed], dtype=np.uint64)))
            order = np.argsort(drawn, kind="stable")
            starts.append(np.ascontiguousarray(order[:k], dtype=np.uint32))
        return starts

    def medoid_distances(self, X: Any) -> Floats:
        """Return the distance of each row from each medoid."""
        table = self._check_rows(X).table
        return self._kept.distances(self._kept.seen(table))

    def predict(self, X: Any) -> Places:
        """Return the cluster of the nearest medoid for each row."""
        return np.asarray(np.argmin(self.medoid_distances(X), axis=1))

    def _complexity(self) -> Complexity:
        return Complexity(len(self._kept), "medoids")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {**self._kept.pack(), "loss": self.loss_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        loss = number_from_state(state, "loss")
        if loss < 0:
            raise malformed("a sum of distances is below 0")
        return {"_kept": KeptRows.unpack(state, schema), "loss_": loss}
