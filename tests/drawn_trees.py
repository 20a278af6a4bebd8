"""Trees to draw, built by hand: a node is the content of a leaf, or a test with its children."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from branchline.table import Schema
from branchline.table._column import FLOAT, ColumnType
from branchline.table._schema import Field
from branchline.tree._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, Scale, TreeArrays


@dataclass
class Test:
    """A test: a threshold, or for each category its branch."""

    feature: int
    children: list[Any]
    threshold: float = 0.0
    branch_of_category: list[int] | None = None
    missing: int = -1
    content: Any = field(default=None, repr=False)

    __test__ = False  # not a test of ours


def build(root, *, centre=None, spread_per_unit=1.0) -> TreeArrays:
    """Return the arrays of a tree; an inner node holds the sum of its leaves."""
    order, queue = [], deque([root])
    while queue:
        node = queue.popleft()
        order.append(node)
        queue.extend(node.children if isinstance(node, Test) else [])
    for node in reversed(order):
        if isinstance(node, Test):
            parts = [c.content if isinstance(c, Test) else np.asarray(c) for c in node.children]
            node.content = np.sum(parts, axis=0)
    columns = {name: [] for name in ("kind", "feature", "threshold", "first", "n", "missing")}
    offsets, pool, next_child = [], [], 1
    for node in order:
        inner = isinstance(node, Test)
        is_category = inner and node.branch_of_category is not None
        columns["kind"].append(CATEGORIES if is_category else THRESHOLD_TEST if inner else LEAF)
        columns["feature"].append(node.feature if inner else -1)
        columns["threshold"].append(node.threshold if inner and not is_category else 0.0)
        columns["first"].append(next_child if inner else -1)
        columns["n"].append(len(node.children) if inner else 0)
        columns["missing"].append(node.missing if inner else -1)
        offsets.append(len(pool) if is_category else 0)
        pool.extend(node.branch_of_category if is_category else [])
        next_child += len(node.children) if inner else 0
    content = np.array([n.content if isinstance(n, Test) else n for n in order], dtype=np.int64)
    n_outputs = 0 if centre is None else content.shape[1] - 1
    return TreeArrays(
        kind=np.array(columns["kind"], np.uint8),
        feature=np.array(columns["feature"], np.int32),
        threshold=np.array(columns["threshold"], np.float64),
        first_child=np.array(columns["first"], np.int32),
        n_children=np.array(columns["n"], np.int32),
        missing_branch=np.array(columns["missing"], np.int32),
        pool_offset=np.array(offsets, np.int64),
        pool=np.array(pool, np.int32),
        content=content,
        spread=np.repeat(content[:, :1] * spread_per_unit, n_outputs, axis=1).astype(np.float64),
        scale=Scale(centre=centre),
    )


def schema(*columns) -> Schema:
    """Return a schema of names (numeric columns) and pairs of a name and its categories."""
    fields = [
        Field(column, FLOAT)
        if isinstance(column, str)
        else Field(column[0], ColumnType("category", "string", tuple(column[1])))
        for column in columns
    ]
    return Schema(tuple(fields))


def random_tree(n_leaves, n_columns=4, n_classes=3, seed=0, *, missing=-1) -> TreeArrays:
    """Return a tree of threshold tests on columns 0, 1, …, of random shape."""
    rng = np.random.default_rng(seed)
    nodes = [
        rng.multinomial(rng.integers(1, 40), rng.dirichlet([0.3] * n_classes))
        for _ in range(n_leaves)
    ]
    while len(nodes) > 1:
        place = int(rng.integers(len(nodes) - 1))
        threshold = float(np.round(rng.normal(scale=50), 2))
        pair = Test(
            int(rng.integers(n_columns)), nodes[place : place + 2], threshold, missing=missing
        )
        nodes[place : place + 2] = [pair]
    return build(nodes[0])


def chain(depth, *, n_classes=2) -> TreeArrays:
    """Return the deepest tree there is: each test parts one leaf from the rest."""
    one = np.eye(n_classes, dtype=np.int64)
    node: Any = one[0]
    for level in range(depth):
        node = Test(0, [one[level % n_classes], node], float(depth - level))
    return build(node)
