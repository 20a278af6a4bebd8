"""Growing node by node: T(0) is the root alone; T(t + 1) splits the leaf whose test gains most.

1. The tree is grown to the end. Its splits are put in the order in which best-first growth takes
   them: always the leaf whose test lowers Σ |S| · I most.
2. Each split changes the loss of the growing rows, and that of held-out rows: what the rows of the
   node lose in its children, less what they lose in the node itself. So one walk of the rows gives
   the losses of all T(t).
3. Losses are per unit of weight: entropy (in bits; of held-out rows by the leaves' frequencies with
   one added to each class), errors or their costs, squared or absolute errors, deviances.
4. Stopping early takes the first T(t) that no later tree improves on by more than θ.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import kl_div

from branchline._trees._costs import decide
from branchline._trees._node_decisions import costs_of_nodes
from branchline._trees._node_losses import MEASURES
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.growing._growth import Growth
from branchline.tree.growing._held_out import hold_out
from branchline.tree.growing._loss_scale import scaled, unscaled
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.reading._importance import impurities

__all__ = [
    "NUMBER_LOSSES",
    "Targets",
    "along",
    "best_first",
    "growing_losses",
    "held_out_losses",
    "leaves_to_grow",
]

Floats = npt.NDArray[np.float64]
Loss = Callable[[npt.NDArray[np.int32]], Floats]


class Targets(NamedTuple):
    """Held-out rows: the nodes they end in, their classes or numbers, their weights."""

    ends: npt.NDArray[np.int32]
    truth: npt.NDArray[np.int64] | Floats
    weight: Floats


def best_first(tree: TreeArrays, criterion: str, class_factor: Floats | None) -> list[int]:
    """Return the inner nodes in the order in which best-first growth splits them."""
    amount = tree.weight * impurities(tree, criterion, class_factor)
    if not tree.is_classification:
        amount = tree.lost
    below = np.bincount(tree.parent[1:], amount[1:], minlength=tree.n_nodes)
    gain = amount - below
    order: list[int] = []
    waiting = [] if tree.is_leaf[0] else [(-float(gain[0]), 0)]
    while waiting:
        _, node = heappop(waiting)
        order.append(node)
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.n_children[node])):
            if not tree.is_leaf[child]:
                heappush(waiting, (-float(gain[child]), child))
    return order


def along(tree: TreeArrays, order: list[int], passing: Floats, stayed: Floats) -> Floats:
    """Return the loss of T(0), T(1), …: ``passing`` are losses of nodes as leaves.

    ``stayed`` are losses of rows that have no branch at a node and stay there.
    """
    below = np.bincount(tree.parent[1:], passing[1:], minlength=tree.n_nodes)
    change = below + stayed - passing
    return float(passing[0]) + np.concatenate([[0.0], np.cumsum(change[order])])


def growing_losses(tree: TreeArrays, measure: str, costs: Floats | None) -> Floats:
    """Return what the growing rows of each node lose when it is a leaf; their sum, not the mean."""
    if measure in MEASURES:
        return tree.lost
    if measure == "entropy":
        bits: Floats = tree.weight * impurities(tree, "entropy")
        return bits
    return costs_of_nodes(tree, costs)


def held_out_losses(
    tree: TreeArrays, rows: Targets, measure: str, costs: Floats | None
) -> tuple[Floats, Floats]:
    """Return what held-out rows lose in each node as a leaf, and those that stay in inner nodes."""
    loss = _loss(tree, rows, measure, costs)
    passing, nodes = np.zeros(tree.n_nodes), rows.ends
    lost = loss(nodes) * rows.weight
    is_inner = ~tree.is_leaf[nodes]
    stayed: Floats = np.zeros(tree.n_nodes)
    stayed += np.bincount(nodes[is_inner], lost[is_inner], minlength=tree.n_nodes)
    for depth in range(tree.max_depth, -1, -1):
        here = tree.depth[nodes] == depth
        at = nodes[here]
        amounts = (loss(nodes) * rows.weight)[here]
        passing += np.bincount(at, amounts, minlength=tree.n_nodes)
        nodes = np.where(here, np.maximum(tree.parent[nodes], 0), nodes).astype(np.int32)
    return passing, stayed


def _loss(tree: TreeArrays, rows: Targets, measure: str, costs: Floats | None) -> Loss:
    if measure in MEASURES:
        truth, value = scaled(rows.truth.astype(np.float64), tree), scaled(tree.value, tree)
        of_number = NUMBER_LOSSES[measure]
        return lambda nodes: of_number(truth, value[nodes]).sum(axis=1)
    classes = rows.truth.astype(np.int64)
    if measure == "entropy":
        count = tree.content * tree.scale.unit + 1.0  # no class is impossible
        bits = -np.log2(count / count.sum(axis=1, keepdims=True))
        return lambda nodes: bits[nodes, classes]
    decided = decide(tree.value, costs)
    if costs is None:
        return lambda nodes: (decided[nodes] != classes).astype(np.float64)
    return lambda nodes: costs[classes, decided[nodes]]


def _squared(truth: Floats, value: Floats) -> Floats:
    return (truth - value) ** 2


def _absolute(truth: Floats, value: Floats) -> Floats:
    return np.abs(truth - value)


def _deviance(truth: Floats, value: Floats) -> Floats:
    """Return half the Poisson deviance; a node without any count is taken for half a count."""
    predicted = np.maximum(value, truth.mean(axis=0) / (2 * len(truth)))
    return np.asarray(kl_div(truth, predicted))


NUMBER_LOSSES = {"squared_error": _squared, "absolute_error": _absolute, "poisson": _deviance}


def leaves_to_grow(growth: Growth, settings: TreeSettings, costs: Floats | None, seed: int) -> int:
    """Return how many leaves held-out rows ask for; 1: the root alone is best."""
    limit = int(growth.options.max_leaves)
    held = hold_out(growth, settings.validation_fraction, seed) if growth.n_rows > 1 else None
    if held is None:
        return limit
    assert settings.stop_by is not None
    tree = growth.to_arrays(growth.grow(held.grown))
    order = best_first(tree, settings.criterion, growth.class_factor)
    table = growth.data.table.rows(held.rows.astype(np.int64))
    ends = tree.find_leaves(table, int(growth.options.n_threads))
    rows = Targets(ends, truth_of(growth, held.rows), held.weight)
    measure = {"accuracy": "error"}.get(settings.stop_by, settings.stop_by)
    losses = along(tree, order, *held_out_losses(tree, rows, measure, costs)) / held.weight.sum()
    n_splits = first_best(unscaled(losses, tree), settings.min_improvement)
    return int(1 + (tree.n_children[order[:n_splits]] - 1).sum())


def truth_of(growth: Growth, rows: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64] | Floats:
    """Return the classes or numbers of some training rows."""
    if growth.numbers is None:
        return growth.data.class_target.class_of_row[rows].astype(np.int64)
    numbers: Floats = growth.data.number_target.matrix[rows]
    return numbers


def first_best(losses: Floats, least: float) -> int:
    """Return the first step that no later one improves on by more than ``least``."""
    best = 0
    slack = max(least, 1e-12 * max(1.0, abs(float(losses[0]))))
    for step, loss in enumerate(losses.tolist()):
        if losses[best] - loss > slack:
            best = step
    return best
