"""Regression trees with a linear sum in each leaf.

1. Grow: in each node the test whose two branches have the best ridge models; or, as M5 does, the
   test that lowers the standard deviation most (``leaves/_linear_growth``).
2. Fit a ridge model in every node, from sums of products that are added up from the leaves;
   terms that do not pay may be dropped (``leaves/_node_models``).
3. Prune from the bottom by the corrected error, and mix each model with those above it.
4. A row's leaf predicts its sum, cut to the range of the leaf's training targets.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState, Regressor, reports_progress
from branchline._encoding._encoded import ENCODER, Encoded
from branchline._one_thread import one_thread
from branchline._state import number_from_state
from branchline._trees._levels import levels
from branchline._trees._tree_arrays import TreeArrays
from branchline._trees._tree_state import pack_tree, unpack_tree
from branchline._validation import AnyOf, Flag, OneOf, Real, Whole, count_threads
from branchline.encoding import TableEncoder
from branchline.table import Schema
from branchline.tree._leaf_model_tree import LeafModelTree
from branchline.tree.leaves._linear_growth import (
    GrowthLimits,
    grow_by_linear_models,
    grow_by_variance,
)
from branchline.tree.leaves._linear_leaves import LinearLeaves
from branchline.tree.leaves._linear_rows import LinearRows, linear_rows
from branchline.tree.leaves._node_models import (
    choose_alpha,
    fit_nodes,
    node_products,
    nodes_to_collapse,
    smoothed,
)

__all__ = ["LinearTreeRegressor"]

# M5 does not split a node whose standard deviation is below this share of that of all rows.
_LEAST_DEVIATION = 0.05


class LinearTreeRegressor(LeafModelTree, Encoded, Regressor):
    """A regression tree with a linear model in each leaf.

    It predicts smooth, locally linear relations far better than a plain tree, with few leaves that
    can be read: each says "30.1 − 0.0041·weight + 0.2·year". Any table goes in: categories and
    missing values are encoded inside the sums and have their branches in the tests.

    Do not use it where targets jump from category to category without any slope (a plain tree says
    the same in fewer words), or where only accuracy counts (boosting is better).

    Parameters
    ----------
    grow_by
        How tests are compared. "linear" (default): by the errors of linear models on both sides.
        "variance": by how far they lower the standard deviation, as M5 does; faster, and less
        accurate where the target is smooth.
    terms
        Which terms the linear model of a node may use: "all" (default); or "tested": those of the
        columns that are tested below the node before pruning (M5).
    drop_terms
        Whether to remove terms from the linear models while the corrected error falls, as M5 does.
        Default False: keep all terms, with a ridge penalty.
    max_depth
        Maximum depth: tests on the longest path; None: any depth. Default 8.
    min_samples_leaf
        Minimum number of rows of a branch, counted by weight. Default 20.
    term_penalty
        Factor p for the number of coefficients v in the corrected error RMSE · (n + p v) / (n − v),
        by which the tree is pruned. Larger values give smaller trees. Default 1.5.
    smoothing
        Smoothing constant k: the model of a node with n rows has weight n, the model of its parent
        weight k. 0: no smoothing. Default 15.0.
    alpha
        Ridge penalty per row, on standardized terms. "auto" (default): chosen by generalized
        cross-validation of one linear model for all rows.
    clip
        Cut predictions to the range of the targets of the leaf's training rows. Default True.
    max_terms
        Maximum number of terms in the sums; of more, those with the largest correlation with the
        target are kept. Default 64.
    max_bins
        Maximum number of thresholds of a column that are compared when grow_by is "linear".
        Default 32.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    Attributes
    ----------
    tree_
        The tests, as arrays.
    leaves_
        The sums: ``leaves_.coefficients(node)`` and ``leaves_.intercept(node)`` have those of a
        leaf in the units of the table.
    alpha_
        The ridge penalty, as given or chosen.

    References
    ----------
    Quinlan, J. R. (1992), Learning with continuous classes. Wang, Y. and Witten, I. H. (1997),
    Inducing model trees for continuous classes.

    See Also
    --------
    M5
    ModelTreeRegressor : any learner in the leaves.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import LinearTreeRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = LinearTreeRegressor().fit(X, y)
    >>> model.get_n_leaves()
    3
    """

    _opposite = "branchline.tree.ModelTreeClassifier"
    # Sums of floats in canonical order; products of matrices may round differently elsewhere.
    _tolerance = 1e-9
    _constraints: ClassVar = {
        "grow_by": OneOf(("linear", "variance")),
        "terms": OneOf(("all", "tested")),
        "drop_terms": Flag(),
        "max_depth": AnyOf((OneOf((None,)), Whole(1))),
        "min_samples_leaf": Whole(1),
        "term_penalty": Real(0.0),
        "smoothing": Real(0.0),
        "alpha": AnyOf((OneOf(("auto",)), Real(0.0, low_open=True))),
        "clip": Flag(),
        "max_terms": Whole(1, 1000),
        "max_bins": Whole(2, 60_000),
        "encoder": ENCODER,
    }
    leaves_: LinearLeaves
    alpha_: float

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        grow_by: str = "linear",
        terms: str = "all",
        drop_terms: bool = False,
        max_depth: int | None = 8,
        min_samples_leaf: int = 20,
        term_penalty: float = 1.5,
        smoothing: float = 15.0,
        alpha: float | str = "auto",
        clip: bool = True,
        max_terms: int = 64,
        max_bins: int = 32,
        encoder: TableEncoder | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.grow_by = grow_by
        self.terms = terms
        self.drop_terms = drop_terms
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.term_penalty = term_penalty
        self.smoothing = smoothing
        self.alpha = alpha
        self.clip = clip
        self.max_terms = max_terms
        self.max_bins = max_bins
        self.encoder = encoder
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, fit a sum in every node, prune and smooth."""
        data = self._begin(X, y, sample_weight)
        rows = linear_rows(self._encode_training(data), self.max_terms)
        n_threads = count_threads(self.n_jobs, data.n_cells)
        alpha = self._alpha_of(rows)
        grown = self._grow(rows, alpha, n_threads)
        leaf_of_row = grown.find_leaves(rows.data.table, n_threads)
        products = node_products(grown, leaf_of_row, rows.terms, rows.target, rows.weight)
        allowed = None if self.terms == "all" else _tested_below(grown, rows.column_of_term)
        models = fit_nodes(products, alpha, allowed, self.term_penalty, drop_terms=self.drop_terms)
        collapse = nodes_to_collapse(grown, models, self.term_penalty)
        bias, weights = smoothed(grown, models, self.smoothing)
        tree, kept = _pruned(grown, collapse)
        leaves = _leaves_of(tree, rows, bias[kept], weights[kept], n_threads)
        return self._finish(data, **_fitted(tree, leaves), encoding_=rows.encoding, alpha_=alpha)

    def _alpha_of(self, rows: LinearRows) -> float:
        if not isinstance(self.alpha, str):
            return float(self.alpha)
        design = np.column_stack([np.ones(rows.n_rows), rows.terms, rows.target])
        return choose_alpha(design.T @ (design * rows.weight[:, None]))

    def _grow(self, rows: LinearRows, alpha: float, n_threads: int) -> TreeArrays:
        limits = GrowthLimits(
            self.max_depth, self.min_samples_leaf, self.max_bins, alpha, n_threads
        )
        if self.grow_by == "variance":
            return grow_by_variance(rows, limits, _LEAST_DEVIATION)
        return grow_by_linear_models(rows, limits)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the sum of each row's leaf."""
        rows = self._check_rows(X)
        n_threads = count_threads(self.n_jobs, rows.n_cells)
        nodes = self.tree_.find_leaves(rows.table, n_threads)
        return self.leaves_.predict(rows.table, nodes, clip=self.clip)

    def _pack(self) -> FittedState:
        return {**pack_tree(self.tree_), "leaves": self.leaves_.pack(), "alpha": self.alpha_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        tree = unpack_tree(state, schema, n_classes=None)
        leaves = LinearLeaves.unpack(state.get("leaves"), schema, tree)
        alpha = number_from_state(state, "alpha")
        return {**_fitted(tree, leaves), "encoding_": leaves.encoding, "alpha_": alpha}


def _fitted(tree: TreeArrays, leaves: LinearLeaves) -> dict[str, Any]:
    return {"tree_": replace(tree, notes=leaves), "leaves_": leaves}


def _tested_below(tree: TreeArrays, column_of_term: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return which terms belong to columns that are tested at a node or below it."""
    tested = np.zeros(
        (tree.n_nodes, int(max(column_of_term.max(initial=0), tree.feature.max())) + 1)
    )
    parent = tree.parent
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf[node]:
            tested[node, tree.feature[node]] = 1
        if node:
            tested[parent[node]] += tested[node]
    return np.asarray(tested[:, column_of_term] > 0)


def _pruned(
    tree: TreeArrays, collapse: npt.NDArray[np.bool_]
) -> tuple[TreeArrays, npt.NDArray[np.int64]]:
    """Return the pruned tree, and which node of the grown one each of its nodes is."""
    n_children = np.where(collapse, 0, tree.n_children).astype(np.int32)
    return tree.pruned(collapse), np.concatenate(levels(tree.first_child, n_children))


def _leaves_of(
    tree: TreeArrays, rows: LinearRows, bias: Floats, weights: Floats, n_threads: int
) -> LinearLeaves:
    """Return the sums of the leaves in the target's own units, with the range of their targets."""
    leaves = np.flatnonzero(tree.is_leaf)
    target = rows.data.number_target.matrix[:, 0]
    place = np.searchsorted(leaves, tree.find_leaves(rows.data.table, n_threads))
    low, high = np.full(len(leaves), np.inf), np.full(len(leaves), -np.inf)
    np.minimum.at(low, place, target)
    np.maximum.at(high, place, target)
    return LinearLeaves(
        rows.encoding,
        rows.places,
        np.ldexp(bias[leaves] + rows.center, rows.exponent),
        np.ldexp(weights[leaves], rows.exponent),
        low,
        high,
        leaves,
    )
