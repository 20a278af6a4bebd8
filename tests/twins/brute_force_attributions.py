"""The twin of attributions: Shapley values as they are defined, with exact fractions.

1. f(S): a row goes down a tree. A test of a column in S sends it one way; a test of another column
   follows both branches, weighted by their cover (half each where the node has none).
2. The share of column j is Σ over S without j of |S|! (c − 1 − |S|)! / c! · (f(S ∪ {j}) − f(S)),
   c being the number of columns.
3. The expectation is f(∅); the shares of a sum of trees are the sums of their shares.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import factorial, isnan

import numpy as np


@dataclass
class Node:
    """A node: its cover and, a leaf, its values or, an inner node, its test and nodes below."""

    cover: Fraction
    values: tuple = ()
    column: int = -1
    threshold: float = 0.0
    right_codes: frozenset | None = None
    missing_left: bool = False
    below: tuple = ()

    def next_for(self, cells):
        """Return the node that a row goes on to."""
        cell = cells[self.column]
        if self.right_codes is None:
            left = self.missing_left if isnan(cell) else cell <= self.threshold
        else:
            left = self.missing_left if cell < 0 else cell not in self.right_codes
        return self.below[0 if left else 1]


def attributions(trees, cells, n_outputs):
    """Return the shares of all columns and, last, the expectation: (rows, outputs, columns + 1).

    Parameters
    ----------
    trees
        The arrays that ``_core.attributions`` takes, by name.
    cells
        For each row a number or a category for each column.
    n_outputs
        How many outputs there are; with ``width`` 1, tree t adds to output t % n_outputs.
    """
    shares = [_zeros(n_outputs, len(trees["n_codes"]) + 1) for _ in cells]
    for number, root in enumerate(read_trees(trees)):
        for row, of_row in zip(cells, shares, strict=True):
            for k in range(trees["width"]):
                output = number % n_outputs if trees["width"] == 1 else k
                added = zip(of_row[output], _shares(root, row, k), strict=True)
                of_row[output] = [share + more for share, more in added]
    flat = [[[float(share) for share in output] for output in of_row] for of_row in shares]
    return np.array(flat).reshape(len(cells), n_outputs, -1)


def predictions(trees, cells, n_outputs):
    """Return the sum of each row's leaf values: (rows, outputs)."""
    sums = [[Fraction(0)] * n_outputs for _ in cells]
    for number, root in enumerate(read_trees(trees)):
        for row, of_row in zip(cells, sums, strict=True):
            node = root
            while node.below:
                node = node.next_for(row)
            for k, value in enumerate(node.values):
                of_row[number % n_outputs if trees["width"] == 1 else k] += value
    return np.array([[float(value) for value in of_row] for of_row in sums])


def _zeros(n_outputs, n_places):
    return [[Fraction(0)] * n_places for _ in range(n_outputs)]


def _shares(root, row, k):
    columns = range(len(row))
    worth = {
        known: _expectation(root, row, frozenset(known), k)
        for size in range(len(row) + 1)
        for known in combinations(columns, size)
    }
    for column in columns:
        yield sum(
            _weight(len(known), len(row)) * (worth[tuple(sorted((*known, column)))] - before)
            for known, before in worth.items()
            if column not in known
        )
    yield worth[()]


def _weight(size, n_columns):
    return Fraction(factorial(size) * factorial(n_columns - 1 - size), factorial(n_columns))


def _expectation(node, row, known, k):
    if not node.below:
        return node.values[k]
    if node.column in known:
        return _expectation(node.next_for(row), row, known, k)
    parts = [child.cover / node.cover if node.cover else Fraction(1, 2) for child in node.below]
    return sum(
        part * _expectation(child, row, known, k)
        for part, child in zip(parts, node.below, strict=True)
    )


def read_trees(trees):
    """Yield the root of each tree of the arrays."""
    reader = _Reader(trees)
    for n_nodes in trees["n_nodes"].tolist():
        yield reader.read(n_nodes)


class _Reader:
    def __init__(self, trees):
        self.trees = trees
        self.node = self.inner = self.leaf = self.byte = 0

    def read(self, n_nodes):
        kinds = self.trees["kind"][self.node : self.node + n_nodes].tolist()
        self.node += n_nodes
        nodes = [self.leaf_node() if kind == 0 else self.inner_node(kind) for kind in kinds]
        waiting = iter(nodes[1:])
        for node in nodes:
            if not node.values:
                node.below = (next(waiting), next(waiting))
        for node in reversed(nodes):
            if node.below:
                node.cover = node.below[0].cover + node.below[1].cover
        return nodes[0]

    def leaf_node(self):
        width = self.trees["width"]
        values = self.trees["leaf_value"][self.leaf * width : (self.leaf + 1) * width].tolist()
        cover = Fraction(float(self.trees["leaf_cover"][self.leaf]))
        self.leaf += 1
        return Node(cover, values=tuple(map(Fraction, values)))

    def inner_node(self, kind):
        column = int(self.trees["feature"][self.inner])
        threshold = float(self.trees["threshold"][self.inner])
        missing_left = bool(self.trees["missing_left"][self.inner])
        self.inner += 1
        codes = self.right_codes(column) if kind == 2 else None
        return Node(Fraction(0), (), column, threshold, codes, missing_left)

    def right_codes(self, column):
        n_codes = int(self.trees["n_codes"][column])
        n_bytes = (n_codes + 7) // 8
        pool = self.trees["pool"][self.byte : self.byte + n_bytes]
        self.byte += n_bytes
        bits = np.unpackbits(pool, bitorder="little")[:n_codes]
        return frozenset(np.flatnonzero(bits).tolist())
