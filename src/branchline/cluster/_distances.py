"""Distances of the rows of any table."""

from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._row_distances._comparison import METRICS, fit_comparison
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    Given,
    OneOf,
    check_parameters,
    check_prediction_data,
    check_training_inputs,
    count_threads,
)
from branchline.kernels import Kernel

__all__ = ["distances"]


def distances(
    X: Any,
    Y: Any = None,
    *,
    metric: Any = "auto",
    standardize: bool | str = "auto",
    condensed: bool = False,
    n_jobs: int | None = None,
) -> Floats:
    """Return how far the rows of a table are from each other, or from those of another table.

    Cells may be missing: only columns known in both rows count, scaled up to all columns.

    Parameters
    ----------
    X, Y
        Tables of any kind; without ``Y``, distances between the rows of ``X``. Scales are learned
        from ``X``. Default None: the rows of ``X``.
    metric
        "auto" (default: Euclidean of standardized columns; Gower's where there are categories),
        "euclidean", "manhattan", "correlation" (1 − correlation of two rows), "gower" (mean over
        columns: difference divided by the range, or whether categories differ), or a kernel.
    standardize
        Whether numbers are divided by their standard deviation; default only with "auto".
    condensed
        Whether each pair is returned once, as one list: 0 and 1, 0 and 2, and so on. Default False.
    n_jobs
        Number of threads; None (default): all cores. The result does not depend on it.

    See Also
    --------
    draw_distances : draw how far rows are apart.
    AgglomerativeClustering

    Examples
    --------
    >>> from branchline.cluster import distances
    >>> series = [[2, 4, 5, 6], [0.5, 1, 1.25, 1.5], [1.5, 1, 0.75, 0.5], [2.5, 3.5, 4.5, 1]]
    >>> distances(series, metric="euclidean", condensed=True).round(2).tolist()
    [6.75, 7.59, 5.07, 1.5, 4.59, 4.64]
    """
    allowed: dict[str, Constraint] = {
        "metric": AnyOf((OneOf(METRICS), Given((Kernel,), "a kernel"))),
        "standardize": AnyOf((Flag(), OneOf(("auto",)))),
        "condensed": Flag(),
    }
    given = {"metric": metric, "standardize": standardize, "condensed": condensed}
    check_parameters("distances", given, allowed)
    data = check_training_inputs(X, None)
    others = None
    if Y is not None:
        others = check_prediction_data(Y, data.table.schema, owner="distances").table
    n_pairs = data.table.n_rows * (data.table.n_rows if others is None else others.n_rows)
    n_threads = count_threads(n_jobs, n_pairs)
    if isinstance(metric, Kernel):
        found = np.sqrt(np.maximum(metric.distance(data.table, others, n_jobs=n_threads), 0.0))
        return _pairs(found) if condensed else found
    weights = np.ones(data.table.n_rows)
    fitted, rows = fit_comparison(data, weights, metric, standardize)
    if condensed and others is None:
        return fitted.condensed(rows, n_threads=n_threads)
    return fitted.between(
        rows, None if others is None else fitted.rows(others), n_threads=n_threads
    )


def _pairs(square: Floats) -> Floats:
    return np.asarray(square[np.triu_indices(len(square), 1)])
