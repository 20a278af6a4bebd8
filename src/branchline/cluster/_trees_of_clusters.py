"""Clusters of clusters: agglomerative (joined from below) and divisive (divided from above).

1. Rows are put in canonical order, equal ones merged with their weights.
2. All distances are computed (``_row_distances``); the tree is found (``linkage.hpp``).
3. The tree is cut, into a number of clusters or at a height.
"""

from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._base import Clusterer, Complexity, FittedState, reports_progress
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._row_distances._comparison import METRICS, fit_comparison
from branchline._row_distances._given_distances import given_distances, numbers_of
from branchline._row_distances._kept_rows import KeptRows
from branchline._state import malformed
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Real,
    TrainingData,
    count_threads,
)
from branchline.charts import Chart
from branchline.charts.figures import draw_dendrogram
from branchline.cluster._cluster_members import ClusterMembers, Square
from branchline.cluster._dendrogram import ClusterTree, merges_from_state
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._number_of_clusters import N_CLUSTERS, find_number, refuse_auto
from branchline.errors import ParameterError, Repair
from branchline.table import Schema

__all__ = ["AgglomerativeClustering", "DivisiveClustering"]

_LINKAGES = ("single", "complete", "average", "ward")

# Distances of distinct rows, weights, the place of each row, the rows, how many groups there are.
_Distances: TypeAlias = tuple[Floats, Floats, Places, KeptRows, GroupCounts | None]


class _ClusterTreeEstimator(Clusterer):
    """What both directions share: distances, the cut, the picture, saving."""

    _tolerance = 1e-8
    _copies_of_columns_count = True
    n_clusters: Any
    height: float | None
    metric: str
    standardize: bool | str
    n_jobs: int | None
    _left_out_of_files = frozenset({"labels_", "counts_"})
    counts_: GroupCounts
    merges_: Floats
    n_clusters_: int
    _members: ClusterMembers

    def _fit_tree(self, X: Any, sample_weight: Any) -> Self:
        data = self._begin_inputs(X, sample_weight)
        square, weights, leaf_of_row, kept, counts = self._distances(data)
        again = self._square_again(data, kept) if self._measure() == "ward" else None
        tree = ClusterTree(*self._tree(square, weights))
        del square
        k = self.n_clusters if counts is None else counts.n_groups
        labels = tree.cut(self._n_merges(tree, k), weights)
        self._finish(
            data,
            **({} if counts is None else {"counts_": counts}),
            merges_=tree.of_rows(leaf_of_row),
            n_clusters_=int(labels.max()) + 1,
            _members=ClusterMembers.of_labels(kept, weights, labels, again),
        )
        self.labels_ = self._labels_of_given(X, data, labels[leaf_of_row])
        return self

    def _distances(self, data: TrainingData) -> _Distances:
        """Return the distances of distinct rows, their weights, the place of each row, the rows."""
        is_auto = self.n_clusters == "auto" and self.height is None
        n_rows = data.table.n_rows
        if self.metric == "precomputed":
            if is_auto:
                refuse_auto(self)
            square = given_distances(data, type(self).__name__).copy()  # is overwritten
            every = np.arange(n_rows)
            kept = KeptRows.of_matrix(every if data.kept_rows is None else data.kept_rows)
            return square, data.weights.of_rows(n_rows), every, kept, None
        n_threads = count_threads(self.n_jobs, n_rows * n_rows)
        rows, origins = canonical_rows_with_origins(data, merge=True, n_threads=n_threads)
        weights = rows.weights.of_rows(rows.table.n_rows)
        is_default = self.metric == self.standardize == "auto"  # also where _metric names one
        scaled = True if is_default else self.standardize
        fitted, matrix = fit_comparison(rows, weights, self._metric(), scaled)
        square = fitted.between(matrix, n_threads=n_threads)
        counts = find_number(rows, weights, n_jobs=self.n_jobs) if is_auto else None
        return square, weights, origins.canonical_of_row, KeptRows(fitted, matrix), counts

    def _square_again(self, data: TrainingData, kept: KeptRows) -> Square:
        """Return what gives distances of members after the tree has used up the matrix."""
        if kept.comparison is None:
            matrix, places = numbers_of(data.table), kept.points[:, 0].astype(np.intp)
            return lambda some, others: matrix[np.ix_(some, places[others])]
        return lambda some, others: kept.rows(others).distances(kept.points[some])

    def _metric(self) -> str:
        return self.metric

    def _tree(self, square: Floats, weights: Floats) -> tuple[Any, Any, Any]:
        raise NotImplementedError

    def _n_merges(self, tree: ClusterTree, k: Any) -> int:
        if self.height is not None:
            return int(np.searchsorted(tree.height, self.height, side="right"))
        return max(0, tree.n_leaves - int(k))

    def predict(self, X: Any) -> Places:
        """Return the cluster of each row: the nearest by the measure that made the tree.

        A row that equals a training row goes to the cluster of that row. Where distances were
        given as a matrix, new rows bring their distance from each training row.
        """
        table = self._check_rows(X).table
        n_threads = count_threads(self.n_jobs, table.n_rows * len(self._members.rows))
        return self._members.place(table, self._measure(), n_threads=n_threads)

    def _measure(self) -> str:
        """Return the linkage by which new rows are compared with clusters."""
        return "average"

    def draw(self, labels: Any = None, ax: Any = None) -> Any:
        """Draw the tree of clusters (dendrogram), with the clusters in colors and the cut.

        Parameters
        ----------
        labels
            A name for each row; default: the number of the row.
        ax
            Axes of matplotlib; when they are given, the chart is drawn on them.
        """
        self._check_fitted()
        chart: Chart = draw_dendrogram(self.merges_, labels=labels, n_clusters=self.n_clusters_)
        return chart if ax is None else chart.on(ax)

    def _complexity(self) -> Complexity:
        return Complexity(self.n_clusters_, "clusters")

    def _pack(self) -> FittedState:
        return {"merges": self.merges_.ravel(), **self._members.pack()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        members = ClusterMembers.unpack(state, schema)
        merges = merges_from_state(state)
        if len(merges) + 1 < len(members.labels):
            raise malformed("a tree has fewer rows than its clusters")
        n_clusters = int(members.labels[-1]) + 1
        return {"merges_": merges, "n_clusters_": n_clusters, "_members": members}


_SHARED: dict[str, Constraint] = {
    "n_clusters": N_CLUSTERS,
    "height": AnyOf((OneOf((None,)), Real(0))),
    "metric": OneOf((*METRICS, "precomputed")),
    "standardize": AnyOf((Flag(), OneOf(("auto",)))),
}


class AgglomerativeClustering(_ClusterTreeEstimator):
    """Join the rows of any table into ever larger clusters, the nearest first.

    The result is a tree (dendrogram) that can be cut into any number of clusters. Numbers and
    categories may be mixed, and cells may be missing. A weight of w is w equal rows. New rows go to
    the nearest cluster, by the measure that made the tree.

    Parameters
    ----------
    n_clusters
        Number of clusters that the tree is cut into. "auto": as many groups as ``how_many`` finds,
        at most 8. Default 2.
    linkage
        The distance of two clusters: of their nearest rows ("single"), their farthest
        ("complete"), all pairs on average ("average", default), or how much the squared distances
        from the means grow ("ward", Euclidean distances).
    height
        Where the tree is cut instead: merges above this height are undone.
        Default None: ``n_clusters`` decides.
    metric
        How rows are compared, as in ``distances``; "precomputed": the table is a square matrix of
        distances, and ties go to the row that stands first. Default "auto".
    standardize
        Whether numbers are divided by their standard deviation; default only with "auto".
    n_jobs
        Number of threads; None (default): all cores. The result does not depend on it.

    Attributes
    ----------
    merges_
        The tree in SciPy's form: a row for each merge with two clusters, the height and the number
        of rows. Equal rows are joined at height 0.
    labels_
        The cluster of each row; 0 is the heaviest. A loaded model has none.
    counts_
        With "auto": how many groups there are by each rule. A loaded model has none.

    See Also
    --------
    DivisiveClustering
    KMeans

    Examples
    --------
    >>> from branchline.cluster import AgglomerativeClustering
    >>> series = [[2, 4, 5, 6], [0.5, 1, 1.25, 1.5], [1.5, 1, 0.75, 0.5], [2.5, 3.5, 4.5, 1]]
    >>> model = AgglomerativeClustering(2, metric="euclidean").fit(series)
    >>> model.merges_[:, 2].round(3).tolist()
    [1.5, 4.616, 6.47]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {**_SHARED, "linkage": OneOf(_LINKAGES)}

    def __init__(
        self,
        n_clusters: int | str = 2,
        *,
        linkage: Literal["single", "complete", "average", "ward"] = "average",
        height: float | None = None,
        metric: str = "auto",
        standardize: bool | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.height = height
        self.metric = metric
        self.standardize = standardize
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Join the rows; ``y`` is ignored."""
        return self._fit_tree(X, sample_weight)

    def _metric(self) -> str:
        if self.linkage != "ward" or self.metric in ("auto", "euclidean"):
            is_ward = self.linkage == "ward" and self.metric == "auto"
            return "euclidean" if is_ward else self.metric
        raise ParameterError(
            f"Ward's linkage needs Euclidean distances; metric={self.metric!r} gives others.",
            code="P671",
            values=[self.metric],
            repair=Repair("model.set_params(metric='euclidean')"),
        )

    def _measure(self) -> str:
        return self.linkage

    def _tree(self, square: Floats, weights: Floats) -> tuple[Any, Any, Any]:
        return _core.join_clusters(_LINKAGES.index(self.linkage), square, weights)


class DivisiveClustering(_ClusterTreeEstimator):
    """Divide the rows of any table into ever smaller clusters (DIANA).

    From each cluster the row leaves that is farthest from the others on average, and those follow
    that are nearer to the rows that left. Better than joining where a few large clusters matter,
    slower where there are thousands of rows. Equal rows stay together.

    Parameters
    ----------
    n_clusters
        Number of clusters that the tree is cut into. "auto": as many groups as ``how_many`` finds,
        at most 8. Default 2.
    height
        Where the tree is cut instead: clusters with a larger distance inside are divided.
        Default None: ``n_clusters`` decides.
    metric, standardize, n_jobs
        As for ``AgglomerativeClustering``.

    Attributes
    ----------
    merges_
        The tree in SciPy's form; the height of a cluster is its largest distance.
    labels_
        The cluster of each row; 0 is the heaviest. A loaded model has none.
    counts_
        With "auto": how many groups there are by each rule. A loaded model has none.

    See Also
    --------
    AgglomerativeClustering
    KMeans : put the rows of any table into clusters around centers.

    Examples
    --------
    >>> from branchline.cluster import DivisiveClustering
    >>> series = [[2, 4, 5, 6], [0.5, 1, 1.25, 1.5], [1.5, 1, 0.75, 0.5], [2.5, 3.5, 4.5, 1]]
    >>> model = DivisiveClustering(2, metric="euclidean").fit(series)
    >>> model.merges_[:, 2].round(2).tolist()
    [1.5, 4.64, 7.59]
    """

    _constraints: ClassVar[dict[str, Constraint]] = _SHARED

    def __init__(
        self,
        n_clusters: int | str = 2,
        *,
        height: float | None = None,
        metric: str = "auto",
        standardize: bool | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.metric = metric
        self.standardize = standardize
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Divide the rows; ``y`` is ignored."""
        return self._fit_tree(X, sample_weight)

    def _tree(self, square: Floats, weights: Floats) -> tuple[Any, Any, Any]:
        return _core.divide_clusters(square, weights)
