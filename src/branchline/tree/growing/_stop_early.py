"""Stopping early: how deep a tree should grow, measured on held-out rows.

1. Hold rows out and grow on the others to the end.
2. Cut the tree at depth 0, 1, 2, … and measure each on the held-out rows: entropy (in bits, of the
   classes given the leaves' smoothed frequencies), errors, or squared errors.
3. Stop before the first level that does not improve on the level above by more than θ.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._costs import decide
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.growing._growth import Growth
from branchline.tree.growing._held_out import HeldOut, hold_out
from branchline.tree.growing._loss_scale import scaled, unscaled
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = ["curve_by_depth", "depth_to_grow", "nodes_at_depth"]

Floats = npt.NDArray[np.float64]


def depth_to_grow(growth: Growth, settings: TreeSettings, costs: Floats | None, seed: int) -> int:
    """Return the depth after which held-out rows no longer improve; 0: the root is best."""
    limit = int(growth.options.max_depth)
    if growth.n_rows < 2:
        return limit
    held = hold_out(growth, settings.validation_fraction, seed)
    if held is None:
        return limit
    tree = growth.to_arrays(growth.grow(held.grown))
    assert settings.stop_by is not None
    losses = _losses_by_depth(growth, tree, held, settings.stop_by, costs)
    improved = unscaled(losses[:-1] - losses[1:], tree) > settings.min_improvement
    improved &= losses[:-1] - losses[1:] > 1e-12
    stops = np.flatnonzero(~improved)
    return int(stops[0]) if len(stops) else limit


def _losses_by_depth(
    growth: Growth, tree: TreeArrays, held: HeldOut, measure: str, costs: Floats | None
) -> Floats:
    table = growth.data.table.rows(held.rows.astype(np.int64))
    leaves = tree.find_leaves(table, int(growth.options.n_threads))
    losses = []
    for nodes in nodes_at_depth(tree, leaves):
        if measure == "squared_error":
            truth = scaled(growth.data.number_target.matrix[held.rows], tree)
            loss = ((truth - scaled(tree.value[nodes], tree)) ** 2).sum(axis=1)
        else:
            classes = growth.data.class_target.class_of_row[held.rows]
            loss = _class_loss(tree, nodes, classes, measure, costs)
        losses.append(float((loss * held.weight).sum() / held.weight.sum()))
    return np.array(losses)


def _class_loss(
    tree: TreeArrays,
    nodes: npt.NDArray[np.int32],
    classes: npt.NDArray[np.uint32],
    measure: str,
    costs: Floats | None,
) -> Floats:
    if measure == "entropy":
        count = tree.content * tree.scale.unit + 1.0  # Laplace: no class is impossible
        frequency = count / count.sum(axis=1, keepdims=True)
        bits: Floats = -np.log2(frequency[nodes, classes])
        return bits
    decided = decide(tree.value, costs)[nodes]
    cost: Floats = (decided != classes) + 0.0 if costs is None else costs[classes, decided]
    return cost


def nodes_at_depth(tree: TreeArrays, leaves: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int32]]:
    """Return the nodes that rows are in when the tree is cut at depth 0, 1, 2, …."""
    found = [leaves]
    for depth in range(tree.max_depth - 1, -1, -1):
        nodes = found[-1]
        found.append(np.where(tree.depth[nodes] > depth, tree.parent[nodes], nodes))
    return found[::-1]


def curve_by_depth(
    tree: TreeArrays, leaves: npt.NDArray[np.int32], classes: npt.NDArray[Any], n_classes: int
) -> Floats:
    """Return H(Y | tree) of some rows, the tree cut at depth 0, 1, 2, …, from their own counts."""
    entropies = []
    for nodes in nodes_at_depth(tree, leaves):
        cell = nodes.astype(np.int64) * n_classes + classes
        count = np.bincount(cell, minlength=tree.n_nodes * n_classes).reshape(-1, n_classes)
        entropies.append(_conditional_entropy(count.astype(np.float64)))
    return np.array(entropies)


def _conditional_entropy(count: Floats) -> float:
    total = count.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(count > 0, -count * np.log2(count / total), 0.0)
    return float(bits.sum() / count.sum())
