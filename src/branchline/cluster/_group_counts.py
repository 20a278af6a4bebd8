"""How many groups a table has: what each rule says, and the verdict, which may be "one"."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._plain_numbers import count, number
from branchline._result_frame import Library, result_frame
from branchline.charts import Panels
from branchline.cluster._group_count_charts import draw_counts
from branchline.cluster._group_count_words import counts_in_words, divided_in_words
from branchline.cluster._group_test import GroupTest

__all__ = ["LEVEL", "GroupCounts"]

# The largest p-value that speaks against one group.
LEVEL = 0.02
# Below it, "one group" is a near call, and the verdict says what the limit is.
_NEAR = 0.1
_STABLE = 0.8


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """How many groups each rule finds, and the verdict.

    Parameters
    ----------
    test
        The test of "one group".
    silhouette, stability, bic
        For each number of groups from 1: the mean silhouette, the mean adjusted Rand index in
        bootstrap samples (both NaN for 1), and the least BIC of a mixture (NaN: not fitted).
    rand_low, rand_high
        The ends of the 95 % interval of the adjusted Rand indices.
    jaccard
        For each number of groups, for each group: the Jaccard index with its 95 % interval.
    n_rows
        Number of rows that were looked at.
    n_rows_given
        Number of rows of the table.
    divided_by
        Columns of which each group has one value, in nearly all of its rows.
    without
        How many groups the other columns have alone; None where no column divides the groups.

    See Also
    --------
    how_many : return how many groups of rows a table has.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.cluster import how_many
    >>> X, _ = load_dataset("fruit").split_target("fruit")
    >>> how_many(X).n_groups
    1
    """

    test: GroupTest
    silhouette: Floats
    stability: Floats
    bic: Floats
    rand_low: Floats
    rand_high: Floats
    jaccard: tuple[tuple[tuple[float, float, float], ...], ...]
    n_rows: int
    n_rows_given: float
    divided_by: tuple[str, ...] = ()
    without: "GroupCounts | None" = None

    @property
    def sizes(self) -> Places:
        """The numbers of groups that were tried."""
        return np.arange(1, len(self.test.log_within) + 1, dtype=np.intp)

    @property
    def gap(self) -> Floats:
        """By how much log W is lower than in tables of one group."""
        return self.test.expected - self.test.log_within

    @property
    def by_rule(self) -> dict[str, int]:
        """The answer of each rule."""
        found = {
            "knee": _knee(np.exp(self.test.log_within)),
            "silhouette": _best(self.silhouette),
            "gap": self._by_gap(),
            "stability": self._by_stability(),
        }
        if np.isfinite(self.bic).any():
            found["BIC of a mixture"] = int(np.nanargmin(self.bic)) + 1
        return found

    @property
    def is_one(self) -> bool:
        """Whether nothing speaks against one group."""
        return self.test.p_value > LEVEL

    @property
    def n_groups(self) -> int:
        """The verdict: 1, or the number above 1 that most rules find.

        Of several numbers found equally often, the one of the silhouette is taken, or the smallest.
        """
        if self.is_one:
            return 1
        found = Counter(n for n in self.by_rule.values() if n > 1)
        most = max(found.values())
        tied = sorted(n for n, times in found.items() if times == most)
        by_silhouette = self.by_rule["silhouette"]
        return by_silhouette if by_silhouette in tied else tied[0]

    @property
    def is_largest_tried(self) -> bool:
        """Whether the verdict is the largest number that was tried, so that more are possible."""
        return not self.is_one and self.n_groups == len(self.sizes)

    def _by_gap(self) -> int:
        error = self.test.spread * np.sqrt(1 + 1 / self.test.n_references)
        for at in range(len(self.gap) - 1):
            if self.gap[at] >= self.gap[at + 1] - error[at + 1]:
                return at + 1
        return len(self.gap)

    def _by_stability(self) -> int:
        stable = np.flatnonzero(np.nan_to_num(self.stability, nan=0.0) >= _STABLE)
        return int(stable[-1]) + 1 if len(stable) else _best(self.stability)

    def verdict(self) -> str:
        """Return the verdict in a sentence."""
        tests = f"(p = {number(self.test.p_value, 2)}, {self.test.n_references} tables)"
        if len(self.sizes) < 2:
            return "One group: there are too few different rows to tell groups apart."
        if self.is_one:
            near = self.test.p_value < _NEAR
            clearly, limit = ("clearly ", f"; the limit is p ≤ {LEVEL}") if near else ("", "")
            return (
                f"One group: the clusters are not {clearly}tighter than in similar tables without "
                f"groups {tests}{limit}."
            )
        k = self.n_groups
        votes = sum(n == k for n in self.by_rule.values())
        groups, most = count(k, "group"), ""
        if self.is_largest_tried:
            groups, most = f"{k} or more groups", ", the largest number that was tried"
        return (
            f"{groups}: clusters are tighter than in similar tables without groups "
            f"{tests}; {votes} of {count(len(self.by_rule), 'rule')} find {k}{most}."
            f"{divided_in_words(self)}"
        )

    def __str__(self) -> str:
        return counts_in_words(self)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each number of groups."""
        weakest = [min((one[0] for one in ones), default=np.nan) for ones in self.jaccard]
        return result_frame(
            {
                "n_groups": self.sizes,
                "within": np.exp(self.test.log_within),
                "gap": self.gap,
                "gap_deviation": self.test.spread,
                "silhouette": self.silhouette,
                "stability": self.stability,
                "stability_low": self.rand_low,
                "stability_high": self.rand_high,
                "weakest_group": np.array(weakest),
                "bic": self.bic,
            },
            library,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "n_groups": self.n_groups,
            "is_largest_tried": self.is_largest_tried,
            "verdict": self.verdict(),
            "p_value": self.test.p_value,
            "n_references": self.test.n_references,
            "by_rule": self.by_rule,
            "sizes": [
                {name: _plain(value) for name, value in row.items()}
                for row in self.to_frame().to_dict("records")
            ],
            "jaccard": [[list(one) for one in ones] for ones in self.jaccard],
            "n_rows": self.n_rows,
            "divided_by": list(self.divided_by),
            "without": None if self.without is None else self.without.to_dict(),
        }

    def draw(self) -> Panels:
        """Return the curves of all rules, with the verdict below them."""
        return draw_counts(self)


def _best(values: Floats) -> int:
    """Return the number of groups of the largest value; 1 if none is known."""
    return int(np.nanargmax(values)) + 1 if np.isfinite(values).any() else 1


def _knee(within: Floats) -> int:
    """Return the number of groups at the corner: farthest below the line between the ends."""
    n = len(within)
    if n < 3 or within[0] <= within[-1]:
        return 1
    x = np.linspace(0.0, 1.0, n)
    y = (within - within[-1]) / (within[0] - within[-1])
    return int(np.argmax(1 - x - y)) + 1


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and np.isnan(value) else value
