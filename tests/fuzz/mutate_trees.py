"""Forged trees: other shapes, put together again so that only the tree itself may be wrong.

A file's packed arrays become a tree of ``Node``; nodes are split, cut off, doubled, moved, tested
anew; then the tree is packed again, level by level. Most mutants are sound trees, some very deep or
very wide; the others break a rule that only a tree has.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from fuzz.mutate_arrays import fitted_values, forge_fitted, take_apart

__all__ = ["mutate_trees"]

Corpus: TypeAlias = Sequence[bytes]

LEAF, THRESHOLD, CATEGORIES = 0, 1, 2
DEEP = (2, 3, 40, 3000)
WIDE = (2, 5, 300, 70_000)
# A node that hangs under itself would be packed again and again.
MOST_NODES = 100_000


@dataclass
class Node:
    """A node with its test, or with what a leaf holds."""

    kind: int = LEAF
    feature: int = 0
    threshold: float = 0.0
    missing: int = -1
    pool: list[int] = field(default_factory=list)
    content: list[int] = field(default_factory=list)
    spread: list[float] = field(default_factory=list)
    children: list["Node"] = field(default_factory=list)


def mutate_trees(rng: random.Random, corpus: Corpus) -> bytes:
    """Change the shape of a tree; the file is sound in all other ways."""
    content = rng.choice(_of_trees(tuple(corpus)))
    manifest, whole = take_apart(content)[0], fitted_values(content)
    columns = manifest["schema"]["columns"]
    parameters, fitted = rng.choice([*_trees_in(manifest["parameters"], whole)])
    root = _unpacked(fitted, columns)
    for _ in range(rng.choice((1, 1, 2, 5))):
        rng.choice(_EDITS)(rng, root, columns)
    if rng.random() < 0.8:  # or else trees that are deeper than allowed, and paths to another tree
        parameters["max_depth"] = None
        for name in [name for name in fitted if name.startswith("path_")]:
            del fitted[name]
    fitted.update(_packed(root, "leaf_spread" in fitted))
    if rng.random() < 0.1:
        name = rng.choice([name for name in fitted if isinstance(fitted[name], np.ndarray)])
        fitted[name] = np.append(fitted[name], fitted[name][-1:])
    return forge_fitted(manifest, whole)


@cache
def _of_trees(corpus: tuple[bytes, ...]) -> list[bytes]:
    return [content for content in corpus if any(_trees_in({}, fitted_values(content)))]


def _trees_in(
    parameters: dict[str, Any], fitted: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the parameters and fitted values of a tree, or of each tree among the members."""
    # Forests have a form of their own; tests of derived columns are changed with all arrays.
    is_plain = "n_nodes" not in fitted and not fitted.get("derived")
    if "leaf_content" in fitted and is_plain:
        yield parameters, fitted
    for member in fitted.get("members", ()):
        yield from _trees_in(member["parameters"], member["fitted"])


# -- packed and unpacked ------------------------------------------------------------------------


def _unpacked(fitted: dict[str, Any], columns: list[Any]) -> Node:
    nodes = [Node(kind=kind) for kind in fitted["kind"].tolist()]
    tests = iter(zip(fitted["feature"].tolist(), fitted["missing_branch"].tolist(), strict=True))
    thresholds, branches = iter(fitted["threshold"].tolist()), iter(fitted["n_branches"].tolist())
    pool, place, next_child = fitted["pool"].tolist(), 0, 1
    leaves = [node for node in nodes if node.kind == LEAF]
    for name, rows in (("content", "leaf_content"), ("spread", "leaf_spread")):
        for leaf, row in zip(
            leaves, np.split(fitted.get(rows, np.zeros(0)), len(leaves)), strict=True
        ):
            setattr(leaf, name, row.tolist())
    for node in (node for node in nodes if node.kind != LEAF):
        node.feature, node.missing = next(tests)
        n_children = 3 if node.missing == 2 else 2
        if node.kind == THRESHOLD:
            node.threshold = next(thresholds)
        else:
            n_children, size = next(branches), len(columns[node.feature]["categories"])
            node.pool, place = pool[place : place + size], place + size
        node.children = nodes[next_child : next_child + n_children]
        next_child += n_children
    return nodes[0]


def _level_by_level(root: Node) -> list[Node]:
    nodes, place = [root], 0
    while place < len(nodes) < MOST_NODES:
        nodes += nodes[place].children
        place += 1
    return nodes


def _packed(root: Node, has_spread: bool) -> dict[str, Any]:
    nodes = _level_by_level(root)
    inner = [node for node in nodes if node.kind != LEAF]
    leaves = [node for node in nodes if node.kind == LEAF]
    among = [node for node in inner if node.kind == CATEGORIES]
    packed = {
        "kind": np.array([node.kind for node in nodes], dtype=np.uint8),
        "feature": np.array([node.feature for node in inner], dtype=np.int32),
        "threshold": np.array(
            [n.threshold for n in inner if n.kind == THRESHOLD], dtype=np.float64
        ),
        "missing_branch": np.array([node.missing for node in inner], dtype=np.int32),
        "n_branches": np.array([len(node.children) for node in among], dtype=np.int32),
        "pool": np.array([branch for node in among for branch in node.pool], dtype=np.int32),
        "leaf_content": np.array(
            [part for leaf in leaves for part in leaf.content], dtype=np.int64
        ),
    }
    if has_spread:
        packed["leaf_spread"] = np.array(
            [part for leaf in leaves for part in leaf.spread], dtype=float
        )
    return packed


# -- edits --------------------------------------------------------------------------------------


def _any_leaf(rng: random.Random, root: Node) -> Node:
    leaves = [node for node in _level_by_level(root) if node.kind == LEAF]
    return rng.choice(leaves or [root])  # an edit before may have left none


def _inner_nodes(root: Node) -> Iterator[Node]:
    return (node for node in _level_by_level(root) if node.kind != LEAF)


def _copy_of(leaf: Node) -> Node:
    return Node(content=list(leaf.content), spread=list(leaf.spread))


def _columns_of(columns: list[Any], *, category: bool) -> list[int]:
    return [place for place, column in enumerate(columns) if ("categories" in column) is category]


def _cut(rng: random.Random, root: Node, columns: list[Any], *, depth: int = 1) -> None:
    """Split a leaf by a threshold, then one of the new leaves, and so on."""
    numeric = _columns_of(columns, category=False)
    node = _any_leaf(rng, root)
    missing = rng.choice((-2, -1, 0, 1, 2))
    for _ in range(depth if numeric else 0):
        node.kind, node.feature, node.missing = THRESHOLD, rng.choice(numeric), missing
        node.threshold = rng.choice((0.0, 170.0, 1e308, float("inf"), rng.gauss(0, 100)))
        node.children = [_copy_of(node) for _ in range(3 if missing == 2 else 2)]
        node = rng.choice(node.children)


def _deepen(rng: random.Random, root: Node, columns: list[Any]) -> None:
    _cut(rng, root, columns, depth=rng.choice(DEEP))


def _fan_out(rng: random.Random, root: Node, columns: list[Any]) -> None:
    """Split a leaf by a category, into up to more branches than a column may have."""
    among, node = _columns_of(columns, category=True), _any_leaf(rng, root)
    if not among:
        return
    node.kind, node.feature, n_branches = CATEGORIES, rng.choice(among), rng.choice(WIDE)
    node.missing = rng.choice((-2, -1, 0, n_branches - 1))
    size = len(columns[node.feature]["categories"])
    node.pool = [rng.randrange(-1, n_branches) for _ in range(size)]
    node.children = [_copy_of(node) for _ in range(n_branches)]


def _cut_off(rng: random.Random, root: Node, columns: list[Any]) -> None:
    """Make a leaf of an inner node."""
    for node in [*_inner_nodes(root)][-3:]:
        if node.children and rng.random() < 0.5 and all(c.kind == LEAF for c in node.children):
            first = node.children[0]
            node.kind, node.children = LEAF, []
            node.content, node.spread = first.content, first.spread


def _hang(rng: random.Random, root: Node, columns: list[Any]) -> None:
    """Hang a family under another parent; sometimes both keep it, or it hangs under itself."""
    inner = [*_inner_nodes(root)]
    if len(inner) < 2:
        return
    one, other = rng.sample(inner, 2)
    one.children[-1] = (
        Node(LEAF, content=[1], spread=[]) if rng.random() < 0.3 else other.children[0]
    )


def _retest(rng: random.Random, root: Node, columns: list[Any]) -> None:
    """Change one thing about a test."""
    inner = [*_inner_nodes(root)]
    if not inner:
        return
    node = rng.choice(inner)
    name = rng.choice(("kind", "feature", "threshold", "missing", "pool", "children"))
    if name == "pool" and node.pool:
        node.pool[rng.randrange(len(node.pool))] = rng.choice((-2, -1, 0, 1, 9, 2**31 - 1))
    elif name == "children":
        node.children = node.children[:-1] if rng.random() < 0.5 else [*node.children, _leaf(root)]
    elif name != "pool":
        numbers = {"kind": (0, 1, 2, 3), "threshold": (float("nan"), float("-inf"), 1e300)}
        some = numbers.get(name, (-3, -2, -1, 0, 1, 2, 3, 5, 2**31 - 1))
        setattr(node, name, rng.choice(some))


def _leaf(root: Node) -> Node:
    return _copy_of(next(node for node in _level_by_level(root) if node.kind == LEAF))


def _refill(rng: random.Random, root: Node, columns: list[Any]) -> None:
    """Change what a leaf holds: extremes, overflows, nothing."""
    leaf = _any_leaf(rng, root)
    most = rng.choice((0, 1, -1, 2**31, 2**52, 2**53, 2**61, 2**62, 2**63 - 1, -(2**63)))
    if leaf.content:
        leaf.content[rng.randrange(len(leaf.content))] = most
    if leaf.spread and rng.random() < 0.5:
        leaf.spread[0] = rng.choice((0.0, 1e300, 1e301, 1.7e308, -1.0, float("nan"), float("inf")))


_EDITS: tuple[Callable[..., None], ...] = (
    _cut, _cut, _deepen, _fan_out, _cut_off, _hang, _retest, _retest, _refill,
)  # fmt: skip
