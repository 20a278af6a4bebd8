"""Why a forest predicts what it does for one row: shares of columns along the row's paths.

In each tree the prediction is the root's value plus what every test on the way changes; a test's
change is its column's share. Averaged over trees they add up to the prediction.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._explanation import Explanation, in_order_of_size
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._tree_arrays import LEAF, values_of
from branchline.table import Table

__all__ = ["explain_by_paths", "path_shares"]


def path_shares(
    forest: ForestArrays, row: Table, which: int
) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the mean value of the roots, and what each column changes.

    Parameters
    ----------
    forest
        The fitted forest.
    row
        A table of one row.
    which
        The class, or the output, whose value is explained.
    """
    amounts, base = np.zeros(forest.n_columns), 0.0
    leaves = forest.find_leaves(row, 1)[0]
    for tree, leaf in enumerate(leaves.tolist()):
        value = values_of(forest.node_sums(tree)[0], forest.scale)[:, which]
        inner = np.flatnonzero(forest.kind[forest.nodes_of(tree)] != LEAF)
        feature = forest.feature[forest.first_inner[tree] : forest.first_inner[tree + 1]]
        base += float(value[0])
        node = leaf
        while node > 0:  # children of the j-th inner node stand at 1 + 2j and 2 + 2j
            test = (node - 1) // 2
            parent = int(inner[test])
            amounts[feature[test]] += value[node] - value[parent]
            node = parent
    return base / forest.n_trees, amounts / forest.n_trees


def explain_by_paths(
    forest: ForestArrays, row: Table, prediction: Any, classes: npt.NDArray[Any] | None
) -> Explanation:
    """Explain a prediction by the paths: what each test on them changes is its column's share."""
    if classes is None:
        which, about, prediction = 0, "predicted number", float(np.ravel(prediction)[0])
    else:
        which = int(np.flatnonzero(classes == prediction)[0])
        about = f"probability of {str(prediction)!r}"
    base, amounts = path_shares(forest, row, which)
    parts, total = in_order_of_size(row, amounts), base + float(amounts.sum())
    return Explanation(prediction, about, base, total, parts, is_sum=True)
