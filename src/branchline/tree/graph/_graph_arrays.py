"""A fitted graph as arrays: nodes one by one, and the two nodes that each test leads to.

1. Node 0 is the root; every node stands after all nodes that lead to it, so there is no cycle.
2. ``nodes`` holds tests and contents, one entry per node, in the form of a tree's arrays, so that
   the words for trees serve graphs, too. Its ``first_child`` means nothing here: ``children`` does.
3. ``first_branch`` is what the rows hold that take the first branch of each test. What all nodes
   hold follows from it: a node holds what its incoming branches bring.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import malformed
from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Column, Table
from branchline.tree._nested import NestedNode, NodeTest, test_arrays, test_of
from branchline.tree._parts import PartGrower
from branchline.tree.graph._graph_nodes import in_order
from branchline.tree.graph._subtrees import Node, Subtrees
from branchline.tree.growing._growth import Sample

__all__ = ["GraphArrays", "GraphNodes", "flows", "graph_of"]

Nodes = npt.NDArray[np.int32]
Units = npt.NDArray[np.int64]


class GraphNodes(TreeArrays):
    """Tests and contents of nodes that do not stand as those of a tree do; no rows go down."""

    def __post_init__(self) -> None:
        """Make no walker."""


@dataclass(frozen=True, eq=False)
class GraphArrays:
    """A directed acyclic graph of yes-no tests.

    Parameters
    ----------
    nodes
        The test of each node and what it holds of the training rows.
    children
        The nodes that the two branches of each test lead to; −1 at leaves.
    first_branch
        What the rows hold that take the first branch of each test; zeros at leaves.
    """

    nodes: TreeArrays
    children: Nodes
    first_branch: Units

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what makes up the graph; the rest is worked out anew, and checked."""
        from branchline.tree.graph._graph_state import pack_alone, unpack_alone

        return unpack_alone, (pack_alone(self),)

    def __setstate__(self, state: Any) -> None:
        raise malformed("a graph's arrays are not packed")

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return self.nodes.n_nodes

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return self.nodes.n_leaves

    @property
    def n_tests(self) -> int:
        """The number of nodes with a test."""
        return self.n_nodes - self.n_leaves

    @cached_property
    def tests(self) -> list[NodeTest | None]:
        """The test of each node; None at leaves."""
        return [
            None if self.nodes.is_leaf[node] else test_of(self.nodes, node)
            for node in range(self.n_nodes)
        ]

    @cached_property
    def depth(self) -> npt.NDArray[np.int64]:
        """The number of tests on the longest way to each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        for node in range(self.n_nodes):
            for child in self.children_of(node):
                depth[child] = max(depth[child], depth[node] + 1)
        return depth

    @cached_property
    def parents(self) -> list[list[tuple[int, int]]]:
        """The nodes and branches that lead to each node."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.n_nodes)]
        for node in range(self.n_nodes):
            for branch, child in enumerate(self.children_of(node)):
                found[child].append((node, branch))
        return found

    @property
    def n_merged(self) -> int:
        """The number of nodes to which several branches lead."""
        return sum(len(each) > 1 for each in self.parents)

    def children_of(self, node: int) -> list[int]:
        """Return the nodes that the branches of a test lead to; none for a leaf."""
        return [] if self.nodes.is_leaf[node] else self.children[node].tolist()

    def branch_content(self, node: int, branch: int) -> Units:
        """Return what the rows hold that take a branch of a test."""
        first = self.first_branch[node]
        held: Units = first if branch == 0 else self.nodes.content[node] - first
        return held

    @cached_property
    def n_paths(self) -> list[int]:
        """The number of ways from the root to each node."""
        counted = [1] + [0] * (self.n_nodes - 1)
        for node in range(self.n_nodes):
            for child in self.children_of(node):
                counted[child] += counted[node]
        return counted

    def find_leaves(self, table: Table) -> Nodes:
        """Return the leaf of each row."""
        return self.rows_of_nodes(table)[1]

    def rows_of_nodes(self, table: Table) -> tuple[list[npt.NDArray[np.int64]], Nodes]:
        """Return the rows that come to each node, and the leaf of each row."""
        arriving: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(self.n_nodes)]
        arriving[0].append(np.arange(table.n_rows))
        leaf, held = np.zeros(table.n_rows, dtype=np.int32), []
        branches = _Branches(table)
        for node, test in enumerate(self.tests):
            rows = np.concatenate(arriving[node]) if arriving[node] else np.empty(0, dtype=np.int64)
            held.append(rows)
            if test is None:
                leaf[rows] = node
                continue
            taken = branches.of(test, rows)
            for branch, child in enumerate(self.children_of(node)):
                arriving[child].append(rows[taken == branch])
        return held, leaf


class _Branches:
    """The branches of rows; each column is read once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns: dict[int, Column] = {}

    def of(self, test: NodeTest, rows: npt.NDArray[np.int64]) -> Nodes:
        column = self._columns.setdefault(test.column, test.column_of(self._table))
        return test.branches(column)[rows]


def graph_of(subtrees: Subtrees, root: Node) -> GraphArrays:
    """Return the arrays of a graph whose nodes hold the rows of the sample."""
    order = in_order(root)
    place = {node: number for number, node in enumerate(order)}
    children = np.full((len(order), 2), -1, dtype=np.int32)
    # Leaves ask for no tests, so what makes tests in nodes (look-ahead) is not needed.
    grower, held = PartGrower(replace(subtrees.growth, of_tests=None)), []
    for number, node in enumerate(order):
        held.append(grower.leaf(Sample(node.rows, subtrees.sample.units)))
        held[-1].test = node.test
        if node.children:
            children[number] = [place[child] for child in node.children]
    nodes = _nodes(held, subtrees)
    first = np.zeros_like(nodes.content)
    for number, node in enumerate(order):
        if node.branch is not None:
            taken = node.rows[node.branch[node.rows] == 0]
            first[number] = _content(subtrees, subtrees.tallies.of_rows(taken))
    return GraphArrays(nodes, children, first)


def _content(subtrees: Subtrees, tally: Units) -> Units:
    """Return a tally in the form of a node's content: classes have no column of units."""
    return tally if subtrees.growth.numbers is not None else tally[1:]


def _nodes(held: list[NestedNode], subtrees: Subtrees) -> TreeArrays:
    n_children = np.array([0 if node.is_leaf else 2 for node in held], dtype=np.int32)
    content = np.array([node.content for node in held], dtype=np.int64)
    spread = np.array([node.spread for node in held], dtype=np.float64).reshape(len(held), -1)
    return GraphNodes(
        **test_arrays(held),
        first_child=np.where(n_children > 0, 0, -1).astype(np.int32),
        n_children=n_children,
        content=content,
        spread=spread
        if content.shape[1] and subtrees.growth.numbers is not None
        else spread[:, :0],
        scale=subtrees.growth.scale,
    )


def flows(children: Nodes, first_branch: Units, root: Units) -> Units:
    """Return what each node holds: what its incoming branches bring."""
    content = np.zeros_like(first_branch)
    content[0] = root
    for node, (first, second) in enumerate(children.tolist()):
        if first >= 0:
            content[first] += first_branch[node]
            content[second] += content[node] - first_branch[node]
    return content
