"""The search for surrogate tests: which test of another column agrees most with a node's test.

``_surrogates`` says what agreement is. The search counts, for each value of a column, the weight of
the rows that go to each branch of the node.

1. Numbers: for each threshold, the two sides get the two different branches that fit most rows.
2. Categories: each gets the branch of most of its rows.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._nested import NestedNode, NodeTest, in_levels, nested, to_arrays
from branchline.tree._parts import PartGrower, send_down
from branchline.tree.growing._growth import Growth, Sample
from branchline.tree.missing._surrogates import Surrogate, Surrogates

__all__ = ["find_surrogates", "refill_with_surrogates", "surrogates_of_tree"]

Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]

_LEAST_ROWS = 2  # on each side of a surrogate test, as rpart asks


def find_surrogates(
    growth: Growth, part: Sample, test: NodeTest, n_surrogates: int, node: int = 0
) -> tuple[Surrogate, ...]:
    """Return the best substitutes of a node's test among the tests of other columns."""
    if test.is_presence:
        return ()
    branch = test.known_branches(test.column_of(growth.data.table))[part.rows]
    known = _Known.of(growth, part, branch, test.n_branches)
    total, most = known.of_branch.sum(), known.of_branch.max()
    if most >= total:
        return ()
    found = []
    for place in range(len(growth.codes.columns)):
        if place == test.column:
            continue
        best = _best_substitute(growth, place, known)
        if best is not None and best.weight > most * (1 + 1e-12):
            agree, share = best.weight / total, most / total
            adj = float((agree - share) / (1 - share))
            found.append(Surrogate(node, place, best.threshold, best.branches, float(agree), adj))
    return tuple(sorted(found, key=lambda each: -each.agree)[:n_surrogates])


class _Known(NamedTuple):
    """The rows of a node whose branch is known: their branches and weights."""

    rows: npt.NDArray[np.uint32]
    branch: npt.NDArray[np.int64]
    weight: Floats
    of_branch: Floats

    @classmethod
    def of(cls, growth: Growth, part: Sample, branch: Nodes, n_branches: int) -> "_Known":
        rows, taken = part.rows[branch >= 0], branch[branch >= 0].astype(np.int64)
        units = growth.weights.units if part.units is None else part.units
        unit = np.float64(growth.weights.unit)
        weight: Floats = np.ones(len(rows)) if units is None else units[rows] * unit
        return cls(rows, taken, weight, _sums(taken, weight, n_branches))

    def by_value(self, code: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return the codes that occur, and the weight of each branch for each of them."""
        here, n_branches = code[self.rows].astype(np.int64), len(self.of_branch)
        is_there = here > 0
        values, at = np.unique(here[is_there], return_inverse=True)
        cell = at * n_branches + self.branch[is_there]
        weight = _sums(cell, self.weight[is_there], len(values) * n_branches)
        return values, weight.reshape(-1, n_branches)


def _sums(at: npt.NDArray[np.int64], weight: Floats, length: int) -> Floats:
    return np.bincount(at, weight, minlength=length).astype(np.float64)


class _Substitute(NamedTuple):
    """A test that agrees for some weight of rows."""

    threshold: float | None
    branches: Nodes
    weight: float


def _best_substitute(growth: Growth, place: int, known: _Known) -> _Substitute | None:
    """Return the test of a column that agrees most; None where it divides too few rows."""
    values, weight = known.by_value(growth.codes.columns[place])
    if len(values) < 2:
        return None
    if growth.codes.is_category[place]:
        return _of_categories(growth, place, values, weight)
    left = np.cumsum(weight, axis=0)[:-1]
    right = weight.sum(axis=0) - left
    agree, pairs = _best_pairs(left, right)
    enough = (left.sum(axis=1) >= _LEAST_ROWS) & (right.sum(axis=1) >= _LEAST_ROWS)
    if not enough.any():
        return None
    at = int(np.argmax(np.where(enough, agree, -1.0)))
    cut = growth.threshold_between(place, int(values[at]), int(values[at + 1]))
    return _Substitute(cut, pairs[at].astype(np.int32), float(agree[at]))


def _best_pairs(left: Floats, right: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the largest left[a] + right[b] with a ≠ b for each threshold, and (a, b)."""
    rows = np.arange(len(left))
    a, b = left.argmax(axis=1), right.argmax(axis=1)
    other_left, other_right = left.copy(), right.copy()
    other_left[rows, a] = -1.0
    other_right[rows, b] = -1.0
    a2, b2 = other_left.argmax(axis=1), other_right.argmax(axis=1)
    keeps_left = left[rows, a] + right[rows, b2] >= left[rows, a2] + right[rows, b]
    differ = a != b
    first = np.where(differ | keeps_left, a, a2)
    second = np.where(differ | ~keeps_left, b, b2)
    return left[rows, first] + right[rows, second], np.column_stack([first, second])


def _of_categories(
    growth: Growth, place: int, values: npt.NDArray[np.int64], weight: Floats
) -> _Substitute | None:
    best = weight.argmax(axis=1)
    of_branch = np.bincount(best, weight.sum(axis=1), minlength=weight.shape[1])
    if (of_branch >= _LEAST_ROWS).sum() < 2:
        return None
    of_code = np.full(int(growth.codes.n_codes[place]) + 1, -1, dtype=np.int32)
    of_code[values] = best
    pooling = growth.codes.pooling[place]
    branches = of_code[1:] if pooling is None else of_code[1:][pooling]
    return _Substitute(None, branches, float(weight.max(axis=1).sum()))


# -- the surrogates of a tree -------------------------------------------------------------------


def surrogates_of_tree(
    growth: Growth, sample: Sample, tree: TreeArrays, n_surrogates: int
) -> Surrogates:
    """Return the surrogates of a tree that was grown with another policy."""
    nodes, part_of = nested(tree), {0: sample}
    found: dict[int, tuple[Surrogate, ...]] = {}
    for place, node in enumerate(nodes):
        part = part_of.pop(place)
        if node.test is None:
            continue
        if len(part.rows):
            found[place] = find_surrogates(growth, part, node.test, n_surrogates, place)
        first = int(tree.first_child[place])
        for branch, each in enumerate(send_down(growth, node.test, part)):
            part_of[first + branch] = each
    return Surrogates({place: tests for place, tests in found.items() if tests})


def refill_with_surrogates(
    growth: Growth, sample: Sample, tree: TreeArrays, n_surrogates: int
) -> tuple[TreeArrays, Surrogates]:
    """Return the tree with the rows that come to its leaves by surrogate tests, and these tests.

    A test one of whose branches no row comes to any more is left out.
    """
    grower, root = PartGrower(growth), nested(tree)[0]
    found: dict[int, tuple[Surrogate, ...]] = {}  # by the identity of a node
    waiting: list[tuple[NestedNode, Sample]] = [(root, sample)]
    while waiting:
        node, part = waiting.pop()
        parts: list[Sample] = []
        if node.test is not None:
            found[id(node)] = find_surrogates(growth, part, node.test, n_surrogates)
            node.test = _with_majority(growth, part, node.test)
            parts = _parts(growth, part, node.test, found[id(node)])
        if parts and all(len(each.rows) for each in parts):
            waiting.extend(zip(node.children, parts, strict=True))
            node.losses = grower.losses(part)
            continue
        found.pop(id(node), None)
        leaf = grower.leaf(part)
        node.test, node.children, node.content, node.spread = None, [], leaf.content, leaf.spread
        node.losses = leaf.losses
    named = {
        place: tuple(replace(each, node=place) for each in found[id(node)])
        for place, node in enumerate(in_levels(root))
        if found.get(id(node))
    }
    return to_arrays(root, tree.scale), Surrogates(named)


def _with_majority(growth: Growth, part: Sample, test: NodeTest) -> NodeTest:
    """Return the test with the branch of most known rows for those that nothing else decides."""
    if test.is_presence:
        return test
    branch = test.known_branches(test.column_of(growth.data.table))[part.rows]
    most = int(np.argmax(_Known.of(growth, part, branch, test.n_branches).of_branch))
    known = test.branch_of_category
    branches = None if known is None else np.where(known < 0, most, known).astype(np.int32)
    return replace(test, missing=most, branch_of_category=branches)


def _parts(
    growth: Growth, part: Sample, test: NodeTest, tests: tuple[Surrogate, ...]
) -> list[Sample]:
    """Return the rows of each branch of a test when surrogates decide for missing values."""
    table = growth.data.table.rows(part.rows.astype(np.int64))
    branch = Surrogates({0: tests}).branches(table, test, 0, test.missing)
    return [Sample(part.rows[branch == each], part.units) for each in range(test.n_branches)]
