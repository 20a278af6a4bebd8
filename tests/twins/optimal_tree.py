"""The optimal tree by trying every tree: a few lines, slow, and without any bound.

Also every yes-no test of a small frame, made from its cells in the plainest way.
"""

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["best_list", "best_tree", "class_cost", "every_split", "number_cost"]

Rows = npt.NDArray[np.bool_]


def every_split(frame: Any) -> list[Rows]:
    """Return which rows pass each test: thresholds and subsets, missing values on either side."""
    splits: list[Rows] = []
    for name in frame:
        column = frame[name]
        missing = column.isna().to_numpy()
        if column.dtype.kind == "f":
            values = np.unique(column[~missing])
            present = [(column <= value).to_numpy() for value in values]
        else:
            values = np.unique(column[~missing].astype(str))
            assert len(values) + missing.any() <= 5
            sets = [set(s) for k in range(1, 6) for s in combinations(values.tolist(), k)]
            present = [column.isin(one).to_numpy() for one in sets]
        splits += present
        if missing.any():
            splits += [missing, *(one | missing for one in present)]
    return splits


def class_cost(classes: Any, weight: Any, costs: Any) -> Any:
    """Return a function from rows to what their best decision costs."""

    def cost(rows: Rows) -> float:
        held = np.bincount(classes[rows], weight[rows], minlength=len(costs))
        return float((held @ costs).min())

    return cost


def number_cost(y: Any, weight: Any) -> Any:
    """Return a function from rows to their squared error around the mean."""

    def cost(rows: Rows) -> float:
        if not rows.any():
            return 0.0
        mean = np.average(y[rows], weights=weight[rows])
        return float(weight[rows] @ (y[rows] - mean) ** 2)

    return cost


def best_tree(rows: Rows, splits: list[Rows], depth: int, cost: Any, price: float) -> Any:
    """Return the least cost plus price of leaves of any tree, and the fewest leaves of those."""
    best = (cost(rows) + price, 1)
    if depth == 0:
        return best
    for split in splits:
        yes, no = rows & split, rows & ~split
        if yes.any() and no.any():
            left = best_tree(yes, splits, depth - 1, cost, price)
            right = best_tree(no, splits, depth - 1, cost, price)
            value, leaves = left[0] + right[0], left[1] + right[1]
            if value < best[0] - 1e-9 or (value < best[0] + 1e-9 and leaves < best[1]):
                best = (value, leaves)
    return best


def best_list(rows: Rows, captures: list[Rows], n_rules: int, cost: Any, price: float) -> float:
    """Return the least cost plus price of rules of any ordered list of rules."""
    best: float = cost(rows)
    if n_rules == 0:
        return best
    for capture in captures:
        held, left = rows & capture, rows & ~capture
        if held.any() and left.any():
            rest = best_list(left, captures, n_rules - 1, cost, price)
            best = min(best, cost(held) + price + rest)
    return best
