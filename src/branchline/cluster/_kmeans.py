"""k-means: clusters around centers, so that the squared distances to them are small.

1. Rows are put in canonical order, equal ones merged, so that nothing depends on their order.
2. The table becomes centered numbers (``_prepared_table``); missing cells stay missing.
3. Several starts (k-means++, or a random cluster for each row) are followed until no row moves:
   rows go to the nearest center, centers become means of their rows. The least sum W is kept.
4. Clusters are numbered by weight; each row that was given goes to its nearest center.

Of a large table, 1 to 3 are done for rows drawn from it; the iteration goes on with all rows, a
block at a time (``_kmeans_blocks``).
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._base import Clusterer, Complexity, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._encoding._encoded_blocks import is_large, pieces_of
from branchline._prepared_blocks import prepare_in_blocks
from branchline._prepared_table import Preparation, fit_preparation
from branchline._result_frame import Library, result_frame
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Real,
    TrainingData,
    Whole,
    check_seed,
    count_threads,
)
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._kmeans_blocks import MOST_DRAWN, lloyd_in_blocks
from branchline.cluster._number_of_clusters import N_CLUSTERS, find_number
from branchline.cluster._numbering import by_weight
from branchline.table import Schema

__all__ = ["FARTHEST", "KMeans", "with_a_column"]

# Tables of more cells × clusters than this are started less often by default.
_MANY = 10**7
_STARTS, _FEW_STARTS = 10, 3


class KMeans(TransformerMixin, Clusterer):
    """Put the rows of any table into clusters around centers.

    Numbers, categories and dates may be mixed, and cells may be missing: a missing cell is left out
    of distances and of centers. The result depends neither on the order of rows nor on threads.

    A large table is read block by block: the search begins at the clusters of 32,768 drawn rows.

    k-means always finds as many clusters as it is told to, also where there are none, and its
    clusters are round and of similar width.

    Parameters
    ----------
    n_clusters
        Number of clusters. "auto": as many groups as ``how_many`` finds. Default 8.
    init
        "k-means++" (default), or "random_assignment": a random cluster for each row, as textbooks
        print it.
    n_init
        Number of starts; the best is kept. "auto" (default): 10, and 3 where rows, terms and
        clusters multiply to more than ten million.
    max_iter
        Maximum number of iterations of a start. Default 300.
    tol
        A start ends when its centers move by less than this share of the variance. 0: when no row
        moves any more. Default 0.0001.
    standardize
        Whether numbers are divided by their standard deviation. False keeps their units: a column
        of large numbers then decides. Default True.
    random_state
        Seed of the starts. Default 0.
    n_jobs
        Number of threads; -1 uses all. The result does not depend on it.
        Default None: as many as the work is worth.

    Attributes
    ----------
    cluster_centers_
        The centers, in prepared numbers; ``centers()`` shows them in the units of the table.
    labels_
        The cluster of each row that was given; 0 is the heaviest. A loaded model has none.
    inertia_
        W: the sum of squared distances to the centers, over the known cells.
    n_iter_
        Number of iterations of the best start.
    counts_
        With "auto": how many groups there are by each rule. A loaded model has none.

    See Also
    --------
    MiniBatchKMeans : large tables.
    KMedoids : any distance.
    how_many : whether there are groups, and how many.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = KMeans(2).fit(X)
    >>> round(model.inertia_, 1)
    223.7
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_clusters": N_CLUSTERS,
        "init": OneOf(("k-means++", "random_assignment")),
        "n_init": AnyOf((Whole(1, 1_000_000), OneOf(("auto",)))),
        "max_iter": Whole(1, 1_000_000),
        "tol": Real(0, 1),
        "standardize": Flag(),
    }
    _tolerance = 1e-8
    _copies_of_columns_count = True
    _left_out_of_files = frozenset({"labels_", "counts_"})
    counts_: GroupCounts
    cluster_centers_: Floats
    inertia_: float
    n_iter_: int
    _preparation: Preparation

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        init: str = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        standardize: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters; ``y`` is ignored."""
        data = self._begin_inputs(X, sample_weight)
        found: dict[str, Any] = {}
        fit = self._fit_blocks if is_large(data.table) else self._fit_matrix
        preparation, centers, inertia, n_iter = fit(data, found)
        self._finish(
            data,
            **found,
            cluster_centers_=centers[:, : len(preparation.center)],
            inertia_=inertia * preparation.unit**2,
            n_iter_=n_iter,
            _preparation=preparation,
        )
        self.labels_ = self.predict(X)
        return self

    def _fit_matrix(
        self, data: TrainingData, found: dict[str, Any]
    ) -> tuple[Preparation, Floats, float, int]:
        """Return how rows are prepared, the centers, W and the number of iterations."""
        rows = canonical_rows(data, merge=True, n_threads=count_threads(self.n_jobs, data.n_cells))
        weights = rows.weights.of_rows(rows.table.n_rows)
        preparation, matrix = fit_preparation(rows, weights, standardize=self.standardize)
        k = self._number(rows, weights, (preparation, matrix), found)
        n_starts = self._n_starts(matrix.size * k)
        return preparation, *self._cluster(with_a_column(matrix), weights, k, n_starts)

    def _fit_blocks(
        self, data: TrainingData, found: dict[str, Any]
    ) -> tuple[Preparation, Floats, float, int]:
        """Return the same of a large table, beginning with the clusters of rows drawn from it."""
        blocks = prepare_in_blocks(data, standardize=self.standardize)
        rows, preparation = blocks.drawn_rows(MOST_DRAWN), blocks.preparation
        weights, matrix = rows.weights.of_rows(rows.table.n_rows), preparation.matrix(rows.table)
        k = self._number(rows, weights, (preparation, matrix), found)
        start, _, first = self._cluster(with_a_column(matrix), weights, k, self._n_starts(0))
        centers, last, n_iter = lloyd_in_blocks(
            blocks,
            start[:, : matrix.shape[1]],
            max_iter=int(self.max_iter),
            limit=self.tol * blocks.variance,
            n_threads=count_threads(self.n_jobs, matrix.size * k),
        )
        return preparation, centers, last.inertia, first + n_iter

    def _number(
        self,
        rows: TrainingData,
        weights: Floats,
        prepared: tuple[Preparation, Floats],
        found: dict[str, Any],
    ) -> int:
        """Return the number of clusters; where it is found, how goes to ``found``."""
        if self.n_clusters != "auto":
            return int(self.n_clusters)
        seed = check_seed(self.random_state)
        counts = find_number(rows, weights, prepared, seed=seed, n_jobs=self.n_jobs)
        found["counts_"] = counts
        return counts.n_groups

    def _cluster(
        self, matrix: Floats, weights: Floats, k: int, n_starts: int
    ) -> tuple[Floats, float, int]:
        """Return the centers by weight of their clusters, W, and the number of iterations."""
        k = min(k, len(matrix))
        known = np.isfinite(matrix)
        variance = float((weights @ np.where(known, matrix, 0.0) ** 2).mean() / weights.sum())
        found = _core.fit_kmeans(
            matrix,
            weights,
            (k, n_starts, int(self.max_iter), self.tol * variance),
            self.init == "k-means++",
            check_seed(self.random_state),
            count_threads(self.n_jobs, matrix.size * k),
        )
        centers, labels = found[0].reshape(k, -1), found[1]
        number_of = by_weight(labels, weights)
        order = np.unique(labels)[np.argsort(number_of)]  # clusters without rows are left out
        return np.ascontiguousarray(centers[order]), float(found[2]), int(found[3])

    def _n_starts(self, work: int) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        return _STARTS if work <= _MANY else _FEW_STARTS

    def predict(self, X: Any) -> Places:
        """Return the nearest center of each row; the heaviest cluster on ties."""
        centers = self._centers()
        parts = [
            _core.nearest_centers(matrix, centers, self._n_threads(matrix)).astype(np.int64)
            for matrix in self._numbers(X)
        ]
        return np.concatenate(parts)

    def transform(self, X: Any) -> Floats:
        """Return the distance of each row to each center, scaled up where cells are missing."""
        centers = self._centers()
        parts = [
            _core.center_distances(matrix, centers, self._n_threads(matrix))
            for matrix in self._numbers(X)
        ]
        return np.sqrt(np.concatenate(parts)).reshape(-1, len(centers)) * self._preparation.unit

    def centers(self, library: Library = "pandas") -> Any:
        """Return the centers as a frame in the units of the table.

        A category has the share that it has in the cluster.
        """
        self._check_fitted()
        prepared = self._preparation
        terms = self.cluster_centers_ * prepared.scale + prepared.center
        columns: dict[str, Any] = {"cluster": np.arange(len(terms))}
        columns |= dict(zip(prepared.names, terms.T, strict=True))
        return result_frame(columns, library)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return a name for each distance: "cluster0", "cluster1" and so on."""
        self._check_fitted()
        return np.array([f"cluster{at}" for at in range(len(self.cluster_centers_))], dtype=object)

    def _centers(self) -> Floats:
        self._check_fitted()
        return with_a_column(self.cluster_centers_)

    def _numbers(self, X: Any) -> Iterator[Floats]:
        """Go through the prepared numbers of rows; those of a large table piece by piece."""
        for piece in pieces_of(self._check_rows(X).table):
            yield with_a_column(self._preparation.matrix(piece))

    def _n_threads(self, matrix: Floats) -> int:
        return count_threads(self.n_jobs, matrix.size * len(self.cluster_centers_))

    def _complexity(self) -> Complexity:
        return Complexity(len(self.cluster_centers_), "clusters")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            "preparation": self._preparation.pack(),
            "centers": self.cluster_centers_.ravel(),
            "n_centers": float(len(self.cluster_centers_)),
            "inertia": self.inertia_,
            "n_iter": float(self.n_iter_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        packed = state.get("preparation")
        if not isinstance(packed, dict):
            raise malformed("the preparation of the table is missing")
        preparation = Preparation.unpack(packed, schema)
        n_terms = int(preparation.kept.sum())
        n_centers = int(number_from_state(state, "n_centers"))
        n_iter = int(number_from_state(state, "n_iter"))
        inertia = number_from_state(state, "inertia")
        if not 1 <= n_centers <= 10**9 or inertia < 0 or n_iter < 1:
            raise malformed("there is no center, or a sum of squares is below 0")
        centers = numbers_from_state(state, "centers", length=n_centers * n_terms)
        if (np.abs(centers) > FARTHEST).any():
            raise malformed("a center is too far away")
        return {
            "cluster_centers_": centers.reshape(n_centers, n_terms),
            "inertia_": inertia,
            "n_iter_": n_iter,
            "_preparation": preparation,
        }


FARTHEST = 1e150  # squares of prepared numbers stay finite


def with_a_column(matrix: Floats) -> Floats:
    """Return the numbers as the core takes them: contiguous, with a column if there is none."""
    matrix = matrix if matrix.shape[1] else np.zeros((len(matrix), 1))
    return np.ascontiguousarray(matrix, dtype=np.float64)
