"""Carrying out a plan on rows: the edited tree itself, and what the same edits give on other rows.

1. ``shown``: every test of the plan as it stands; leaves hold the rows that come to them.
2. ``again``: what a person decided stays, with the tests above it; everything that was learned is
   grown again on the given rows and pruned as the tree was. Rows that are held out have no part in
   it, so that they can tell what an edit costs.

A node one of whose branches gets no row is a leaf.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._trees._costs import decide
from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._nested import NestedNode, NodeTest, in_levels, nested, test_of, to_arrays
from branchline.tree._parts import PartGrower, send_down
from branchline.tree.editing._plan import (
    Demands,
    PlanNode,
    kept_nodes,
    n_leaves_of,
    plan_levels,
)
from branchline.tree.growing._growth import Growth, Sample
from branchline.tree.growing._held_out import HeldOut
from branchline.tree.growing._loss_scale import scaled_loss
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.pruning._methods import steps_to_take
from branchline.tree.pruning._node_costs import bottom_up, description_lengths, upper_limits
from branchline.tree.pruning._trials import critical_betas, held_out_losses

__all__ = ["Realized", "Realizer", "Site"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
_NO_LIMIT = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Realized:
    """A tree, and the class that each of its nodes decides for (None: numbers)."""

    tree: TreeArrays
    decision: npt.NDArray[np.int64] | None
    relabeled: dict[int, int]


class Site(NamedTuple):
    """Where a subtree grows: its depth, the weight of all rows, its leaves so far (None: any)."""

    depth: int
    whole: float
    n_leaves: int | None = None


@dataclass(eq=False)
class Realizer:
    """Carries out plans.

    Parameters
    ----------
    growth
        The training rows and how a tree grows on them.
    settings
        The settings of the tree.
    costs
        What errors cost; None: 1 each.
    leaf_penalty
        The price of a leaf that cost-complexity pruning chose, in the units of the target.
    """

    growth: Growth
    settings: TreeSettings
    costs: Floats | None
    leaf_penalty: float
    seed: int = 0
    _grower: PartGrower = field(init=False)

    def __post_init__(self) -> None:
        self._grower = PartGrower(self.growth)

    # -- the tree itself ------------------------------------------------------------------------

    def shown(self, plan: PlanNode, sample: Sample) -> Realized:
        """Return the tree of a plan as it stands; tests that leave a branch empty are left out."""
        return self._made(plan, sample, is_again=False)

    def again(self, plan: PlanNode, sample: Sample) -> Realized:
        """Return the tree of a plan whose learned parts are learned again from some rows."""
        return self._made(plan, sample, is_again=True)

    def _made(self, plan: PlanNode, sample: Sample, *, is_again: bool) -> Realized:
        kept = kept_nodes(plan) if is_again else {id(node) for node in plan_levels(plan)}
        root, labels, whole = NestedNode(), dict[int, Any](), self.weight_of(sample)
        waiting = [(plan, root, sample, 0, Demands())]
        while waiting:
            node, made, part, depth, above = waiting.pop()
            demands = replace(node.demands, without=node.demands.without | above.without)
            test = self._test(node, part, demands, is_again=is_again, is_kept=id(node) in kept)
            parts = [] if test is None else send_down(self.growth, test, part)
            if parts and all(len(each.rows) for each in parts):
                made.test, made.children = test, [NestedNode() for _ in parts]
                made.losses = self._grower.losses(part)
                nodes = node.children if len(node.children) == len(parts) else None
                for branch, each in enumerate(parts):
                    child = PlanNode() if nodes is None else nodes[branch]
                    waiting.append((child, made.children[branch], each, depth + 1, demands))
            elif is_again and id(node) not in kept and test is None:
                grown = self.subtree(part, Site(depth, whole, n_leaves_of(node)), demands)
                made.test, made.children = grown.test, grown.children
                made.content, made.spread, made.losses = grown.content, grown.spread, grown.losses
            else:
                leaf = self._grower.leaf(part)
                made.content, made.spread, made.losses = leaf.content, leaf.spread, leaf.losses
                if node.label is not None and node.test is None:
                    labels[id(made)] = node.label
        return self._finished(root, labels)

    def _test(
        self, node: PlanNode, part: Sample, demands: Demands, *, is_again: bool, is_kept: bool
    ) -> NodeTest | None:
        """Return the test that a node asks on these rows; None: none, or it is to be learned."""
        if is_again and demands.required is not None:
            return self.best_test(part, demands.required)
        return node.test if is_kept else None

    def _finished(self, root: NestedNode, labels: dict[int, Any]) -> Realized:
        for node in in_levels(root):
            if node.content is None:  # filled in from its children
                node.content, node.spread = self._nothing()
        numbers = self.growth.numbers is not None
        if numbers:
            for node in in_levels(root):
                if id(node) in labels:
                    self._relabel_number(node, float(labels[id(node)]))
        tree = to_arrays(root, self.growth.scale)
        if numbers:
            return Realized(tree, None, {})
        decision = decide(tree.value, self.costs)
        relabeled = {
            place: int(labels[id(node)])
            for place, node in enumerate(in_levels(root))
            if id(node) in labels
        }
        for place, label in relabeled.items():
            decision[place] = label
        return Realized(tree, decision, relabeled)

    def _nothing(self) -> tuple[npt.NDArray[np.int64], Floats]:
        if self.growth.numbers is None:
            return np.zeros(self.growth.n_classes, dtype=np.int64), np.zeros(0)
        n_outputs = self.growth.numbers.sums.shape[1]
        return np.zeros(1 + n_outputs, dtype=np.int64), np.zeros(n_outputs)

    def _relabel_number(self, node: NestedNode, value: float) -> None:
        """Move the sum of a leaf, so that its mean is the number that a person gave."""
        scale = self.growth.scale
        assert node.content is not None
        assert node.spread is not None
        assert scale.center is not None
        weight = float(node.content[0]) * scale.unit
        before = np.ldexp(node.content[1:] / weight, -scale.bits - scale.exponent)
        after = np.ldexp(value - np.asarray(scale.center), -scale.exponent)
        node.spread = node.spread + weight * (before - after) ** 2
        sums = np.rint(np.ldexp(after * weight, scale.bits + scale.exponent)).astype(np.int64)
        node.content = np.concatenate([node.content[:1], sums])

    # -- parts that are learned -----------------------------------------------------------------

    def best_test(self, part: Sample, column: int) -> NodeTest | None:
        """Return the best test of one column on some rows; None when it has none."""
        others = set(range(len(self.growth.codes.columns))) - {column}
        _, tree = self._grower.grow(part, without=others, max_depth=1, max_leaves=2**62)
        return None if tree.is_leaf[0] else test_of(tree, 0)

    def subtree(self, part: Sample, site: Site, demands: Demands) -> NestedNode:
        """Return the part of a tree that is grown on some rows, pruned as the tree was."""
        return nested(self.subtree_arrays(part, site, demands))[0]

    def subtree_arrays(self, part: Sample, site: Site, demands: Demands) -> TreeArrays:
        """Return the same as arrays."""
        limits = self._limits(site, demands)
        if self.settings.prune == "reduced_error" and not demands.limits_size:
            return self._by_held_out(part, demands, limits)
        _, tree = self._grower.grow(part, without=demands.without, **limits)
        if tree.n_nodes > 1 and not demands.limits_size:
            tree = tree.pruned(self._collapsed(tree, site.whole))
        return tree

    def _limits(self, site: Site, demands: Demands) -> dict[str, Any]:
        """Return the limits of size of a subtree, as options of the native grower."""
        limits: dict[str, Any] = {}
        depth, n_leaves = site.depth, site.n_leaves
        deepest = int(self.growth.options.max_depth)
        if deepest < _NO_LIMIT or demands.max_depth is not None:
            own = _NO_LIMIT if demands.max_depth is None else demands.max_depth
            limits["max_depth"] = max(0, min(deepest - depth if deepest < _NO_LIMIT else own, own))
        if demands.max_leaf_nodes is not None:
            limits["max_leaves"] = demands.max_leaf_nodes
        elif int(self.growth.options.max_leaves) < 2**61 and n_leaves is not None and depth > 0:
            limits |= {"max_leaves": n_leaves} if n_leaves > 1 else {"max_depth": 0}
        return limits

    def _collapsed(self, tree: TreeArrays, whole: float) -> Bools:
        """Return the nodes that pruning makes leaves, by the method of the tree."""
        method = self.settings.prune
        if method == "cost_complexity":
            price = self.leaf_penalty * whole / float(tree.weight[0])
            price = scaled_loss(price, tree)
            return np.asarray(critical_betas(tree, self.costs) <= price)
        if method == "pessimistic":
            limits = upper_limits(tree, self.costs, self.settings.confidence)
            return bottom_up(tree, limits.as_leaf, 0.0, limits.margin)
        if method == "mdl":
            lengths = description_lengths(tree, self.settings.mdl_weight)
            return bottom_up(tree, lengths.as_leaf, lengths.per_leaf, 0.0)
        return np.zeros(tree.n_nodes, dtype=bool)

    def _by_held_out(self, part: Sample, demands: Demands, limits: dict[str, Any]) -> TreeArrays:
        """Return a subtree grown on some rows of a part and pruned on the others."""
        folds = self.growth.folds.rows(part.rows.astype(np.int64))
        fold = folds.hold_out(self.settings.validation_fraction, self.seed)
        learn = part if fold is None else Sample(part.rows[fold.learn_rows], part.units)
        coded, tree = self._grower.grow(learn, without=demands.without, **limits)
        if fold is None or tree.n_nodes == 1:
            return tree
        weight = fold.test[fold.test_rows].astype(np.float64) * folds.unit
        held = HeldOut(learn, part.rows[fold.test_rows], weight)
        losses = held_out_losses(self.growth, coded, tree, held, self.costs)
        nodes, cost = _core.greedy_pruning(
            tree.first_child, tree.n_children, *_core.node_losses(*losses)
        )
        collapse = np.zeros(tree.n_nodes, dtype=bool)
        collapse[nodes[: steps_to_take(cost, self.settings.accept)]] = True
        return tree.pruned(collapse)

    def weight_of(self, sample: Sample) -> float:
        """Return the weight of some rows."""
        units = self.growth.weights.units if sample.units is None else sample.units
        if units is None:
            return float(len(sample.rows))
        return float(units[sample.rows].sum(dtype=np.float64)) * self.growth.weights.unit
