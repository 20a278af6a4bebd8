"""A forest as a kernel: how alike two rows are, by the leaves they share.

1. A row is a sparse row with one entry for each tree, in the column of the leaf it ends in.
2. The product of two such matrices adds up, for each pair of rows, the trees in which they meet.

*Proximity* (Breiman, 2003): the share of trees in which two rows end in the same leaf.

*Kernel*: K(x, z) = 1/T · Σ over trees t in which x and z share a leaf of w_t(z) / W_t(leaf), W_t
the weight of the leaf in the tree's sample. What w_t is decides what K reproduces:

- w_t(z) the weight of the training row z in the sample of tree t (its weight times how often it was
  drawn; 0 when it was not): with Z the training rows, each row of K sums to 1, and K · y is the
  forest's prediction, up to rounding: numbers, or frequencies of classes for y one-hot.
- no w_t (every row counts 1 in each tree): the same holds where each tree was grown on every row,
  once. With other samples K is a likeness of rows only, and K · y is not the prediction.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._memory import refuse_over_budget
from branchline._trees._coded_trees import starts
from branchline._trees._forest_arrays import ForestArrays

__all__ = ["WeightsOfTree", "forest_kernel", "proximity"]

_BLOCK_BYTES = 2**26
# A product holds a number and a place for each pair that meets, and is made twice as it is spread.
_BYTES_A_PAIR = 32

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]
# For a tree, what each row weighs in its sample.
WeightsOfTree = Callable[[int], Floats]


def proximity(leaves_X: Nodes, leaves_Z: Nodes, n_nodes: Longs) -> Floats:
    """Return the share of trees in which two rows end in the same leaf.

    Parameters
    ----------
    leaves_X, leaves_Z
        The node of each row (a row each) in each tree (a column each).
    n_nodes
        The nodes of each tree.

    Returns
    -------
    Floats
        A row for each of X, a column for each of Z.
    """
    first, n_trees = starts(n_nodes), len(n_nodes)
    mine = _one_entry_a_tree(leaves_X + first[:-1], int(first[-1]))
    others = _one_entry_a_tree(leaves_Z + first[:-1], int(first[-1]))
    return _product(mine, others) / n_trees


def forest_kernel(
    forest: ForestArrays,
    leaves_X: Nodes,
    leaves_Z: Nodes,
    weights_of_tree: WeightsOfTree | None = None,
) -> Floats:
    """Return the kernel by which the forest averages; see the module for what it reproduces.

    Parameters
    ----------
    forest
        The fitted forest.
    leaves_X, leaves_Z
        The node of each row (a row each) in each tree (a column each).
    weights_of_tree
        For a tree what each row of Z weighs in its sample, 0 where it is not part of it; None: 1.

    Returns
    -------
    Floats
        A row for each of X, a column for each of Z.
    """
    n_leaves = int(forest.first_leaf[-1])
    leaf_of_X, leaf_of_Z = forest.leaf_numbers(leaves_X), forest.leaf_numbers(leaves_Z)
    share = 1 / (forest.leaf_weight * forest.n_trees)
    weight = np.ones(leaf_of_Z.shape)
    if weights_of_tree is not None:
        weight = np.stack([weights_of_tree(tree) for tree in range(forest.n_trees)], axis=1)
    mine = _one_entry_a_tree(leaf_of_X, n_leaves, share[leaf_of_X])
    return _product(mine, _one_entry_a_tree(leaf_of_Z, n_leaves, weight))


def _one_entry_a_tree(place: npt.NDArray[Any], n_places: int, value: Floats | None = None) -> Any:
    """Return a sparse matrix with one entry for each row and tree."""
    n_rows, n_trees = place.shape
    entries = np.ones(place.size) if value is None else np.ravel(value)
    begin = np.arange(n_rows + 1, dtype=np.int64) * n_trees
    return sparse.csr_matrix((entries, np.ravel(place), begin), shape=(n_rows, n_places))


def _product(mine: Any, others: Any) -> Floats:
    """Return the product of one matrix and the other's transpose, a block of rows at a time."""
    shape = (mine.shape[0], others.shape[0])
    refuse_over_budget(8 * shape[0] * shape[1], "how alike each pair of rows is")
    product = np.zeros(shape)
    turned = others.T.tocsr()
    for block in _blocks(*shape):
        product[block] = (mine[block] @ turned).toarray()
    return product


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    size = max(1, _BLOCK_BYTES // (_BYTES_A_PAIR * max(n_columns, 1)))
    return (slice(begin, begin + size) for begin in range(0, n_rows, size))
