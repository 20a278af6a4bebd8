"""Parts of the training rows: which rows a node holds, and what leaves on them hold.

1. A part is rows and their units (None: the units of the table). A test sends a part down; a row
   that is shared among branches takes some of its units into each.
2. What a leaf holds is asked of the native grower, so that integers and spreads have its bits.
3. ``grow_on`` grows a subtree on a part, without some columns where that is asked.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._trees._node_losses import NodeLosses
from branchline._trees._tree_arrays import EVERY_BRANCH, TreeArrays
from branchline.tree._nested import NestedNode, NodeTest
from branchline.tree.growing._growth import CodedTree, Growth, Sample

__all__ = ["PartGrower", "part_target", "send_down"]

Units = npt.NDArray[np.int64]


def part_target(growth: Growth, part: Sample) -> _core.GrowTarget:
    """Return the target of a part as the native grower takes it."""
    if part.units is None:
        return growth.target(Sample(part.rows))
    # A row of which the node holds a part only is not counted in copies.
    of_copy = growth.part_units
    if of_copy and (part.units[part.rows] % of_copy).any():
        of_copy = 0
    if growth.numbers is None:
        classes, factor = growth.data.class_target.class_of_row, growth.class_factor
        return _core.GrowTarget(classes, None, part.units, factor, growth.n_classes, 0, of_copy)
    return growth.number_target(_sums(growth, part), part.units, of_copy)


def _sums(growth: Growth, part: Sample) -> Units:
    """Return the fixed-point sums of rows whose units have changed, exactly where that can be."""
    assert growth.numbers is not None
    assert part.units is not None
    base = growth.weights.units
    if base is None:
        scaled: Units = growth.numbers.sums * part.units[:, None]
        return scaled
    common = np.gcd(part.units, base)
    times, over = (part.units // common)[:, None], (base // common)[:, None]
    sums = growth.numbers.sums
    if (sums % over == 0).all():
        exact: Units = sums // over * times
        return exact
    share = np.rint(sums.astype(np.longdouble) * times / over)
    return share.astype(np.int64)


def send_down(growth: Growth, test: NodeTest, part: Sample) -> list[Sample]:
    """Return the part of each branch; rows that stay at the node are in none."""
    column = test.column_of(growth.data.table)
    branch = test.branches(column)[part.rows]
    parts = [Sample(part.rows[branch == b], part.units) for b in range(test.n_branches)]
    shared = part.rows[branch == EVERY_BRANCH]
    return parts if not len(shared) else _with_shared(growth, parts, shared, part.units)


def _with_shared(
    growth: Growth, parts: list[Sample], shared: npt.NDArray[np.uint32], units: Units | None
) -> list[Sample]:
    """Give each branch its share of the rows that go down all of them."""
    base = growth.weights.units if units is None else units
    assert base is not None  # shared rows are counted in parts
    weight = np.array([base[each.rows].sum(dtype=np.float64) for each in parts])
    if not weight.any():
        weight += 1.0
    found = []
    for share, each in zip(weight / weight.sum(), parts, strict=True):
        if share == 0:
            found.append(each)
            continue
        own = base.copy()
        own[shared] = np.maximum(1, np.rint(base[shared] * share)).astype(np.int64)
        found.append(Sample(np.union1d(each.rows, shared).astype(np.uint32), own))
    return found


@dataclass(eq=False)
class PartGrower:
    """Grows subtrees and leaves on parts of the rows."""

    growth: Growth
    _columns: dict[frozenset[int], _core.GrowColumns] = field(default_factory=dict)

    def leaf(self, part: Sample) -> NestedNode:
        """Return the leaf that holds a part of the rows; there must be some."""
        root = self._grow(part, frozenset(), {"max_depth": 0})
        tree = self.growth.to_arrays(root)
        return NestedNode(None, [], tree.content[0], tree.spread[0], tree.losses)

    def losses(self, part: Sample) -> NodeLosses | None:
        """Return what an inner node that holds a part of the rows loses; None: squared errors."""
        return self.leaf(part).losses if self.growth.keeps_losses else None

    def grow(
        self, part: Sample, *, without: Collection[int] = (), **limits: Any
    ) -> tuple[CodedTree, TreeArrays]:
        """Return the subtree that a part of the rows gives, in codes and as arrays.

        Parameters
        ----------
        part
            The rows.
        without
            Places of columns that may not be tested.
        limits
            Options of the native grower that differ from those of the tree.
        """
        coded = self._grow(part, frozenset(without), limits)
        return coded, self.growth.to_arrays(coded)

    def _grow(self, part: Sample, without: frozenset[int], limits: dict[str, Any]) -> CodedTree:
        options = self.growth.options
        kept = {name: getattr(options, name) for name in limits}
        for name, value in limits.items():
            setattr(options, name, value)
        try:
            target = part_target(self.growth, part)
            return _core.grow_tree(self.columns(without), part.rows, target, options)
        finally:
            for name, value in kept.items():
                setattr(options, name, value)

    def columns(self, without: frozenset[int]) -> _core.GrowColumns:
        """Return the columns to grow on; those left out are constant, so that no test has them."""
        if not without:
            return self.growth.columns
        if without not in self._columns:
            self._columns[without] = self.growth.columns_without(without)
        return self._columns[without]
