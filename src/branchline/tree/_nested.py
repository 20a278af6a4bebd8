"""A tree as nested nodes: a form that can be changed, and how it becomes arrays again.

``TreeArrays`` is made for walking, not for changing. Here a node is an object: its test, its
children, and what it holds of the training rows. ``to_arrays`` lays the nodes out level by level
and fills in what inner nodes hold, as the native grower does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._node_losses import NodeLosses
from branchline._trees._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, Scale, TreeArrays
from branchline._trees._tree_state import fill_inner_nodes
from branchline.table import Column, Table

__all__ = [
    "NestedNode",
    "NodeTest",
    "nested",
    "test_arrays",
    "test_of",
    "to_arrays",
    "with_preorder",
]

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class NodeTest:
    """What a node asks: a threshold of a numeric column, or the branch of each category.

    Parameters
    ----------
    column
        The place of the column.
    threshold
        Branch 0 takes values up to it, branch 1 the others; None for categories.
    branch_of_category
        The branch of each category, or STAY or EVERY_BRANCH; None for a threshold.
    n_branches
        The number of branches.
    missing
        The branch of missing values, STAY or EVERY_BRANCH.
    """

    column: int
    threshold: float | None
    branch_of_category: Nodes | None
    n_branches: int
    missing: int

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells this test from others."""
        of_category = self.branch_of_category
        branches = None if of_category is None else of_category.tobytes()
        return self.column, self.threshold, branches, self.n_branches, self.missing

    @property
    def is_presence(self) -> bool:
        """Whether it asks only if the value is there."""
        return self.threshold is not None and bool(np.isinf(self.threshold))

    def known_branches(self, column: Column) -> Nodes:
        """Return the branch of each value; −1 where the value itself does not choose one."""
        if self.branch_of_category is not None:
            of_code = np.append(np.maximum(self.branch_of_category, -1), -1)
            return np.asarray(of_code[np.maximum(column.values, -1)], dtype=np.int32)
        return self._sides(column.numbers(), 1 if self.is_presence else -1)

    def branches(self, column: Column) -> Nodes:
        """Return the branch of each value; STAY and EVERY_BRANCH are passed on."""
        if self.branch_of_category is not None:
            of_code = np.append(self.branch_of_category, self.missing)
            return np.asarray(of_code[np.maximum(column.values, -1)], dtype=np.int32)
        return self._sides(column.numbers(), self.missing)

    def _sides(self, values: npt.NDArray[Any], missing: int) -> Nodes:
        assert self.threshold is not None
        taken = np.where(values <= self.threshold, 0, 1)
        return np.where(np.isnan(values), missing, taken).astype(np.int32)

    def column_of(self, table: Table) -> Column:
        """Return the column that is asked about."""
        return table.column(table.names[self.column])


@dataclass(eq=False)
class NestedNode:
    """A node: a test with children, or a leaf; leaves know what they hold."""

    test: NodeTest | None = None
    children: list["NestedNode"] = field(default_factory=list)
    content: npt.NDArray[np.int64] | None = None
    spread: Floats | None = None
    losses: NodeLosses | None = None  # of this node alone

    @property
    def is_leaf(self) -> bool:
        """Whether it asks nothing."""
        return self.test is None


def test_of(tree: TreeArrays, node: int) -> NodeTest:
    """Return what an inner node asks."""
    column, missing = int(tree.feature[node]), int(tree.missing_branch[node])
    n_branches = int(tree.n_children[node])
    if tree.kind[node] == THRESHOLD_TEST:
        return NodeTest(column, float(tree.threshold[node]), None, n_branches, missing)
    return NodeTest(column, None, tree._pool_of(np.array([node]))[0], n_branches, missing)


def nested(tree: TreeArrays) -> list[NestedNode]:
    """Return the nodes of a tree, in its order; the first is the root."""
    nodes = [
        NestedNode(
            None if tree.is_leaf[node] else test_of(tree, node),
            [],
            tree.content[node].astype(np.int64),
            tree.spread[node].copy(),
            None if tree.losses is None else tree.losses.of_nodes(np.array([node])),
        )
        for node in range(tree.n_nodes)
    ]
    for node, parent in enumerate(tree.parent.tolist()):
        if node:
            nodes[parent].children.append(nodes[node])
    return nodes


def in_levels(root: NestedNode) -> list[NestedNode]:
    """Return all nodes, level by level, siblings together."""
    nodes = [root]
    for node in nodes:  # which grows meanwhile
        nodes.extend(node.children)
    return nodes


def with_preorder(root: NestedNode) -> Iterator[NestedNode]:
    """Yield all nodes, a parent before its children; deep trees do not fill the stack."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def to_arrays(root: NestedNode, scale: Scale) -> TreeArrays:
    """Return the arrays of a tree; every leaf must know what it holds."""
    nodes = in_levels(root)
    n_children = np.array([len(node.children) for node in nodes], dtype=np.int32)
    end = 1 + np.cumsum(n_children, dtype=np.int64)
    first = np.where(n_children > 0, end - n_children, -1).astype(np.int32)
    content = np.array([_held(node) for node in nodes], dtype=np.int64)
    spread = np.array([_spread(node) for node in nodes], dtype=np.float64)
    spread = spread.reshape(len(nodes), -1 if spread.size else 0)
    spread = fill_inner_nodes(content, spread, first, n_children, scale)
    return TreeArrays(
        **test_arrays(nodes),
        first_child=first,
        n_children=n_children,
        content=content,
        spread=spread,
        scale=scale,
        losses=_losses(nodes),
    )


def _losses(nodes: list[NestedNode]) -> NodeLosses | None:
    """Return the losses of all nodes, which each of them must know; None: squared errors."""
    known = [node.losses for node in nodes if node.losses is not None]
    if not known:
        return None
    assert len(known) == len(nodes)
    medians = [each.median for each in known if each.median is not None]
    median = np.concatenate(medians) if medians else None
    return NodeLosses(known[0].measure, np.concatenate([each.loss for each in known]), median)


def _held(node: NestedNode) -> npt.NDArray[np.int64]:
    assert node.content is not None
    return node.content


def _spread(node: NestedNode) -> Floats:
    assert node.spread is not None
    return node.spread


def test_arrays(nodes: list[NestedNode]) -> dict[str, Any]:
    """Return the arrays of the tests of nodes."""
    n_nodes = len(nodes)
    kind, threshold = np.full(n_nodes, LEAF, dtype=np.uint8), np.zeros(n_nodes)
    feature, missing = np.full((2, n_nodes), -1, dtype=np.int32)
    offset, parts, length = np.zeros(n_nodes, dtype=np.int64), [], 0
    for place, node in enumerate(nodes):
        test = node.test
        if test is None:
            continue
        feature[place], missing[place] = test.column, test.missing
        if test.branch_of_category is None:
            assert test.threshold is not None
            kind[place], threshold[place] = THRESHOLD_TEST, test.threshold
        else:
            kind[place], offset[place] = CATEGORIES, length
            parts.append(test.branch_of_category)
            length += len(test.branch_of_category)
    pool = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    return {
        "kind": kind,
        "feature": feature.copy(),
        "threshold": threshold,
        "missing_branch": missing.copy(),
        "pool_offset": offset,
        "pool": pool.astype(np.int32),
    }
