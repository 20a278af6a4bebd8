"""One tree of a forest, as the tree room has it, so that everything that reads a tree reads it.

1. Values of inner nodes are spread out over all nodes; children's places follow from the order.
2. The bits of a category test become branches, one for each name of its column, pooled or not.
3. An inner node holds the sum of its children. What varies within a leaf is not stored in a forest:
   spreads are those between leaves.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import NODE_INDEX, POOL_OFFSET, THRESHOLD
from branchline._trees._coded_trees import first_children
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._tree_arrays import CATEGORIES, LEAF, TreeArrays

__all__ = ["one_tree"]

Bools = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]
Wholes = npt.NDArray[Any]


def one_tree(forest: ForestArrays, number: int) -> TreeArrays:
    """Return a tree of the forest; the first is number 0."""
    if not 0 <= number < forest.n_trees:
        raise IndexError(f"There are trees 0 to {forest.n_trees - 1}; there is no tree {number}.")
    kind = forest.kind[forest.nodes_of(number)].copy()
    inner = slice(forest.first_inner[number], forest.first_inner[number + 1])
    is_inner = kind != LEAF
    first_child, n_children = first_children(kind)
    pool_offset, pool = _branches(forest, number, kind)
    content, spread = forest.node_sums(number)
    threshold = _spread_out(is_inner, forest.thresholds(inner), 0, THRESHOLD)
    return TreeArrays(
        kind=kind,
        feature=_spread_out(is_inner, forest.feature[inner], -1, NODE_INDEX),
        threshold=np.where(kind == CATEGORIES, 0.0, threshold),
        first_child=first_child,
        n_children=n_children,
        missing_branch=_spread_out(is_inner, 1 - forest.missing_left[inner], -1, NODE_INDEX),
        pool_offset=pool_offset,
        pool=pool,
        content=content,
        spread=spread,
        scale=forest.scale,
    )


def _branches(forest: ForestArrays, tree: int, kind: npt.NDArray[np.uint8]) -> tuple[Longs, Nodes]:
    """Return where each category test begins in the pool, and the branch of each name in it."""
    inner = slice(forest.first_inner[tree], forest.first_inner[tree + 1])
    is_category = kind[kind != LEAF] == CATEGORIES
    n_bytes = forest.bytes_of_tests(inner)[is_category]
    pool = forest.pool[forest.first_byte[tree] : forest.first_byte[tree + 1]]
    columns = forest.feature[inner][is_category].tolist()
    code_of_name = {column: _codes_of_names(forest, column) for column in set(columns)}
    codes = [code_of_name[column] for column in columns]
    n_names = np.array([len(part) for part in codes], dtype=np.int64)
    first_bit = np.repeat(8 * (np.cumsum(n_bytes) - n_bytes), n_names)
    bit = first_bit + (np.concatenate(codes) if codes else np.zeros(0, dtype=np.int64))
    branch = np.unpackbits(pool, bitorder="little")[bit].astype(NODE_INDEX)
    offset = np.cumsum(n_names) - n_names
    return _spread_out(kind == CATEGORIES, offset, 0, POOL_OFFSET), branch


def _codes_of_names(forest: ForestArrays, column: int) -> Wholes:
    """Return the bit of each name of a category column."""
    pool = forest.pooling[column]
    return np.arange(forest.n_codes[column]) if pool is None else pool


def _spread_out(where: Bools, values: Wholes, other: int, dtype: np.dtype[Any]) -> Wholes:
    """Return ``values`` at the places of ``where``, and ``other`` everywhere else."""
    spread = np.full(len(where), other, dtype=dtype)
    spread[where] = values
    return spread
