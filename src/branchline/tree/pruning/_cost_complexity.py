"""Cost-complexity pruning: the nested sequence of trees, and which one to take.

1. Weakest links: each inner node of the grown tree has a critical β from which on it is a leaf.
2. Between two neighbouring critical values the tree is the same; their geometric mean stands for
   the range (Breiman et al., 1984).
3. Each fold grows a tree on the other rows (on the same codes), works out its own critical values,
   and tells what its held-out rows lose at every β of the grid: one walk a row.
4. Taken is the β of least loss or, with the 1-SE rule, the largest β whose loss is not above that
   by more than one standard error (of the mean loss a row).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._plain_numbers import number, rounded
from branchline.tree._costs import decide
from branchline.tree._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline.tree.growing._growth import CodedTree, Growth
from branchline.tree.growing._held_out import HeldOut
from branchline.tree.pruning._node_costs import costs_as_leaves, leaves_of

__all__ = [
    "PruningPath",
    "choose_beta",
    "critical_betas",
    "held_out_losses",
    "prune_at",
    "scaled",
    "unscaled",
]

Floats = npt.NDArray[np.float64]

# A path of more steps is thinned out evenly: nobody can tell so many trees apart.
_MOST_STEPS = 400


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The nested sequence of pruned trees, from the grown tree to the root alone.

    Parameters
    ----------
    beta
        The price of a leaf, per unit of weight.
    n_leaves
        The leaves of the tree that is best at this price.
    error
        Its loss a row on held-out rows; empty when the price was given.
    standard_error
        The standard error of ``error``.
    chosen
        The step that was taken.
    """

    beta: Floats
    n_leaves: npt.NDArray[np.int64]
    error: Floats
    standard_error: Floats
    chosen: int

    def __repr__(self) -> str:
        lines = ["     beta  leaves     error       ±"]
        for step, (beta, leaves) in enumerate(zip(self.beta, self.n_leaves, strict=True)):
            loss = (
                f"{number(self.error[step]):>10} {rounded(self.standard_error[step], 2):>7}"
                if len(self.error)
                else ""
            )
            mark = "  ← taken" if step == self.chosen else ""
            lines.append(f"{number(beta):>9} {leaves:7,d} {loss}{mark}")
        return "\n".join(_shortened(lines, self.chosen + 1))

    def to_pandas(self) -> Any:
        """Return the path as a pandas frame, one row a step."""
        import pandas as pd

        steps = {"beta": self.beta, "n_leaves": self.n_leaves}
        if len(self.error):
            steps |= {"error": self.error, "standard_error": self.standard_error}
        return pd.DataFrame({**steps, "taken": np.arange(len(self.beta)) == self.chosen})


def _shortened(lines: list[str], around: int) -> list[str]:
    """Keep the heading, the ends, and what stands around the step taken."""
    if len(lines) <= 24:
        return lines
    kept = sorted({0, 1, 2, len(lines) - 2, len(lines) - 1} | set(range(around - 8, around + 9)))
    shown, last = [], 0
    for place in (place for place in kept if 0 <= place < len(lines)):
        if place > last + 1:
            shown.append("        …")
        shown.append(lines[place])
        last = place
    return shown


def critical_betas(tree: TreeArrays, costs: Floats | None) -> Floats:
    """Return the β from which on each node is a leaf or gone."""
    as_leaf = np.ascontiguousarray(costs_as_leaves(tree, costs))
    return _core.weakest_link(tree.first_child, tree.n_children, as_leaf)


def choose_beta(
    growth: Growth,
    tree: TreeArrays,
    folds: Iterable[HeldOut],
    costs: Floats | None,
    *,
    one_se: bool,
) -> tuple[npt.NDArray[np.bool_], PruningPath]:
    """Return the nodes to collapse and the path, β chosen on held-out rows."""
    critical = critical_betas(tree, costs)
    betas = _grid(critical[~tree.is_leaf])
    loss, squares, weight = np.zeros(len(betas)), np.zeros(len(betas)), 0.0
    for held in folds:
        coded = growth.grow(held.grown)
        of_fold = growth.to_arrays(coded)
        sums = _core.losses_along_path(
            *held_out_losses(growth, coded, of_fold, held, costs),
            critical_betas(of_fold, costs),
            betas,
        )
        loss, squares, weight = loss + sums[0], squares + sums[1], weight + held.weight.sum()
    error = loss / weight
    n_tested = growth.folds.effective_rows(weight)
    standard_error = np.sqrt(np.maximum(squares / weight - error**2, 0) / n_tested)
    chosen = _choose(error, standard_error, one_se=one_se)
    n_leaves = leaves_of(tree, critical, betas)
    losses = [unscaled(each, tree) for each in (betas, error, standard_error)]
    path = PruningPath(losses[0], n_leaves, losses[1], losses[2], chosen)
    return critical <= betas[chosen], path


def unscaled(losses: Floats, tree: TreeArrays) -> Floats:
    """Return losses in the user's units: errors as they are, squares of the target's own units."""
    if tree.is_classification:
        return losses
    with np.errstate(over="ignore", under="ignore"):
        real: Floats = np.ldexp(losses, 2 * tree.scale.exponent)
        return np.minimum(real, float(np.finfo(np.float64).max))


def prune_at(
    tree: TreeArrays, costs: Floats | None, beta: float
) -> tuple[npt.NDArray[np.bool_], PruningPath]:
    """Return the nodes to collapse and the path when the price of a leaf is given."""
    critical = critical_betas(tree, costs)
    if not tree.is_classification:
        beta = float(np.ldexp(beta, -2 * tree.scale.exponent))
    betas = _grid(critical[~tree.is_leaf]) if tree.n_nodes > 1 else np.empty(0)
    chosen = int(np.searchsorted(betas, beta, side="right"))
    betas = np.insert(betas, chosen, beta)
    none, n_leaves = np.empty(0), leaves_of(tree, critical, betas)
    return critical <= beta, PruningPath(unscaled(betas, tree), n_leaves, none, none, chosen)


def _grid(critical: Floats) -> Floats:
    """Return one β for each tree of the sequence: between its critical value and the next."""
    steps = np.unique(critical)
    if len(steps) > _MOST_STEPS:
        steps = steps[np.unique(np.linspace(0, len(steps) - 1, _MOST_STEPS).astype(int))]
    low = steps if len(steps) and steps[0] == 0 else np.concatenate([[0.0], steps])
    if len(low) == 1:
        return low
    between = np.sqrt(low[:-1]) * np.sqrt(low[1:])  # the product could overflow or vanish
    return np.concatenate([between, low[-1:]])


def _choose(error: Floats, standard_error: Floats, *, one_se: bool) -> int:
    best = len(error) - 1 - int(np.argmin(error[::-1]))  # the simplest of equal ones
    if not one_se:
        return best
    limit = error[best] + standard_error[best]
    return int(np.flatnonzero(error <= limit)[-1])


def _last_codes_on_the_left(growth: Growth, tree: TreeArrays) -> npt.NDArray[np.uint32]:
    """Return the last code of the whole table below each threshold.

    Held-out values may lie between the neighbours that a node saw: the threshold decides, as it
    will for new rows.
    """
    last = np.zeros(tree.n_nodes, dtype=np.uint32)
    cuts = np.flatnonzero(tree.kind == THRESHOLD_TEST)
    for column in np.unique(tree.feature[cuts]).tolist():
        here = cuts[tree.feature[cuts] == column]
        edges = growth.upper_edges(column)
        last[here] = np.searchsorted(edges, tree.threshold[here], side="right")
    return last


def held_out_losses(
    growth: Growth, coded: CodedTree, tree: TreeArrays, held: HeldOut, costs: Floats | None
) -> tuple[_core.CodedTree, _core.HeldOutRows, Any]:
    """Return what the native kernels need to send held-out rows down a tree in codes."""
    native = _core.CodedTree(
        kind=coded["kind"],
        feature=coded["feature"],
        first_child=coded["first_child"],
        n_children=coded["n_children"],
        missing_branch=coded["missing_branch"],
        left_code=_last_codes_on_the_left(growth, tree),
        pool_offset=coded["pool_offset"],
        pool=coded["pool"],
        weight=tree.weight,
    )
    rows = _core.HeldOutRows(list(growth.codes.columns), held.rows, held.weight)
    if tree.is_classification:
        n_classes = growth.n_classes
        matrix = np.ravel(1.0 - np.eye(n_classes) if costs is None else costs)
        classes = growth.data.class_target.class_of_row
        decision = decide(tree.value, costs)
        return native, rows, _core.ClassLoss(classes, decision, matrix, n_classes)
    values = np.ravel(scaled(growth.data.number_target.matrix, tree))
    n_outputs = tree.value.shape[1]
    return native, rows, _core.SquaredLoss(values, np.ravel(scaled(tree.value, tree)), n_outputs)


def scaled(values: Floats, tree: TreeArrays) -> Floats:
    """Return target values in the units in which spreads are counted."""
    centred = values - np.asarray(tree.scale.centre)
    result: Floats = np.ldexp(centred, -tree.scale.exponent)
    return result
