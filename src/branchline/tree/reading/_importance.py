"""What columns contribute to a tree, and how much a tree leaves open.

- importance of a column: Σ |S| · ΔI over the nodes that test it, ΔI the decrease of impurity;
- H(Y | tree) = Σ over leaves of |leaf| / N · H(leaf), in bits; for numbers the variance instead,
  or the absolute error or deviance that the tree was grown by.
"""

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Schema

__all__ = ["importances", "impurities", "impurity_decreases", "tree_entropy", "used_columns"]

Floats = npt.NDArray[np.float64]


def impurities(tree: TreeArrays, criterion: str, class_factor: Floats | None = None) -> Floats:
    """Return the impurity of each node; classes count by their factors."""
    if tree.losses is not None:
        with np.errstate(over="ignore", under="ignore"):
            lost: Floats = np.ldexp(tree.lost / tree.weight, tree.scale.exponent)
            return lost
    if not tree.is_classification:
        variance: Floats = tree.variance.sum(axis=1)
        return variance
    p = tree.value
    if class_factor is not None:
        p = p * class_factor
        p = p / p.sum(axis=1, keepdims=True)
    if criterion == "gini":
        gini: Floats = 1 - (p**2).sum(axis=1)
        return gini
    if criterion == "misclassification":
        errors: Floats = 1 - p.max(axis=1)
        return errors
    with np.errstate(divide="ignore", invalid="ignore"):
        bits: Floats = np.where(p > 0, -p * np.log2(p), 0.0).sum(axis=1)
    return bits


def importances(tree: TreeArrays, schema: Schema, criterion: str) -> Floats:
    """Return each column's share of all decreases of impurity; zeros when there is none."""
    total = _decreases(tree, schema, criterion)
    return total / total.sum() if total.sum() > 0 else total


def impurity_decreases(tree: TreeArrays, schema: Schema, criterion: str) -> Floats:
    """Return Σ |S| · ΔI for each column; variances are in the square of the target's units."""
    total = _decreases(tree, schema, criterion)
    if tree.is_classification:
        return total
    with np.errstate(over="ignore", under="ignore"):
        power = 2 if tree.losses is None else 1
        real: Floats = np.ldexp(total, power * tree.scale.exponent)
        return np.minimum(real, float(np.finfo(np.float64).max))


def _decreases(tree: TreeArrays, schema: Schema, criterion: str) -> Floats:
    # Of numbers not in the target's units, which could overflow.
    is_class = tree.is_classification
    amount = tree.weight * impurities(tree, criterion) if is_class else tree.lost
    inner = np.flatnonzero(~tree.is_leaf)
    below = np.bincount(tree.parent[1:], amount[1:], minlength=tree.n_nodes)
    decrease = np.maximum(amount[inner] - below[inner], 0.0)
    total: Floats = np.zeros(len(tree.extended_schema(schema)))
    np.add.at(total, tree.feature[inner], decrease)
    return _shared_among_inputs(tree, schema, total)


def _shared_among_inputs(tree: TreeArrays, schema: Schema, total: Floats) -> Floats:
    """Return what columns of the table have; that of a derived one is shared by its inputs."""
    if tree.derived is None:
        return total
    shared = total[: len(schema)].copy()
    for feature in range(len(schema), len(total)):
        inputs = tree.derived.inputs_of(feature, schema)
        shared[inputs] += total[feature] / len(inputs)
    return shared


def used_columns(tree: TreeArrays, schema: Schema) -> npt.NDArray[np.int32]:
    """Return the places of the columns that the tree tests, also as parts of derived ones."""
    features = np.unique(tree.feature[~tree.is_leaf])
    if tree.derived is None:
        return features
    inputs = [tree.derived.inputs_of(feature, schema) for feature in features.tolist()]
    return np.unique(np.array([place for each in inputs for place in each], dtype=np.int32))


def tree_entropy(tree: TreeArrays) -> float:
    """Return H(Y | tree) of the training rows, in bits; for numbers what is lost in leaves."""
    left = impurities(tree, "entropy")[tree.is_leaf]
    weight = tree.weight[tree.is_leaf]
    return float((weight / weight.sum() * left).sum())
