"""Growing: from checked data to a tree in codes, and from there to the fitted arrays.

1. Code the table with exact ranks; columns with given intervals get their codes from these.
2. Put the target into the form kernels take: class indices, or fixed-point sums.
3. ``grow`` calls the native grower (``native/include/branchline/grow_tree.hpp`` states the rules)
   on all rows or on those of a fold; all folds share the codes.
4. ``to_arrays`` puts thresholds between values and gives each category its branch.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._canonical_rows import target_words
from branchline._codes import Codes, fit_codes
from branchline._dtypes import UNITS
from branchline._fixed_point import FixedPoint, fixed_point
from branchline._folds import FoldRows, fold_rows
from branchline._row_keys import content_keys
from branchline._trees._derived import DerivedColumns
from branchline._trees._derived_kinds import Interval
from branchline._trees._grow_options import OTHER_MEASURES, grow_options
from branchline._trees._node_losses import NodeLosses
from branchline._trees._tree_arrays import (
    CATEGORIES,
    EVERY_BRANCH,
    THRESHOLD_TEST,
    Scale,
    TreeArrays,
)
from branchline._trees._tree_state import fill_inner_nodes
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.errors import DataError, Repair
from branchline.table import Table
from branchline.tree.growing._given_columns import given_columns, threshold_lists
from branchline.tree.growing._native_columns import native_columns, with_intervals
from branchline.tree.growing._node_tests import NodeTests, node_tests, refuse_long_lookahead
from branchline.tree.growing._settings import cuts_of_columns
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = ["CodedTree", "Growth", "OfTests", "Sample", "begin_growth"]

# Shared rows (missing="fractional") are counted in parts of 2^−20 of a row.
_PART_BITS = 20
_TOTAL_BITS = 52
_BINS = 255
_FEW_CUTS = 16

CodedTree = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """Rows to grow on, and their units where they differ from those of the whole table."""

    rows: npt.NDArray[np.uint32]
    units: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True)
class OfTests:
    """What may be tested: the extended table, given columns, and tests made in nodes."""

    table: Table
    derived: DerivedColumns | None
    makes: NodeTests | None


@dataclass(frozen=True)
class Growth:
    """Everything that growing a tree needs, made once and used for each fold."""

    data: TrainingData
    codes: Codes
    columns: _core.GrowColumns
    options: _core.GrowOptions
    weights: RowWeights
    numbers: FixedPoint | None
    class_factor: npt.NDArray[np.float64] | None
    cuts: dict[int, npt.NDArray[np.float64]]
    settings: TreeSettings = field(default_factory=TreeSettings)
    of_tests: OfTests | None = None

    @property
    def table(self) -> Table:
        """The table, extended by the columns that the user gave."""
        return self.data.table if self.of_tests is None else self.of_tests.table

    @property
    def derived(self) -> DerivedColumns | None:
        """The columns that the user gave."""
        return None if self.of_tests is None else self.of_tests.derived

    @property
    def makes(self) -> NodeTests | None:
        """What makes tests node by node."""
        return None if self.of_tests is None else self.of_tests.makes

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.data.table.n_rows

    @property
    def n_classes(self) -> int:
        """The number of classes; 0 for numbers."""
        target = self.data.target
        return target.n_classes if isinstance(target, ClassTarget) else 0

    @cached_property
    def equal_costs(self) -> npt.NDArray[np.float64]:
        """The costs of errors that all cost 1, row after row of their matrix."""
        costs = np.ones(self.n_classes**2)
        costs[:: self.n_classes + 1] = 0
        return costs

    @cached_property
    def scale(self) -> Scale:
        """What the integers in a tree's nodes stand for."""
        if self.numbers is None:
            return Scale(self.weights.unit)
        numbers = self.numbers
        return Scale(self.weights.unit, numbers.center, numbers.bits, numbers.exponent)

    @property
    def part_units(self) -> int:
        """The units of one copy of a row, when rows may be shared among branches; else 0."""
        if self.weights is self.data.weights or self.data.weights.unit != 1.0:
            return 0
        return round(1 / self.weights.unit)

    @cached_property
    def whole(self) -> Sample:
        """All rows."""
        return Sample(np.arange(self.n_rows, dtype=np.uint32))

    @cached_property
    def row_keys(self) -> npt.NDArray[np.uint64]:
        """A hash of each row's content."""
        copies = (
            self.data.weights.units if self.data.weights.unit == 1.0 else self.data.weights.merged
        )
        return content_keys(self.table, self.codes, target_words(self.data), copies)

    @cached_property
    def folds(self) -> FoldRows:
        """The rows, ready to be split into folds."""
        return fold_rows(self.data, self.row_keys)

    @property
    def parts_a_unit(self) -> int:
        """How many units the grower has for one unit of a row's weight."""
        return round(self.data.weights.unit / self.weights.unit)

    def grow(self, sample: Sample, options: _core.GrowOptions | None = None) -> CodedTree:
        """Return the tree in codes that the rows of ``sample`` give; None: by the own options."""
        if self.makes is None:
            chosen = self.options if options is None else options
            return _core.grow_tree(self.columns, sample.rows, self.target(sample), chosen)
        return _core.grow_by_nodes(
            self.columns,
            self.makes.numbers,
            (self.row_keys, sample.rows),
            self.target(sample),
            self.options,
            self.makes.options,
        )

    @property
    def in_one_thread(self) -> _core.GrowOptions:
        """The same options, for several trees at once."""
        options = grow_options(self.settings, self.weights, self.numbers, 1)
        options.max_leaves, options.max_depth = self.options.max_leaves, self.options.max_depth
        return options

    def with_test_of(self, tree: TreeArrays, node: int) -> "Growth":
        """Return the growth of one node: its columns, and the one that the node made."""
        feature, derived = int(tree.feature[node]), tree.derived
        if self.makes is None or derived is None or feature < derived.n_given:
            return self
        made = derived.columns[feature - derived.n_given]
        if made.name in self.table.schema.position:
            return self
        table = DerivedColumns(self.table.n_columns, (made,)).extend_table(self.table)
        return _growth_on(table, self)

    def columns_without(self, places: Collection[int]) -> _core.GrowColumns:
        """Return the columns for the native grower, some of which no test may have."""
        data = replace(self.data, table=self.table)
        return native_columns(data, self.codes, self.settings, places, derived=self.derived)

    def target(self, sample: Sample) -> _core.GrowTarget:
        """Return the target as the native grower takes it."""
        units = self.weights.units if sample.units is None else sample.units
        if self.numbers is None:
            classes = self.data.class_target.class_of_row
            return _core.GrowTarget(
                classes, None, units, self.class_factor, self.n_classes, 0, self.part_units
            )
        return self.number_target(self.sums_of(sample), units, self.part_units)

    def number_target(
        self, sums: npt.NDArray[np.int64], units: npt.NDArray[np.int64] | None, part_units: int
    ) -> _core.GrowTarget:
        """Return numbers as the native grower takes them: sums and units of rows, and values."""
        n_outputs = sums.shape[1]
        values = self._values
        return _core.GrowTarget(None, np.ravel(sums), units, None, 0, n_outputs, part_units, values)

    @property
    def keeps_losses(self) -> bool:
        """Whether nodes know what they lose, because it is not the squared error."""
        return self.numbers is not None and self.settings.criterion in OTHER_MEASURES

    @cached_property
    def _values(self) -> npt.NDArray[np.int64] | None:
        """The values of all rows without weights, for criteria that look at them."""
        if self.numbers is None or not self.keeps_losses:
            return None
        return np.ravel(self.numbers.of_values(self.data.number_target.matrix))

    def sums_of(self, sample: Sample) -> npt.NDArray[np.int64]:
        """Return the fixed-point sums of each row; numbers only."""
        assert self.numbers is not None
        if sample.units is None:
            return self.numbers.sums
        return self._sums_of_copies(sample.units)

    def _sums_of_copies(self, units: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the sums of some of the copies of each row (whole weights only)."""
        copies = self.data.weights.units
        assert copies is not None
        assert self.numbers is not None
        assert self.weights.units is not None
        kept = units // (self.weights.units // copies)
        sums: npt.NDArray[np.int64] = self.numbers.sums // copies[:, None] * kept[:, None]
        return sums

    # -- from codes to values -------------------------------------------------------------------

    def to_arrays(self, tree: CodedTree) -> TreeArrays:
        """Return the fitted arrays of a tree in codes."""
        return self.named(self.to_pooled(tree))

    def to_pooled(self, tree: CodedTree) -> TreeArrays:
        """Return the same arrays, but branches of codes, which rare categories share, not of names.

        A tree that is to be pruned, or to be asked for its losses alone, need not list all names.
        """
        n_nodes = len(tree["kind"])
        coded = self._unknown_shared(tree)
        is_category = coded["kind"] == CATEGORIES
        content = tree["content"].reshape(n_nodes, -1)
        n_outputs = 0 if self.numbers is None else self.numbers.sums.shape[1]
        spread = tree["spread"].reshape(n_nodes, n_outputs) / self.scale.unit
        spread = np.ldexp(spread, -2 * (self.scale.bits + self.scale.exponent))
        if self.numbers is not None:  # so that a loaded tree has the same bits
            family = (tree["first_child"], tree["n_children"])
            spread = fill_inner_nodes(content, spread, *family, self.scale)
        feature, derived = self._features(tree)
        return TreeArrays(
            kind=tree["kind"],
            feature=feature,
            threshold=self._thresholds(tree),
            first_child=tree["first_child"],
            n_children=tree["n_children"],
            missing_branch=tree["missing_branch"],
            pool_offset=np.where(is_category, coded["pool_offset"], 0),
            pool=coded["pool"],
            content=content,
            spread=spread,
            scale=self.scale,
            derived=derived,
            losses=self._losses(tree, n_nodes),
        )

    def _losses(self, tree: CodedTree, n_nodes: int) -> NodeLosses | None:
        """Return what nodes lose, where that is not the squared error."""
        if not self.keeps_losses:
            return None
        scale, measure = self.scale, self.settings.criterion
        loss = np.ldexp(tree["loss"], -(scale.bits + scale.exponent)).reshape(n_nodes, -1)
        if measure == "poisson":
            return NodeLosses(measure, loss, None)
        offset = np.ldexp(tree["twice_median"].astype(np.float64), -(scale.bits + 1))
        median = np.asarray(scale.center) + offset.reshape(n_nodes, -1)
        return NodeLosses(measure, loss * scale.unit, median)

    def _features(self, tree: CodedTree) -> tuple[npt.NDArray[np.int32], DerivedColumns | None]:
        """Return the column of each test, and the derived columns of the tree."""
        feature, derived = tree["feature"], self.derived
        if self.makes is not None:
            n_given = self.data.table.n_columns
            derived, place = self.makes.derived(tree["made"], derived, n_given)
            n_before = len(self.codes.columns)
            if len(place):
                made = place[np.maximum(feature - n_before, 0)]
                feature = np.where(feature >= n_before, made, feature).astype(np.int32)
        return (feature, None) if derived is None else derived.used_by(feature)[::-1]

    def _thresholds(self, tree: CodedTree) -> npt.NDArray[np.float64]:
        threshold = np.zeros(len(tree["kind"]))
        cuts = np.flatnonzero(tree["kind"] == THRESHOLD_TEST)
        if len(cuts) <= _FEW_CUTS and "threshold" not in tree:  # arrays of a few cost more
            names = ("feature", "left_code", "right_code")
            nodes = zip(*(tree[name][cuts].tolist() for name in names), strict=True)
            threshold[cuts] = [self.threshold_between(*node) for node in nodes]
            return threshold
        for column in sorted(set(tree["feature"][cuts].tolist())):
            here = cuts[tree["feature"][cuts] == column]
            codes = tree["left_code"][here], tree["right_code"][here]
            if column < len(self.codes.columns):
                threshold[here] = self._between(column, *codes)
            else:
                threshold[here] = tree["threshold"][here]
        return threshold

    def _between(
        self, column: int, left_code: npt.NDArray[Any], right_code: npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        """Return the midpoints between values that go apart, or the cuts given there."""
        last = np.maximum(right_code.astype(np.int64) - 1, 0)
        if column in self.cuts:
            edges = np.append(self.cuts[column], np.inf)
            return np.where(right_code == 0, np.inf, edges[left_code.astype(np.int64) - 1])
        left = self.codes.highest[column][left_code.astype(np.int64) - 1]
        right = self.codes.lowest[column][last]
        middle = left / 2 + right / 2
        cut = np.where((left <= middle) & (middle < right), middle, left)
        return np.where(right_code == 0, np.inf, cut)

    def threshold_between(self, column: int, left_code: int, right_code: int) -> float:
        """Return the threshold between two neighboring codes; right_code 0: none, +inf."""
        if right_code == 0 or column in self.cuts:
            return float(self._between(column, np.array([left_code]), np.array([right_code]))[0])
        left = float(self.codes.highest[column][left_code - 1])
        right = float(self.codes.lowest[column][right_code - 1])
        middle = left / 2 + right / 2
        return middle if left <= middle < right else left

    def upper_edges(self, column: int) -> npt.NDArray[np.float64]:
        """Return the largest value that each code of a numeric column covers."""
        if column in self.cuts:
            return np.append(self.cuts[column], np.inf)
        return self.codes.highest[column]

    def _unknown_shared(self, tree: CodedTree) -> CodedTree:
        """Send categories that no training row has down every branch where missing values go so.

        A category of rows of weight 0, or only declared, is then as one that was never heard of.
        """
        shares = (tree["kind"] == CATEGORIES) & (tree["missing_branch"] == EVERY_BRANCH)
        nodes = np.flatnonzero(shares & (tree["feature"] < len(self.codes.columns))).tolist()
        if not nodes:
            return tree
        pool = tree["pool"].copy()
        for node in nodes:
            column, begin = int(tree["feature"][node]), int(tree["pool_offset"][node])
            own = pool[begin : begin + int(self.codes.n_codes[column])]
            occurs = np.bincount(self.codes.columns[column], minlength=len(own) + 1)[1:] > 0
            own[~occurs] = EVERY_BRANCH
        return {**tree, "pool": pool}

    def named(self, tree: TreeArrays) -> TreeArrays:
        """Return the arrays with a branch for each name, also of rare categories."""
        if not self.codes.any_pooled:
            return tree
        among = np.flatnonzero(tree.kind == CATEGORIES)
        starts = tree.pool_offset[among].tolist()
        parts = [tree.pool[begin:end] for begin, end in pairwise([*starts, len(tree.pool)])]
        poolings = [self._pooling_of(int(column)) for column in tree.feature[among]]
        pairs = list(zip(parts, poolings, strict=True))
        sizes = np.array([len(part if names is None else names) for part, names in pairs])
        ends = np.cumsum(sizes, dtype=np.int64)
        pool = np.empty(sizes.sum(dtype=np.int64), dtype=tree.pool.dtype)
        for (part, names), begin, end in zip(pairs, ends - sizes, ends, strict=True):
            pool[begin:end] = part if names is None else part[names]
        offset = np.zeros(tree.n_nodes, dtype=np.int64)
        offset[among] = ends - sizes
        return replace(tree, pool_offset=offset, pool=pool)

    def _pooling_of(self, feature: int) -> npt.NDArray[Any] | None:
        """Return the code of each name of a column; None: they are the same, as of made columns."""
        is_of_table = feature < self.data.table.n_columns
        return self.codes.pooling[feature] if is_of_table else None


def begin_growth(
    data: TrainingData,
    settings: TreeSettings,
    n_threads: int,
    class_factor: npt.NDArray[np.float64] | None,
) -> Growth:
    """Prepare growing: codes, columns, target and options."""
    derived = given_columns(data.table, settings)
    table = data.table if derived is None else derived.extend_table(data.table)
    # Tests that are made in nodes sort the columns anew in each of them: bins make that fast.
    max_bins = None if settings.tests == "axis" else _BINS
    units = data.weights.units
    codes = fit_codes(table, units=units, max_bins=max_bins, n_threads=n_threads)
    _refuse_nothing_known(codes)
    refuse_long_lookahead(codes, settings)
    cuts = cuts_of_columns(table, threshold_lists(settings.intervals))
    codes = _without_named(with_intervals(codes, data, cuts), table, derived)
    weights = _with_parts(data.weights, table.n_rows, settings.missing)
    columns = native_columns(replace(data, table=table), codes, settings, derived=derived)
    is_regression = not isinstance(data.target, ClassTarget)
    numbers = None
    if is_regression:
        is_centered = settings.criterion != "poisson"
        numbers = fixed_point(data.number_target.matrix, data.weights, centered=is_centered)
    options = grow_options(settings, weights, numbers, n_threads)
    of_tests = OfTests(table, derived, _node_tests(data, table, codes, settings))
    given = (weights, numbers, class_factor, cuts, settings, of_tests)
    return Growth(data, codes, columns, options, *given)


def _growth_on(table: Table, growth: Growth) -> Growth:
    """Return the growth of a table with a further column, which the native grower only lists."""
    more = fit_codes(Table.from_columns(table.columns[-1:]), units=growth.data.weights.units)
    codes = replace(
        growth.codes,
        columns=(*growth.codes.columns, *more.columns),
        lowest=(*growth.codes.lowest, *more.lowest),
        highest=(*growth.codes.highest, *more.highest),
        n_codes=np.append(growth.codes.n_codes, more.n_codes),
        is_category=np.append(growth.codes.is_category, more.is_category),
        pooling=(*growth.codes.pooling, None),
    )
    data = replace(growth.data, table=table)
    columns = native_columns(data, codes, growth.settings, derived=growth.derived)
    of_tests = OfTests(table, growth.derived, growth.makes)
    return replace(growth, codes=codes, columns=columns, of_tests=of_tests)


def _node_tests(
    data: TrainingData, table: Table, codes: Codes, settings: TreeSettings
) -> NodeTests | None:
    if isinstance(data.target, ClassTarget):
        target, groups = data.class_target.class_of_row, data.class_target.classes
        return node_tests(table, codes, target, settings, groups=groups)
    numbers = np.ascontiguousarray(data.number_target.matrix[:, 0])
    return node_tests(table, codes, numbers, settings, groups=("low", "high"))


def _without_named(codes: Codes, table: Table, derived: DerivedColumns | None) -> Codes:
    """Return codes in which numbers with named intervals tell nothing: their intervals do."""
    named = [one for one in derived or () if isinstance(one, Interval)]
    if not named:
        return codes
    columns = list(codes.columns)
    for interval in named:
        columns[table.schema.position[interval.column]] = np.zeros(codes.n_rows, dtype=np.uint8)
    return replace(codes, columns=tuple(columns))


def _refuse_nothing_known(codes: Codes) -> None:
    if any(column.any() for column in codes.columns):
        return
    raise DataError(
        f"Every value of the {len(codes.columns)} columns is missing: there is nothing to learn "
        "from.",
        code="D062",
        repair=Repair("from branchline import look\nprint(look(X))"),
    )


def _with_parts(weights: RowWeights, n_rows: int, missing: str) -> RowWeights:
    """Divide units into parts when rows may be shared among branches."""
    if missing not in {"fractional", "surrogate"}:
        return weights
    units = np.ones(n_rows, dtype=UNITS) if weights.units is None else weights.units
    bits = max(0, min(_PART_BITS, _TOTAL_BITS - int(units.sum()).bit_length()))
    return RowWeights(units << bits, float(np.ldexp(weights.unit, -bits)))
