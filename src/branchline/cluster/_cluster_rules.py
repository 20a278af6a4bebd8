"""A short rule for a cluster, and how good such a rule is on rows that it has not seen.

1. Small trees of depth 1, 2 and 3 tell the rows of the cluster from all others. Each leaf is a
   candidate: a rule of up to three conditions.
2. The rule of the largest F1 (harmonic mean of precision and recall) is kept, less 0.02 for each
   condition.
3. The same is done in each of five training sets, and its rule is counted on the test rows:
   precision and recall of the way in which rules are found, not of this rule on its own rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from branchline._arrays import Bools, Floats
from branchline._folds import Fold
from branchline._intervals import Interval, scaled_wilson
from branchline._plain_numbers import percent
from branchline.table import Table
from branchline.tree import DecisionTreeClassifier
from branchline.tree.reading._conditions import Condition

__all__ = ["ClusterRule", "find_rule"]

_DEEPEST = 3
_PRICE = 0.02  # of a condition, in F1
_NORMAL = float(stats.norm.ppf(0.975))


@dataclass(frozen=True)
class ClusterRule:
    """Conditions that most rows of a cluster satisfy, and few others.

    Parameters
    ----------
    conditions
        The conditions as text.
    precision
        Of rows that satisfy such a rule, the share in the cluster; on rows not used to find it.
    recall
        Of the rows of the cluster, the share that satisfies such a rule; on rows not used.

    See Also
    --------
    ClusterDescription : what one cluster is.
    describe_clusters : say what each cluster is.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import KMeans, describe_clusters
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> rule = describe_clusters(X, KMeans(3).fit(X))[1].rule
    >>> rule.text, round(rule.precision.estimate, 2)
    ('petal_width ≤ 0.8', 1.0)
    """

    conditions: tuple[str, ...]
    precision: Interval
    recall: Interval

    @property
    def text(self) -> str:
        """The conditions in one line."""
        return " and ".join(self.conditions)

    def __str__(self) -> str:
        return (
            f"{self.text}\n    on unseen rows: {_share(self.precision)} of the rows with it are in "
            f"the cluster, and it holds for {_share(self.recall)} of the cluster"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain values."""
        return {
            "conditions": list(self.conditions),
            "precision": _ends(self.precision),
            "recall": _ends(self.recall),
        }


def find_rule(
    table: Table, weights: Floats, inside: Bools, folds: list[Fold], are_copies: bool
) -> ClusterRule | None:
    """Return a short rule for some rows of a table; None where no column tells them apart."""
    best = _best_rule(table, weights, inside)
    if best is None:
        return None
    sums = np.zeros((3, 2))  # hits, rows with the rule, rows of the cluster: weights, squares
    for fold in folds:
        learn, test = fold.learn_rows, fold.test_rows
        share = fold.test[test] / np.maximum(fold.test[test] + fold.learn[test], 1)
        rows, weight = table.rows(test), weights[test] * share
        part = weights[learn] * (fold.learn[learn] / (fold.learn + fold.test)[learn])
        found = _best_rule(table.rows(learn), part, inside[learn])
        holds = np.zeros(len(test), dtype=bool) if found is None else found.holds(rows)
        for at, which in enumerate((holds & inside[test], holds, inside[test])):
            sums[at] += weight[which].sum(), (weight[which] ** 2).sum()
    names = tuple(f"({one})" if one.has_or else str(one) for one in best.shown(table))
    return ClusterRule(names, _interval(sums, 1, are_copies), _interval(sums, 2, are_copies))


@dataclass(frozen=True, eq=False)
class _Found:
    """A leaf of a tree, as a rule."""

    tree: DecisionTreeClassifier
    node: int
    conditions: tuple[Condition, ...]
    score: float

    def holds(self, table: Table) -> Bools:
        return np.asarray(self.tree.apply(table) == self.node)

    def shown(self, table: Table) -> Iterator[Condition]:
        """Yield conditions; "or missing" is left out where nothing is missing."""
        for one in self.conditions:
            is_known = one.column in table.names and not table.column(one.column).is_missing.any()
            yield replace(one, missing=False) if is_known else one


def _best_rule(table: Table, weights: Floats, inside: Bools) -> _Found | None:
    if not inside.any() or inside.all():
        return None
    best: _Found | None = None
    target = np.where(inside, "in", "out")
    for depth in range(1, _DEEPEST + 1):
        tree = DecisionTreeClassifier(max_depth=depth, prune=None, n_jobs=1)
        tree.fit(table, target, sample_weight=weights)
        leaf_of_row = tree.apply(table)
        for rule in tree.rules():
            if not rule.conditions:
                continue
            score = _score(leaf_of_row == rule.node, weights, inside)
            score -= _PRICE * len(rule.conditions)
            if best is None or score > best.score + 1e-9:
                best = _Found(tree, rule.node, rule.conditions, score)
    return best


def _score(holds: Bools, weights: Floats, inside: Bools) -> float:
    """Return F1: 2 hits / (rows with the rule + rows of the cluster)."""
    hits = float(weights[holds & inside].sum())
    return 2 * hits / float(weights[holds].sum() + weights[inside].sum())


def _interval(sums: Floats, of: int, are_copies: bool) -> Interval:
    total, squares = sums[of]
    if total <= 0:
        return Interval(float("nan"), 0.0, 1.0)
    n = total if are_copies else total**2 / squares
    return scaled_wilson(min(1.0, float(sums[0, 0] / total)), 0.0, float(n), _NORMAL)


def _share(one: Interval) -> str:
    if np.isnan(one.estimate):
        return "an unknown share"
    return f"{percent(one.estimate)} [{percent(one.low)[:-2]}, {percent(one.high)[:-2]}]"


def _ends(one: Interval) -> list[float | None]:
    first = None if np.isnan(one.estimate) else one.estimate
    return [first, one.low, one.high]
