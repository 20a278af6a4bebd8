"""The training outputs in each node of trees, as weights.

Node t of a tree has the weight w_tj of output j among the training rows that end in it, so that
Σ_j w_tj = 1. Where rows may stay at a node that has branches (it has one for each category), it has
the weights of all its leaves. A node without training rows stands for all of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from branchline._arrays import Floats, Places
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._validation import TrainingData
from branchline.table import Table
from branchline.tree import DecisionTreeRegressor

__all__ = [
    "leaves_of",
    "node_counts",
    "one_of_each",
    "pack_leaf_weights",
    "shares_of",
    "summed_weights",
    "unpack_leaf_weights",
]

_ROUNDING = 1e-6


def node_counts(member: Any) -> list[int]:
    """Return the number of nodes of each tree of a member."""
    if isinstance(member, DecisionTreeRegressor):
        return [len(member.tree_.value)]
    return [int(size) for size in member.forest_.n_nodes]


def shares_of(member: Any, rows: Table) -> list[Any]:
    """Return for each tree of a member the share of each row in each node, sparse."""
    sizes = node_counts(member)
    if isinstance(member, DecisionTreeRegressor) and member.tree_.shares_rows:
        shares = member.tree_.average(rows, np.eye(sizes[0]), 1)
        return [sparse.csr_matrix(shares)]
    nodes = np.asarray(member.apply(rows)).reshape(rows.n_rows, len(sizes))
    ones, begin = np.ones(rows.n_rows), np.arange(rows.n_rows + 1)
    return [
        sparse.csr_matrix((ones, nodes[:, tree], begin), shape=(rows.n_rows, size))
        for tree, size in enumerate(sizes)
    ]


def leaves_of(member: Any, rows: TrainingData, place: Places, n_outputs: int) -> list[Any]:
    """Return the weights of the nodes of each tree of a member."""
    weights = rows.weights.of_rows(rows.table.n_rows)
    outputs, shares = one_of_each(place, n_outputs), shares_of(member, rows.table)
    if isinstance(member, DecisionTreeRegressor):
        shares = [shares[0] @ _where_rows_stay(member.tree_)]
    return [_leaf_weights(share, weights, outputs) for share in shares]


def _leaf_weights(shares: Any, weights: Floats, outputs: Any) -> Any:
    """Return the weights of one tree's nodes: a sparse row for each node.

    Parameters
    ----------
    shares
        Sparse: the share of each training row (a row each) in each node (a column each).
    weights
        The weight of each training row.
    outputs
        Sparse: 1 where a training row (a row each) has an output (a column each).
    """
    sums = sparse.csr_matrix(shares.T @ sparse.diags(weights) @ outputs)
    total = np.asarray(sums.sum(axis=1)).ravel()
    found = sparse.csr_matrix(sparse.diags(1 / np.where(total > 0, total, 1.0)) @ sums)
    found.sort_indices()
    return found


def one_of_each(of_row: Places, n_outputs: int) -> Any:
    """Return a sparse matrix with a 1 where a row (a row each) has an output (a column each)."""
    n_rows = len(of_row)
    shape = (n_rows, n_outputs)
    return sparse.csr_matrix((np.ones(n_rows), of_row, np.arange(n_rows + 1)), shape=shape)


def _where_rows_stay(tree: Any) -> Any:
    """Return which nodes count for which: each for itself, and those below for many branches.

    The matrix is sparse: multiplied with shares of rows in nodes, it adds them up.
    """
    n_nodes = len(tree.first_child)
    below: list[list[int]] = [[node] for node in range(n_nodes)]
    if (tree.n_children > 2).any():
        for node in range(n_nodes - 1, -1, -1):
            first = tree.first_child[node]
            for child in range(first, first + tree.n_children[node]):
                below[node] += below[child]
        for node in np.flatnonzero((tree.n_children > 0) & (tree.n_children <= 2)).tolist():
            below[node] = [node]
    begin = np.cumsum([0, *map(len, below)])
    places = np.concatenate(below)
    shape = (n_nodes, n_nodes)
    return sparse.csr_matrix((np.ones(len(places)), places, begin), shape=shape).T


def summed_weights(shares: Sequence[Any], leaves: Sequence[Any], mean: Floats) -> Floats:
    """Return the weights of rows, averaged over trees; those of nodes without any are ``mean``."""
    total: Any = 0
    for share, leaf in zip(shares, leaves, strict=True):
        total = total + share @ leaf
    weights: Floats = np.asarray(total.toarray(), dtype=np.float64) / len(leaves)
    missing = 1 - weights.sum(axis=1)
    lost = np.flatnonzero(missing > _ROUNDING)
    weights[lost] += missing[lost, None] * mean
    return weights


def pack_leaf_weights(leaves: Any) -> dict[str, Any]:
    """Return the weights of one tree's nodes as plain values."""
    return {
        "begin": leaves.indptr.astype(np.int64),
        "output": leaves.indices.astype(np.int64),
        "weight": leaves.data,
    }


def unpack_leaf_weights(state: Any, n_nodes: int, n_outputs: int) -> Any:
    """Check packed weights of one tree's nodes and return them."""
    if not isinstance(state, dict):
        raise malformed("the weights of leaves are missing")
    whole = np.dtype(np.int64)
    begin = array_from_state(state, "begin", whole, length=n_nodes + 1)
    output = array_from_state(state, "output", whole)
    weight = numbers_from_state(state, "weight", length=len(output), low=0.0)
    is_split = begin[0] == 0 and begin[-1] == len(output) and (np.diff(begin) >= 0).all()
    if not is_split or ((output < 0) | (output >= n_outputs)).any():
        raise malformed("leaves have outputs that are not there")
    found = sparse.csr_matrix((weight, output, begin), shape=(n_nodes, n_outputs))
    total = np.asarray(found.sum(axis=1)).ravel()
    if (np.minimum(np.abs(total - 1), total) > _ROUNDING).any():
        raise malformed("the weights of a leaf have another sum than 1")
    return found
