"""Optimal trees: of all trees of a depth the one of least training error and price of leaves.

1. Code the table with exact ranks and list its yes-no tests (``optimal/_yes_no_tests``).
2. Search all trees of the depth with bounds (``native/include/branchline/optimal_tree.hpp``).
3. Write the best one as ordinary tree arrays (``optimal/_to_arrays``), with its proof.

Hyafil and Rivest (1976): the problem is NP-complete. Demirović et al., MurTree (JMLR 23, 2022);
van der Linden et al., STreeD (NeurIPS 2023); Lin et al., GOSDT (ICML 2020).
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._state import classes_from_state, classes_to_state
from branchline._trees._costs import check_costs, costs_from_state, decide, weigh_classes
from branchline._trees._few_rows import are_plain_numbers
from branchline._trees._tree_state import pack_tree, unpack_tree
from branchline._validation import AnyOf, Constraint, Given, OneOf, Real, TrainingData, Whole
from branchline.table import Schema
from branchline.tree.optimal._optimal_estimator import OptimalTree
from branchline.tree.optimal._proof import OptimalityProof

__all__ = ["OptimalTreeClassifier", "OptimalTreeRegressor"]

_SIZE: dict[str, Constraint] = {
    "max_depth": Whole(1, 6),
    "leaf_penalty": Real(0.0),
    "min_samples_leaf": Whole(1),
    "max_thresholds": AnyOf((OneOf(("auto", None)), Whole(1))),
    "time_budget": Real(0.0, low_open=True),
}


class OptimalTreeClassifier(OptimalTree, Classifier):
    """The decision tree of fewest training errors among all trees of its depth, with a proof.

    An ordinary decision tree takes the best test of each node, one after the other, and may miss a
    better tree: it cannot see that two tests tell more together than each alone. This one searches
    all trees, with bounds that rule most of them out, and says whether the best one was found.

    Use it for small trees that people read. Choose ``max_depth`` and ``leaf_penalty`` by
    cross-validation: a tree that fits the training rows best does not predict best. Deep trees and
    columns with many thresholds take long; then the best tree found within ``time_budget`` is
    returned, with a bound.

    Parameters
    ----------
    max_depth
        Maximum depth, from 1 to 6: tests on the longest path. Each further level multiplies the
        time by up to twice the number of tests. Default 3.
    leaf_penalty
        What each leaf costs, in errors per row: 0.01 asks that a further leaf saves one error in
        100 rows. With 0 the smallest of the trees of fewest errors is taken. Default 0.0.
    min_samples_leaf
        Minimum number of training rows in a leaf, counted by weight. Default 1.
    max_thresholds
        Maximum number of thresholds (numeric columns) or categories that are tried for each column.
        If a column has more, thresholds at about equal weights and the most frequent categories are
        kept; ``proof_`` reports how many were left out. "auto" (default): 300 / number of columns,
        between 1 and 50. None: all.
    time_budget
        Seconds after which the search stops with the best tree so far. The result depends on the
        machine's speed only when this time runs out. Default 60.0.
    class_weight
        A weight for each class, or "balanced". Default None: all classes weigh the same.
    costs
        What errors cost: a matrix (rows: the truth) or a mapping from (truth, prediction).
        Default None: all errors cost the same.
    n_jobs
        Threads for coding the table and for predictions; the search uses one. None (default) for
        all cores.

    Attributes
    ----------
    classes_
        The classes, sorted.
    tree_
        The fitted tree, as arrays.
    decision_
        The class that each node decides for, as an index into ``classes_``.
    proof_
        Value, bound, whether the tree is proved optimal, and among which tests.
    value_, bound_, proved_
        The same, one by one.

    See Also
    --------
    DecisionTreeClassifier : greedy, for any size.
    RuleListClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import OptimalTreeClassifier
    >>> X, y = load_dataset("xor").split_target("class")
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.value_, model.proved_
    (0.0, True)
    """

    criterion = "gini"
    _opposite = "branchline.tree.OptimalTreeRegressor"
    _constraints: ClassVar = {
        **_SIZE,
        "class_weight": AnyOf((OneOf((None, "balanced")), Given((dict,), "a mapping of classes"))),
        "costs": Given((dict, list, tuple, np.ndarray), "a matrix or a mapping"),
    }
    classes_: npt.NDArray[Any]
    decision_: npt.NDArray[np.int64]
    _costs: npt.NDArray[np.float64] | None

    def __init__(
        self,
        *,
        max_depth: int = 3,
        leaf_penalty: float = 0.0,
        min_samples_leaf: int = 1,
        max_thresholds: Any = "auto",
        time_budget: float = 60.0,
        class_weight: Any = None,
        costs: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.leaf_penalty = leaf_penalty
        self.min_samples_leaf = min_samples_leaf
        self.max_thresholds = max_thresholds
        self.time_budget = time_budget
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the best tree."""
        data = weigh_classes(self._begin(X, y, sample_weight), self.class_weight)
        classes = data.class_target.classes
        costs = check_costs(self.costs, classes)
        found = self._search(data, costs)
        decision = decide(found["tree_"].value, costs)
        return self._finish(data, classes_=classes, _costs=costs, decision_=decision, **found)

    def _error_per_row(self, tree: Any, costs: npt.NDArray[np.float64] | None) -> float:
        content = tree.content[tree.is_leaf].astype(np.float64)
        if costs is None:
            error = content.sum(axis=1) - content.max(axis=1)
        else:
            error = (content @ costs).min(axis=1)
        return float(error.sum() / content.sum())

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class frequencies of each row's leaf."""
        return self._values_of(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class that each row's leaf decides for (of least expected cost)."""
        self._check_fitted()
        names: npt.NDArray[Any] = self.classes_[self.decision_[self.apply(X)]]
        return names

    def _pack(self) -> FittedState:
        packed = {"classes": classes_to_state(self.classes_), **pack_tree(self.tree_)}
        if self._costs is not None:
            packed["costs"] = self._costs
        return {**packed, **self.proof_.pack()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        tree = unpack_tree(state, schema, n_classes=len(classes))
        costs = costs_from_state(state, classes)
        return {
            "classes_": classes,
            "tree_": tree,
            "_costs": costs,
            "decision_": decide(tree.value, costs),
            "proof_": OptimalityProof.unpack(state),
            "_takes_floats": are_plain_numbers(schema),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class OptimalTreeRegressor(OptimalTree, Regressor):
    """The regression tree of least squared error among all trees of its depth, with a proof.

    See ``OptimalTreeClassifier``: the same search, for numbers.

    Parameters
    ----------
    max_depth
        Maximum depth, from 1 to 6: tests on the longest path. Each further level multiplies the
        time by up to twice the number of tests. Default 3.
    leaf_penalty
        What each leaf costs, in squared error per row. With 0 the smallest of the trees of least
        error is taken. Default 0.0.
    min_samples_leaf
        Minimum number of training rows in a leaf, counted by weight. Default 1.
    max_thresholds
        Maximum number of thresholds (numeric columns) or categories that are tried for each column.
        If a column has more, thresholds at about equal weights and the most frequent categories are
        kept; ``proof_`` reports how many were left out. "auto" (default): 300 / number of columns,
        between 1 and 50. None: all.
    time_budget
        Seconds after which the search stops with the best tree so far. The result depends on the
        machine's speed only when this time runs out. Default 60.0.
    n_jobs
        Threads for coding the table and for predictions; the search uses one. None (default) for
        all cores.

    Attributes
    ----------
    tree_
        The fitted tree, as arrays.
    proof_
        Value, bound, whether the tree is proved optimal, and among which tests.
    value_, bound_, proved_
        The same, one by one.

    See Also
    --------
    OptimalTreeClassifier
    DecisionTreeRegressor : a decision tree that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import OptimalTreeRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(OptimalTreeRegressor(max_depth=2, leaf_penalty=0.5).fit(X, y).value_, 2)
    18.57
    """

    criterion = "variance"
    _opposite = "branchline.tree.OptimalTreeClassifier"
    _constraints: ClassVar = _SIZE

    def __init__(
        self,
        *,
        max_depth: int = 3,
        leaf_penalty: float = 0.0,
        min_samples_leaf: int = 1,
        max_thresholds: Any = "auto",
        time_budget: float = 60.0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.leaf_penalty = leaf_penalty
        self.min_samples_leaf = min_samples_leaf
        self.max_thresholds = max_thresholds
        self.time_budget = time_budget
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search the best tree."""
        data: TrainingData = self._begin(X, y, sample_weight)
        return self._finish(data, **self._search(data, None))

    def _error_per_row(self, tree: Any, costs: npt.NDArray[np.float64] | None) -> float:
        leaf = tree.is_leaf
        weight = tree.weight[leaf]
        return float(weight @ tree.variance[leaf, 0] / weight.sum())

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean of each row's leaf."""
        means: npt.NDArray[np.float64] = self._values_of(X)[:, 0]
        return means

    def _pack(self) -> FittedState:
        return {**pack_tree(self.tree_), **self.proof_.pack()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return {
            "tree_": unpack_tree(state, schema, n_classes=None, n_outputs=1),
            "proof_": OptimalityProof.unpack(state),
            "_takes_floats": are_plain_numbers(schema),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
