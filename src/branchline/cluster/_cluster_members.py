"""Where a new row belongs in a tree of clusters that was cut.

1. A row that equals a training row goes to the cluster of that row.
2. Any other row goes to the nearest cluster by the measure that made the tree: the least distance
   from a member (single), the greatest (complete), the mean (average and divisive).
3. Ward: where the sum of squares grows least if the row joins, n / (n + 1) times the squared
   distance from the mean, which is the mean squared distance from the members minus half the mean
   squared distance between them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._row_distances._kept_rows import KeptRows
from branchline._state import malformed, numbers_from_state
from branchline.table import Schema, Table

__all__ = ["ClusterMembers"]

# The distances of some members from others.
Square = Callable[[Places, Places], Floats]

# About how many distances are held at a time.
_BLOCK = 2**22


@dataclass(frozen=True, eq=False)
class ClusterMembers:
    """The rows of clusters, cluster after cluster.

    Parameters
    ----------
    rows
        The members.
    weights
        The weight of each.
    labels
        The cluster of each, ascending; each cluster has a member.
    spreads
        Ward: half the mean squared distance between the members of each cluster. Otherwise 0.
    """

    rows: KeptRows
    weights: Floats
    labels: Places
    spreads: Floats

    @staticmethod
    def of_labels(
        rows: KeptRows, weights: Floats, labels: Places, square: Square | None
    ) -> "ClusterMembers":
        """Return members sorted by cluster; ``square`` (for Ward) gives distances of members."""
        order = np.argsort(labels, kind="stable")
        clusters = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        spreads = np.zeros(len(clusters))
        if square is not None:
            spreads[:] = [_spread(members, weights[members], square) for members in clusters]
        return ClusterMembers(rows.rows(order), weights[order], labels[order], spreads)

    def place(self, table: Table, linkage: str, *, n_threads: int = 1) -> Places:
        """Return the cluster of each row of a table."""
        seen = self.rows.seen(table)
        found = np.zeros(len(seen), dtype=np.intp)
        for some in _blocks(len(seen), len(self.rows)):
            distances = self.rows.distances(seen[some], n_threads=n_threads)
            found[some] = np.argmin(self._apart(distances, linkage), axis=1)
        if self.rows.comparison is not None:
            self._place_equal(seen, found)
        return found

    def _apart(self, distances: Floats, linkage: str) -> Floats:
        """Return how far rows are from each cluster."""
        starts = self._starts()
        if linkage == "single":
            return np.asarray(np.minimum.reduceat(distances, starts, axis=1))
        if linkage == "complete":
            return np.asarray(np.maximum.reduceat(distances, starts, axis=1))
        sizes = np.add.reduceat(self.weights, starts)
        if linkage == "average":
            return np.asarray(np.add.reduceat(distances * self.weights, starts, axis=1) / sizes)
        squares = np.add.reduceat(distances**2 * self.weights, starts, axis=1) / sizes
        return np.asarray(sizes / (sizes + 1) * (squares - self.spreads))

    def _place_equal(self, seen: Floats, found: Places) -> None:
        """Give rows that equal a training row its cluster."""
        cluster_of = dict(zip(_words(self.rows.points), self.labels.tolist(), strict=True))
        for at, words in enumerate(_words(seen)):
            found[at] = cluster_of.get(words, found[at])

    def _starts(self) -> Places:
        return np.flatnonzero(np.diff(self.labels, prepend=-1))

    def pack(self) -> dict[str, Any]:
        """Return the members as plain values."""
        labels = self.labels.astype(np.float64)
        return {**self.rows.pack(), "weights": self.weights, "clusters": labels,
                "spreads": self.spreads}  # fmt: skip

    @staticmethod
    def unpack(state: Mapping[str, Any], schema: Schema) -> "ClusterMembers":
        """Check packed values and return the members."""
        rows = KeptRows.unpack(state, schema)
        weights = numbers_from_state(state, "weights", length=len(rows))
        labels = numbers_from_state(state, "clusters", length=len(rows))
        if (weights <= 0).any():
            raise malformed("a weight is not above 0")
        if labels[0] != 0 or not np.isin(np.diff(labels), (0.0, 1.0)).all():
            raise malformed("clusters of rows are not numbered in order")
        spreads = numbers_from_state(state, "spreads", length=int(labels[-1]) + 1, low=0.0)
        return ClusterMembers(rows, weights, labels.astype(np.intp), spreads)


def _spread(members: Places, weights: Floats, square: Square) -> float:
    """Return half the mean squared distance between members."""
    total = 0.0
    for some in _blocks(len(members), len(members)):
        squares = square(members[some], members) ** 2
        total += float((squares * weights).sum(axis=1) @ weights[some])
    return total / (2 * float(weights.sum()) ** 2)


def _blocks(n_rows: int, n_members: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(1, n_members))
    for first in range(0, n_rows, step):
        yield slice(first, first + step)


def _words(points: Floats) -> list[bytes]:
    """Return the bits of each row; −0 is 0, and missing is missing."""
    plain = np.where(np.isnan(points), np.nan, points + 0.0)
    return [row.tobytes() for row in plain]
