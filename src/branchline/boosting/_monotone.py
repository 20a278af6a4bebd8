"""Leaves of one tree put in order, where the loss and not a Newton step gives their values.

Of the two branches of a test on a constrained column, the mean of the branches' mean values (by the
weight of their leaves) is what no leaf below the one may exceed and none below the other fall short
of. Bounds are handed down from the root.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._coded_trees import first_children
from branchline._trees._tree_arrays import LEAF

__all__ = ["in_order"]

Floats = npt.NDArray[np.float64]


def in_order(grown: dict[str, Any], values: Floats, monotone: npt.NDArray[np.int8]) -> Floats:
    """Return the values of a tree's leaves, clipped so that constrained tests go one way.

    Parameters
    ----------
    grown
        The tree, as the native grower gives it; only one.
    values
        What each leaf would add.
    monotone
        −1, 0 or 1 for each column.
    """
    kind = grown["kind"]
    is_leaf = kind == LEAF
    first, _ = first_children(kind)
    weight, total = np.zeros((2, len(kind)))
    weight[is_leaf] = grown["units"]
    total[is_leaf] = grown["units"] * values
    inner = np.flatnonzero(~is_leaf)
    for node in inner[::-1]:
        weight[node] = weight[first[node]] + weight[first[node] + 1]
        total[node] = total[first[node]] + total[first[node] + 1]
    mean = total / weight
    low, high = np.full(len(kind), -np.inf), np.full(len(kind), np.inf)
    for node, column in zip(inner, grown["feature"], strict=True):
        left, right = first[node], first[node] + 1
        low[[left, right]], high[[left, right]] = low[node], high[node]
        if monotone[column] == 0:
            continue
        ends = np.clip(mean[[left, right]], low[node], high[node])
        below, above = (left, right) if monotone[column] > 0 else (right, left)
        high[below] = low[above] = ends.mean()
    return np.clip(values, low[is_leaf], high[is_leaf])
