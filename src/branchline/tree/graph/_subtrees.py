"""Subtrees on some of the rows: nodes with tests, the branch of every row, and what they hold.

1. ``Subtrees.grow`` asks the native grower for a tree on some rows and makes nodes of it.
2. ``priced`` prunes it: a node keeps its test if its leaves explain more (``_tallies``) than the
   node itself by more than the price of the tests. A test costs the price.
3. ``leaf_places`` sends any rows down a subtree, so that one can be tried on the rows of another.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._nested import NodeTest, test_of
from branchline.tree.graph._tallies import Rows, Tallies, Units, explained
from branchline.tree.growing._growth import Growth, Sample

__all__ = ["Node", "Subtrees", "leaf_places", "leaves_below", "n_tests", "priced"]


@dataclass(eq=False)
class Node:
    """A node: the rows it holds, its test, the branch of each row of the table, its children."""

    rows: Rows
    tally: Units
    test: NodeTest | None = None
    branch: npt.NDArray[np.int8] | None = None
    children: list["Node"] = field(default_factory=list)

    @property
    def is_leaf(self) -> bool:
        """Whether it asks nothing."""
        return self.test is None

    def take(self, other: "Node") -> None:
        """Take the rows of another node."""
        self.rows = np.union1d(self.rows, other.rows).astype(np.uint32)
        self.tally = self.tally + other.tally


@dataclass(frozen=True, eq=False)
class Subtrees:
    """Grows subtrees on the rows of a sample."""

    growth: Growth
    sample: Sample
    tallies: Tallies

    @classmethod
    def of(cls, growth: Growth, sample: Sample) -> "Subtrees":
        """Return the subtrees of a sample."""
        return cls(growth, sample, Tallies.of(growth, sample))

    @cached_property
    def whole(self) -> Node:
        """The tree of all rows of the sample, not pruned."""
        return self.grow(self.sample.rows)

    @cached_property
    def total_square(self) -> float | None:
        """Numbers: the sum of squares of all rows, in units of ``explained``; None for classes."""
        if self.growth.numbers is None:
            return None
        coded = self.growth.grow(self.sample)
        spread = coded["spread"].reshape(len(coded["kind"]), -1)[0]
        return float(spread.sum() + explained(self.whole.tally))

    def grow(self, rows: Rows) -> Node:
        """Return the tree that the native grower makes of some rows, not pruned."""
        coded = self.growth.grow(Sample(rows, self.sample.units))
        return self.nodes_of(self.growth.to_arrays(coded), rows)

    def nodes_of(self, tree: TreeArrays, rows: Rows) -> Node:
        """Return the nodes of a tree that hold some rows."""
        root = Node(rows, self.tallies.of_rows(rows))
        waiting = [(0, root)]
        while waiting:
            place, node = waiting.pop()
            if tree.is_leaf[place]:
                continue
            node.test = test_of(tree, place)
            node.branch = self._branches(node.test)
            taken = node.branch[node.rows].astype(np.int64)
            held = self.tallies.in_groups(node.rows, taken, node.test.n_branches)
            for branch, tally in enumerate(held):
                node.children.append(Node(node.rows[taken == branch], tally))
                waiting.append((int(tree.first_child[place]) + branch, node.children[-1]))
        return root

    def _branches(self, test: NodeTest) -> npt.NDArray[np.int8]:
        return test.branches(test.column_of(self.growth.table)).astype(np.int8)

    def with_rows(self, node: Node, rows: Rows) -> Node:
        """Return a copy of a subtree that holds these rows besides its own."""
        held = np.union1d(node.rows, rows).astype(np.uint32)
        copy = Node(held, node.tally + self.tallies.of_rows(rows), node.test, node.branch)
        if node.branch is not None:
            taken = node.branch[rows]
            copy.children = [
                self.with_rows(child, rows[taken == branch])
                for branch, child in enumerate(node.children)
            ]
        return copy


def n_tests(node: Node) -> int:
    """Return the number of tests of a subtree."""
    return len(leaves_below(node)) - 1  # every test has two branches


def leaves_below(node: Node) -> list[Node]:
    """Return the leaves of a subtree, in the order of branches."""
    leaves, waiting = [], [node]
    while waiting:
        each = waiting.pop()
        if each.is_leaf:
            leaves.append(each)
        waiting.extend(reversed(each.children))
    return leaves


def leaf_places(node: Node, n_rows: int) -> npt.NDArray[np.int64]:
    """Return for each row of the table the place of its leaf in ``leaves_below``."""
    places, n_leaves = np.zeros(n_rows, dtype=np.int64), 0
    waiting = [(node, np.arange(n_rows))]
    while waiting:
        each, rows = waiting.pop()
        if each.branch is None:
            places[rows] = n_leaves
            n_leaves += 1
            continue
        taken = each.branch[rows]
        parts = [(child, rows[taken == branch]) for branch, child in enumerate(each.children)]
        waiting.extend(reversed(parts))
    return places


def priced(node: Node, price: float) -> Node:
    """Return the part of a subtree that is worth the price of its tests."""
    return _priced(node, price)[0]


def _priced(node: Node, price: float) -> tuple[Node, float]:
    alone, leaf = float(explained(node.tally)), Node(node.rows, node.tally)
    if node.is_leaf:
        return leaf, alone
    below = [_priced(child, price) for child in node.children]
    value = sum(worth for _, worth in below) - price
    if value <= alone * (1 + 1e-12):  # rounding alone is not a gain
        return leaf, alone
    return Node(node.rows, node.tally, node.test, node.branch, [each for each, _ in below]), value
