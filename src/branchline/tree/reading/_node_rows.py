"""Which rows come to a node, and with which part of themselves."""

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import CATEGORIES, EVERY_BRANCH, TreeArrays
from branchline.table import Table

__all__ = ["branch_of_rows", "shares_of_node"]


def shares_of_node(tree: TreeArrays, table: Table, node: int) -> npt.NDArray[np.float64]:
    """Return for each row how much of it comes to ``node``: 1, 0, or a part when it is shared."""
    share = np.ones(table.n_rows)
    table = tree.extended(table)
    while node > 0:
        parent = int(tree.parent[node])
        branch = node - int(tree.first_child[parent])
        taken = branch_of_rows(tree, table, parent)
        family = tree.first_child[parent] + np.arange(tree.n_children[parent])
        part = tree.weight[node] / tree.weight[family].sum()
        share *= np.where(taken == EVERY_BRANCH, part, taken == branch)
        node = parent
    return share


def branch_of_rows(tree: TreeArrays, table: Table, node: int) -> npt.NDArray[np.int32]:
    """Return the branch that each row takes at a test; STAY and EVERY_BRANCH are passed on."""
    column = table.column(table.names[int(tree.feature[node])])
    missing = tree.missing_branch[node]
    if tree.kind[node] == CATEGORIES:
        offset = int(tree.pool_offset[node])
        # The last entry is reached by codes below 0: missing and unseen.
        branches = np.append(tree.pool[offset : offset + len(column.categories)], missing)
        taken: npt.NDArray[np.int32] = branches[np.maximum(column.values, -1)]
        return taken
    values = column.numbers()
    goes_right = ~(values <= tree.threshold[node])
    branches = np.where(np.isnan(values), missing, goes_right)
    return np.asarray(branches, dtype=np.int32)
