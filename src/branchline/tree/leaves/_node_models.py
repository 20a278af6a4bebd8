"""Linear models of all nodes of a tree, from sums of products that are added up from the leaves.

For a node, with weights ω, terms z and target y, let S = Σ ω (1, z, y)ᵀ(1, z, y).

1. S of each leaf is one product of matrices; S of an inner node is the sum of its children's.
2. The model of a node minimizes Σ ω (y − b − w·z)² + α Ω ‖w‖² (ridge; Ω = Σ ω, b is free). α may be
   chosen at the root by generalized cross-validation. v = tr((Z'Z + αΩ)⁻¹ Z'Z) counts its effective
   coefficients, b included.
3. Terms may be dropped one by one, the one of the least loss first, while the corrected error
   falls: E = √(SSE / Ω) · (Ω + p v) / (Ω − v), where p is the ``penalty``.
4. Pruning, from the bottom: a node becomes a leaf when its E is not above that of its subtree. This
   has the squared errors and coefficients of all its leaves, and one coefficient more per test.
5. Smoothing, from the top (Quinlan, 1992): w ← (Ω w + k w_parent) / (Ω + k), b alike.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._trees._tree_arrays import TreeArrays

__all__ = [
    "NodeModels",
    "choose_alpha",
    "fit_nodes",
    "node_products",
    "nodes_to_collapse",
    "ridge_of_rows",
    "smoothed",
]

Bools = npt.NDArray[np.bool_]

# Ridge penalties that are tried, for each unit of weight.
_ALPHAS = np.logspace(-6, 2, 17)
# Terms that hardly vary in a node count as constant there: their share of the variance of all rows.
_CONSTANT = 1e-9
# Squared errors below this share of those of one sum for all rows are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class NodeModels:
    """The model of each node.

    Parameters
    ----------
    bias, weights
        b and w, a row for each node.
    sse
        The sum of squared errors on the node's own rows.
    freedom
        v, the effective number of coefficients.
    total
        Ω, the weight of the node.
    """

    bias: Floats
    weights: Floats
    sse: Floats
    freedom: Floats
    total: Floats


def node_products(
    tree: TreeArrays,
    leaf_of_row: npt.NDArray[np.int32],
    terms: Floats,
    target: Floats,
    weight: Floats,
) -> Floats:
    """Return S of each node: (nodes, terms + 2, terms + 2)."""
    width = terms.shape[1] + 2
    products = np.zeros((tree.n_nodes, width, width))
    order = np.argsort(leaf_of_row, kind="stable")
    leaves, starts = np.unique(leaf_of_row[order], return_index=True)
    for leaf, rows in zip(leaves.tolist(), np.split(order, starts[1:]), strict=True):
        design = np.column_stack([np.ones(len(rows)), terms[rows], target[rows]])
        products[leaf] = design.T @ (design * weight[rows, None])
    parent = tree.parent
    for node in range(tree.n_nodes - 1, 0, -1):  # children stand after their parents
        products[parent[node]] += products[node]
    return products


def choose_alpha(products: Floats) -> float:
    """Return the ridge penalty of the least generalized cross-validation error at a node."""
    total, gram, together, squares = _centered(products)
    if len(gram) == 0 or squares <= 0:
        return float(_ALPHAS[0])
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    parts = vectors.T @ together
    kept = values[None] / (values[None] + _ALPHAS[:, None] * total)
    freedom = 1.0 + kept.sum(axis=1)
    safe = np.where(values > _CONSTANT * total, values, np.inf)
    explained = ((2 * kept - kept**2) * (parts**2 / safe)[None]).sum(axis=1)
    left = 1.0 - freedom / total
    divisor = np.where(left > 1e-6, np.maximum(left, 1e-6) ** 2, 0.0)
    missed = np.maximum(squares - explained, 0.0)
    # Two rows have the same error for any penalty: rounding must not choose.
    least, most = (
        np.divide(bound, divisor, out=np.full(len(left), np.inf), where=divisor > 0)
        for bound in (missed - _ROUNDING * squares, missed + _ROUNDING * squares)
    )
    best = int(np.flatnonzero(least <= most.min())[-1])  # the largest on ties
    return float(_ALPHAS[best])


def _centered(products: Floats) -> tuple[float, Floats, Floats, float]:
    """Return Ω, and the products of terms and target around their means."""
    total = float(products[0, 0])
    mean = products[0] / total
    around = products - total * np.outer(mean, mean)
    return total, around[1:-1, 1:-1], around[1:-1, -1], max(float(around[-1, -1]), 0.0)


def fit_nodes(
    products: Floats, alpha: float, allowed: Bools | None, penalty: float, *, drop_terms: bool
) -> NodeModels:
    """Return the models of all nodes.

    Parameters
    ----------
    products
        S of each node.
    alpha
        The ridge penalty for each unit of weight.
    allowed
        The terms that the model of each node may use; None: all.
    penalty
        The penalty of a coefficient in the corrected error.
    drop_terms
        Whether terms are dropped while the corrected error falls.
    """
    n_nodes, n_terms = len(products), products.shape[1] - 2
    models = NodeModels(
        np.zeros(n_nodes),
        np.zeros((n_nodes, n_terms)),
        np.zeros(n_nodes),
        np.ones(n_nodes),
        products[:, 0, 0].copy(),
    )
    for node in range(n_nodes):
        total, gram, together, squares = _centered(products[node])
        used = np.diagonal(gram) > _CONSTANT * total
        if allowed is not None:
            used = used & allowed[node]
        model = _drop(
            total, gram, together, squares, alpha, penalty, np.flatnonzero(used), drop_terms
        )
        places, weights, models.sse[node], models.freedom[node] = model
        models.weights[node, places] = weights
        mean = products[node, 0] / total
        models.bias[node] = mean[-1] - models.weights[node] @ mean[1:-1]
    return models


def _drop(
    total: float,
    gram: Floats,
    together: Floats,
    squares: float,
    alpha: float,
    penalty: float,
    places: npt.NDArray[np.intp],
    drop_terms: bool,
) -> tuple[npt.NDArray[np.intp], Floats, float, float]:
    """Return the terms that are kept, their weights, the squared error and v."""
    best = _solve(total, gram, together, squares, alpha, places)
    while drop_terms and len(places):
        weights, sse, freedom, inverse = best
        loss = weights**2 / np.diagonal(inverse)
        fewer = np.delete(places, int(np.argmin(loss)))
        tried = _solve(total, gram, together, squares, alpha, fewer)
        if _corrected(total, tried[1], tried[2], penalty) > _corrected(
            total, sse, freedom, penalty
        ):
            break
        places, best = fewer, tried
    return places, best[0], best[1], best[2]


def _corrected(total: float, sse: float, freedom: float, penalty: float) -> float:
    if total <= freedom:
        return np.inf
    return float(np.sqrt(sse / total)) * (total + penalty * freedom) / (total - freedom)


def _solve(
    total: float,
    gram: Floats,
    together: Floats,
    squares: float,
    alpha: float,
    places: npt.NDArray[np.intp],
) -> tuple[Floats, float, float, Floats]:
    """Return w, the squared error, v and the inverse of the ridge model over some terms."""
    part = gram[np.ix_(places, places)]
    price = alpha * total * np.eye(len(places))
    inverse = np.linalg.inv(part + price).astype(np.float64)
    weights = inverse @ together[places]
    sse = squares - 2.0 * weights @ together[places] + weights @ part @ weights
    freedom = 1.0 + float((inverse * part).sum())
    return weights, max(float(sse), 0.0), freedom, inverse


def ridge_of_rows(terms: Floats, target: Floats, weight: Floats, alpha: float) -> Floats:
    """Return the ridge weights of some rows."""
    design = np.column_stack([np.ones(len(target)), terms, target])
    total, gram, together, squares = _centered(design.T @ (design * weight[:, None]))
    return _solve(total, gram, together, squares, alpha, np.arange(len(gram)))[0]


def nodes_to_collapse(tree: TreeArrays, models: NodeModels, penalty: float) -> Bools:
    """Return the nodes that become leaves: their error is not above that of their subtree."""
    # What is left of rounding is no error: an exact sum is not split further.
    sse = np.where(models.sse <= _ROUNDING * models.sse[0], 0.0, models.sse)
    freedom = models.freedom.copy()
    below = np.zeros((tree.n_nodes, 2))
    collapse = np.zeros(tree.n_nodes, dtype=bool)
    parent = tree.parent
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf[node]:
            total = float(models.total[node])
            whole = _corrected(total, sse[node], freedom[node], penalty)
            split = _corrected(total, below[node, 0], below[node, 1] + 1.0, penalty)
            collapse[node] = whole <= split
            if not collapse[node]:
                sse[node], freedom[node] = below[node, 0], below[node, 1] + 1.0
        if node:
            below[parent[node]] += sse[node], freedom[node]
    return collapse


def smoothed(tree: TreeArrays, models: NodeModels, smoothing: float) -> tuple[Floats, Floats]:
    """Return b and w of each node, each mixed with its parent's from the top down."""
    bias, weights = models.bias.copy(), models.weights.copy()
    parent = tree.parent
    for node in range(1, tree.n_nodes):
        share = smoothing / (models.total[node] + smoothing)
        bias[node] += share * (bias[parent[node]] - bias[node])
        weights[node] += share * (weights[parent[node]] - weights[node])
    return bias, weights
