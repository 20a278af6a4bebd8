"""``describe_clusters``: what each cluster is.

1. Rows are put in canonical order; each has the label of its cluster.
2. Each cluster gets a short rule with its precision and recall out of fold (``_cluster_rules``),
   the columns that differ most (``_column_effects``), and its most typical rows: those nearest to
   the mean of the cluster, where a missing cell counts as the cluster's mean squared deviation.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from branchline._arrays import Bools, Floats, Places
from branchline._canonical_rows import canonical_rows_with_origins
from branchline._folds import fold_rows
from branchline._prepared_table import fit_preparation
from branchline._validation import (
    TrainingData,
    Whole,
    check_parameters,
    check_seed,
    check_training_inputs,
    count_threads,
)
from branchline.cluster._cluster_description import ClusterDescription, ClusterDescriptions
from branchline.cluster._cluster_rules import find_rule
from branchline.cluster._column_effects import column_effects
from branchline.errors import ParameterError

__all__ = ["describe_clusters"]

_N_FOLDS = 5
_MOST_ROWS = 5000
_MOST_CLUSTERS = 100


def describe_clusters(
    X: Any,
    clusters: Any,
    sample_weight: Any = None,
    *,
    n_columns: int = 3,
    n_typical: int = 3,
    row_names: Any = None,
    random_state: Any = 0,
) -> ClusterDescriptions:
    """Say what each cluster is: a short rule, the columns that differ, its most typical rows.

    The rule is a summary, not the clustering: its precision and recall, on rows that were not used
    to find it, say how much it leaves out. Differences describe clusters that were made to differ;
    their intervals do not test whether there are clusters (``how_many`` does).

    Parameters
    ----------
    X
        A table of any kind: the inputs of the clustering, or other columns of the same rows.
    clusters
        The label of each row, or a fitted model that predicts clusters.
    sample_weight
        Weights of rows; a weight of 2 counts as two copies. Default None: all weigh the same.
    n_columns
        Number of columns that are shown for each cluster. Default 3.
    n_typical
        Number of typical rows that are shown for each cluster. Default 3.
    row_names
        A name for each row, by which typical rows are shown; default: their places from 0.
    random_state
        Seed of the folds. Default 0.

    See Also
    --------
    ClusterDescriptions : what each cluster is.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, describe_clusters
    >>> X, y = load_dataset("iris").split_target("species")
    >>> found = describe_clusters(X, KMeans(3).fit(X))
    >>> found[1].rule.text, round(found[1].rule.recall.estimate, 2)
    ('petal_width ≤ 0.8', 1.0)
    """
    given = {"n_columns": n_columns, "n_typical": n_typical}
    check_parameters("describe_clusters", given, dict.fromkeys(given, Whole(1, 1000)))
    data = check_training_inputs(X, sample_weight)
    names, cluster_of_row = _labels(X, clusters, data)
    seed = check_seed(random_state)
    n_threads = count_threads(None, data.n_cells)
    rows, origins = canonical_rows_with_origins(data, merge=False, n_threads=n_threads)
    inside_of = cluster_of_row[origins.first]
    weights = rows.weights.of_rows(rows.table.n_rows)
    places = origins.first if data.kept_rows is None else data.kept_rows[origins.first]
    _, matrix = fit_preparation(rows, weights, standardize=True)
    some = _spread(rows.table.n_rows)
    ruled = rows if len(some) == rows.table.n_rows else rows.rows(some)
    folds = replace(fold_rows(ruled), stratum=inside_of[some].astype(np.int64))
    splits = folds.split(_N_FOLDS, seed)
    are_copies = rows.weights.unit == 1.0
    found = []
    for at, label in enumerate(names):
        inside = inside_of == at
        typical = _typical(matrix, weights, inside, n_typical)
        found.append(
            ClusterDescription(
                label,
                float(weights[inside].sum()),
                float(weights[inside].sum() / weights.sum()),
                find_rule(ruled.table, weights[some], inside[some], splits, are_copies),
                column_effects(rows.table, weights, inside, are_copies, n_columns),
                tuple(places[typical].tolist()),
                tuple(rows.table.rows(typical).to_dicts()),
                () if row_names is None else tuple(str(row_names[at]) for at in places[typical]),
            )
        )
    return ClusterDescriptions(tuple(found), rows.table.n_rows, len(some))


def _labels(X: Any, clusters: Any, data: TrainingData) -> tuple[list[Any], Places]:
    """Return the labels, and the place of each row's label among them."""
    given = clusters.predict(X) if hasattr(clusters, "predict") else clusters
    # A list of numbers and texts stays one: NumPy would make texts of all.
    labels = np.asarray(given, dtype=None if hasattr(given, "__array__") else object)
    n_rows = data.table.n_rows if data.kept is None else len(data.kept)
    if labels.ndim != 1 or len(labels) != n_rows:
        size = labels.shape[0] if labels.ndim else 0
        raise ParameterError(
            f"labels has {size} entries, but the table has {n_rows} rows.", code="P660"
        )
    labels = labels if data.kept_rows is None else labels[data.kept_rows]
    values = labels.tolist()
    if any(value is None or value != value for value in values):
        raise ParameterError("Some rows have no cluster label.", code="P662")
    try:
        names = sorted(set(values))
    except TypeError as error:
        why = "Cluster labels must be of one kind: all numbers, or all texts."
        raise ParameterError(why, code="P662") from error
    if len(names) > _MOST_CLUSTERS:
        raise ParameterError(
            f"There are {len(names):,} clusters; at most {_MOST_CLUSTERS} are described.",
            code="P663",
        )
    place_of = {name: at for at, name in enumerate(names)}
    return names, np.array([place_of[value] for value in values], dtype=np.intp)


def _spread(n_rows: int) -> Places:
    """Return the rows that rules are found on: all, or evenly spread ones."""
    if n_rows <= _MOST_ROWS:
        return np.arange(n_rows)
    return np.floor((np.arange(_MOST_ROWS) + 0.5) * n_rows / _MOST_ROWS).astype(np.intp)


def _typical(matrix: Floats, weights: Floats, inside: Bools, n_typical: int) -> Places:
    """Return the rows nearest to the mean of their cluster; the first on ties."""
    members = np.flatnonzero(inside)
    rows, own = matrix[members], weights[members][:, None]
    known = np.isfinite(rows)
    total = np.maximum((own * known).sum(axis=0), 1e-300)
    center = (own * np.where(known, rows, 0.0)).sum(axis=0) / total
    squares = np.where(known, rows - center, 0.0) ** 2
    expected = (own * squares).sum(axis=0) / total
    distances = np.where(known, squares, expected).sum(axis=1)
    nearest = np.argsort(np.round(distances, 9), kind="stable")
    return members[nearest[:n_typical]]
