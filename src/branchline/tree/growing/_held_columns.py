"""The coded columns that held-out rows walk by: those of the table, and those that nodes made.

The codes of a made column are the intervals between the thresholds at which the tree tests it.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.growing._growth import Growth

__all__ = ["HeldColumns", "held_columns"]


@dataclass(frozen=True)
class HeldColumns:
    """Codes of each feature of a tree, and the largest value of each code of the made numbers."""

    codes: list[npt.NDArray[Any]]
    edges: dict[int, npt.NDArray[np.float64]] = field(default_factory=dict)


def held_columns(growth: Growth, tree: TreeArrays) -> HeldColumns:
    """Return the columns by which rows of the table walk down a tree in codes."""
    if tree.derived is None:
        return HeldColumns(list(growth.codes.columns))
    n_given, table = tree.derived.n_given, growth.data.table
    codes, edges = list(growth.codes.columns[:n_given]), {}
    given = {} if growth.derived is None else {one.name: one for one in growth.derived}
    for place, column in enumerate(tree.derived):
        feature = n_given + place
        if column.name in given:
            codes.append(growth.codes.columns[growth.table.schema.position[column.name]])
            continue
        values = column.values(table)
        if column.type.kind == "category":
            codes.append((values + 1).astype(np.uint32))
            continue
        edges[feature] = np.append(np.unique(tree.threshold[tree.feature == feature]), np.inf)
        inside = np.searchsorted(edges[feature], values, side="left") + 1
        codes.append(np.where(np.isnan(values), 0, inside).astype(np.uint32))
    return HeldColumns(codes, edges)
