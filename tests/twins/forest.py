"""The twin of one tree of a forest: every threshold of every column, with exact fractions.

1. A tree is grown on its bag: row i counts ``counts[i]`` times.
2. The score of a cut is Σ over both sides of Σ_k S_k² / N; S are the units of each class (Gini), or
   the sum of the target (variance). The larger, the better; it must be above that of the node.
3. Missing values go right, then left; cuts are tried in order; the first of equals wins, and among
   columns the first.
4. A row goes down on its values: thresholds stand midway between the neighbors in the node.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass
class Node:
    """A node: what its rows hold and, unless it is a leaf, its test and the nodes below."""

    sums: tuple
    weight: int
    column: int = -1
    threshold: float = 0.0
    missing_left: bool = False
    below: tuple = ()


def grow(X, targets, counts, *, min_leaf=1, max_depth=10**9):
    """Return the root of the tree grown on rows with ``counts`` above 0.

    Parameters
    ----------
    X
        Numbers, NaN for missing ones.
    targets
        For each row the numbers that are added up: one-hot classes, or the target itself.
    counts
        How often the bag holds each row.
    min_leaf, max_depth
        The least weight of a branch; the most tests in a row.
    """
    rows = np.flatnonzero(counts).tolist()
    exact = [tuple(Fraction(value) for value in row) for row in targets.tolist()]
    grower = _Grower(X, exact, counts.tolist(), min_leaf)
    return grower.node(rows, max_depth)


class _Grower:
    def __init__(self, X, targets, counts, min_leaf):
        self.X, self.targets, self.counts, self.min_leaf = X, targets, counts, min_leaf

    def node(self, rows, depth):
        sums, weight = self.total(rows)
        node = Node(sums, weight)
        if depth == 0 or len({self.targets[row] for row in rows}) == 1:
            return node
        best = max(
            (self.best_cut(column, rows, score(sums, weight)) for column in range(self.X.shape[1])),
            key=lambda cut: cut[0],  # the first of equals
        )
        if best[0] <= 0:
            return node
        _, node.column, node.threshold, node.missing_left, left = best
        inside = set(left)
        right = [row for row in rows if row not in inside]
        node.below = (self.node(left, depth - 1), self.node(right, depth - 1))
        return node

    def total(self, rows):
        width = len(self.targets[0])
        sums = [sum(self.counts[row] * self.targets[row][k] for row in rows) for k in range(width)]
        return tuple(sums), sum(self.counts[row] for row in rows)

    def best_cut(self, column, rows, before):
        """Return the gain, the column, the threshold, the missing side and the rows on the left."""
        cells = {row: self.X[row, column] for row in rows}
        holes = [row for row in rows if np.isnan(cells[row])]
        values = sorted({value for value in cells.values() if not np.isnan(value)})
        best = (Fraction(0), -1, 0.0, False, ())
        for missing_left in (False, True) if holes else (False,):
            for place, value in enumerate(values):
                left = [row for row in rows if cells[row] <= value]
                left += holes if missing_left else []
                right_value = values[place + 1] if place + 1 < len(values) else None
                gain = self.gain(left, rows, before)
                if gain is None or gain <= best[0]:
                    continue
                threshold = np.inf if right_value is None else (value + right_value) / 2
                goes_left = (
                    missing_left if holes else 2 * self.total(left)[1] >= self.total(rows)[1]
                )
                best = (gain, column, threshold, goes_left, left)
        return best

    def gain(self, left, rows, before):
        (sums, weight), (all_sums, all_weight) = self.total(left), self.total(rows)
        if min(weight, all_weight - weight) < self.min_leaf:
            return None
        rest = tuple(a - b for a, b in zip(all_sums, sums, strict=True))
        return score(sums, weight) + score(rest, all_weight - weight) - before


def score(sums, weight):
    """Return Σ S² / N."""
    return sum(value * value for value in sums) / Fraction(weight)


def predict(root, X):
    """Return the mean of each row's leaf."""
    return np.array([_leaf_mean(root, row) for row in X])


def _leaf_mean(node, row):
    while node.below:
        value = row[node.column]
        left = node.missing_left if np.isnan(value) else value <= node.threshold
        node = node.below[0 if left else 1]
    return [float(value / node.weight) for value in node.sums]


def n_leaves(node):
    """Return the number of leaves."""
    return sum(map(n_leaves, node.below)) if node.below else 1
