"""What the nodes of a grown tree cost: the numbers that pruning methods compare.

1. *Errors*: the cost of a node as a leaf, and of a whole tree, per unit of weight of the table
   (cost-complexity; ``_cost_complexity`` chooses the price of a leaf).
2. *Upper limits*: pessimistic pruning replaces a subtree when the upper limit of a leaf's error is
   not above that of the subtree (C4.5).
3. *Description lengths*: "mdl" makes leaves + λ · H(Y | tree) least, both in bits.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtri

from branchline._trees._node_decisions import costs_of_nodes
from branchline._trees._tree_arrays import TreeArrays

__all__ = [
    "bottom_up",
    "costs_as_leaves",
    "description_lengths",
    "upper_limits",
]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

# C4.5 prefers the leaf when the subtree is better by no more than this many errors.
_C45_MARGIN = 0.1
# A leaf of one row has no variance of its own; below this many rows it is not trusted.
_ROWS_FOR_VARIANCE = 5


def costs_as_leaves(tree: TreeArrays, costs: Floats | None) -> Floats:
    """Return what each node would cost as a leaf, per unit of weight of the whole table."""
    total = costs_of_nodes(tree, costs) if tree.is_classification else tree.lost
    result: Floats = total / tree.weight[0]
    return result


def bottom_up(tree: TreeArrays, as_leaf: Floats, per_leaf: float, margin: float) -> Bools:
    """Return the nodes to collapse so that the sum of ``as_leaf + per_leaf`` over leaves is least.

    From the deepest level up, a node becomes a leaf when that costs no more than ``margin`` above
    what its subtree costs.
    """
    collapse = np.zeros(tree.n_nodes, dtype=bool)
    cost = as_leaf + per_leaf
    for nodes in reversed(tree.levels()):
        inner = nodes[tree.n_children[nodes] > 0]
        if len(inner) == 0:
            continue
        count = tree.n_children[inner].astype(np.int64)
        starts = np.cumsum(count) - count
        children = np.repeat(tree.first_child[inner] - starts, count) + np.arange(count.sum())
        below = np.add.reduceat(cost[children], starts)
        goes = as_leaf[inner] + per_leaf <= below + margin
        collapse[inner] = goes
        cost[inner] = np.where(goes, as_leaf[inner] + per_leaf, below)
    return collapse


# -- pessimistic --------------------------------------------------------------------------------


@dataclass(frozen=True)
class UpperLimits:
    """Costs of nodes as leaves at the upper limit of their confidence interval."""

    as_leaf: Floats
    margin: float


def upper_limits(tree: TreeArrays, costs: Floats | None, confidence: float) -> UpperLimits:
    """Return pessimistic costs: errors (in rows), or squared deviations.

    Classes: the upper limit of a binomial proportion by the normal approximation with continuity
    correction, exact for no error at all (C4.5). Numbers: the upper limit of the variance, or of
    the dispersion of counts, from χ² with N − 2 degrees of freedom (a mean and a threshold were
    fitted); of the mean distance to the median from χ² with twice as many (Laplace's distribution).
    One or two rows lose as much as those of the whole table.
    """
    rows = tree.weight
    if not tree.is_classification:
        return UpperLimits(_upper_spread(tree, confidence), 0.0)
    most = 1.0 if costs is None else float(costs.max())
    errors = costs_of_nodes(tree, costs) / most
    return UpperLimits(errors + _extra_errors(rows, errors, confidence), _C45_MARGIN)


def _extra_errors(rows: Floats, errors: Floats, confidence: float) -> Floats:
    """Return how many errors the upper limit adds to those seen."""
    none = rows * (1 - confidence ** (1 / rows))  # exact when no error was seen
    one = _by_normal(rows, np.ones_like(rows), confidence)
    below_one = none + errors * (one - none)
    extra = np.where(errors < 1, below_one, _by_normal(rows, errors, confidence))
    return np.where(errors + 0.5 >= rows, np.maximum(rows - errors, 0), extra)


def _by_normal(rows: Floats, errors: Floats, confidence: float) -> Floats:
    z = -ndtri(confidence)
    share = np.minimum((errors + 0.5) / rows, 1.0)
    root = np.sqrt(share / rows - share**2 / rows + z**2 / (4 * rows**2))
    upper = (share + z**2 / (2 * rows) + z * root) / (1 + z**2 / rows)
    extra: Floats = np.maximum(upper * rows - errors, 0)
    return extra


def _upper_spread(tree: TreeArrays, confidence: float) -> Floats:
    rows, spread = tree.weight, tree.lost
    of_table = spread[0] / rows[0]
    times = 2 if tree.measure == "absolute_error" else 1
    degrees = times * np.maximum(rows - 2, 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = times * spread / chdtri(degrees, 1 - confidence)
    upper: Floats = rows * np.where(rows > 2, np.minimum(variance, of_table), of_table)
    return upper


# -- minimum description length -----------------------------------------------------------------


@dataclass(frozen=True)
class DescriptionLengths:
    """Bits that the rows of each node need, and bits that a leaf needs."""

    as_leaf: Floats
    per_leaf: float


def description_lengths(tree: TreeArrays, mdl_weight: float | None) -> DescriptionLengths:
    """Return what the description of each node as a leaf costs, and what each leaf adds.

    The rows of a leaf need N · H bits (numbers: N/2 · log2(e) · variance / noise, with the noise
    taken from leaves of at least five rows; deviances alike, absolute errors without the ½). A leaf
    adds the parameters it brings, ½ log2 N bits each, and the name of one of the columns that the
    grown tree uses: q bits. With ``mdl_weight`` λ the sum leaves + λ · H(Y | tree) is minimized
    instead.
    """
    rows = tree.weight
    if tree.is_classification:
        frequency = tree.value
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = -np.where(frequency > 0, frequency * np.log2(frequency), 0.0).sum(axis=1)
        as_leaf, n_parameters = rows * bits, tree.value.shape[1] - 1
    else:
        bits = np.log2(np.e) / (1 if tree.measure == "absolute_error" else 2)
        as_leaf = tree.lost * bits / max(_noise(tree), 1e-300)
        n_parameters = tree.value.shape[1]
    if mdl_weight is not None:
        return DescriptionLengths(as_leaf / rows[0] * mdl_weight, 1.0)
    n_columns = len(np.unique(tree.feature[~tree.is_leaf]))
    per_leaf = n_parameters * np.log2(max(rows[0], 2)) / 2 + np.log2(max(n_columns, 1)) + 1
    return DescriptionLengths(as_leaf, float(per_leaf))


def _noise(tree: TreeArrays) -> float:
    """Return the loss per row in leaves, after nodes with children of few rows became leaves."""
    small = tree.weight < _ROWS_FOR_VARIANCE
    collapse = np.zeros(tree.n_nodes, dtype=bool)
    collapse[tree.parent[1:][small[1:]]] = True
    kept = tree.pruned(collapse)
    degrees = max(kept.weight[0] - kept.n_leaves, 1.0)
    return float(kept.lost[kept.is_leaf].sum() / degrees)


def leaves_of(tree: TreeArrays, critical_beta: Floats, betas: Floats) -> npt.NDArray[np.int64]:
    """Return how many leaves T(β) has for each β."""
    inner = ~tree.is_leaf
    order = np.argsort(-critical_beta[inner], kind="stable")
    added = np.cumsum(tree.n_children[inner][order] - 1)
    n_kept = np.searchsorted(-critical_beta[inner][order], -betas, side="left")
    padded: npt.NDArray[Any] = np.concatenate([[0], added])
    leaves: npt.NDArray[np.int64] = 1 + padded[n_kept]
    return leaves
