"""How many questions a tree asks on average, and what they cost.

- mean depth: Σ over leaves of (share of the rows) · (tests on the path);
- mean cost: the same with the costs of columns; a column that is asked about twice on a path is
  paid for once, because its value is then known.
"""

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays

__all__ = ["mean_cost", "mean_depth"]


def mean_depth(tree: TreeArrays) -> float:
    """Return the expected number of questions of a training row."""
    leaves = tree.is_leaf
    # Divided once: shares added up would end in another digit on another machine.
    return float(tree.weight[leaves] @ tree.depth[leaves] / tree.weight[leaves].sum())


def mean_cost(tree: TreeArrays, cost_of_column: npt.NDArray[np.float64]) -> float:
    """Return the expected cost of the columns that are asked about."""
    paid = np.zeros(tree.n_nodes)
    known: dict[int, frozenset[int]] = {0: frozenset()}
    for node in range(tree.n_nodes):  # parents stand before their children
        asked = known.pop(node)
        if tree.is_leaf[node]:
            continue
        column, first = int(tree.feature[node]), int(tree.first_child[node])
        price = 0.0 if column in asked else float(cost_of_column[column])
        for child in range(first, first + int(tree.n_children[node])):
            paid[child] = paid[node] + price
            known[child] = asked | {column}
    leaves = tree.is_leaf
    return float(tree.weight[leaves] @ paid[leaves] / tree.weight[leaves].sum())
