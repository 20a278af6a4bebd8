"""The pruning methods by name: each takes a grown tree to the one that is kept.

A method is a function of a ``Grown`` tree and the estimator's parameters; it returns the kept tree
and, for cost-complexity pruning, the path.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline.tree._cost_complexity import (
    PruningPath,
    choose_beta,
    critical_betas,
    held_out_losses,
    path_without_choice,
)
from branchline.tree._dealing import deal_folds, deal_validation
from branchline.tree._growing import CodedTree, Growth
from branchline.tree._pruning import bottom_up, description_lengths, upper_limits
from branchline.tree._tree_arrays import TreeArrays

__all__ = ["grow_and_prune"]

Kept = tuple[TreeArrays, PruningPath | None]


@dataclass(frozen=True)
class Grown:
    """A tree grown on all rows, and what is needed to prune it."""

    growth: Growth
    coded: CodedTree
    tree: TreeArrays
    costs: npt.NDArray[np.float64] | None
    seed: int


def grow_and_prune(
    growth: Growth,
    costs: npt.NDArray[np.float64] | None,
    parameters: dict[str, Any],
    seed: int,
) -> Kept:
    """Grow a tree and prune it by the method that the parameters name."""
    if parameters["prune"] == "reduced-error":
        return _reduced_error(growth, costs, parameters, seed), None
    coded = growth.grow(growth.whole)
    tree = growth.to_arrays(coded)
    if tree.n_nodes == 1 or parameters["prune"] is None:
        return tree, None
    grown = Grown(growth, coded, tree, costs, seed)
    return _METHODS[parameters["prune"]](grown, parameters)


def _cost_complexity(grown: Grown, parameters: dict[str, Any]) -> Kept:
    growth, tree = grown.growth, grown.tree
    if parameters["ccp_alpha"] is not None:
        beta = float(parameters["ccp_alpha"])
        path = path_without_choice(tree, grown.costs, beta)
        return tree.pruned(critical_betas(tree, grown.costs) <= beta), path
    if growth.n_rows < 2:
        return tree, None
    if parameters["choose_by"] == "validation":
        deals = [deal_validation(growth, parameters["validation_fraction"], grown.seed)]
    else:
        deals = deal_folds(growth, parameters["folds"], grown.seed)
    collapse, path = choose_beta(growth, tree, deals, grown.costs, one_se=parameters["one_se"])
    return tree.pruned(collapse), path


def _reduced_error(
    growth: Growth,
    costs: npt.NDArray[np.float64] | None,
    parameters: dict[str, Any],
    seed: int,
) -> TreeArrays:
    """Hold rows out, grow on the others, and collapse while that helps on those held out."""
    if growth.n_rows < 2:
        return growth.to_arrays(growth.grow(growth.whole))
    deal = deal_validation(growth, parameters["validation_fraction"], seed)
    coded = growth.grow(deal.grown)
    tree = growth.to_arrays(coded)
    if tree.n_nodes == 1:
        return tree
    passing, stayed = _core.node_losses(*held_out_losses(growth, coded, tree, deal, costs))
    nodes, cost = _core.greedy_pruning(tree.first_child, tree.n_children, passing, stayed)
    n_steps = _steps_to_take(cost, parameters["accept"])
    collapse = np.zeros(tree.n_nodes, dtype=bool)
    collapse[nodes[:n_steps]] = True
    return tree.pruned(collapse)


def _steps_to_take(cost: npt.NDArray[np.float64], accept: str) -> int:
    """Return how many collapses to take, given the held-out cost before and after each."""
    if accept == "best":
        return len(cost) - 1 - int(np.argmin(cost[::-1]))  # the smallest of equal ones
    change = np.diff(cost)
    slack = 1e-12 * max(float(cost.max()), 1e-300)
    refused = change >= -slack if accept == "better" else change > slack
    places = np.flatnonzero(refused)
    return int(places[0]) if len(places) else len(change)


def _pessimistic(grown: Grown, parameters: dict[str, Any]) -> Kept:
    limits = upper_limits(grown.tree, grown.costs, parameters["confidence"])
    return grown.tree.pruned(bottom_up(grown.tree, limits.as_leaf, 0.0, limits.margin)), None


def _mdl(grown: Grown, parameters: dict[str, Any]) -> Kept:
    lengths = description_lengths(grown.tree, parameters["mdl_weight"])
    return grown.tree.pruned(bottom_up(grown.tree, lengths.as_leaf, lengths.per_leaf, 0.0)), None


_METHODS: dict[str, Callable[[Grown, dict[str, Any]], Kept]] = {
    "cost-complexity": _cost_complexity,
    "pessimistic": _pessimistic,
    "mdl": _mdl,
}
