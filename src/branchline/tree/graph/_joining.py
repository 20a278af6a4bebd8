"""Growing a graph: nodes are split and joined in turn, then leaves that do not differ are merged.

1. Begin with the tree of all rows, pruned at the price α of a test (or with a given tree).
2. Of the nodes that wait take the one with the most tests below it and split it: its children wait
   now. So subtrees of one size meet.
3. Join two waiting nodes A and B when one subtree T serves both at least as well as two:
   E(T on A ∪ B) − α·tests(T) ≥ E(T_A) − α·tests(T_A) + E(T_B) − α·tests(T_B), where E is what
   leaves explain (``_tallies``) and T is T_A or T_B. The pair that saves most is joined first. The
   joined node takes T, or the tree grown and pruned on A ∪ B if that is better: joined nodes
   are split anew. Go on at 2 until all waiting nodes are leaves.
4. Merge leaves (``_merging``), leave out tests whose branches all lead to one node, and keep one
   of several nodes with the same test and the same children.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from branchline.tree.graph._graph_nodes import simplified
from branchline.tree.graph._merging import Likeness, merge_leaves
from branchline.tree.graph._subtrees import (
    Node,
    Subtrees,
    leaf_places,
    leaves_below,
    priced,
)
from branchline.tree.graph._tallies import Units, explained

__all__ = ["grow_graph"]


def grow_graph(subtrees: Subtrees, price: float, level: float, tree: Node | None = None) -> Node:
    """Return the root of the graph.

    Parameters
    ----------
    subtrees
        What grows subtrees of the rows.
    price
        What a test must explain, in units of ``explained``.
    level
        Leaves are merged unless they differ at this level of significance.
    tree
        The tree to begin with; None: that of all rows, which the price prunes.
    """
    root = priced(subtrees.whole if tree is None else tree, price)
    _Joiner(subtrees, price).run(root)
    likeness = Likeness(subtrees.growth.scale.unit, subtrees.total_square)
    return simplified(merge_leaves(root, likeness, level))


@dataclass(eq=False)
class _Waiting:
    """A node that waits to be split, the nodes that lead to it, and its subtree as arrays."""

    node: Node
    parents: list[Node]
    price: float
    n_rows: int

    def __post_init__(self) -> None:
        leaves = leaves_below(self.node)
        self.n_tests = len(leaves) - 1
        self.tallies: Units = np.array([leaf.tally for leaf in leaves])
        self.worth = float(explained(self.tallies).sum()) - self.price * self.n_tests

    @cached_property
    def place_of_row(self) -> npt.NDArray[np.int64]:
        """The leaf of each row of the table."""
        return leaf_places(self.node, self.n_rows)


@dataclass(eq=False)
class _Joiner:
    """Splits and joins nodes until no subtree serves two of them."""

    subtrees: Subtrees
    price: float
    waiting: list[_Waiting] = field(default_factory=list)

    def run(self, root: Node) -> None:
        """Work from the root down; nodes are changed in place."""
        self._wait(root, [])
        while self.waiting:
            largest = max(self.waiting, key=lambda each: each.n_tests)  # the first of equal ones
            self.waiting.remove(largest)
            for child in list(largest.node.children):
                self._join(child, largest.node)

    def _wait(self, node: Node, parents: list[Node]) -> _Waiting | None:
        if node.is_leaf:
            return None
        waiting = _Waiting(node, parents, self.price, self.subtrees.growth.n_rows)
        self.waiting.append(waiting)
        return waiting

    def _join(self, node: Node, parent: Node) -> None:
        """Let a node wait, joined with those that its subtree, or theirs, serves as well."""
        one = self._wait(node, [parent])
        while one is not None:
            found = self._best_partner(one)
            if found is None:
                return
            partner, subtree = found
            self.waiting.remove(one)
            self.waiting.remove(partner)
            parents = one.parents + partner.parents
            for each in parents:
                each.children = [
                    subtree if child in (one.node, partner.node) else child
                    for child in each.children
                ]
            one = self._wait(subtree, parents)

    def _best_partner(self, one: _Waiting) -> tuple[_Waiting, Node] | None:
        """Return the node to join with, and the subtree of both; None: no subtree serves both."""
        best, most = None, -_slack(one.worth)
        for other in self.waiting:
            if other is one:
                continue
            for first, second in ((one, other), (other, one)):
                worth = self._worth_with(first, second.node)
                saved = worth - one.worth - other.worth
                if saved > most:
                    best, most = (other, first, second, worth), saved
        if best is None:
            return None
        other, first, second, worth = best
        return other, self._subtree_of_both(first.node, second.node, worth)

    def _worth_with(self, first: _Waiting, node: Node) -> float:
        """Return what a subtree is worth when it holds the rows of a node besides its own."""
        place = first.place_of_row[node.rows]
        more = self.subtrees.tallies.in_groups(node.rows, place, len(first.tallies))
        return float(explained(first.tallies + more).sum()) - self.price * first.n_tests

    def _subtree_of_both(self, first: Node, second: Node, worth: float) -> Node:
        """Return the subtree of the first node with all rows, or a new one if it is better."""
        joined = self.subtrees.with_rows(first, second.rows)
        regrown = priced(self.subtrees.grow(joined.rows), self.price)
        leaves = leaves_below(regrown)
        value = sum(float(explained(leaf.tally)) for leaf in leaves)
        is_better = value - self.price * (len(leaves) - 1) > worth + _slack(worth)
        return regrown if is_better else joined


def _slack(value: float) -> float:
    """Return what rounding may change."""
    return 1e-9 * max(abs(value), 1.0)
