"""k-means on batches: for tables that are large, and for rows that come piece by piece.

``fit`` (growing batches, in the spirit of Newling and Fleuret 2016):

1. Rows are put in an order drawn from their content and the seed, equal ones merged.
2. k-means finds the centers of the first batch.
3. The next rows tell how good they are: while unseen rows are further from their center than those
   used, by more than ``tol``, the batch is doubled, and k-means goes on from where it ended.

``partial_fit``: the first batch is clustered like any table. Of each later batch, rows go to the
nearest center, and each center becomes the mean of all rows that it was ever given (MacQueen 1967).
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._base import FittedState, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._encoding._encoded_blocks import is_large
from branchline._prepared_blocks import prepare_in_blocks
from branchline._prepared_table import fit_preparation
from branchline._row_keys import scramble
from branchline._state import (
    column_attributes,
    malformed,
    number_from_state,
    numbers_from_state,
)
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Real,
    TrainingData,
    Whole,
    check_parameters,
    check_seed,
    check_training_inputs,
    count_threads,
)
from branchline.cluster._cluster_sums import (
    moved_centers,
    nearest_centers,
    sums_of_clusters,
    weights_known,
    within,
)
from branchline.cluster._kmeans import FARTHEST, KMeans, with_a_column
from branchline.cluster._kmeans_blocks import (
    DrawnPoints,
    in_order_of_weight,
    pass_of_clusters,
)
from branchline.cluster._numbering import by_weight
from branchline.errors import DataError, Repair
from branchline.table import Schema

__all__ = ["MiniBatchKMeans"]

_ROWS_PER_CLUSTER, _FEWEST_ROWS = 20, 1000
_STARTS = 3
_TOLERANCE = 1e-4  # of the k-means on each batch


class MiniBatchKMeans(KMeans):
    """Put the rows of a large table into clusters, looking at few of them.

    Use it when ``KMeans`` takes too long, or when the rows come in batches. On tables of any kind,
    with missing cells, as in ``KMeans``. Centers are found in a batch of rows, which grows until
    rows that were not used lie as near to the centers as those that were.

    Parameters
    ----------
    n_clusters
        Number of clusters. Default 8.
    batch_size
        Number of rows to begin with. "auto" (default): 20 for each cluster, and at least 1,000.
    n_init
        Number of starts on the first batch; the best is kept. "auto" (default): 3.
    max_iter
        Maximum number of iterations on a batch. Default 300.
    tol
        ``fit`` ends when unseen rows are further from their center by at most this share of the
        squared distance. 0: all rows are used. Default 0.01.
    standardize
        Whether numbers are divided by their standard deviation. False keeps their units: a column
        of large numbers then decides. Default True.
    random_state
        Seed of the batches and starts. Default 0.
    n_jobs
        Number of threads; -1 uses all. The result does not depend on it.
        Default None: as many as the work is worth.

    Attributes
    ----------
    cluster_centers_
        The centers, in prepared numbers; ``centers()`` shows them in the units of the table.
    labels_
        The cluster of each row that was given (after ``partial_fit``: of the last batch); 0 is the
        heaviest. A loaded model has none.
    inertia_
        W: the sum of squared distances to the centers, over the known cells of all rows that
        were given. After ``partial_fit`` each batch counts as it was when it came.
    n_iter_
        Number of iterations, on all batches.
    n_rows_used_
        Number of different rows from which the centers were found.

    See Also
    --------
    KMeans

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.cluster import MiniBatchKMeans
    >>> rows = np.random.default_rng(0).normal(size=(20_000, 2)).round(2)
    >>> model = MiniBatchKMeans(4).fit(rows)
    >>> model.n_rows_used_ < len(rows), len(model.cluster_centers_)
    (True, 4)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_clusters": Whole(1, 1_000_000),
        "batch_size": AnyOf((Whole(1), OneOf(("auto",)))),
        "n_init": AnyOf((Whole(1, 1_000_000), OneOf(("auto",)))),
        "max_iter": Whole(1, 1_000_000),
        "tol": Real(0, 1),
        "standardize": Flag(),
    }
    n_rows_used_: int
    _weights: Floats

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        batch_size: int | str = "auto",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 0.01,
        standardize: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.batch_size = batch_size
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
        fitted = self._fitted(data, min(int(self.n_clusters), data.table.n_rows))
        self._finish(data, **fitted)
        self.labels_ = self.predict(X)
        return self

    def _fitted(self, data: TrainingData, k: int) -> dict[str, Any]:
        """Return the fitted attributes of clusters of these rows, without labels."""
        if is_large(data.table):
            return self._fitted_in_blocks(data, k)
        n_threads = count_threads(self.n_jobs, data.n_cells)
        rows = canonical_rows(data, merge=True, n_threads=n_threads)
        weights = rows.weights.of_rows(rows.table.n_rows)
        preparation, matrix = fit_preparation(rows, weights, standardize=self.standardize)
        order = self._drawn_order(rows)
        points = with_a_column(matrix[order])
        centers, n_used, n_iter = self._grow(points, weights[order], min(k, len(points)))
        labels = nearest_centers(points, centers, n_threads)
        number_of = by_weight(labels, weights[order])
        kept = np.unique(labels)[np.argsort(number_of)]  # clusters without rows are left out
        labels = number_of[np.unique(labels, return_inverse=True)[1].reshape(-1)]
        centers, width = centers[kept], matrix.shape[1]
        inertia = within(points, weights[order], centers, labels)
        return {
            "cluster_centers_": np.ascontiguousarray(centers[:, :width]),
            "inertia_": inertia * preparation.unit**2,
            "n_iter_": n_iter,
            "n_rows_used_": n_used,
            "_weights": weights_known(points, weights[order], labels, len(kept))[:, :width],
            "_preparation": preparation,
        }

    def _fitted_in_blocks(self, data: TrainingData, k: int) -> dict[str, Any]:
        """Return the fitted attributes of a large table, of which few rows are fetched."""
        blocks = prepare_in_blocks(data, standardize=self.standardize)
        preparation, width = blocks.preparation, blocks.shape[1]
        order = blocks.drawn_order(check_seed(self.random_state))
        points, weights = DrawnPoints(blocks, order), blocks.weights[order]
        centers, n_used, n_iter = self._grow(points, weights, min(k, len(points)))
        n_threads = count_threads(self.n_jobs, data.n_cells)
        found = pass_of_clusters(blocks, centers[:, :width], n_threads)
        centers, found = in_order_of_weight(centers[:, :width], found)
        return {
            "cluster_centers_": centers,
            "inertia_": found.inertia * preparation.unit**2,
            "n_iter_": n_iter,
            "n_rows_used_": n_used,
            "_weights": found.known,
            "_preparation": preparation,
        }

    def _drawn_order(self, rows: TrainingData) -> Places:
        """Return the rows in an order that depends on their content and on the seed."""
        assert rows.row_keys is not None
        seed = np.array([check_seed(self.random_state)], dtype=np.uint64)
        return np.argsort(scramble(rows.row_keys ^ scramble(seed)), kind="stable")

    def _grow(
        self, points: Floats | DrawnPoints, weights: Floats, k: int
    ) -> tuple[Floats, int, int]:
        """Return the centers, the number of rows used, and the number of iterations."""
        size, n_rows = self._first_size(k), len(points)
        n_starts = _STARTS if self.n_init == "auto" else int(self.n_init)
        start: Any = True  # k-means++
        n_iterations = 0
        while True:
            size = min(size, n_rows)
            some, heavy = points[:size], weights[:size]
            variance = float(heavy @ np.nan_to_num(some) ** 2 @ np.ones(some.shape[1]))
            limit = _TOLERANCE * variance / (some.shape[1] * float(heavy.sum()))
            found = _core.fit_kmeans(
                some,
                heavy,
                (k, n_starts, int(self.max_iter), limit),
                start,
                check_seed(self.random_state),
                count_threads(self.n_jobs, some.size * k),
            )
            start, n_starts = found[0].reshape(k, -1), 1
            n_iterations += int(found[3])
            if size == n_rows:
                return start, size, n_iterations
            unseen = slice(size, min(2 * size, n_rows))
            seen = float(found[2]) / float(heavy.sum())
            if self._is_as_near(points[unseen], weights[unseen], start, seen):
                return start, size, n_iterations
            size *= 2

    def _is_as_near(self, points: Floats, weights: Floats, centers: Floats, seen: float) -> bool:
        """Whether unseen rows are as near to their centers as those used, but for ``tol``."""
        labels = nearest_centers(points, centers, self._threads_for(points, centers))
        unseen = within(points, weights, centers, labels) / float(weights.sum())
        return unseen - seen <= float(self.tol) * unseen and self.tol > 0

    def _first_size(self, k: int) -> int:
        if self.batch_size == "auto":
            return max(_FEWEST_ROWS, _ROWS_PER_CLUSTER * k)
        return max(int(self.batch_size), k)

    def _threads_for(self, points: Floats, centers: Floats) -> int:
        return count_threads(self.n_jobs, points.size * len(centers))

    # -- batch by batch ---------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch of rows; ``y`` is ignored.

        The first batch fixes the columns, their categories and how numbers are scaled, so it should
        be like the others: shuffle rows that are sorted. Columns are found by name. Clusters keep
        the numbers that they have after the first batch.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.
        """
        check_parameters(type(self).__name__, self.get_params(deep=False), self._constraints)
        if not self.__sklearn_is_fitted__():
            return self._first_batch(X, sample_weight)
        data = check_training_inputs(self._check_rows(X).table, sample_weight)
        rows = canonical_rows(data, merge=True)
        weights = rows.weights.of_rows(rows.table.n_rows)
        points = with_a_column(self._preparation.matrix(rows.table))
        centers = with_a_column(self.cluster_centers_)
        labels = nearest_centers(points, centers, self._threads_for(points, centers))
        inertia = within(points, weights, centers, labels)
        known = weights_known(points, weights, labels, len(centers))
        width = self.cluster_centers_.shape[1]
        sums = sums_of_clusters(np.nan_to_num(points) * weights[:, None], labels, len(centers))
        moved = moved_centers(centers, with_a_column(self._weights), known, sums)
        self.__dict__.update(
            cluster_centers_=np.ascontiguousarray(moved[:, :width]),
            inertia_=self.inertia_ + inertia * self._preparation.unit**2,
            n_iter_=self.n_iter_ + 1,
            n_rows_used_=self.n_rows_used_ + len(points),
            _weights=self._weights + known[:, :width],
        )
        self.labels_ = self.predict(X)
        return self

    def _first_batch(self, X: Any, sample_weight: Any) -> Self:
        data = check_training_inputs(X, sample_weight)
        k = int(self.n_clusters)
        fitted = self._fitted(data, min(k, data.table.n_rows))
        if len(fitted["cluster_centers_"]) < k:
            raise DataError(
                f"The first batch has {fitted['n_rows_used_']:,} different rows, but {k:,} "
                "clusters begin there. Give a larger first batch.",
                code="D660",
                values=[fitted["n_rows_used_"]],
                repair=Repair("model.set_params(n_clusters=2)"),
            )
        self.__dict__.update(fitted, **column_attributes(data.table.schema))
        self.labels_ = self.predict(X)
        return self

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **super()._pack(),
            "weights": self._weights.ravel(),
            "n_rows_used": float(self.n_rows_used_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = super()._unpack(state, schema)
        shape = fitted["cluster_centers_"].shape
        weights = numbers_from_state(state, "weights", length=shape[0] * shape[1], low=0.0)
        n_used = int(number_from_state(state, "n_rows_used"))
        if n_used < 1 or (weights > FARTHEST).any():
            raise malformed("no row was used, or weights are beyond all numbers")
        return {**fitted, "_weights": weights.reshape(shape), "n_rows_used_": n_used}
