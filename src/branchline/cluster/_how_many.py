"""How many groups there are, and whether there are any.

1. Rows become centered numbers (``_prepared_table``) in canonical order; of a large table 2,000
   rows spread over that order are taken.
2. One group is tested against reference tables (``_group_test``).
3. For each number of groups: gap, silhouette, stability under the bootstrap, BIC of a mixture.
4. If the test rejects one group, the verdict is the number that most rules find.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._canonical_rows import canonical_rows
from branchline._one_thread import one_thread
from branchline._prepared_table import Preparation, fit_preparation
from branchline._validation import (
    Constraint,
    Flag,
    TrainingData,
    Whole,
    check_parameters,
    check_seed,
    check_training_inputs,
    count_threads,
)
from branchline.cluster._cluster_stability import Stability, stability
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._group_test import Clustered, GroupTest, cluster_rows, group_test
from branchline.cluster._numbering import by_weight
from branchline.cluster._silhouette import mean_silhouette
from branchline.errors import BranchlineWarning

__all__ = ["CountOptions", "count_groups", "how_many"]

_STARTS = 4
_MOST_ROWS = 2000
_MIXTURE_RESTARTS = 3
_MIXTURE_TERMS = 100
_KNOWN: dict[str, Constraint] = {
    "max_clusters": Whole(2, 100),
    "n_references": Whole(19, 10_000),
    "n_bootstraps": Whole(2, 10_000),
    "max_rows": Whole(20, 100_000),
    "standardize": Flag(),
}


@dataclass(frozen=True)
class CountOptions:
    """How groups are counted; see ``how_many``."""

    max_clusters: int = 8
    n_references: int = 99
    n_bootstraps: int = 30
    max_rows: int = _MOST_ROWS
    seed: int = 0


def how_many(  # noqa: PLR0913
    X: Any,
    sample_weight: Any = None,
    *,
    max_clusters: int = 8,
    n_references: int = 99,
    n_bootstraps: int = 30,
    max_rows: int = _MOST_ROWS,
    standardize: bool = True,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> GroupCounts:
    """Return how many groups of rows a table has; the answer may be one.

    k-means finds any number of clusters in any table. So the table is first tested against similar
    tables of one group: with the same correlations, and columns of the same shape with one peak.
    Only if its clusters are tighter (p ≤ 0.02) are groups counted, by the number that most of five
    rules find: knee, silhouette, gap, stability under the bootstrap, BIC of a mixture.

    Groups here are those that k-means can see: round, and of similar width. Long or nested groups
    may be missed.

    Parameters
    ----------
    X
        A table of any kind.
    sample_weight
        Weights of rows; a weight of 2 counts as two copies.
    max_clusters
        The largest number of groups that is tried.
    n_references
        Number of reference tables. The least p-value is 1 / (n_references + 1).
    n_bootstraps
        Number of bootstrap samples for stability.
    max_rows
        Larger tables are judged by this number of their rows.
    standardize
        Whether numbers are divided by their standard deviation.
    random_state
        Seed of the reference tables, samples and starts.
    n_jobs
        Number of threads; the result does not depend on it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import how_many
    >>> X, y = load_dataset("iris").split_target("species")
    >>> how_many(X).n_groups
    3
    """
    given = {
        "max_clusters": max_clusters,
        "n_references": n_references,
        "n_bootstraps": n_bootstraps,
        "max_rows": max_rows,
        "standardize": standardize,
    }
    check_parameters("how_many", given, _KNOWN)
    data = check_training_inputs(X, sample_weight)
    rows = canonical_rows(data, merge=True, n_threads=count_threads(n_jobs, data.n_cells))
    weights = rows.weights.of_rows(rows.table.n_rows)
    prepared = fit_preparation(rows, weights, standardize=standardize)
    options = CountOptions(
        max_clusters, n_references, n_bootstraps, max_rows, check_seed(random_state)
    )
    return count_groups(rows, weights, prepared, options)


@one_thread
def count_groups(
    rows: TrainingData,
    weights: Floats,
    prepared: tuple[Preparation, Floats],
    options: CountOptions,
) -> GroupCounts:
    """Count the groups of canonical rows that are merged and prepared."""
    preparation, matrix = prepared
    places = _places(weights, options.max_rows)
    points = np.ascontiguousarray(matrix[places])
    n_different = len(np.unique(places))
    k_most = min(options.max_clusters, n_different - 1) if points.shape[1] else 1
    if k_most < 2:
        return _only_one(len(points), float(weights.sum()))
    test = group_test(
        points,
        preparation.column_of_term(rows.table.schema),
        lambda table: np.array([0.0, *(_fall(table, k) for k in range(2, k_most + 1))]),
        n_references=options.n_references,
        seed=options.seed,
    )
    space = _compact(points)
    made = [_numbered(space, k, options.seed) for k in range(2, k_most + 1)]
    stable = [
        stability(space, one.labels, len(one.centers), n_bootstraps=options.n_bootstraps,
                  seed=options.seed)
        for one in made
    ]  # fmt: skip
    counts = np.bincount(places, minlength=len(weights)).astype(np.float64)
    return _counts(test, space, made, stable, _bics(rows, counts, k_most, options.seed),
                   float(weights.sum()))  # fmt: skip


def _counts(
    test: GroupTest,
    space: Floats,
    made: list[Clustered],
    stable: list[Stability],
    bic: Floats,
    n_rows_given: float,
) -> GroupCounts:
    none = np.array([np.nan])
    ends = np.array([np.quantile(one.rand, [0.025, 0.975]) for one in stable])
    return GroupCounts(
        test,
        np.concatenate([none, [mean_silhouette(space, one.labels) for one in made]]),
        np.concatenate([none, [one.mean for one in stable]]),
        bic,
        np.concatenate([none, ends[:, 0]]),
        np.concatenate([none, ends[:, 1]]),
        ((), *(tuple(one.clusters) for one in stable)),
        len(space),
        n_rows_given,
    )


def _places(weights: Floats, most: int) -> Any:
    """Return which rows are taken: each as often as it weighs, or evenly spread ones."""
    n_rows = max(1, min(round(float(weights.sum())), most))
    ends = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(ends, (np.arange(n_rows) + 0.5) / n_rows), len(weights) - 1)


def _fall(points: Floats, k: int) -> float:
    """Return log(W_k / W_1)."""
    space = _compact(points)
    whole = float(np.nansum((space - np.nanmean(space, axis=0)) ** 2))
    within = cluster_rows(space, k, 0, n_starts=_STARTS).within
    return math.log(max(within, whole * 1e-12) / whole) if whole > 0 else 0.0


def _compact(points: Floats) -> Floats:
    """Return rows with the same distances in as few columns as there are rows."""
    n_rows, n_terms = points.shape
    if n_terms <= n_rows or np.isnan(points).any():
        return points
    centered = points - points.mean(axis=0)
    values, vectors = np.linalg.eigh(centered @ centered.T)
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _numbered(space: Floats, k: int, seed: int) -> Clustered:
    """Return clusters numbered by their size."""
    made = cluster_rows(space, k, seed, n_starts=_STARTS)
    number_of = by_weight(made.labels, np.ones(len(space)))
    labels = number_of[np.unique(made.labels, return_inverse=True)[1].reshape(-1)]
    centers = made.centers[np.unique(made.labels)[np.argsort(number_of)]]
    return Clustered(centers, labels, made.within)


def _bics(rows: TrainingData, counts: Floats, k_most: int, seed: int) -> Floats:
    """Return the least BIC of mixtures of each size; NaN where none was fitted."""
    from branchline.density import Mixture

    found = np.full(k_most, np.nan)
    model = Mixture(max_components=k_most, n_restarts=_MIXTURE_RESTARTS, random_state=seed)
    if rows.table.n_columns > _MIXTURE_TERMS:
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        model.fit(rows.table, sample_weight=counts)
    for choice in model.choices_:
        at = choice.n_components - 1
        found[at] = np.fmin(found[at], choice.bic)
    return found


def _only_one(n_rows: int, n_rows_given: float) -> GroupCounts:
    zero, none = np.zeros(1), np.array([np.nan])
    test = GroupTest(1.0, zero, zero, zero, 1)
    return GroupCounts(test, none, none, none, none, none, ((),), n_rows, n_rows_given)
