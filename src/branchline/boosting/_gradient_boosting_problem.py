"""A table made ready for boosting: codes, keys, target, constraints, and the native grower.

1. Code the table once: at most ``max_bins`` codes a number; categories by name. Validation
   rows (``eval_set``) are coded with the codes of the others and stand after them.
2. Key each row by its content, for rounding, subsampling and folds.
3. Targets of losses on a linear scale are divided by a power of two, so that no gradient overflows.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes, apply_codes, fit_codes
from branchline._dtypes import UNITS
from branchline._folds import FoldRows, fold_rows
from branchline._random import KeyedRows
from branchline._trees._codes_in_use import compacted
from branchline._trees._column_draws import columns_per_node
from branchline._trees._directions import directions_of
from branchline._trees._draws import Draws, first_copies, keyed_rows
from branchline._trees._growing_columns import GrowingColumns, RowsOfColumns, growing_columns
from branchline._trees._packing import narrowed
from branchline._validation import ClassTarget, RowWeights, TrainingData
from branchline.boosting._boosted_arrays import BoostedArrays
from branchline.boosting._gradient_boosting_settings import GROWTHS, BoostingSettings, groups_of
from branchline.boosting._linear_leaves import LinearInputs, linear_inputs
from branchline.boosting._loss_interface import Loss, Target
from branchline.table import Table

__all__ = ["BoostingProblem", "make_problem", "target_of"]

Floats = npt.NDArray[np.float64]
Units = npt.NDArray[np.int64]

# Rows of a block, at most and at least: nothing but time depends on it.
BLOCK_ROWS = 16384
_FEWEST_ROWS = 4096
_BLOCKS_A_THREAD = 4  # so that none waits long for another
_MOST = 2**62


@dataclass(frozen=True)
class BoostingProblem:
    """Everything that rounds need, made once.

    Parameters
    ----------
    data, draws
        The rows to learn from, and what each counts.
    loss, target
        What is to be lowered, and the scaled targets of all rows, validation rows included.
    exponent
        Targets were divided by 2 to this power.
    validation
        Validation rows; they stand after the training rows.
    linear
        The numbers that linear leaves may use; None: leaves are constant.
    """

    data: TrainingData
    draws: Draws
    loss: Loss
    target: Target
    exponent: int
    validation: TrainingData | None
    codes: Codes
    columns: GrowingColumns
    rows: KeyedRows
    monotone: npt.NDArray[np.int8] | None
    groups: npt.NDArray[np.uint8] | None
    constraints: _core.BoostingConstraints
    options: _core.BoostingOptions
    settings: BoostingSettings
    seed: int
    n_threads: int
    linear: LinearInputs | None = None

    @property
    def n_rows(self) -> int:
        """All rows."""
        return len(self.target)

    @cached_property
    def booster(self) -> _core.TreeBooster:
        """The native grower of this process."""
        block_rows = _rows_a_block(self.n_rows, self.n_threads)
        return _core.TreeBooster(self.columns.native, self.rows.keys, block_rows, self.n_threads)

    @property
    def n_validation(self) -> int:
        """The number of validation rows."""
        return 0 if self.validation is None else self.validation.table.n_rows

    @property
    def units(self) -> Units | None:
        """What each row counts in learning; None: once."""
        given = self.draws.row_units
        return given if self.n_validation == 0 else self._padded(given, 0)

    @property
    def all_units(self) -> Units:
        """What each row counts in learning."""
        return self._padded(self.draws.row_units, 0)

    def _padded(self, of_rows: Units | None, filling: int) -> Units:
        """Return numbers of the rows to learn from (None: ones), and a filling for the others."""
        n_learning = self.n_rows - self.n_validation
        known = np.ones(n_learning, UNITS) if of_rows is None else of_rows
        return np.concatenate([known, np.full(self.n_validation, filling, UNITS)])

    @property
    def validation_units(self) -> Units:
        """Validation weight: 1 for rows of eval_set, 0 for training rows."""
        return 1 - self._padded(None, 0)

    def fold_units(self, fold: int, n_folds: int) -> tuple[Units, Units]:
        """Return the weight of each row outside a fold, and in it; zeros without such a fold."""
        folds = self._folds.split(n_folds, self.seed)
        if self._folds.times is not None:
            folds = folds[::-1]  # the last one has the most rows to learn from
        if fold >= len(folds):
            return np.zeros(self.n_rows, UNITS), np.zeros(self.n_rows, UNITS)
        return self._padded(folds[fold].learn, 0), self._padded(folds[fold].test, 0)

    @cached_property
    def _folds(self) -> FoldRows:
        """The rows to learn from, ready to be split."""
        weighed = TrainingData(self.data.table, self.data.target, self.draws.weights)
        return fold_rows(weighed, self.rows.keys[: self.data.table.n_rows])

    def copies_in(self, units: Units | None) -> tuple[Units, Units, Units]:
        """Return how many copies of each row are drawn, the number of the first, and its units."""
        each = self._unit_of_row
        if units is None:
            ones = self.rows.copies if self.draws.copies is None else np.ones(self.n_rows, UNITS)
            return ones, self.rows.first_copy, each
        if self.draws.copies is not None:
            copies = units // each
            return copies, first_copies(self.rows.keys, copies, units), each
        copies = (units > 0).astype(UNITS)  # a row is drawn as one, with what it counts here
        if self.draws.block_of_row is not None:
            return copies, self.rows.first_copy, units
        return copies, first_copies(self.rows.keys, copies, units), units

    @cached_property
    def _unit_of_row(self) -> Units:
        """What a copy of each row counts."""
        if self.draws.units is None and self.draws.copies is None:
            return self.rows.copies  # ones, which large tables should have once
        return self._padded(self.draws.units, 1)

    def drawn(self, copies: Units, first_copy: Units, each: Units, round_number: int) -> Units:
        """Return what rows count in a round that leaves some copies out."""
        bag = self.bag(np.maximum(copies, 1), first_copy)
        drawn = np.minimum(bag.counts(round_number), copies)
        if not drawn.any():
            drawn = copies
        return drawn * each

    def bag(self, copies: Units, first_copy: Units) -> _core.Bag:
        """Return the draws of the rounds from copies of each row, of one or more models."""
        rate = float(self.settings.subsample)
        kind = _core.BagKind.subsample
        keys = self.rows.keys
        if len(copies) > self.n_rows:
            keys = np.tile(keys, len(copies) // self.n_rows)
        return _core.Bag(keys, copies, first_copy, kind, rate, self.seed)

    def losses_as_given(self, losses: list[float]) -> Floats | None:
        """Return losses in the units of the targets as given; None when there are none."""
        given = np.ldexp(np.array(losses), self.loss.degree * self.exponent)
        return given if len(given) else None

    def to_arrays(
        self, grown: list[dict[str, Any]], value: Any, cover: Any, initial: Floats
    ) -> BoostedArrays:
        """Return grown trees as a model has them; values are those of the targets as given."""
        names = ("n_nodes", "kind", "feature", "left_code", "right_code", "missing_left", "pool")
        joint = {name: np.concatenate([tree[name] for tree in grown]) for name in names}
        joint["left_code"] = np.where(joint["right_code"] > 0, joint["left_code"], 0)
        fraction = np.where(joint["right_code"] > 0, 128, 0).astype(np.uint8)
        tests = self.columns.restored(joint)
        tests["left_code"], tests["right_code"] = (
            narrowed(tests["left_code"]),
            narrowed(tests["right_code"]),
        )
        return compacted(
            BoostedArrays(
                **tests,
                fraction=fraction,
                lowest=self.codes.lowest,
                highest=self.codes.highest,
                n_codes=self.codes.n_codes,
                pooling=self.codes.pooling,
                value=value.astype(np.float32),
                cover=cover.astype(np.float32),
                exponent=self.exponent,
                initial=np.ldexp(initial, self.exponent),
            )
        )


def target_of(data: TrainingData) -> Target:
    """Return class indices or numbers."""
    if isinstance(data.target, ClassTarget):
        return data.target.class_of_row
    return np.ascontiguousarray(data.number_target.matrix[:, 0])


def make_problem(
    data: TrainingData,
    draws: Draws,
    loss: Loss,
    settings: BoostingSettings,
    *,
    seed: int,
    n_threads: int,
    validation: TrainingData | None = None,
) -> BoostingProblem:
    """Code the table, key its rows, and put parameters into options."""
    table = data.table
    n_weighed = draws.weights.total_units(table.n_rows) * draws.unit
    n_bins = settings.for_table(n_weighed, table.n_columns).max_bins
    directions = directions_of(table, settings.monotonic_cst, loss.n_outputs)
    groups = groups_of(table, settings.interaction_cst)
    codes = fit_codes(table, units=draws.row_units, max_bins=n_bins, n_threads=n_threads)
    target = target_of(data)
    loss.check_target(target)
    exponent = _exponent(target) if loss.constant_hessian else 0
    more = None
    if validation is not None:
        loss.check_target(target_of(validation))
        more = apply_codes(codes, validation.table, n_threads=n_threads)
        target = np.concatenate([target, target_of(validation)])
    ranked = RowsOfColumns(target[: table.n_rows], draws.sizes, n_threads)
    columns = growing_columns(table, codes, more, rows=ranked)
    rows = keyed_rows(columns.coded, target, draws, n_threads=n_threads)
    places = columns.places
    settings = settings.for_table(n_weighed, len(places))
    monotone = None if directions is None else directions[places]
    paths = None if groups is None else np.ascontiguousarray(groups[:, places]).ravel()
    return BoostingProblem(
        data,
        draws,
        loss,
        np.ldexp(target, -exponent) if exponent else target,
        exponent,
        validation,
        codes,
        columns,
        rows,
        monotone,
        paths,
        _core.BoostingConstraints(monotone, paths),
        _options(draws.weights, settings, len(places), n_threads, exponent),
        settings,
        seed,
        n_threads,
        _linear(table, validation, columns) if settings.leaf_model == "linear" else None,
    )


def _linear(table: Table, validation: TrainingData | None, columns: GrowingColumns) -> LinearInputs:
    is_number = np.array([n not in columns.ranks for n in range(len(columns.places))])
    varies = [_varies(table, int(place)) for place in columns.places]
    more = None if validation is None else validation.table
    return linear_inputs(table, more, columns.places, is_number & np.array(varies))


def _varies(table: Table, place: int) -> bool:
    """Whether a column of numbers has two different values."""
    if table.columns[place].kind != "numeric":
        return False
    x = table.columns[place].numbers()
    known = x[~np.isnan(x)]
    return bool(len(known) and known.min() < known.max())


def _rows_a_block(n_rows: int, n_threads: int) -> int:
    """Return a size that gives all threads equally many blocks, where there are enough rows."""
    wanted = _BLOCKS_A_THREAD * n_threads
    n_blocks = wanted * -(-n_rows // (BLOCK_ROWS * wanted))
    return min(BLOCK_ROWS, max(_FEWEST_ROWS, -(-n_rows // n_blocks)))


def _exponent(target: Target) -> int:
    """Return the power of two that brings the spread of targets to about 1."""
    quarter = target / 4  # neither a sum nor a difference of two overflows
    spread = float(np.max(np.abs(quarter - np.median(quarter)), initial=0.0))
    return int(np.frexp(spread)[1]) + 2 if spread > 0 else 0


def _options(
    weights: RowWeights, settings: BoostingSettings, n_columns: int, n_threads: int, exponent: int
) -> _core.BoostingOptions:
    options = _core.BoostingOptions()
    options.growth = GROWTHS[settings.growth]
    options.max_leaves = _MOST if settings.max_leaf_nodes is None else settings.max_leaf_nodes
    depth = settings.max_depth
    options.max_depth = 2**31 - 1 if depth is None else min(depth, 2**31 - 1)
    options.min_leaf_units = weights.at_least(settings.min_samples_leaf)
    options.min_leaf_hessian = settings.min_hessian
    options.l2 = settings.l2_regularization
    options.leaf_penalty = float(np.ldexp(settings.leaf_penalty, -2 * exponent))
    options.category_l2 = settings.category_l2
    options.category_smoothing = settings.category_smoothing
    options.category_chance = settings.category_penalty
    options.min_category_units = weights.at_least(settings.min_samples_category)
    options.columns_per_tree = columns_per_node(settings.tree_features, n_columns)
    options.columns_per_node = columns_per_node(settings.max_features, n_columns)
    options.unit = weights.unit
    options.n_threads = n_threads
    return options
