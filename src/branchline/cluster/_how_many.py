"""How many groups there are, and whether there are any.

1. Rows become centered numbers (``_prepared_table``) in canonical order; of a large table 2,000
   rows spread over that order are taken.
2. One group is tested against reference tables (``_group_test``).
3. For each number of groups: gap, silhouette, stability under the bootstrap, BIC of a mixture.
4. If the test rejects one group, the verdict is the number that most rules find. If that is the
   largest number that was tried, more are tried.
5. Groups that have one value of a category each are counted again without it
   (``_dividing_columns``).
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._canonical_rows import canonical_rows
from branchline._one_thread import one_thread
from branchline._prepared_table import Preparation, fit_preparation
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    TrainingData,
    Whole,
    check_parameters,
    check_seed,
    check_training_inputs,
    count_threads,
)
from branchline._worker_threads import map_in_threads
from branchline.cluster._cluster_stability import Stability, stability
from branchline.cluster._dividing_columns import dividing_columns
from branchline.cluster._fall_of_clusters import STARTS, compact, fall
from branchline.cluster._group_counts import GroupCounts
from branchline.cluster._group_test import Clustered, GroupTest, cluster_rows, group_test
from branchline.cluster._numbering import by_weight
from branchline.cluster._silhouette import mean_silhouette
from branchline.errors import BranchlineWarning

__all__ = ["MAX_CLUSTERS", "CountOptions", "count_groups", "how_many"]

MAX_CLUSTERS: Constraint = AnyOf((Whole(2, 100), OneOf(("auto",))))

_FIRST_MOST, _MOST, _FEW_REFERENCES = 8, 20, 19  # groups that are tried; references of the rest
_MOST_ROWS = 2000
_MIXTURE_RESTARTS = 3
_MIXTURE_TERMS = 100
_KNOWN: dict[str, Constraint] = {
    "max_clusters": MAX_CLUSTERS,
    "n_references": Whole(19, 10_000),
    "n_bootstraps": Whole(2, 10_000),
    "max_rows": Whole(20, 100_000),
    "standardize": Flag(),
}


@dataclass(frozen=True)
class CountOptions:
    """How groups are counted; see ``how_many``."""

    max_clusters: int | str = "auto"
    n_references: int = 99
    n_bootstraps: int = 30
    max_rows: int = _MOST_ROWS
    seed: int = 0
    n_jobs: int | None = None
    compares_columns: bool = True
    say: Callable[[str], None] = lambda _: None


def how_many(  # noqa: PLR0913
    X: Any,
    sample_weight: Any = None,
    *,
    max_clusters: int | str = "auto",
    n_references: int = 99,
    n_bootstraps: int = 30,
    max_rows: int = _MOST_ROWS,
    standardize: bool = True,
    random_state: Any = 0,
    n_jobs: int | None = None,
    on_step: Callable[[str], None] | None = None,
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
        Weights of rows; a weight of 2 counts as two copies. Default None: all weigh the same.
    max_clusters
        The largest number of groups that is tried. "auto" (default): 8, and 20 where 8 is found.
    n_references
        Number of reference tables. The least p-value is 1 / (n_references + 1). Default 99.
    n_bootstraps
        Number of bootstrap samples for stability. Default 30.
    max_rows
        Larger tables are judged by this number of their rows. Default 2000.
    standardize
        Whether numbers are divided by their standard deviation. Default True.
    random_state
        Seed of the reference tables, samples and starts. Default 0.
    n_jobs
        Number of threads; the result does not depend on it.
        Default None: as many as the work is worth.
    on_step
        Is called with a sentence when a step begins. Default None: nothing is called.

    See Also
    --------
    GroupCounts : how many groups each rule finds, and the verdict.

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
        max_clusters, n_references, n_bootstraps, max_rows, check_seed(random_state), n_jobs
    )
    options = options if on_step is None else replace(options, say=on_step)
    return count_groups(rows, weights, prepared, options)


@one_thread
def count_groups(
    rows: TrainingData,
    weights: Floats,
    prepared: tuple[Preparation, Floats],
    options: CountOptions,
) -> GroupCounts:
    """Count the groups of canonical rows that are merged and prepared."""
    drawn = _Drawn.of(rows, weights, prepared, options)
    k_most = _FIRST_MOST if options.max_clusters == "auto" else int(options.max_clusters)
    found = drawn.count(k_most, options)
    if options.max_clusters == "auto" and found.is_largest_tried:
        more = drawn.count(_MOST, replace(options, n_references=_FEW_REFERENCES))
        test = replace(more.test, p_value=found.test.p_value, n_references=found.test.n_references)
        found = replace(more, test=test)
    if found.is_one or not options.compares_columns:
        return found
    labels = drawn.clustered(found.n_groups, options.seed).labels
    names = dividing_columns(rows.table.rows(drawn.places), labels)
    others = [name for name in rows.table.names if name not in names]
    if not names or not others:
        return replace(found, divided_by=names)
    options.say(f"Counting again without {', '.join(names)} …")
    rest = replace(rows, table=rows.table.select(others))
    again = fit_preparation(rest, weights, standardize=prepared[0].unit == 1.0)
    alone = replace(options, max_clusters=_FIRST_MOST, compares_columns=False)
    return replace(found, divided_by=names, without=count_groups(rest, weights, again, alone))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The rows that are looked at: which ones, as numbers, and the column of each number."""

    rows: TrainingData
    weights: Floats
    places: Places
    points: Floats
    column_of_term: Places

    @staticmethod
    def of(
        rows: TrainingData,
        weights: Floats,
        prepared: tuple[Preparation, Floats],
        options: CountOptions,
    ) -> "_Drawn":
        places = _places(weights, options.max_rows)
        columns = prepared[0].column_of_term(rows.table.schema)
        return _Drawn(rows, weights, places, np.ascontiguousarray(prepared[1][places]), columns)

    def clustered(self, k: int, seed: int) -> Clustered:
        """Return the rows in k clusters, numbered by their size."""
        return _numbered(compact(self.points), k, seed)

    def count(self, k_most: int, options: CountOptions) -> GroupCounts:
        """Count up to ``k_most`` groups."""
        points, seed = self.points, options.seed
        k_most = min(k_most, len(np.unique(self.places)) - 1) if points.shape[1] else 1
        n_rows = float(self.weights.sum())
        if k_most < 2:
            return _only_one(len(points), n_rows)
        n_threads = count_threads(options.n_jobs, points.size * k_most * options.n_references)
        test = group_test(
            points,
            self.column_of_term,
            lambda table: np.array([0.0, *(fall(table, k) for k in range(2, k_most + 1))]),
            n_references=options.n_references,
            seed=seed,
            n_threads=n_threads,
            say=options.say,
        )
        options.say(
            f"Finding 2 to {k_most} clusters again in {options.n_bootstraps} samples each …"
        )
        space = compact(points)
        made = [self.clustered(k, seed) for k in range(2, k_most + 1)]
        stable = map_in_threads(
            lambda one: stability(
                space, one.labels, len(one.centers), n_bootstraps=options.n_bootstraps, seed=seed
            ),
            made,
            n_threads,
        )
        options.say(f"Fitting mixtures of 1 to {k_most} distributions …")
        counts = np.bincount(self.places, minlength=len(self.weights)).astype(np.float64)
        bics = _bics(self.rows, counts, k_most, seed)
        return _counts(test, space, made, stable, bics, n_rows)


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


def _places(weights: Floats, most: int) -> Places:
    """Return which rows are taken: each as often as it weighs, or evenly spread ones."""
    n_rows = max(1, min(round(float(weights.sum())), most))
    ends = np.cumsum(weights) / weights.sum()
    return np.minimum(np.searchsorted(ends, (np.arange(n_rows) + 0.5) / n_rows), len(weights) - 1)


def _numbered(space: Floats, k: int, seed: int) -> Clustered:
    """Return clusters numbered by their size."""
    made = cluster_rows(space, k, seed, n_starts=STARTS)
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
