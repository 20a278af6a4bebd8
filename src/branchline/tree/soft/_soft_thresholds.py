"""Rows go down a soft tree: near a threshold they go both ways, in shares.

At a threshold t of margin m, the share of a row that takes the first branch is

    s(x) = (t + m − x) / 2m, cut to 0 … 1;    the second branch takes what is left.

1. A row starts at the root with share 1. Each node hands on its rows with their shares.
2. A missing value, or a category without a branch, is shared by the weights of the branches.
3. Shares are whole multiples of 2^−52, and a node hands on exactly what it got. So the shares of a
   row over all leaves sum to 1 exactly, in any order of addition.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._trees._node_notes import NodeNotes
from branchline._trees._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline.table import Column, Table

__all__ = ["SoftThresholds", "leaf_shares", "soft_values"]

_GRID = 2.0**52

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SoftThresholds(NodeNotes):
    """How far the threshold of each node reaches; 0 where rows go one way."""

    margins: Floats
    thresholds: Floats

    def margin(self, node: int) -> float:
        """Return how far a soft threshold reaches to each side."""
        return float(self.margins[node])

    def first_share(self, node: int, value: float) -> float:
        """Return the share of a value that takes the first branch of a soft threshold."""
        return float(_first_share(np.array([value]), self.thresholds[node], self.margins[node])[0])


def _first_share(values: Floats, threshold: float, margin: float) -> Floats:
    if margin <= 0:
        return (values <= threshold).astype(np.float64)
    with np.errstate(over="ignore"):
        reached = (threshold - values) / margin / 2 + 0.5
    return np.minimum(np.maximum(reached, 0.0), 1.0)  # as np.clip, in half the time


def soft_values(tree: TreeArrays, margins: Floats, table: Table, value: Floats) -> Floats:
    """Return the values of leaves (a row for each node), averaged by the shares of each row."""
    averaged = np.zeros((table.n_rows, value.shape[1]))
    for leaf, rows, share in leaf_shares(tree, margins, table):
        averaged[rows] += share[:, None] * value[leaf]
    return averaged


def leaf_shares(
    tree: TreeArrays, margins: Floats, table: Table
) -> Iterator[tuple[int, Places, Floats]]:
    """Yield each leaf that rows reach, with these rows and their shares."""
    columns: dict[int, Any] = {}
    waiting: dict[int, tuple[Places, Floats]] = {
        0: (np.arange(table.n_rows), np.ones(table.n_rows))
    }
    for node in range(tree.n_nodes):  # children stand after their parents
        rows, share = waiting.pop(node, (np.zeros(0, dtype=np.int64), np.zeros(0)))
        if len(rows) == 0:
            continue
        if tree.is_leaf[node]:
            yield node, rows, share
            continue
        place = int(tree.feature[node])
        if place not in columns:
            columns[place] = _cells(table.column(table.names[place]))
        first = int(tree.first_child[node])
        for branch, part in enumerate(_parts(tree, margins, node, columns[place], rows, share)):
            kept = part > 0
            if kept.any():
                waiting[first + branch] = rows[kept], part[kept]


def _cells(column: Column) -> npt.NDArray[Any]:
    """Return the numbers of a column, or the codes of its categories."""
    if column.kind != "category":
        return np.asarray(column.numbers(), dtype=np.float64)
    return np.asarray(column.values).astype(np.int64)


def _parts(
    tree: TreeArrays, margins: Floats, node: int, column: Any, rows: Places, share: Floats
) -> list[Floats]:
    """Return what each branch of a node gets of each row; together exactly what there was."""
    n_branches = int(tree.n_children[node])
    wanted = _wanted(tree, margins, node, column, rows)
    parts, left = [], share
    for branch in range(n_branches - 1):
        part = np.minimum(np.rint(share * wanted[:, branch] * _GRID) / _GRID, left)
        parts.append(part)
        left = left - part
    return [*parts, left]


def _wanted(tree: TreeArrays, margins: Floats, node: int, column: Any, rows: Places) -> Floats:
    """Return the share of each branch but the last for each row, before rounding."""
    first, n_branches = int(tree.first_child[node]), int(tree.n_children[node])
    by_weight = tree.weight[first : first + n_branches]
    by_weight = (by_weight / by_weight.sum())[:-1]
    if tree.kind[node] == THRESHOLD_TEST:
        values = column[rows]
        known = ~np.isnan(values)
        to_first = _first_share(values, float(tree.threshold[node]), float(margins[node]))
        wanted = to_first[:, None]
    else:
        codes = column[rows]
        pool = tree.pool[int(tree.pool_offset[node]) :]
        branch = np.where(codes >= 0, pool[np.maximum(codes, 0)], -1)
        known = branch >= 0
        wanted = (branch[:, None] == np.arange(n_branches - 1)).astype(np.float64)
    wanted[~known] = by_weight
    return wanted
