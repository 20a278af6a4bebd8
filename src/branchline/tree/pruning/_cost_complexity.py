"""Cost-complexity pruning: the nested sequence of trees, and which one to take.

1. Weakest links: each inner node of the grown tree has a critical β from which on it is a leaf.
2. Between two neighboring critical values the tree is the same; their geometric mean stands for
   the range (Breiman et al., 1984).
3. Each fold grows a tree on the other rows (on the same codes), works out its own critical values,
   and tells what its held-out rows lose at every β of the grid: one walk a row.
4. The chosen β is the largest one whose loss exceeds the lowest loss by at most some standard
   errors (of the mean loss per row): 1 in CART's rule, ½ by default.
5. By default the root alone is taken where no tree is better than it beyond chance
   (``_beyond_chance``).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._drawable import Drawable
from branchline._plain_numbers import number, rounded
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.growing._growth import Growth
from branchline.tree.growing._held_out import HeldOut
from branchline.tree.growing._loss_scale import scaled_loss, unscaled
from branchline.tree.pruning._beyond_chance import is_beyond_chance
from branchline.tree.pruning._node_costs import leaves_of
from branchline.tree.pruning._trials import add_trials, critical_betas, grow_trials

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["PruningPath", "SizeRule", "choose_beta", "prune_at"]

Floats = npt.NDArray[np.float64]

# A path of more steps is thinned out evenly: more trees than this cannot be read.
_MOST_STEPS = 400


@dataclass(frozen=True)
class SizeRule:
    """How large a tree is taken: within how many standard errors, and only beyond chance."""

    standard_errors: float
    beyond_chance: bool


@dataclass(frozen=True, eq=False)
class PruningPath(Drawable):
    """The nested sequence of pruned trees, from the grown tree to the root alone.

    Parameters
    ----------
    beta
        The price of a leaf, per unit of weight.
    n_leaves
        The number of leaves of the tree that is best at this price.
    error
        Its loss per row on held-out rows; empty when the price was given.
    standard_error
        The standard error of ``error``.
    chosen
        The index of the tree that was taken.

    See Also
    --------
    PruningSequence : trees from the complete one to the root alone, with both errors.
    DecisionTreeClassifier : a decision tree that predicts a class.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> path = DecisionTreeClassifier(prune="cost_complexity").fit(X, y).pruning_path_
    >>> int(path.n_leaves[path.chosen])
    3
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

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_pruning

        return draw_pruning(self)

    def to_pandas(self) -> Any:
        """Return the path as a pandas frame, one row per step."""
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


def choose_beta(
    growth: Growth,
    tree: TreeArrays,
    folds: Iterable[HeldOut],
    costs: Floats | None,
    rule: SizeRule,
) -> tuple[npt.NDArray[np.bool_], PruningPath]:
    """Return the nodes to collapse and the path, β chosen on held-out rows."""
    critical = critical_betas(tree, costs)
    betas = _grid(critical[~tree.is_leaf])
    trials = grow_trials(growth, folds, costs, betas)
    sums = add_trials(trials, [trial.lost for trial in trials], len(betas))
    error, standard_error = sums.mean_loss()
    chosen, root = _choose(error, standard_error, rule.standard_errors), len(betas) - 1
    if rule.beyond_chance and chosen < root:
        gains = sums.gains_over_root()
        chosen = chosen if is_beyond_chance(growth, trials, len(betas), gains) else root
    n_leaves = leaves_of(tree, critical, betas)
    losses = [unscaled(each, tree) for each in (betas, error, standard_error)]
    path = PruningPath(losses[0], n_leaves, losses[1], losses[2], chosen)
    return critical <= betas[chosen], path


def prune_at(
    tree: TreeArrays, costs: Floats | None, beta: float
) -> tuple[npt.NDArray[np.bool_], PruningPath]:
    """Return the nodes to collapse and the path when the price of a leaf is given."""
    critical = critical_betas(tree, costs)
    beta = scaled_loss(beta, tree)
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


def _choose(error: Floats, standard_error: Floats, standard_errors: float) -> int:
    """Return the simplest tree whose error is within some standard errors of the least."""
    best = len(error) - 1 - int(np.argmin(error[::-1]))  # the simplest of equal ones
    limit = error[best] + standard_errors * standard_error[best]
    return int(np.flatnonzero(error <= limit)[-1])
