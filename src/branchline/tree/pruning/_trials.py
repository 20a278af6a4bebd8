"""Trees of folds, and what held-out rows lose in them.

1. Each fold grows a tree on the other rows, on the codes of the whole table.
2. Its held-out rows walk down once. For every β of a grid the kernel sums what they lose in the
   pruned tree T(β), and the squares from which standard errors follow.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._trees._node_decisions import decisions_of_nodes
from branchline._trees._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline.tree.growing._growth import CodedTree, Growth
from branchline.tree.growing._held_columns import HeldColumns, held_columns
from branchline.tree.growing._held_out import HeldOut
from branchline.tree.growing._loss_scale import scaled
from branchline.tree.pruning._node_costs import costs_as_leaves

__all__ = [
    "PathSums",
    "Trial",
    "critical_betas",
    "grow_trials",
    "held_out_losses",
    "is_spread_out",
    "number_loss",
    "sum_along_path",
]

Floats = npt.NDArray[np.float64]
# A target of more cells is not spread out: with that many rows the loss alone is enough.
_MOST_CELLS = 2**26
Loss = Any  # _core.ClassLoss | _core.NumberLoss

NATIVE_MEASURES = {
    "squared_error": _core.NumberMeasure.squared,
    "absolute_error": _core.NumberMeasure.absolute,
    "poisson": _core.NumberMeasure.poisson,
}


@dataclass(frozen=True)
class Trial:
    """A tree that one fold has grown, its held-out rows, and what they lose in its nodes.

    The tree itself is kept only where ``is_spread_out`` says that it will be asked again.
    """

    tree: TreeArrays | None
    native: _core.CodedTree
    rows: _core.HeldOutRows
    loss: Loss
    critical: Floats
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


def grow_trials(growth: Growth, folds: Iterable[HeldOut], costs: Floats | None) -> list[Trial]:
    """Grow the tree of each fold."""
    trials = []
    for held in folds:
        coded = growth.grow(held.grown)
        tree = growth.to_arrays(coded)
        native, rows, loss = held_out_losses(growth, coded, tree, held, costs)
        critical, weight = critical_betas(tree, costs), float(held.weight.sum())
        n_rows = growth.folds.effective_rows(weight)
        kept = tree if is_spread_out(growth) else None
        trials.append(Trial(kept, native, rows, loss, critical, weight, n_rows))
    return trials


def is_spread_out(growth: Growth) -> bool:
    """Return whether there is room for a cell for each row and class, or output."""
    return growth.n_rows * max(growth.n_classes, 1) <= _MOST_CELLS


def sum_along_path(trials: list[Trial], losses: Iterable[Loss], betas: Floats) -> PathSums:
    """Sum over the folds what held-out rows lose at each β; a loss for each trial."""
    lost, squares, changes = np.zeros((3, len(betas)))
    for trial, loss in zip(trials, losses, strict=True):
        sums = _core.losses_along_path(trial.native, trial.rows, loss, trial.critical, betas)
        lost, squares, changes = lost + sums[0], squares + sums[1], changes + sums[2]
    weight, n_rows = sum(trial.weight for trial in trials), sum(trial.n_rows for trial in trials)
    return PathSums(lost, squares, changes, weight, n_rows)


def _last_codes_on_the_left(
    growth: Growth, tree: TreeArrays, held_columns: HeldColumns
) -> npt.NDArray[np.uint32]:
    """Return the last code of the whole table below each threshold.

    Held-out values may lie between the neighbors that a node saw: the threshold decides, as it
    will for new rows.
    """
    last = np.zeros(tree.n_nodes, dtype=np.uint32)
    cuts = np.flatnonzero(tree.kind == THRESHOLD_TEST)
    for column in sorted(set(tree.feature[cuts].tolist())):
        here = cuts[tree.feature[cuts] == column]
        edges = held_columns.edges.get(column)
        edges = growth.upper_edges(column) if edges is None else edges
        last[here] = np.searchsorted(edges, tree.threshold[here], side="right")
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
