"""From the tests of a search, as a heap, to the arrays of an ordinary fitted tree.

1. Inner nodes are laid out level by level; the rows of each node are found by its tests.
2. A threshold stands half-way between the values that go apart in the node. A missing value takes
   the branch that the test gave it; where the node saw none, the heavier one, as in every tree.
3. Leaves hold what their rows weigh, as integers; inner nodes are their sums.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline._trees._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, TreeArrays
from branchline._trees._tree_state import fill_inner_nodes
from branchline.tree.growing._growth import Growth
from branchline.tree.optimal._search import deviations
from branchline.tree.optimal._yes_no_tests import YesNoTest, YesNoTests

__all__ = ["heap_to_arrays"]

Rows = npt.NDArray[np.int64]

# Squares of deviations below 4 are counted in parts of 2^−40: whole numbers of any order.
_PARTS = 2.0**40


@dataclass
class _Nodes:
    """The columns of a tree that is being written."""

    kind: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_branch: list[int] = field(default_factory=list)
    pools: list[npt.NDArray[np.int32]] = field(default_factory=list)
    pool_offset: list[int] = field(default_factory=list)
    rows: list[Rows] = field(default_factory=list)

    def add(self, kind: int, feature: int, threshold: float, missing: int) -> None:
        self.kind.append(kind)
        self.feature.append(feature)
        self.threshold.append(threshold)
        self.missing_branch.append(missing)


def heap_to_arrays(growth: Growth, tests: YesNoTests, heap: npt.NDArray[np.int32]) -> TreeArrays:
    """Return the fitted tree whose tests stand in a heap."""
    nodes = _lay_out(growth, tests, heap)
    kind = np.array(nodes.kind, dtype=np.uint8)
    n_children = np.where(kind == LEAF, 0, 2).astype(np.int32)
    end = 1 + np.cumsum(n_children, dtype=np.int64)
    first_child = np.where(n_children > 0, end - n_children, -1).astype(np.int32)
    content, spread = _contents(growth, nodes.rows)
    if growth.numbers is not None:
        spread = fill_inner_nodes(content, spread, first_child, n_children, growth.scale)
    return TreeArrays(
        kind=kind,
        feature=np.array(nodes.feature, dtype=np.int32),
        threshold=np.array(nodes.threshold, dtype=np.float64),
        first_child=first_child,
        n_children=n_children,
        missing_branch=np.array(nodes.missing_branch, dtype=np.int32),
        pool_offset=np.array(nodes.pool_offset, dtype=np.int64),
        pool=np.concatenate(nodes.pools) if nodes.pools else np.empty(0, dtype=np.int32),
        content=content,
        spread=spread,
        scale=growth.scale,
    )


def _lay_out(growth: Growth, tests: YesNoTests, heap: npt.NDArray[np.int32]) -> _Nodes:
    """Write nodes level by level, siblings together."""
    nodes, n_pooled = _Nodes(), 0
    waiting: list[tuple[int, Rows]] = [(0, np.arange(growth.n_rows, dtype=np.int64))]
    while waiting:
        place, rows = waiting.pop(0)
        nodes.rows.append(rows)
        nodes.pool_offset.append(0)
        number = int(heap[place]) if place < len(heap) else -1
        if number < 0:
            nodes.add(LEAF, -1, 0.0, -1)
            continue
        test = tests.tests[number]
        answers = tests.passes(number)[rows]
        # "is missing" is asked as "is present": its first branch is the answer no.
        goes_first = ~answers if test.asks_missing else answers
        missing = _missing_branch(growth, test, rows, goes_first)
        if test.is_threshold:
            nodes.add(
                THRESHOLD_TEST, test.column, _threshold(growth, test, rows, goes_first), missing
            )
        else:
            nodes.add(CATEGORIES, test.column, 0.0, missing)
            nodes.pool_offset[-1] = n_pooled
            nodes.pools.append(_pool(growth, test, missing))
            n_pooled += len(nodes.pools[-1])
        children = [2 * place + 1, 2 * place + 2]
        children = children[::-1] if test.asks_missing else children
        waiting += [(children[0], rows[goes_first]), (children[1], rows[~goes_first])]
    return nodes


def _missing_branch(growth: Growth, test: YesNoTest, rows: Rows, goes_first: Any) -> int:
    """Return the branch of missing values; the heavier one where the node saw none."""
    if test.asks_missing:
        return 1
    if (growth.codes.columns[test.column][rows] == 0).any():
        return 0 if test.takes_missing else 1
    units = growth.weights.units
    weight = np.ones(len(rows)) if units is None else units[rows].astype(np.float64)
    return 0 if 2 * weight[goes_first].sum() >= weight.sum() else 1


def _threshold(growth: Growth, test: YesNoTest, rows: Rows, goes_first: Any) -> float:
    if test.asks_missing:
        return float("inf")
    codes = growth.codes.columns[test.column][rows]
    low, high = codes[goes_first & (codes > 0)], codes[~goes_first & (codes > 0)]
    if len(low) == 0:  # only missing values pass here: the threshold of the whole table stands
        return growth.threshold_between(test.column, test.codes[0], test.codes[0] + 1)
    if len(high) == 0:
        return growth.threshold_between(test.column, test.codes[0], test.codes[0] + 1)
    return growth.threshold_between(test.column, int(low.max()), int(high.min()))


def _pool(growth: Growth, test: YesNoTest, missing: int) -> npt.NDArray[np.int32]:
    """Return the branch of each category; those without training rows go with missing values."""
    n_codes = int(growth.codes.n_codes[test.column])
    seen = np.bincount(growth.codes.columns[test.column], minlength=n_codes + 1)[1:] > 0
    branch = np.full(n_codes, 0 if test.asks_missing else 1, dtype=np.int32)
    branch[np.array(test.codes, dtype=np.int64) - 1] = 0
    branch[~seen] = missing
    pooling = growth.codes.pooling[test.column]
    return branch if pooling is None else branch[pooling]


def _contents(growth: Growth, rows_of: list[Rows]) -> tuple[Any, npt.NDArray[np.float64]]:
    """Return what the rows of each node weigh, and for numbers their spread."""
    units = growth.weights.units
    units = np.ones(growth.n_rows, dtype=UNITS) if units is None else units
    if growth.numbers is None:
        classes = growth.data.class_target.class_of_row
        content = np.zeros((len(rows_of), growth.n_classes), dtype=UNITS)
        for node, rows in enumerate(rows_of):
            np.add.at(content[node], classes[rows], units[rows])
        return content, np.zeros((len(rows_of), 0))
    sums, z = growth.numbers.sums[:, 0], deviations(growth.numbers, growth.weights)
    content = np.array([[units[rows].sum(), sums[rows].sum()] for rows in rows_of], dtype=UNITS)
    spread = np.array([[_spread(z[rows], units[rows])] for rows in rows_of])
    return content, spread * growth.scale.unit


def _spread(z: npt.NDArray[np.float64], units: npt.NDArray[np.int64]) -> float:
    """Return Σ w (z − mean)², the same for any order of rows and for copies instead of weights."""
    weight = units / units.max()
    whole = (units * np.rint(z * _PARTS)).astype(object).sum()
    mean = float(whole) / float(units.astype(object).sum()) / _PARTS
    squares = np.rint((z - mean) ** 2 * _PARTS).astype(np.int64)
    if units.max() < 2**20:
        return float((units.astype(object) * squares).sum()) / _PARTS
    return float(np.sort(weight * squares).sum()) * float(units.max()) / _PARTS
