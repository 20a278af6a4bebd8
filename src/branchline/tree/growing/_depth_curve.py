"""A tree cut at depth 0, 1, 2, …: its entropy on given rows.

How a tree stops early, node by node, stands in ``_node_by_node``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays

__all__ = ["curve_by_depth", "nodes_at_depth"]

Floats = npt.NDArray[np.float64]


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
