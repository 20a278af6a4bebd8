"""Choosing the price of a test by held-out folds.

1. The prices tried lie, evenly in their logarithms, between the smallest gain per test of the
   subtrees of the grown tree and the largest gain of a test; and one beyond all prices, which
   leaves the root alone.
2. Each fold grows a graph at each price and tells what its held-out rows lose: errors for classes,
   squared errors for numbers. Prices fall step by step; the trial ends two steps after the least
   loss of graphs and of trees that are pruned at the same prices.
3. The largest price is taken whose loss is within some standard errors of the least.
4. The default tree, pruned by cost-complexity, is made a graph instead unless the folds promise a
   loss of graphs that is less than that of trees by the same standard errors; and where no graph
   is better than the root beyond chance: a loss that is less by 2.75 standard errors, or a squared
   distance between target and prediction (the Brier score for classes) that is less by 1.6 (see
   ``pruning/_beyond_chance``). The price is then the smallest gain per test of its subtrees, so
   that its tests are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from branchline._exact_sum import exact_sum
from branchline.tree.graph._graph_nodes import in_order
from branchline.tree.graph._joining import grow_graph
from branchline.tree.graph._subtrees import Node, Subtrees, leaves_below, priced
from branchline.tree.graph._tallies import explained
from branchline.tree.growing._growth import Growth
from branchline.tree.growing._held_out import HeldOut, split_folds
from branchline.tree.growing._node_by_node import truth_of
from branchline.tree.pruning._beyond_chance import (
    ROWS_OF_THE_ROOT,
    STANDARD_ERRORS_OF_DISTANCE,
    STANDARD_ERRORS_OF_LOSS,
)
from branchline.tree.pruning._methods import Kept, grow_and_prune

__all__ = ["Chosen", "choose_price"]

Floats = npt.NDArray[np.float64]

_N_PRICES = 10
_STEPS_BEYOND = 2


class Chosen(NamedTuple):
    """The price taken (in units of ``explained``), and the tree to begin with (None: all tests)."""

    price: float
    tree: Node | None = None


@dataclass(frozen=True, eq=False)
class _Fold:
    """What one fold grows on, and its held-out rows."""

    held: HeldOut
    subtrees: Subtrees
    share: float
    truth: Floats

    def losses(self, root: Node) -> tuple[Floats, Floats]:
        """Return what each held-out row loses by a graph, and its squared distance, shrunk."""
        leaf = ends(root, self.subtrees.growth.n_rows)[self.held.rows]
        leaves = [node for node in in_order(root) if node.is_leaf]
        tally = np.array([node.tally for node in leaves]).astype(np.float64)
        value = tally[:, 1:] / tally[:, :1]
        start = root.tally[1:] / np.float64(root.tally[0])
        rows = tally[:, :1] * self.subtrees.growth.scale.unit
        shrunk = (rows * value + ROWS_OF_THE_ROOT * start) / (rows + ROWS_OF_THE_ROOT)
        distance = ((shrunk[leaf] - self.truth) ** 2).sum(axis=1)
        if self.subtrees.growth.numbers is not None:
            return ((value[leaf] - self.truth) ** 2).sum(axis=1), distance
        decided = value.argmax(axis=1)[leaf]
        return (self.truth.argmax(axis=1) != decided).astype(np.float64), distance


def ends(root: Node, n_rows: int) -> npt.NDArray[np.int64]:
    """Return for each row of the table the place of its leaf among the leaves in order."""
    order = in_order(root)
    arriving: dict[Node, list[npt.NDArray[np.int64]]] = {node: [] for node in order}
    arriving[root].append(np.arange(n_rows))
    place, n_leaves = np.zeros(n_rows, dtype=np.int64), 0
    for node in order:
        rows = np.concatenate(arriving[node])
        if node.branch is None:
            place[rows] = n_leaves
            n_leaves += 1
            continue
        taken = node.branch[rows]
        for branch, child in enumerate(node.children):
            arriving[child].append(rows[taken == branch])
    return place


def choose_price(
    subtrees: Subtrees, level: float, n_folds: int, standard_errors: float, seed: int
) -> Chosen:
    """Return the price of a test that held-out rows ask for."""
    growth = subtrees.growth
    prices = _prices(subtrees.whole)
    folds = [_fold(subtrees, held) for held in split_folds(growth, n_folds, seed)]
    if not folds or len(prices) == 1:
        return Chosen(float(prices[-1]))
    weight = np.concatenate([fold.held.weight for fold in folds])
    judge = _Judge(weight, growth.folds.effective_rows(float(weight.sum())))
    losses = _losses(folds, prices, level, judge)
    error, spread = np.array([judge.mean(loss) for loss, _ in losses]).T
    pruned = grow_and_prune(growth, None, replace(growth.settings, prune="cost_complexity"), seed)
    if not judge.is_beyond_chance(losses) or _is_tree_as_good(pruned, error, standard_errors):
        tree = subtrees.nodes_of(pruned.tree, growth.whole.rows)
        return Chosen(float(_prices(tree)[-1]), tree)
    best = int(np.argmin(error))
    limit = (error[best] + standard_errors * spread[best]) * (1 + 1e-12)
    return Chosen(float(prices[np.flatnonzero(error <= limit)[0]]))


def _losses(
    folds: Sequence[_Fold], prices: Floats, level: float, judge: "_Judge"
) -> list[tuple[Floats, Floats]]:
    """Return what graphs lose at the prices, as far as losses may still fall."""
    of_trees = [judge.mean(_tried(folds, price, None)[0])[0] for price in prices]
    losses: list[tuple[Floats, Floats]] = []
    found: list[float] = []
    for price in prices:
        losses.append(_tried(folds, price, level))
        found.append(judge.mean(losses[-1][0])[0])
        if len(found) > _STEPS_BEYOND + max(int(np.argmin(found)), int(np.argmin(of_trees))):
            break
    return losses


def _is_tree_as_good(pruned: Kept, error: Floats, standard_errors: float) -> bool:
    """Whether graphs promise a loss, as a share of the root's, that is not clearly less."""
    path = pruned.path
    if path is None or not len(path.error) or path.error[-1] <= 0 or error[0] <= 0:
        return False
    best = int(np.argmin(path.error))
    limit = path.error[best] - standard_errors * path.standard_error[best]
    return bool(limit / path.error[-1] < error.min() / error[0])


def _fold(subtrees: Subtrees, held: HeldOut) -> _Fold:
    growth = subtrees.growth
    own = Subtrees.of(growth, held.grown)
    share = float(own.whole.tally[0]) / float(subtrees.whole.tally[0])
    return _Fold(held, own, share, _truth(growth, held))


def _truth(growth: Growth, held: HeldOut) -> Floats:
    """Return the target of held-out rows as nodes hold it: shares of classes, or mean sums."""
    if growth.numbers is None:
        return np.eye(growth.n_classes)[truth_of(growth, held.rows).astype(np.int64)]
    units = growth.weights.units
    sums: Floats = growth.numbers.sums[held.rows].astype(np.float64)
    return sums if units is None else sums / units[held.rows].astype(np.float64)[:, None]


def _tried(folds: Sequence[_Fold], price: float, level: float | None) -> tuple[Floats, Floats]:
    """Return the losses of all held-out rows: by graphs, or (no level) by pruned trees."""
    parts = []
    for fold in folds:
        own = price * fold.share
        if level is None:
            parts.append(fold.losses(priced(fold.subtrees.whole, own)))
        else:
            parts.append(fold.losses(grow_graph(fold.subtrees, own, level)))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _prices(root: Node) -> Floats:
    """Return the prices to try, from the one that leaves the root alone to the lowest."""
    gains, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node.is_leaf:
            continue
        own = float(explained(node.tally))
        for below in (node.children, leaves_below(node)):
            worth = float(explained(np.array([each.tally for each in below])).sum()) - own
            gains.append(worth / (len(below) - 1))
        waiting.extend(node.children)
    largest = max(gains, default=0.0)
    kept = [gain for gain in gains if gain > 1e-9 * largest]
    if not kept:
        return np.array([np.inf])
    return np.append(np.inf, np.geomspace(0.9 * largest, 0.7 * min(kept), _N_PRICES))


@dataclass(frozen=True, eq=False)
class _Judge:
    """Means over held-out rows, and what is beyond chance."""

    weight: Floats
    n_rows: float

    def mean(self, losses: Floats) -> tuple[float, float]:
        """Return the mean of losses and its standard error."""
        total = exact_sum(self.weight)
        mean = exact_sum(losses * self.weight) / total
        variance = exact_sum(losses**2 * self.weight) / total - mean**2
        return mean, float(np.sqrt(max(variance, 0.0) / self.n_rows))

    def is_beyond_chance(self, losses: Sequence[tuple[Floats, Floats]]) -> bool:
        """Whether some graph is better than the root, which is the first, beyond chance."""
        for kind, limit in enumerate((STANDARD_ERRORS_OF_LOSS, STANDARD_ERRORS_OF_DISTANCE)):
            for each in losses[1:]:
                gain, spread = self.mean(losses[0][kind] - each[kind])
                if gain > 0 and gain > limit * spread:
                    return True
        return False
