"""What the nodes of a tree decide for, and what that costs, block after block.

Frequencies of all nodes together would take as much memory as the tree: with thousands of classes
that is most of what a fit needs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._costs import decide, least_costs
from branchline._trees._tree_arrays import TreeArrays, values_of

__all__ = ["costs_of_nodes", "decisions_of_nodes"]

Matrix = npt.NDArray[np.float64]

_CELLS_OF_BLOCK = 2**20


def decisions_of_nodes(tree: TreeArrays, costs: Matrix | None) -> npt.NDArray[np.int64]:
    """Return the class of least expected cost of each node; the first of equal ones."""
    return _in_blocks(tree, costs, lambda content: decide(values_of(content, tree.scale), costs))


def costs_of_nodes(tree: TreeArrays, costs: Matrix | None) -> Matrix:
    """Return what the best decision of each node costs, summed over its rows."""
    unit = np.float64(tree.scale.unit)
    return _in_blocks(tree, costs, lambda content: least_costs(content * unit, costs))


def _in_blocks(
    tree: TreeArrays,
    costs: Matrix | None,
    work: Callable[[npt.NDArray[np.int64]], npt.NDArray[Any]],
) -> npt.NDArray[Any]:
    """Return what ``work`` does with the content of all nodes.

    Products with a cost matrix are rounded as the number of rows goes: they are made at once.
    """
    content = tree.content
    step = len(content) if costs is not None else 1 + _CELLS_OF_BLOCK // content.shape[1]
    blocks = [work(content[first : first + step]) for first in range(0, len(content), step)]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
