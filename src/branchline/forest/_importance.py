"""What columns contribute to a forest: by the decrease of impurity, and corrected by unseen rows.

*Impurity*: a tree's importance of column k is Σ weight · ΔI over the tests of k, over the weight of
its sample, ΔI the decrease of impurity (for numbers: of variance).

*Corrected* (Li, Wang, Basu, Kumbier and Yu, 2019, "A debiased MDI feature importance measure for
random forests"): decreases seen on the rows a tree was grown on favor columns of many values, for
some of their tests fit noise. With v(·) the value of a node in its tree's sample and y_i the target
of an out-of-bag row (1 for its class, 0 for the others; or the number less the root's mean):

1. I_k = 1/W · Σ_i Σ over the tests of k on the path of row i of ⟨v(child) − v(node), y_i − ȳ⟩,
   W the weight of the tree's out-of-bag rows, ȳ the mean of those that come to the node. (The
   paper leaves out ȳ. Without it a column gains by sending more unseen rows to the branch that
   leans to the majority, as names that a node never saw do.)
2. The inner sum needs no rows: a test adds Σ over its children of
   ⟨v(child) − v(node), S(child) − n(child) · S(node) / n(node)⟩, S the sum of y_i of the n
   out-of-bag rows that come to a node.
3. The mean over trees. A column that tells nothing has an expectation of 0; of those that do, only
   what holds on unseen rows counts.
"""

import numpy as np
import numpy.typing as npt

from branchline._trees._counts import deviance_terms
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._tree_arrays import LEAF

__all__ = ["corrected_importances", "impurity_importances"]

# Squares of very large numbers are beyond all floats; so large a number can still be added up.
_MOST_IMPORTANCE = 1e300

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


def impurity_importances(forest: ForestArrays, n_columns: int, criterion: str) -> Floats:
    """Return each column's share of the decreases of impurity, trees counting alike.

    Parameters
    ----------
    forest
        The fitted forest.
    n_columns
        The number of columns.
    criterion
        The criterion of growing: "gini", "misclassification", or any other for entropy; of
        numbers "poisson", or any other for the variance.

    Returns
    -------
    Floats
        Shares that sum to 1; zeros when no test gains anything.
    """
    total = np.zeros(n_columns)
    for tree in range(forest.n_trees):  # a tree at a time: no more memory than a tree needs
        content, spread = forest.node_sums(tree)
        if forest.is_classification:
            units = content.sum(axis=1).astype(np.float64)
            amount = units * _impurity(content / units[:, None], criterion)
        else:
            units = content[:, 0] * forest.scale.unit
            is_of_counts = criterion == "poisson"
            amount = -deviance_terms(content, forest.scale) if is_of_counts else spread
            amount = amount.sum(axis=1)
        decrease = np.maximum(amount[_inner(forest, tree)] - _of_children(amount), 0.0)
        total += _by_column(forest, tree, decrease / units[0], n_columns)
    return total / total.sum() if total.sum() > 0 else total


def corrected_importances(
    forest: ForestArrays, leaf_units: Longs, n_columns: int
) -> tuple[Floats, Floats]:
    """Return what columns contribute on rows that trees have not seen.

    Parameters
    ----------
    forest
        The fitted forest.
    leaf_units
        What the out-of-bag rows of each leaf hold, in the form of ``forest.content``.
    n_columns
        The number of columns.

    Returns
    -------
    raw
        The mean over the trees that have out-of-bag rows, below 0 where a column misleads: the
        gain in Σ p_k of the right class; for numbers the variance explained, in squared units of
        the target, outputs summed. Zeros when no tree has out-of-bag rows.
    shares
        The same with 0 in place of what is below, scaled to a sum of 1; zeros when none is above.
    """
    total, n_trees = np.zeros(n_columns), 0
    for tree in range(forest.n_trees):
        value = _values(forest, forest.node_sums(tree)[0])
        unseen = forest.node_sums(tree, leaf_units)[0]
        weight, targets = _unseen_targets(forest, unseen, value[0])
        if weight[0] == 0:
            continue
        parent = np.repeat(_inner(forest, tree), 2)
        mean = targets / np.maximum(weight, np.finfo(np.float64).tiny)[:, None]
        surplus = targets[1:] - weight[1:, None] * mean[parent]
        gain = ((value[1:] - value[parent]) * surplus).sum(axis=1)
        total += _by_column(forest, tree, (gain[::2] + gain[1::2]) / weight[0], n_columns)
        n_trees += 1
    mean = total / max(n_trees, 1)
    positive = np.maximum(mean, 0.0)
    shares = positive / positive.sum() if positive.sum() > 0 else positive
    with np.errstate(over="ignore", under="ignore"):
        raw = np.ldexp(mean, 2 * forest.scale.exponent)
    return np.clip(raw, -_MOST_IMPORTANCE, _MOST_IMPORTANCE), shares


def _values(forest: ForestArrays, content: Longs) -> Floats:
    """Return class frequencies; or means, from the center on, in units of the scale.

    Not in the target's units, whose squares could overflow or vanish.
    """
    if forest.is_classification:
        frequencies: Floats = content / content.sum(axis=1, keepdims=True)
        return frequencies
    mean = content[:, 1:] / (content[:, :1] * forest.scale.unit)
    return np.ldexp(mean, -(forest.scale.bits + forest.scale.exponent))


def _unseen_targets(forest: ForestArrays, unseen: Longs, root: Floats) -> tuple[Floats, Floats]:
    """Return the weight of the out-of-bag rows in each node, and the sum of their targets."""
    unit = np.float64(forest.scale.unit)
    if forest.is_classification:
        return unseen.sum(axis=1) * unit, unseen * unit
    weight = unseen[:, :1] * unit
    sums = np.ldexp(unseen[:, 1:].astype(np.float64), -(forest.scale.bits + forest.scale.exponent))
    return weight[:, 0], sums - weight * root


def _inner(forest: ForestArrays, tree: int) -> Longs:
    """Return the inner nodes of a tree, each by its place in the tree."""
    return np.flatnonzero(forest.kind[forest.nodes_of(tree)] != LEAF)


def _of_children(amount: Floats) -> Floats:
    """Return for each inner node the sum over its children, who follow the root pair by pair."""
    both: Floats = amount[1::2] + amount[2::2]
    return both


def _by_column(forest: ForestArrays, tree: int, amount: Floats, n_columns: int) -> Floats:
    """Return the sum over the tests of each column."""
    feature = forest.feature[forest.first_inner[tree] : forest.first_inner[tree + 1]]
    sums: Floats = np.bincount(feature, amount, minlength=n_columns).astype(np.float64)
    return sums


def _impurity(frequency: Floats, criterion: str) -> Floats:
    """Return the impurity of each row of class frequencies."""
    if criterion == "gini":
        gini: Floats = 1 - (frequency**2).sum(axis=1)
        return gini
    if criterion == "misclassification":
        errors: Floats = 1 - frequency.max(axis=1)
        return errors
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(frequency > 0, -frequency * np.log2(frequency), 0.0)
    entropy: Floats = bits.sum(axis=1)
    return entropy
