"""Merging leaves that do not differ: the two most alike become one, until all differ.

1. Two leaves are compared by a test of the hypothesis that their rows come from one distribution.
   Classes: the likelihood-ratio statistic G² = 2 Σ n_jk · ln(n_jk · n / (n_j · n_k)) of the table
   of two leaves and K classes, by χ² with K' − 1 degrees of freedom (K' classes that occur in
   either leaf); leaves that predict different classes are never one. Numbers: F = (what the sum of
   squares grows by when they are merged / outputs) / (sum of squares within all leaves / degrees of
   freedom left).
2. The pair with the largest p-value is merged if it is at least the level; of equal ones the pair
   with the larger leaves, then the first. Then again, until every pair differs.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from branchline.tree.graph._graph_nodes import in_order, with_replaced
from branchline.tree.graph._subtrees import Node
from branchline.tree.graph._tallies import Units, explained

__all__ = ["Likeness", "merge_leaves"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Likeness:
    """How alike leaves are: p-values of the hypothesis that two of them are one.

    Parameters
    ----------
    unit
        What one unit of weight weighs.
    total_square
        Numbers: the sum of squares of all rows, in the units of ``explained``; None for classes.
    """

    unit: float
    total_square: float | None

    def with_all(self, one: Units, others: Units, leaves: Units) -> Floats:
        """Return the p-value of one leaf with each of the others; ``leaves`` are all."""
        if self.total_square is None:
            unit = np.float64(self.unit)
            alike = _of_classes(one[1:] * unit, others[:, 1:] * unit)
            return np.where(others[:, 1:].argmax(axis=1) == one[1:].argmax(), alike, 0.0)
        within = max(self.total_square - float(explained(leaves).sum()), 0.0)
        left = max(float(leaves[:, 0].sum()) * self.unit - len(leaves), 1.0)
        more = explained(one) + explained(others) - explained(one + others)
        more = np.where(more <= 1e-12 * self.total_square, 0.0, more)
        if within <= 1e-12 * self.total_square:
            return np.where(more > 0, 0.0, 1.0)
        return np.asarray(special.fdtrc(len(one) - 1, left * (len(one) - 1), more * left / within))


def _of_classes(one: Floats, others: Floats) -> Floats:
    """Return the p-values of G² of one leaf with each of the others."""
    both = one + others
    logs = special.xlogy
    statistic = (
        (logs(one, one) + logs(others, others) - logs(both, both)).sum(axis=1)
        - logs(one.sum(), one.sum())
        - logs(others.sum(axis=1), others.sum(axis=1))
        + logs(both.sum(axis=1), both.sum(axis=1))
    )
    freedom = (both > 0).sum(axis=1) - 1
    # Rounding of differences of large logarithms must not tell equal leaves apart.
    scale = 1e-12 * logs(both.sum(axis=1), both.sum(axis=1) + 1)
    statistic = np.where(statistic <= scale, 0.0, statistic)
    return np.where(freedom == 0, 1.0, special.chdtrc(np.maximum(freedom, 1), 2 * statistic))


def merge_leaves(root: Node, likeness: Likeness, level: float) -> Node:
    """Return the root of the graph in which every two leaves differ at the level."""
    leaves = [node for node in in_order(root) if node.is_leaf]
    if len(leaves) < 2:
        return root
    into: dict[Node, Node] = {}
    tallies = np.array([leaf.tally for leaf in leaves])
    alike = np.full((len(leaves), len(leaves)), -1.0)
    for place in range(1, len(leaves)):
        alike[place, :place] = likeness.with_all(tallies[place], tallies[:place], tallies)
    while True:
        pair = _most_alike(alike, tallies)
        if pair is None or alike[pair] < level:
            return with_replaced(root, into)
        late, early = pair
        into[leaves[late]] = leaves[early]
        leaves[early].take(leaves[late])
        tallies[early], tallies[late] = leaves[early].tally, 0
        alike[late, :] = alike[:, late] = -1.0
        _update(alike, tallies, early, likeness)


def _most_alike(alike: Floats, tallies: Units) -> tuple[int, int] | None:
    """Return the most alike pair; of equal ones that of the largest leaves."""
    most = alike.max()
    if most < 0:
        return None
    late, early = np.nonzero(alike == most)
    best = int(np.argmax(tallies[late, 0] + tallies[early, 0]))
    return int(late[best]), int(early[best])


def _update(alike: Floats, tallies: Units, place: int, likeness: Likeness) -> None:
    """Compare a merged leaf anew with those that are left."""
    left = np.flatnonzero(tallies[:, 0] > 0)
    others = left[left != place]
    if not len(others):
        return
    found = likeness.with_all(tallies[place], tallies[others], tallies[left])
    alike[np.maximum(others, place), np.minimum(others, place)] = found
