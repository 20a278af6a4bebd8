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
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes, fit_codes, native_columns
from branchline._dtypes import UNITS
from branchline._fixed_point import FixedPoint, fixed_point
from branchline._random import KeyedRows
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.errors import ParameterError, Repair
from branchline.forest._draws import Draws, keyed_rows
from branchline.forest._forest_arrays import ForestArrays
from branchline.forest._forest_codes import compacted
from branchline.forest._growing_columns import GrowingColumns, RowsOfColumns, growing_columns
from branchline.forest._packing import narrowed
from branchline.forest._settings import (
    bag_of,
    columns_a_node,
    corrects_for_chance,
    directions_of,
)
from branchline.tree._tree_arrays import Scale
from branchline.tree.growing._options import grow_options

__all__ = ["ForestGrowth", "OutOfBag", "begin_growth"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

# What a tree can be told and a forest cannot.
_TREE_DEFAULTS: dict[str, Any] = {
    "missing": "learned",
    "subset_search": "auto",
    "split": "binary",
    "rare_categories": "own",
    "zero_gain": "stop",
    "min_impurity": 0.0,
}
# Every subset is tried of so few categories only: a forest looks at many nodes.
_EXACT_SUBSETS = 6
# A sum over a bag may be larger than over the table, by far less than these factors.
_LIGHT, _MANY_TIMES, _SOME_TIMES = 64, 256.0, 8.0


@dataclass(frozen=True)
class OutOfBag:
    """What trees say of rows they have not seen.

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
    options: _core.ForestOptions
    directions: npt.NDArray[np.int8] | None
    scale: Scale

    @property
    def leaves_rows_out(self) -> bool:
        """Whether trees do not see all rows."""
        return self.options.bag_kind != _core.BagKind.all

    def grow(
        self,
        first_tree: int,
        n_trees: int,
        *,
        time_budget: float | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> tuple[ForestArrays, Floats]:
        """Return some trees, fewer when the time is over, and the gains of each column's tests."""
        options = self.options
        options.first_tree, options.n_trees = first_tree, n_trees
        options.time_budget = math.inf if time_budget is None else time_budget
        grown = _core.grow_forest(
            self.columns.native,
            self.columns.lowest,
            self.columns.highest,
            None if self.directions is None else self.directions[self.columns.places],
            self.target,
            self.rows.keys,
            self.draws.copies,
            self.rows.first_copy,
            options,
            on_progress,
        )
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
        options = self.options
        bag = _core.Bag(
            self.rows.keys,
            self.draws.copies,
            self.rows.first_copy,
            options.bag_kind,
            options.bag_rate,
            options.seed,
        )
        return bag.counts(tree)

    def out_of_bag(
        self,
        forest: ForestArrays,
        first_tree: int,
        n_threads: int,
        *,
        shuffled: tuple[int, npt.NDArray[np.intp]] | None = None,
    ) -> OutOfBag:
        """Return what trees say of the rows they have not seen.

        Parameters
        ----------
        forest
            The trees.
        first_tree
            The number of the first of them.
        n_threads
            Threads to use.
        shuffled
            A column, and from which row each row is to get its cell of it; None: all as they are.
        """
        columns, n_categories = native_columns(self.data.table, self.codes.pooling)
        if shuffled is not None:
            place, source = shuffled
            columns[place] = columns[place][source]
        sums, n_votes, leaf_units = forest.walker.out_of_bag(
            columns,
            n_categories,
            self.rows.keys,
            self.draws.copies,
            self.rows.first_copy,
            self.options.bag_kind.value,
            self.options.bag_rate,
            self.options.seed,
            first_tree,
            self.class_of_row,
            None if self.sums is None else np.ravel(self._sums_of_rows),
            self.draws.row_units,
            n_threads,
        )
        n_rows = self.data.table.n_rows
        return OutOfBag(
            sums.reshape(n_rows, -1), n_votes, leaf_units.reshape(len(forest.content), -1)
        )

    @property
    def _sums_of_rows(self) -> Longs:
        """The sums of whole rows, all copies of each included."""
        assert self.sums is not None
        copies = self.draws.copies
        return self.sums if copies is None else self.sums * copies[:, None]


def begin_growth(
    data: TrainingData,
    draws: Draws,
    parameters: dict[str, Any],
    *,
    seed: int,
    n_threads: int,
    class_factor: Floats | None = None,
) -> ForestGrowth:
    """Code the table, key its rows, and put parameters into options."""
    table, weights = data.table, data.weights
    directions = directions_of(table, parameters["monotonic_cst"])
    codes = fit_codes(
        table, units=weights.units, max_bins=parameters["max_bins"], n_threads=n_threads
    )
    numbers, class_of_row = None, None
    if isinstance(data.target, ClassTarget):
        class_of_row, n_classes = data.target.class_of_row, data.target.n_classes
        target = _core.GrowTarget(class_of_row, None, draws.units, class_factor, n_classes, 0)
        words: npt.NDArray[Any] = class_of_row
        scale = Scale(draws.unit)
    else:
        numbers = _sums_of_draws(data.target.matrix, draws)
        n_outputs = numbers.sums.shape[1]
        target = _core.GrowTarget(None, np.ravel(numbers.sums), draws.units, None, 0, n_outputs)
        words = _one_word(data.target.matrix)
        scale = Scale(draws.unit, numbers.centre, numbers.bits, numbers.exponent)
    _refuse_directions(directions, target_width=_width_of(data))
    rows = RowsOfColumns(words, draws.sizes, n_threads)
    columns = growing_columns(table, codes, rows=rows)
    return ForestGrowth(
        data,
        codes,
        columns,
        draws,
        target,
        class_of_row,
        None if numbers is None else numbers.sums,
        keyed_rows(columns.coded, words, draws, n_threads=n_threads),
        _options(data, draws, parameters, seed, n_threads, numbers, len(columns.places)),
        directions,
        scale,
    )


def _sums_of_draws(values: Floats, draws: Draws) -> FixedPoint:
    """Return the target as integers, as one draw of each row adds it."""
    n_rows, weights = len(values), draws.weights
    total = weights.total_units(n_rows) * weights.unit
    room = _MANY_TIMES if total < _LIGHT else _SOME_TIMES
    mean_weight = total / n_rows
    numbers = fixed_point(values, RowWeights(None, room * max(1.0, mean_weight)))
    if draws.units is None:
        return numbers
    weight = (draws.units * draws.unit)[:, None]
    sums = np.rint(numbers.sums * weight).astype(UNITS)
    return FixedPoint(sums, numbers.centre, numbers.bits, numbers.exponent)


def _one_word(values: Floats) -> Floats | Longs:
    """Return one number for each row of targets."""
    if values.shape[1] == 1:
        return values[:, 0]
    word = np.zeros(len(values), dtype=np.uint64)
    for output in np.ascontiguousarray(values.T + 0.0).view(np.uint64):
        with np.errstate(over="ignore"):
            word = (word ^ output) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    return word.view(np.int64)


def _width_of(data: TrainingData) -> int:
    if isinstance(data.target, ClassTarget):
        return max(0, data.target.n_classes - 1)
    return int(data.number_target.matrix.shape[1])


def _refuse_directions(directions: npt.NDArray[np.int8] | None, target_width: int) -> None:
    if directions is None or target_width <= 1:
        return
    raise ParameterError(
        "'monotonic_cst' is for two classes (the probability of the second) or one number: a "
        "direction says nothing about several.",
        code="P141",
        repair=Repair("model.set_params(monotonic_cst=None)"),
    )


def _options(
    data: TrainingData,
    draws: Draws,
    parameters: dict[str, Any],
    seed: int,
    n_threads: int,
    numbers: FixedPoint | None,
    n_columns: int,
) -> _core.ForestOptions:
    table = data.table
    corrects = corrects_for_chance(parameters["correct_for_chance"], table)
    told = {**_TREE_DEFAULTS, **parameters, "correct_for_chance": corrects}
    tree = grow_options(told, draws.weights, numbers, n_threads)
    tree.exact_subsets = _EXACT_SUBSETS
    options = _core.ForestOptions()
    options.tree = tree
    # Whole weights are copies, and each is a row that can be drawn.
    n_rows = data.weights.total_units(table.n_rows) if data.weights.unit == 1.0 else table.n_rows
    bag = bag_of(parameters["bootstrap"], parameters["max_samples"], n_rows)
    options.bag_kind, options.bag_rate = bag
    options.seed = seed
    options.max_columns = columns_a_node(parameters["max_features"], n_columns)
    options.random_thresholds = bool(parameters.get("random_thresholds", False))
    threshold = parameters.get("score_threshold")
    options.score_threshold = 2.0 if threshold is None else float(threshold)
    return options
