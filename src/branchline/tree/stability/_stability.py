"""How stable a tree is: whether trees grown on resampled rows ask the same questions.

1. Half of the rows are drawn without replacement; copies and groups are drawn together. On each
   half a tree is grown and pruned as the tree was, at the same price of a leaf. Means vary among
   halves as much as among bootstrap samples: σ²/m · (1 − m/n) = σ²/n for m = n/2. But a bootstrap
   sample holds rows twice, so that names and ticket numbers seem to predict.
2. A node of the tree is compared with the node at the same place of a resampled tree, when all
   tests above both are on the same columns. It is the same *column* when both test it, and the same
   *question* when, besides, at most a tenth of the node's rows would take another branch.
3. Shares are of all resampled trees, with Wilson's interval (95 %). Thresholds have the interval
   between the 2.5th and 97.5th percentile of those that resampled trees put on the same column.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._nested import NodeTest, test_of
from branchline.tree._parts import send_down
from branchline.tree.editing._plan import Demands
from branchline.tree.editing._realize import Realizer, Site
from branchline.tree.growing._growth import Growth, Sample
from branchline.tree.stability._tree_stability import NodeStability, TreeStability

__all__ = ["measure_stability"]

Floats = npt.NDArray[np.float64]
_MOST_MOVED = 0.1  # the share of a node's rows that may take another branch


def measure_stability(
    realizer: Realizer, sample: Sample, tree: TreeArrays, parts: tuple[Any, ...], n_trees: int
) -> TreeStability:
    """Return how often trees on resampled rows ask the questions of a tree.

    Parameters
    ----------
    realizer
        The rows, and how trees are grown on them and pruned.
    sample
        The rows that the tree was grown on.
    tree, parts
        The tree, and what the reading functions take.
    n_trees
        How many halves are drawn.
    """
    growth = realizer.growth
    watched = _watched(growth, sample, tree)
    draws = np.random.default_rng(realizer.seed)
    for _ in range(n_trees):
        half = _half(growth, sample, draws, realizer.seed)
        grown = _grown(realizer, half)
        _compare(tree, grown, watched)
    nodes = tuple(_summary(each, tree, growth, n_trees) for each in watched.values())
    return TreeStability(nodes, n_trees, *parts)


def _half(growth: Growth, sample: Sample, draws: np.random.Generator, seed: int) -> Sample:
    """Return a random half of the rows."""
    rows = growth.folds.rows(sample.rows.astype(np.int64)).random_half(draws, seed)
    drawn = np.sort(sample.rows[rows]).astype(np.uint32)
    return Sample(drawn, growth.weights.units if sample.units is None else sample.units)


def _grown(realizer: Realizer, half: Sample) -> TreeArrays:
    return realizer.subtree_arrays(half, Site(0, realizer.weight_of(half)), Demands())


@dataclass(eq=False)
class _Watched:
    """A node of the tree, the rows it holds, and what resampled trees ask there."""

    node: int
    test: NodeTest
    branch: npt.NDArray[np.int32]
    table: Any
    weight: Floats
    n_there: int = 0
    n_same_column: int = 0
    n_same_question: int = 0
    thresholds: list[float] = field(default_factory=list)
    columns: Counter[int] = field(default_factory=Counter)


def _watched(growth: Growth, sample: Sample, tree: TreeArrays) -> dict[int, _Watched]:
    """Return the inner nodes with the rows that come to them."""
    part_of, found = {0: sample}, {}
    weights = growth.data.weights.of_rows(growth.n_rows)
    for node in range(tree.n_nodes):
        part = part_of.pop(node)
        if tree.is_leaf[node]:
            continue
        test = test_of(tree, node)
        rows = part.rows.astype(np.int64)
        table = growth.data.table.rows(rows)
        branch = test.branches(test.column_of(table))
        found[node] = _Watched(node, test, branch, table, weights[rows])
        for each, below in enumerate(send_down(growth, test, part)):
            part_of[int(tree.first_child[node]) + each] = below
    return found


def _compare(tree: TreeArrays, other: TreeArrays, watched: dict[int, _Watched]) -> None:
    """Go down both trees together as long as they test the same columns."""
    waiting = [(0, 0)]
    while waiting:
        node, twin = waiting.pop()
        if tree.is_leaf[node]:
            continue
        seen = watched[node]
        seen.n_there += 1
        if other.is_leaf[twin]:
            continue
        column = int(other.feature[twin])
        seen.columns[column] += 1
        if column != seen.test.column:
            continue
        seen.n_same_column += 1
        test = test_of(other, twin)
        agree, order = _agreement(seen, test)
        if test.threshold is not None and np.isfinite(test.threshold):
            seen.thresholds.append(test.threshold)
        seen.n_same_question += agree >= 1 - _MOST_MOVED
        first, of_twin = int(tree.first_child[node]), int(other.first_child[twin])
        waiting.extend((first + branch, of_twin + place) for branch, place in enumerate(order))


def _agreement(seen: _Watched, test: NodeTest) -> tuple[float, list[int]]:
    """Return the share of a node's rows that take the same branch, and which branch is which."""
    theirs = test.branches(test.column_of(seen.table))
    total = max(float(seen.weight.sum()), 1e-300)
    same = float(seen.weight[theirs == seen.branch].sum()) / total
    n_branches = min(seen.test.n_branches, test.n_branches)
    order = list(range(n_branches))
    if n_branches == 2:
        crossed = float(seen.weight[theirs == 1 - seen.branch].sum()) / total
        if crossed > same:
            return crossed, [1, 0]
    return same, order


def _summary(seen: _Watched, tree: TreeArrays, growth: Growth, n_trees: int) -> NodeStability:
    names = growth.data.table.names
    others = [(n, c) for c, n in seen.columns.items() if c != seen.test.column]
    rival = max(others, key=lambda pair: (pair[0], -pair[1]), default=None)
    low, high = (np.nan, np.nan)
    if seen.thresholds:
        low, high = np.percentile(seen.thresholds, [2.5, 97.5], method="nearest")
    is_cut = seen.test.threshold is not None and not seen.test.is_presence
    return NodeStability(
        node=seen.node,
        column=names[seen.test.column],
        threshold=seen.test.threshold if is_cut else None,
        n_trees=n_trees,
        n_there=seen.n_there,
        n_same_column=seen.n_same_column,
        n_same_question=seen.n_same_question,
        threshold_low=float(low) if is_cut else None,
        threshold_high=float(high) if is_cut else None,
        rival=None if rival is None else names[rival[1]],
        n_rival=0 if rival is None else rival[0],
        weight=float(tree.weight[seen.node]),
    )
