"""Trees to draw, built by hand: a node is the content of a leaf, or a test with its children."""

import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import numpy as np

from branchline._trees._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, Scale, TreeArrays
from branchline.table import Schema
from branchline.table._column import FLOAT, ColumnType
from branchline.table._schema import Field


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


def build(root, *, center=None, spread_per_unit=1.0) -> TreeArrays:
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
    n_outputs = 0 if center is None else content.shape[1] - 1
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
        scale=Scale(center=center),
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


# -- trees of a kind ----------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"
COLUMNS = schema("age", "income", "hours per week", "capital gain")
CLASSES = np.array(["low", "middle", "high"])

NASTY = ["a < b & \"c\" 'd'\n", "<script>alert(1)</script>", "</svg>&amp;", "\x00\x1b\u202e\ud800"]
EMOJI = "👍🏽 日本語の列名 ومع " * 5


def tennis(missing=-1):
    humidity = Test(1, [[0, 3], [2, 0]], branch_of_category=[0, 1])
    wind = Test(2, [[0, 2], [3, 0]], branch_of_category=[0, 1], missing=1)
    root = Test(0, [humidity, [4, 0], wind], branch_of_category=[0, 1, 2], missing=missing)
    columns = schema(
        ("outlook", ["sunny", "overcast", "rain"]),
        ("humidity", ["high", "normal"]),
        ("wind", ["strong", "weak"]),
    )
    return build(root), columns, np.array(["yes", "no"])


def wide(n_branches):
    rng = np.random.default_rng(0)
    leaves = list(rng.integers(1, 40, (n_branches, 3)))
    names = [f"town {place}" for place in range(n_branches)]
    root = Test(0, leaves, branch_of_category=list(range(n_branches)))
    return build(root), schema(("town", names)), CLASSES


def nasty():
    below = Test(1, [[4, 1], [0, 5]], 1234567.891, missing=0)
    names = Test(2, [[3, 3], [7, 1]], branch_of_category=[0, 1, 0, 1], missing=1)
    root = Test(0, [below, names], -0.000012345, missing=1)
    columns = schema(NASTY[0] + NASTY[3], EMOJI, ("x" * 300, [*NASTY[1:3], "", "q" * 200]))
    return build(root), columns, np.array(["<b>yes</b>", "no & 'never'\n"])


def regression(n_outputs):
    rng = np.random.default_rng(0)
    rows = [np.append([7], rng.integers(-50, 50, n_outputs)) for _ in range(6)]
    root = Test(0, [Test(1, rows[:3], 1.5, missing=2), Test(2, rows[3:5], 4.0)], 2.0)
    return build(root, center=(0.0,) * n_outputs, spread_per_unit=2.0), COLUMNS, None


# -- drawings, read back ------------------------------------------------------------------------


def parsed(drawing):
    return ElementTree.fromstring(drawing.svg)


def words_of(element):
    return "".join(element.itertext())


def texts_of(drawing):
    """Return the words that stand in a drawing, line by line."""
    return [words_of(element) for element in parsed(drawing).iter(f"{SVG}text")]


def node_numbers(drawing):
    """Return the numbers of the nodes that have hints."""
    hints = [words_of(title) for title in parsed(drawing).iter(f"{SVG}title")]
    return {int(found[1]) for hint in hints if (found := re.search(r"^node (\d+)$", hint, re.M))}
