"""Silhouettes: how much nearer a row is to its own cluster than to the nearest other one.

s = (b − a) / max(a, b), with a the mean distance to the other rows of the row's own cluster and b
the least mean distance to the rows of another cluster (Rousseeuw 1987). A row that is alone in its
cluster has s = 0. Distances are exact; they are computed in blocks, so no matrix is kept.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._drawable import Drawable
from branchline._prepared_table import fit_preparation
from branchline._validation import check_training_inputs, count_threads
from branchline.charts import Chart
from branchline.cluster._silhouette_chart import draw_silhouette
from branchline.errors import ParameterError

__all__ = ["Silhouette", "mean_silhouette", "silhouette"]

_FEWEST = 2


@dataclass(frozen=True, eq=False)
class Silhouette(Drawable):
    """How well rows lie in their clusters, from −1 to 1.

    Parameters
    ----------
    of_row
        The silhouette of each row.
    of_cluster
        The weighted mean of each cluster, by its label.
    mean
        The weighted mean of all rows.
    labels
        The cluster of each row.

    See Also
    --------
    silhouette : return how much nearer rows are to their own cluster than to the nearest other one.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, silhouette
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> round(silhouette(X, KMeans(2).fit(X).labels_).of_cluster[0], 2)
    0.53
    """

    of_row: Floats
    of_cluster: dict[Any, float]
    mean: float
    labels: Any = None

    def _chart(self) -> Chart:
        """Return the silhouettes of all rows, cluster by cluster, the largest first."""
        return draw_silhouette(self)


def silhouette(
    X: Any,
    labels: Any,
    sample_weight: Any = None,
    *,
    standardize: bool = True,
    n_jobs: int | None = None,
) -> Silhouette:
    """Return how much nearer rows are to their own cluster than to the nearest other one.

    Parameters
    ----------
    X
        A table of any kind; missing cells are left out of distances.
    labels
        The cluster of each row.
    sample_weight
        Weights of rows; a weight of 2 counts as two copies, 0 leaves a row out (NaN).
        Default None: all weigh the same.
    standardize
        Whether numbers are divided by their standard deviation, as in ``KMeans``. Default True.
    n_jobs
        Number of threads; the result does not depend on it.
        Default None: as many as the work is worth.

    See Also
    --------
    Silhouette : how well rows lie in their clusters, from −1 to 1.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, silhouette
    >>> X, y = load_dataset("iris").split_target("species")
    >>> round(silhouette(X, KMeans(2).fit(X).labels_).mean, 3)
    0.58
    """
    data = check_training_inputs(X, sample_weight)
    kept = data.kept_rows
    given = np.asarray(labels)
    n_given = len(given)
    n_rows = data.table.n_rows if data.kept is None else len(data.kept)
    if given.ndim != 1 or n_given != n_rows:
        raise ParameterError(
            f"labels has {n_given} entries, but the table has {n_rows} rows.", code="P660"
        )
    names, cluster = np.unique(given if kept is None else given[kept], return_inverse=True)
    if len(names) < _FEWEST:
        raise ParameterError("A silhouette needs at least two clusters; found 1.", code="P661")
    values = _of_rows(
        data,
        cluster.reshape(-1),
        standardize,
        count_threads(n_jobs, data.n_cells * data.table.n_rows),
    )
    weights = data.weights.of_rows(data.table.n_rows)
    sums = np.bincount(cluster.reshape(-1), weights=weights * values)
    sizes = np.bincount(cluster.reshape(-1), weights=weights)
    of_row = np.full(n_given, np.nan)
    of_row[slice(None) if kept is None else kept] = values
    of_cluster = {
        name: float(mean) for name, mean in zip(names.tolist(), sums / sizes, strict=True)
    }
    return Silhouette(of_row, of_cluster, float(sums.sum() / sizes.sum()), given)


def _of_rows(data: Any, cluster: Any, standardize: bool, n_threads: int) -> Floats:
    """Return the silhouette of each row; rows are summed in canonical order."""
    rows, origins = canonical_rows_with_origins(data, merge=False, n_threads=n_threads)
    weights = rows.weights.of_rows(rows.table.n_rows)
    _, matrix = fit_preparation(rows, weights, standardize=standardize)
    matrix = matrix if matrix.shape[1] else np.zeros((len(matrix), 1))
    own = cluster[origins.first]
    values = _values_of(matrix, own, weights, rows.weights.unit == 1.0, n_threads)
    return values[origins.canonical_of_row]


def mean_silhouette(rows: Floats, labels: Places) -> float:
    """Return the mean silhouette of rows of numbers; NaN with fewer than two clusters."""
    if len(np.unique(labels)) < _FEWEST:
        return float("nan")
    return float(_values_of(rows, labels, np.ones(len(rows)), True, 1).mean())


def _values_of(
    matrix: Floats, own: Any, weights: Floats, are_copies: bool, n_threads: int
) -> Floats:
    """Return the silhouette of each row of numbers."""
    order = np.argsort(own, kind="stable")
    sizes = np.asarray(np.bincount(own, weights=weights), dtype=np.float64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(own))]).astype(np.int64)
    sums = _core.distance_sums(
        np.ascontiguousarray(matrix[order]), weights[order], starts, n_threads
    ).reshape(len(order), len(sizes))
    values = np.empty(len(order))
    values[order] = _values(sums, own[order], sizes, weights[order], are_copies)
    return values


def _values(sums: Floats, own: Any, sizes: Floats, weights: Floats, are_copies: bool) -> Floats:
    at = np.arange(len(own))
    others = sizes[own] - (1.0 if are_copies else weights)  # a row is not its own neighbor
    inside = np.where(others > 0, sums[at, own] / np.where(others > 0, others, 1.0), 0.0)
    means = sums / sizes
    means[at, own] = np.inf
    outside = means.min(axis=1)
    largest = np.maximum(inside, outside)
    found = np.where(largest > 0, (outside - inside) / np.where(largest > 0, largest, 1.0), 0.0)
    return np.where(others > 0, found, 0.0)
