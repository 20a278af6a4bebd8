"""Trees in sequence: grown one after another on codes that are computed once.

1. The table is coded once, into at most ``max_bins`` codes a column or exact ranks.
2. Each round gives the rows weights, and for numbers targets, as integers of one scale for all
   rounds: weights in units of 2^−b with Σ weight · 2^b ≤ 2^40, targets as fixed-point sums.
3. A tree is grown by the tree room's grower, which also knows the leaf of each row that it grew on;
   rows held out go down the tree.
4. At the end all trees are one ``ForestArrays``: compact in a file, and walked in one call.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._base import Complexity
from branchline._codes import Codes, fit_codes
from branchline._dtypes import UNITS
from branchline._fixed_point import FixedPoint, fixed_point
from branchline._trees._codes_in_use import compacted, joined
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._forest_state import pack_forest
from branchline._trees._grow_options import GrowSettings, grow_options
from branchline._trees._packing import narrowed
from branchline._trees._tree_arrays import CATEGORIES, LEAF, Scale, TreeArrays, values_of
from branchline._validation import ClassTarget, NumberTarget, RowWeights, TrainingData
from branchline.boosting._rare_categories import MANY_CATEGORIES, with_rare_as_missing
from branchline.boosting._sequence_rows import SequenceRows
from branchline.table import Table
from branchline.tree.growing._growth import CodedTree, Growth, Sample
from branchline.tree.reading._importance import importances

__all__ = ["Member", "TreeGrower", "TreeMembers"]

_WEIGHT_BITS = 40
_MIDPOINT = 128  # midpoint_fraction of forest.hpp


@dataclass(frozen=True)
class Member:
    """What one round has made.

    Parameters
    ----------
    made
        A grown tree in codes, or a fitted learner.
    predicted
        What it predicts for each row: the place of a class, or a number.
    importances
        The share of each column; None where a learner has none.
    """

    made: Any
    predicted: npt.NDArray[Any]
    importances: Floats | None


class TreeGrower:
    """Grows one tree after another on the same rows.

    Parameters
    ----------
    rows
        The rows.
    settings
        Parameters of a tree, by name, and ``max_bins``.
    n_threads
        Threads to use; trees do not depend on it.
    center, largest
        Numbers to be grown on lie around ``center``; their mean distance from it, by weight, is at
        most ``largest`` in every round. None: classes.
    may_isolate
        Whether a leaf may hold a single row, however little it weighs by now.
    """

    def __init__(
        self,
        rows: SequenceRows,
        settings: Mapping[str, Any],
        n_threads: int,
        *,
        center: float = 0.0,
        largest: float | None = None,
        may_isolate: bool = False,
    ) -> None:
        self.rows, self.n_threads = rows, n_threads
        self.criterion = settings.get("criterion", "variance")
        codes = fit_codes(
            rows.table,
            units=rows.data.weights.units,
            max_bins=settings["max_bins"],
            n_threads=n_threads,
        )
        self.codes, n_categories = with_rare_as_missing(codes, rows.weight)
        self._columns = _native_columns(self.codes)
        bits = max(0, _WEIGHT_BITS - math.ceil(math.log2(rows.total)))
        self._weights = RowWeights(None, math.ldexp(1.0, -bits))
        self._numbers = None
        if largest is not None:
            # One row at each end stands for all: scale and center are those of every round.
            ends = center + np.array([[-largest], [largest]])
            self._numbers = fixed_point(ends, RowWeights(None, rows.total))
        corrects = n_categories > MANY_CATEGORIES
        own = GrowSettings.from_parameters({**settings, "correct_for_chance": corrects})
        self._options = grow_options(own, self._weights, self._numbers, n_threads)
        if may_isolate:
            self._options.min_leaf_units, self._options.min_split_units = 1, 2
        self._sample = Sample(np.flatnonzero(rows.weight > 0).astype(np.uint32))
        self._options.keeps_leaves = len(self._sample.rows) == rows.n_rows
        self._kept: list[CodedTree] = []

    def grow(self, weight: Floats, values: Floats | None) -> Member:
        """Return a tree on rows of some weight; ``values`` are the numbers to predict."""
        growth = self._growth(weight, values)
        coded = growth.grow(self._sample)
        tree = growth.to_arrays(coded)
        nodes = coded.pop("leaf_of_row")  # not kept: as long as the table, for each tree
        if not self._options.keeps_leaves:  # some rows are held out and have no part in growing
            nodes = tree.find_leaves(self.rows.table, self.n_threads)
        predicted = tree.value[:, 0] if values is not None else tree.value.argmax(axis=1)
        shares = importances(tree, self.rows.table.schema, self.criterion)
        return Member(coded, predicted[nodes], shares)

    def keep(self, member: Member) -> None:
        """Take a tree into the sequence."""
        self._kept.append(member.made)

    def members(self, before: "TreeMembers | None" = None) -> "TreeMembers":
        """Return the trees that were kept, after those of an earlier fit."""
        forest = None if before is None else before.forest
        if self._kept:
            new = compacted(self._forest())
            forest = new if forest is None else compacted(joined(forest, new))
        assert forest is not None
        return TreeMembers(forest.ready())

    def _growth(self, weight: Floats, values: Floats | None) -> Growth:
        unit = self._weights.unit
        units = np.maximum(1, np.rint(weight / unit)).astype(UNITS)
        weights = RowWeights(units, unit)
        target: Any = self.rows.data.target
        numbers = None
        if values is not None:
            target, numbers = NumberTarget(values), self._sums(values, units * np.float64(unit))
        data = TrainingData(self.rows.table, target, weights)
        return Growth(
            data,
            self.codes,
            self._columns,
            self._options,
            weights,
            numbers,
            class_factor=None,
            cuts={},
        )

    def _sums(self, values: Floats, weight: Floats) -> FixedPoint:
        """Return numbers times their weights as integers, in the scale of every round."""
        scale = self._numbers
        assert scale is not None
        bits = scale.bits
        # The exponent is split because 2^bits alone may be beyond the range of floats.
        scaled = np.ldexp(np.ldexp(values - scale.center[0], bits // 2), bits - bits // 2)
        sums = np.rint(scaled * weight).astype(UNITS)[:, None]
        return FixedPoint(sums, scale.center, bits, scale.exponent)

    def _forest(self) -> ForestArrays:
        """Return the kept trees as the arrays of a forest: nodes in level order, tests binary."""
        kinds = [tree["kind"] for tree in self._kept]
        kind = np.concatenate(kinds)
        inner = kind != LEAF
        is_number = kind[inner] != CATEGORIES
        target = self.rows.data.target
        width = target.n_classes if isinstance(target, ClassTarget) else 2

        def of_nodes(name: str) -> npt.NDArray[Any]:
            return np.concatenate([tree[name] for tree in self._kept])

        right_code = np.where(is_number, of_nodes("right_code")[inner], 0)
        return ForestArrays(
            n_nodes=np.array([len(one) for one in kinds], dtype=np.int64),
            kind=kind,
            feature=narrowed(of_nodes("feature")[inner]),
            left_code=narrowed(np.where(is_number, of_nodes("left_code")[inner], 0)),
            right_code=narrowed(right_code),
            fraction=np.where(right_code > 0, _MIDPOINT, 0).astype(np.uint8),
            missing_left=(of_nodes("missing_branch")[inner] == 0).astype(np.uint8),
            pool=np.concatenate([self._bits(tree) for tree in self._kept]),
            content=of_nodes("content").reshape(-1, width)[~inner],
            scale=self._scale,
            lowest=self.codes.lowest,
            highest=self.codes.highest,
            n_codes=self.codes.n_codes,
            pooling=self.codes.pooling,
        )

    @property
    def _scale(self) -> Scale:
        """What the integers in the nodes of all trees stand for."""
        numbers, unit = self._numbers, self._weights.unit
        if numbers is None:
            return Scale(unit)
        return Scale(unit, numbers.center, numbers.bits, numbers.exponent)

    def _bits(self, tree: CodedTree) -> npt.NDArray[np.uint8]:
        """Return a bit for each code of each category test, set where it goes to branch 1."""
        parts = [np.zeros(0, dtype=np.uint8)]
        for node in np.flatnonzero(tree["kind"] == CATEGORIES).tolist():
            begin = int(tree["pool_offset"][node])
            branches = tree["pool"][begin : begin + int(self.codes.n_codes[tree["feature"][node]])]
            parts.append(np.packbits(branches == 1, bitorder="little"))
        return np.concatenate(parts)


def _native_columns(codes: Codes) -> _core.GrowColumns:
    n_columns = len(codes.columns)
    columns = _core.GrowColumns(
        list(codes.columns),
        codes.n_codes,
        codes.is_category,
        np.ones(n_columns),
        np.zeros(n_columns, dtype=np.uint32),
    )
    columns.order_rows()
    return columns


@dataclass(frozen=True, eq=False)
class TreeMembers:
    """The trees of a fitted sequence."""

    forest: ForestArrays

    @property
    def n_members(self) -> int:
        """The number of trees."""
        return self.forest.n_trees

    @cached_property
    def _value_of_node(self) -> npt.NDArray[Any]:
        """What each leaf predicts: the place of a class, or a number."""
        forest = self.forest
        values = forest.leaf_value
        predicted = values.argmax(axis=1) if forest.is_classification else values[:, 0]
        of_node = np.zeros(len(forest.kind), dtype=predicted.dtype)
        of_node[forest.kind == LEAF] = predicted
        return of_node

    def outputs(self, table: Table, n_threads: int) -> Iterator[npt.NDArray[Any]]:
        """Yield what each tree predicts for rows."""
        yield from self.all_outputs(table, n_threads)

    def all_outputs(self, table: Table, n_threads: int) -> npt.NDArray[Any]:
        """Return what each tree (a row) predicts for rows (columns)."""
        leaves = self.forest.find_leaves(table, n_threads) + self.forest.first_node[:-1]
        return np.ascontiguousarray(self._value_of_node[leaves].T)

    def first(self, n_members: int) -> "TreeMembers":
        """Return the first trees alone."""
        return TreeMembers(compacted(self.forest.first(n_members)).ready())

    def complexity(self) -> Complexity:
        """Return how many leaves there are to read."""
        return Complexity(int(self.forest.n_leaves.sum()), "leaves")

    def depth(self) -> int:
        """Return the depth of the deepest tree."""
        return int(self.forest.depths().max())

    def pack(self) -> dict[str, Any]:
        """Return the values that make up the trees."""
        return pack_forest(self.forest)

    def path_shares(self, row: Table, which: int, amounts: Floats) -> tuple[float, Floats]:
        """Return the sum over trees of their roots' values, and what each column changes.

        Parameters
        ----------
        row
            A table of one row.
        which
            Classes: the one that nodes vote for or not. Numbers: 0.
        amounts
            How much each tree counts.
        """
        base, shares = 0.0, np.zeros(self.forest.n_columns)
        leaves = self.forest.find_leaves(row, 1)[0].tolist()
        for number, (node, amount) in enumerate(zip(leaves, amounts.tolist(), strict=True)):
            tree = self.forest.tree(number)
            value = amount * self._value_of_nodes(tree, which)
            base += float(value[0])
            while node > 0:
                parent = int(tree.parent[node])
                shares[tree.feature[parent]] += value[node] - value[parent]
                node = parent
        return base, shares

    def _value_of_nodes(self, tree: TreeArrays, which: int) -> Floats:
        if not tree.is_classification:
            return values_of(tree.content, tree.scale)[:, 0]
        votes: Floats = (tree.value.argmax(axis=1) == which).astype(np.float64)
        return votes
