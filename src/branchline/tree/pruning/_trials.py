"""Trees of folds, and what held-out rows lose in them.

1. Each fold grows a tree on the other rows, on the codes of the whole table.
2. Its held-out rows walk down once. For every β of a grid the kernel sums what they lose in the
   pruned tree T(β), and the squares from which standard errors follow.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._trees._node_decisions import decisions_of_nodes
from branchline._trees._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline.tree.growing._growth import CodedTree, Growth
from branchline.tree.growing._held_columns import HeldColumns, held_columns
from branchline.tree.growing._held_out import HeldOut
from branchline.tree.growing._loss_scale import scaled, scaled_by
from branchline.tree.pruning._node_costs import costs_as_leaves

__all__ = [
    "ROWS_OF_THE_ROOT",
    "PathSums",
    "Trial",
    "add_trials",
    "critical_betas",
    "grow_trials",
    "held_out_losses",
    "number_loss",
    "spread_out",
]

Floats = npt.NDArray[np.float64]
# A target of more cells is not spread out: with that many rows the loss alone is enough.
_MOST_CELLS = 2**26
# Trees of folds of larger tables are grown one after the other, each by all threads.
_CELLS_SIDE_BY_SIDE = 2**22
# Trees of folds that take more are not kept.
_KEPT_BYTES = 2**24
ROWS_OF_THE_ROOT = 8.0  # added to each node, when distances are measured
_FEW_CUTS = 16
Loss = Any  # _core.ClassLoss | _core.NumberLoss

NATIVE_MEASURES = {
    "squared_error": _core.NumberMeasure.squared,
    "absolute_error": _core.NumberMeasure.absolute,
    "poisson": _core.NumberMeasure.poisson,
}


Sums = tuple[Floats, Floats, Floats]  # losses, their squares, squared changes, one for each β


@dataclass(frozen=True)
class Trial:
    """What the held-out rows of one fold lose in the tree that the fold has grown.

    ``distance`` returns the same sums of the distances to a target that ``spread_out`` returned;
    None where that would take too much room.
    """

    lost: Sums
    distance: Callable[[Floats], Sums] | None
    weight: float
    n_rows: float


@dataclass(frozen=True)
class PathSums:
    """Sums over all held-out rows, one for each β: losses, their squares, squared changes.

    A change is what a row loses more or less than at the root, which is the last tree. ``n_rows``
    counts different rows: copies of a row, or its weight, tell nothing new.
    """

    loss: Floats
    squares: Floats
    changes: Floats
    weight: float
    n_rows: float

    def mean_loss(self) -> tuple[Floats, Floats]:
        """Return the loss per row, and its standard error."""
        return self._mean(self.loss, self.squares)

    def gains_over_root(self) -> tuple[Floats, Floats]:
        """Return what each tree loses less than the root, per row, and its standard error."""
        return self._mean(self.loss[-1] - self.loss, self.changes)

    def _mean(self, total: Floats, squares: Floats) -> tuple[Floats, Floats]:
        mean = total / self.weight
        variance = np.maximum(squares / self.weight - mean**2, 0)
        return mean, np.sqrt(variance / self.n_rows)


def critical_betas(tree: TreeArrays, costs: Floats | None) -> Floats:
    """Return the β from which on each node is a leaf or gone."""
    as_leaf = np.ascontiguousarray(costs_as_leaves(tree, costs))
    return _core.weakest_link(tree.first_child, tree.n_children, as_leaf)


def grow_trials(
    growth: Growth, folds: Iterable[HeldOut], costs: Floats | None, betas: Floats
) -> list[Trial]:
    """Grow the tree of each fold, and sum what its held-out rows lose at each β.

    Folds of a small table are grown side by side: threads within its nodes would have little to do.
    """

    def trial(held: HeldOut, options: _core.GrowOptions | None = None) -> Trial:
        return _trial(growth, held, growth.grow(held.grown, options), costs, betas)

    n_threads = growth.options.n_threads
    if n_threads == 1 or growth.data.n_cells > _CELLS_SIDE_BY_SIDE or growth.makes is not None:
        return [trial(held) for held in folds]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(partial(trial, options=growth.in_one_thread), folds))


def _trial(
    growth: Growth, held: HeldOut, coded: CodedTree, costs: Floats | None, betas: Floats
) -> Trial:
    tree = growth.to_pooled(coded)
    native, rows, loss = held_out_losses(growth, coded, tree, held, costs)
    critical, weight = critical_betas(tree, costs), float(held.weight.sum())

    def sum_losses(loss: Loss) -> Sums:
        return _core.losses_along_path(native, rows, loss, critical, betas)

    def distance(target: Floats) -> Sums:
        return sum_losses(distance_loss(tree, target))

    # A small tree is kept until the distances are asked for, if ever; a large one is not.
    asked: Callable[[Floats], Sums] | None = distance
    if not _is_spread_out(growth):
        asked = None
    elif tree.content.nbytes + tree.pool.nbytes > _KEPT_BYTES:
        known = distance(spread_out(growth))
        asked = lambda _: known  # noqa: E731
    return Trial(sum_losses(loss), asked, weight, growth.folds.effective_rows(weight))


def _is_spread_out(growth: Growth) -> bool:
    """Return whether there is room for a cell for each row and class, or output."""
    return growth.n_rows * max(growth.n_classes, 1) <= _MOST_CELLS


def spread_out(growth: Growth) -> Floats:
    """Return the target of each row: a 1 for its class, or its numbers as trees count them."""
    if growth.n_classes:
        return np.eye(growth.n_classes)[growth.data.class_target.class_of_row]
    return scaled_by(growth.data.number_target.matrix, growth.scale)


def add_trials(trials: list[Trial], sums: Iterable[Sums], n_betas: int) -> PathSums:
    """Add the sums of all trials, in their order."""
    lost, squares, changes = np.zeros((3, n_betas))
    for of_trial in sums:
        lost, squares, changes = (
            lost + of_trial[0],
            squares + of_trial[1],
            changes + of_trial[2],
        )
    weight, n_rows = sum(trial.weight for trial in trials), sum(trial.n_rows for trial in trials)
    return PathSums(lost, squares, changes, weight, n_rows)


def _last_codes_on_the_left(
    growth: Growth, tree: TreeArrays, held_columns: HeldColumns
) -> npt.NDArray[np.uint32]:
    """Return the last code of the whole table below each threshold.

    Held-out values may lie between the neighbors that a node saw: the threshold decides, as it
    will for new rows.
    """

    def edges_of(column: int) -> Floats:
        edges = held_columns.edges.get(column)
        return growth.upper_edges(column) if edges is None else edges

    last = np.zeros(tree.n_nodes, dtype=np.uint32)
    cuts = np.flatnonzero(tree.kind == THRESHOLD_TEST)
    if len(cuts) <= _FEW_CUTS:  # arrays of a few cost more
        given = zip(tree.feature[cuts].tolist(), tree.threshold[cuts].tolist(), strict=True)
        last[cuts] = [edges_of(column).searchsorted(cut, side="right") for column, cut in given]
        return last
    for column in sorted(set(tree.feature[cuts].tolist())):
        here = cuts[tree.feature[cuts] == column]
        last[here] = np.searchsorted(edges_of(column), tree.threshold[here], side="right")
    return last


def held_out_losses(
    growth: Growth, coded: CodedTree, tree: TreeArrays, held: HeldOut, costs: Floats | None
) -> tuple[_core.CodedTree, _core.HeldOutRows, Loss]:
    """Return what the native kernels need to send held-out rows down a tree in codes."""
    columns = held_columns(growth, tree)
    native = _core.CodedTree(
        kind=coded["kind"],
        feature=tree.feature,
        first_child=coded["first_child"],
        n_children=coded["n_children"],
        missing_branch=coded["missing_branch"],
        left_code=_last_codes_on_the_left(growth, tree, columns),
        pool_offset=coded["pool_offset"],
        pool=coded["pool"],
        weight=tree.weight,
    )
    rows = _core.HeldOutRows(columns.codes, held.rows, held.weight)
    if tree.is_classification:
        n_classes = growth.n_classes
        matrix = growth.equal_costs if costs is None else np.ravel(costs)
        classes = growth.data.class_target.class_of_row
        decision = decisions_of_nodes(tree, costs)
        return native, rows, _core.ClassLoss(classes, decision, matrix, n_classes)
    target = scaled(growth.data.number_target.matrix, tree)
    return native, rows, number_loss(tree, target, scaled(tree.value, tree))


def distance_loss(tree: TreeArrays, target: Floats) -> _core.NumberLoss:
    """Return the distance to the shrunk values of a tree's nodes: squared, or the tree's own."""
    value = tree.value if tree.is_classification else scaled(tree.value, tree)
    weight = tree.weight[:, None]
    shrunk = (weight * value + ROWS_OF_THE_ROOT * value[0]) / (weight + ROWS_OF_THE_ROOT)
    if tree.is_classification:
        return _core.NumberLoss(np.ravel(target), np.ravel(shrunk), value.shape[1])
    return number_loss(tree, target, shrunk)


def number_loss(tree: TreeArrays, target: Floats, value: Floats) -> _core.NumberLoss:
    """Return what rows lose where nodes predict some values, both as trees count them.

    A fold that has only seen counts of 0 predicts 0, which no count above 0 is compatible with: it
    is taken for half a count among all rows.
    """
    if tree.measure == "poisson":
        value = np.maximum(value, target.mean(axis=0) / (2 * len(target)))
    return _core.NumberLoss(
        np.ravel(target), np.ravel(value), value.shape[1], NATIVE_MEASURES[tree.measure]
    )
