"""The pruning methods by name: each takes a grown tree to the one that is kept.

A method is a function of a ``Grown`` tree and the settings; it returns the kept tree
and, for cost-complexity pruning, the path.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._size_rule import accepted_errors
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree.growing._growth import Growth, Sample
from branchline.tree.growing._held_out import hold_out, split_folds
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.pruning._cost_complexity import (
    PruningPath,
    SizeRule,
    choose_beta,
    prune_at,
)
from branchline.tree.pruning._node_costs import bottom_up, description_lengths, upper_limits
from branchline.tree.pruning._trials import held_out_losses

__all__ = ["Kept", "grow_and_prune", "steps_to_take"]


@dataclass(frozen=True)
class Kept:
    """The tree that is kept, its path, and the rows it was grown on (None: all)."""

    tree: TreeArrays
    path: PruningPath | None = None
    grown_on: Sample | None = None


@dataclass(frozen=True)
class Grown:
    """A tree grown on all rows, its branches those of codes, and what is needed to prune it."""

    growth: Growth
    tree: TreeArrays
    costs: npt.NDArray[np.float64] | None
    seed: int


def grow_and_prune(
    growth: Growth,
    costs: npt.NDArray[np.float64] | None,
    settings: TreeSettings,
    seed: int,
) -> Kept:
    """Grow a tree and prune it by the method that the settings name."""
    if settings.prune == "reduced_error" and growth.n_rows > 1:
        return _reduced_error(growth, costs, settings, seed)
    tree = growth.to_pooled(growth.grow(growth.whole))
    if settings.prune in {None, "reduced_error"}:
        return Kept(growth.named(tree))
    kept = _METHODS[settings.prune](Grown(growth, tree, costs, seed), settings)
    return replace(kept, tree=growth.named(kept.tree))


def _cost_complexity(grown: Grown, settings: TreeSettings) -> Kept:
    growth, tree = grown.growth, grown.tree
    if settings.ccp_alpha is not None:
        collapse, path = prune_at(tree, grown.costs, float(settings.ccp_alpha))
        return Kept(tree.pruned(collapse), path)
    if growth.n_rows < 2 or tree.n_nodes == 1:
        return Kept(tree, prune_at(tree, grown.costs, 0.0)[1])
    if settings.choose_by == "validation":
        held = hold_out(growth, settings.validation_fraction, grown.seed)
        folds = [] if held is None else [held]
    else:
        folds = split_folds(growth, settings.n_folds, grown.seed)
    if not folds:
        return Kept(tree, prune_at(tree, grown.costs, 0.0)[1])
    rule = SizeRule(accepted_errors(settings.rule), bool(settings.correct_for_chance))
    collapse, path = choose_beta(growth, tree, folds, grown.costs, rule)
    return Kept(tree.pruned(collapse), path)


def _reduced_error(
    growth: Growth,
    costs: npt.NDArray[np.float64] | None,
    settings: TreeSettings,
    seed: int,
) -> Kept:
    """Hold rows out, grow on the others, and collapse while that helps on those held out."""
    held = hold_out(growth, settings.validation_fraction, seed)
    sample = growth.whole if held is None else held.grown
    coded = growth.grow(sample)
    tree = growth.to_pooled(coded)
    if held is None or tree.n_nodes == 1:
        return Kept(growth.named(tree), grown_on=sample)
    passing, stayed = _core.node_losses(*held_out_losses(growth, coded, tree, held, costs))
    nodes, cost = _core.greedy_pruning(tree.first_child, tree.n_children, passing, stayed)
    n_steps = steps_to_take(cost, settings.accept)
    collapse = np.zeros(tree.n_nodes, dtype=bool)
    collapse[nodes[:n_steps]] = True
    return Kept(growth.named(tree.pruned(collapse)), grown_on=sample)


def steps_to_take(cost: npt.NDArray[np.float64], accept: str) -> int:
    """Return how many collapses to take, given the held-out cost before and after each."""
    if accept == "best":
        return len(cost) - 1 - int(np.argmin(cost[::-1]))  # the smallest of equal ones
    change = np.diff(cost)
    slack = 1e-12 * max(float(cost.max()), 1e-300)
    refused = change >= -slack if accept == "better" else change > slack
    places = np.flatnonzero(refused)
    return int(places[0]) if len(places) else len(change)


def _pessimistic(grown: Grown, settings: TreeSettings) -> Kept:
    limits = upper_limits(grown.tree, grown.costs, settings.confidence)
    return Kept(grown.tree.pruned(bottom_up(grown.tree, limits.as_leaf, 0.0, limits.margin)))


def _mdl(grown: Grown, settings: TreeSettings) -> Kept:
    lengths = description_lengths(grown.tree, settings.mdl_weight)
    collapse = bottom_up(grown.tree, lengths.as_leaf, lengths.per_leaf, 0.0)
    return Kept(grown.tree.pruned(collapse))


_METHODS: dict[str, Callable[[Grown, TreeSettings], Kept]] = {
    "cost_complexity": _cost_complexity,
    "pessimistic": _pessimistic,
    "mdl": _mdl,
}
