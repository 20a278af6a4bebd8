"""Growing the trees of a forest: from checked data to the native grower, and back to arrays.

1. Code the table once for all trees: at most ``max_bins`` codes a number, or exact ranks. Columns
   that do not vary take no part; categories are numbered by name (``_growing_columns``).
2. Key each row by its codes and target: a tree's bag, and so the forest, depends on content, not on
   the order of rows. Whole weights are copies, drawn one by one; others multiply what is drawn.
3. Put the target into the form kernels take: class indices, or fixed-point sums of one draw.
4. ``grow`` calls the native grower (``native/include/branchline/forest.hpp`` states the rules).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes, fit_codes, native_columns
from branchline._dtypes import UNITS
from branchline._fixed_point import FixedPoint, fixed_point
from branchline._random import KeyedRows
from branchline._tree_work import TreeMaker
from branchline._trees._codes_in_use import compacted
from branchline._trees._column_draws import columns_per_node
from branchline._trees._directions import directions_of
from branchline._trees._draws import Draws, keyed_rows
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._grow_options import grow_options
from branchline._trees._growing_columns import GrowingColumns, RowsOfColumns, growing_columns
from branchline._trees._packing import narrowed
from branchline._trees._tree_arrays import Scale
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.forest._content_rows import ContentRows, content_rows
from branchline.forest._settings import (
    ForestSettings,
    bag_of,
    corrects_for_chance,
)
from branchline.table import Table

__all__ = ["ForestGrowth", "OutOfBag", "begin_growth"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

# Every subset is tried of so few categories only: a forest looks at many nodes.
_EXACT_SUBSETS = 6
# A sum over a bag may be larger than over the table, by far less than these factors.
_LIGHT, _MANY_TIMES, _SOME_TIMES = 64, 256.0, 8.0


@dataclass(frozen=True)
class OutOfBag:
    """What trees predict for rows they have not seen.

    ``sums`` of leaf values, a row each; ``n_votes`` of them; what the rows of each leaf hold.
    """

    sums: Floats
    n_votes: Longs
    leaf_units: Longs

    @property
    def mean(self) -> Floats:
        """The mean over trees; NaN for a row that all trees have seen."""
        with np.errstate(invalid="ignore"):
            mean: Floats = self.sums / self.n_votes[:, None]
        return mean

    @property
    def is_known(self) -> npt.NDArray[np.bool_]:
        """Which rows some tree has not seen."""
        known: npt.NDArray[np.bool_] = self.n_votes > 0
        return known


@dataclass(frozen=True)
class ForestGrowth:
    """Everything that growing trees needs, made once."""

    data: TrainingData
    codes: Codes
    columns: GrowingColumns
    draws: Draws
    target: _core.GrowTarget
    class_of_row: npt.NDArray[np.uint32] | None
    sums: Longs | None
    rows: KeyedRows
    bag: _core.Bag
    options: _core.ForestOptions
    grown_columns: _core.ForestColumns
    scale: Scale
    class_factor: Floats | None = None
    monotone: npt.NDArray[np.int8] | None = None

    @property
    def leaves_rows_out(self) -> bool:
        """Whether trees do not see all rows."""
        return self.bag.kind != _core.BagKind.all

    def grow(
        self,
        first_tree: int,
        n_trees: int,
        *,
        time_budget: float | None = None,
        on_progress: Callable[[int], None] | None = None,
        maker: TreeMaker | None = None,
    ) -> tuple[ForestArrays, Floats]:
        """Return some trees, fewer when the time is over, and the gains of each column's tests.

        ``maker`` grows them in place of this process.
        """
        if maker is not None:
            grown = maker.grow(first_tree, n_trees, time_budget, on_progress)
        else:
            options = self.options
            options.first_tree, options.n_trees = first_tree, n_trees
            options.time_budget = math.inf if time_budget is None else time_budget
            given = self.grown_columns, self.target, self.bag, options
            grown = _core.grow_forest(*given, on_progress)
        gains = np.zeros(self.data.table.n_columns)
        gains[self.columns.places] = grown.pop("importance")
        return self._to_arrays(grown), gains

    def _to_arrays(self, grown: dict[str, Any]) -> ForestArrays:
        width = 1 + self.sums.shape[1] if self.sums is not None else self.n_classes
        content = grown.pop("content").reshape(-1, width)
        grown = self.columns.restored(grown)
        if self.sums is None and content.max() < 2**32:
            content = narrowed(content)
        forest = ForestArrays(
            **grown,
            content=content,
            scale=self.scale,
            lowest=self.codes.lowest,
            highest=self.codes.highest,
            n_codes=self.codes.n_codes,
            pooling=self.codes.pooling,
        )
        return compacted(forest)

    @property
    def n_classes(self) -> int:
        """The number of classes; 0 where numbers are predicted."""
        return self.data.class_target.n_classes if self.sums is None else 0

    def counts_of_tree(self, tree: int) -> npt.NDArray[np.uint32]:
        """Return how often a tree holds each row."""
        return self.bag.counts(tree)

    def out_of_bag(self, forest: ForestArrays, first_tree: int, n_threads: int) -> OutOfBag:
        """Return what trees predict for the rows they have not seen.

        Parameters
        ----------
        forest
            The trees.
        first_tree
            The number of the first of them.
        n_threads
            Threads to use.
        """
        columns, n_categories = native_columns(self.data.table, self.codes.pooling)
        rows = self._content_rows
        columns = [rows.chosen(column) for column in columns]
        oob = self._tested(forest, first_tree, (columns, n_categories), rows, n_threads)
        return replace(oob, sums=rows.spread(oob.sums), n_votes=rows.spread(oob.n_votes))

    def out_of_bag_by_row(
        self,
        forest: ForestArrays,
        n_threads: int,
        shuffled: tuple[int, npt.NDArray[np.intp]] | None = None,
    ) -> OutOfBag:
        """Return the same of all trees, equal rows apart.

        Parameters
        ----------
        forest
            The trees.
        n_threads
            Threads to use.
        shuffled
            A column, and from which row each row is to get its cell of it; None: all as they are.
        """
        columns, n_categories = native_columns(self.data.table, self.codes.pooling)
        if shuffled is not None:
            place, source = shuffled
            columns[place] = columns[place][source]
        rows = ContentRows(None, None, self.bag)
        return self._tested(forest, 0, (columns, n_categories), rows, n_threads)

    def _tested(
        self,
        forest: ForestArrays,
        first_tree: int,
        cells: tuple[list[Any], Any],
        rows: ContentRows,
        n_threads: int,
    ) -> OutOfBag:
        known = (self.class_of_row, self.sums, self.draws.units)
        class_of_row, sums, units = (None if one is None else rows.chosen(one) for one in known)
        targets = _core.BagTargets(class_of_row, None if sums is None else np.ravel(sums), units)
        sums, n_votes, leaf_units = forest.walker.out_of_bag(
            *cells, rows.bag, first_tree, targets, n_threads
        )
        return OutOfBag(
            sums.reshape(len(n_votes), -1), n_votes, leaf_units.reshape(len(forest.content), -1)
        )

    @cached_property
    def _content_rows(self) -> ContentRows:
        return content_rows(self.rows, self.draws, self.bag)


def begin_growth(
    data: TrainingData,
    draws: Draws,
    settings: ForestSettings,
    *,
    seed: int,
    n_threads: int,
    class_factor: Floats | None = None,
) -> ForestGrowth:
    """Code the table, key its rows, and put parameters into options."""
    table, weights = data.table, data.weights
    directions = directions_of(table, settings.monotonic_cst, _n_outputs(data))
    codes = fit_codes(table, units=weights.units, max_bins=settings.max_bins, n_threads=n_threads)
    numbers, class_of_row = None, None
    if isinstance(data.target, ClassTarget):
        class_of_row, n_classes = data.target.class_of_row, data.target.n_classes
        target = _core.GrowTarget(class_of_row, None, draws.units, class_factor, n_classes, 0)
        words: npt.NDArray[Any] = class_of_row
        scale = Scale(draws.unit)
    else:
        numbers = _sums_of_draws(
            data.target.matrix, draws, centered=settings.criterion != "poisson"
        )
        n_outputs = numbers.sums.shape[1]
        target = _core.GrowTarget(None, np.ravel(numbers.sums), draws.units, None, 0, n_outputs)
        words = _one_word(data.target.matrix)
        scale = Scale(draws.unit, numbers.center, numbers.bits, numbers.exponent)
    columns = growing_columns(table, codes, rows=RowsOfColumns(words, draws.sizes, n_threads))
    rows = keyed_rows(columns.coded, words, draws, n_threads=n_threads)
    monotone = None if directions is None else directions[columns.places]
    n_columns = len(columns.places)
    return ForestGrowth(
        data,
        codes,
        columns,
        draws,
        target,
        class_of_row,
        None if numbers is None else numbers.sums,
        rows,
        _bag(data, draws, rows, settings, seed),
        _options(table, settings, draws.weights, numbers, n_columns, n_threads),
        _core.ForestColumns(columns.native, columns.lowest, columns.highest, monotone),
        scale,
        class_factor,
        monotone,
    )


def _sums_of_draws(values: Floats, draws: Draws, *, centered: bool) -> FixedPoint:
    """Return the target as integers, as one draw of each row adds it."""
    n_rows, weights = len(values), draws.weights
    total = weights.total_units(n_rows) * weights.unit
    room = _MANY_TIMES if total < _LIGHT else _SOME_TIMES
    mean_weight = total / n_rows
    weight_of_all = RowWeights(None, room * max(1.0, mean_weight))
    numbers = fixed_point(values, weight_of_all, centered=centered)
    if draws.units is None:
        return numbers
    weight = (draws.units * draws.unit)[:, None]
    sums = np.rint(numbers.sums * weight).astype(UNITS)
    return FixedPoint(sums, numbers.center, numbers.bits, numbers.exponent)


def _one_word(values: Floats) -> Floats | Longs:
    """Return one number for each row of targets."""
    if values.shape[1] == 1:
        return values[:, 0]
    word = np.zeros(len(values), dtype=np.uint64)
    for output in np.ascontiguousarray(values.T + 0.0).view(np.uint64):
        with np.errstate(over="ignore"):
            word = (word ^ output) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    return word.view(np.int64)


def _n_outputs(data: TrainingData) -> int:
    if isinstance(data.target, ClassTarget):
        return max(0, data.target.n_classes - 1)
    return int(data.number_target.matrix.shape[1])


def _options(
    table: Table,
    settings: ForestSettings,
    weights: RowWeights,
    numbers: FixedPoint | None,
    n_columns: int,
    n_threads: int,
) -> _core.ForestOptions:
    corrects = corrects_for_chance(settings.correct_for_chance, table)
    own = replace(settings, correct_for_chance=corrects)
    options = _core.ForestOptions()
    tree = grow_options(own, weights, numbers, n_threads)
    tree.exact_subsets = _EXACT_SUBSETS
    options.tree = tree
    options.max_columns = columns_per_node(settings.max_features, n_columns)
    options.random_thresholds = settings.random_thresholds
    threshold = settings.score_threshold
    options.score_threshold = 2.0 if threshold is None else float(threshold)
    return options


def _bag(
    data: TrainingData, draws: Draws, rows: KeyedRows, settings: ForestSettings, seed: int
) -> _core.Bag:
    # Whole weights are copies, and each is a row that can be drawn.
    n_rows = data.table.n_rows
    n_drawn = data.weights.total_units(n_rows) if data.weights.unit == 1.0 else n_rows
    kind, rate = bag_of(settings.bootstrap, settings.max_samples, n_drawn)
    return _core.Bag(rows.keys, draws.copies, rows.first_copy, kind, rate, seed)
