"""Induction graphs: trees in which nodes of equal behavior are one node.

1. Code the table and grow as ``DecisionTreeClassifier`` does (``growing/_growth``).
2. Split and join in turn (``graph/_joining``). The quality of a graph is what it loses on the
   training rows plus a penalty for each test: Q = Σ over leaves of |S| · I(S) + α · tests, with
   I the Gini index or the variance. Two nodes are joined, and split again as one, where Q does not
   rise by that.
3. Merge leaves whose class frequencies, or means, do not differ at ``level`` (``graph/_merging``).
4. α is chosen by folds (``graph/_choosing``).

D. A. Zighed, R. Rakotomalala, Graphes d'induction, Hermes, 2000. J. J. Oliver, Decision graphs: an
extension of decision trees, 1993.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._trees._costs import decide
from branchline.table import Schema
from branchline.tree.graph._graph_estimator import InductionGraph
from branchline.tree.graph._graph_state import pack_graph, unpack_graph

__all__ = ["InductionGraphClassifier", "InductionGraphRegressor"]


class InductionGraphClassifier(InductionGraph, Classifier):
    """A decision tree whose equal parts are one: a graph, for classes.

    A tree must repeat itself where several reasons lead to the same question: "(a and b) or (c and
    d)" asks for c and d twice. Here such nodes are joined, so that the model has fewer tests and
    fewer leaves, and each learns from more rows. A leaf is read as a rule with several ways to it
    (``rules``), and the drawing shows lines that meet.

    Use it where a concept has several causes, and where a tree has too many leaves to be read. On
    tables that a small tree explains, it is that tree. It takes longer to fit than a tree: seconds
    where a tree takes a tenth.

    Parameters
    ----------
    level
        Leaves become one unless their class frequencies differ at this level of significance.
        Smaller values give fewer leaves; 1: only leaves with equal frequencies become one.
        Default 0.05.
    test_penalty
        What a test must save, as a share of the impurity of all rows. Default None: chosen by
        folds.
    rule
        Which penalty is taken. "best": that of the lowest cross-validated error. "one_se": the
        highest one within one standard error of it. A number: within that many standard errors.
        Default 0.5.
    n_folds
        Number of folds by which the penalty is chosen. Default 5.
    max_depth
        Maximum depth of the trees that are grown: the number of tests on the longest path. Default
        None: up to 200.
    min_samples_leaf
        Minimum number of training rows in a branch, counted by weight. Default 1.
    zero_gain
        What to do in a node in which no test gains anything. "stop" (default): make it a leaf.
        "split": go on while classes are mixed; this solves XOR.
    lookahead
        A node's test is the first one of the best tree of this depth below it (1 to 4); 1: the best
        test alone. 2 solves XOR among other columns. Default 1.
    random_state
        Seed for folds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    graph_
        The fitted graph, as arrays.
    test_penalty_
        The penalty of a test, as a share of the impurity of all rows; 1: no test is worth it.
    feature_importances_
        The weight times the decrease of impurity of each column's tests; they sum to 1.

    See Also
    --------
    DecisionTreeClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import InductionGraphClassifier
    >>> X, y = load_dataset("xor").split_target("class")
    >>> InductionGraphClassifier(zero_gain="split", test_penalty=0.1).fit(X, y).get_n_leaves()
    2
    """

    _opposite = "branchline.tree.InductionGraphRegressor"
    _criterion: ClassVar = "gini"
    classes_: npt.NDArray[Any]

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        level: float = 0.05,
        test_penalty: float | None = None,
        rule: Any = 0.5,
        n_folds: int = 5,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        zero_gain: str = "stop",
        lookahead: int = 1,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.level = level
        self.test_penalty = test_penalty
        self.rule = rule
        self.n_folds = n_folds
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.zero_gain = zero_gain
        self.lookahead = lookahead
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a graph: split and join nodes, merge leaves."""
        data = self._begin(X, y, sample_weight)
        return self._finish(data, classes_=data.class_target.classes, **self._fit_graph(data))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class frequencies of each row's leaf."""
        return self._values_of(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most frequent class of each row's leaf."""
        self._check_fitted()
        names: npt.NDArray[Any] = self.classes_[
            decide(self.graph_.nodes.value, None)[self.apply(X)]
        ]
        return names

    def _pack(self) -> FittedState:
        packed = {"classes": classes_to_state(self.classes_), "test_penalty": self.test_penalty_}
        return {**packed, **pack_graph(self.graph_)}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        graph = unpack_graph(state, schema, n_classes=len(classes))
        return {"classes_": classes, "graph_": graph, "test_penalty_": _penalty_from(state)}


class InductionGraphRegressor(InductionGraph, Regressor):
    """A regression tree whose equal parts are one: a graph, for numbers.

    See ``InductionGraphClassifier``: the same method, with variances for impurities and an F test
    for the merging of leaves.

    Parameters
    ----------
    level
        Leaves become one unless their means differ at this level of significance. Smaller values
        give fewer leaves; 1: only leaves with equal means become one. Default 0.05.
    test_penalty
        What a test must save, as a share of the variance of all rows. Default None: chosen by
        folds.
    rule
        Which penalty is taken. "best": that of the lowest cross-validated error. "one_se": the
        highest one within one standard error of it. A number: within that many standard errors.
        Default 0.5.
    n_folds
        Number of folds by which the penalty is chosen. Default 5.
    max_depth
        Maximum depth of the trees that are grown: the number of tests on the longest path. Default
        None: up to 200.
    min_samples_leaf
        Minimum number of training rows in a branch, counted by weight. Default 1.
    zero_gain
        What to do in a node in which no test gains anything. "stop" (default): make it a leaf.
        "split": go on while a column varies.
    lookahead
        A node's test is the first one of the best tree of this depth below it (1 to 4); 1: the best
        test alone. Default 1.
    random_state
        Seed for folds. Default 0.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    graph_
        The fitted graph, as arrays.
    test_penalty_
        The penalty of a test, as a share of the variance of all rows; 1: no test is worth it.
    feature_importances_
        The decrease of the sum of squares by each column's tests; they sum to 1.

    See Also
    --------
    InductionGraphClassifier : a decision tree whose equal parts are one.
    DecisionTreeRegressor : a decision tree that predicts a number, or several.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import InductionGraphRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> InductionGraphRegressor(test_penalty=0.01).fit(X, y).get_n_leaves()
    7
    """

    _opposite = "branchline.tree.InductionGraphClassifier"
    _criterion: ClassVar = "variance"

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        level: float = 0.05,
        test_penalty: float | None = None,
        rule: Any = 0.5,
        n_folds: int = 5,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        zero_gain: str = "stop",
        lookahead: int = 1,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.level = level
        self.test_penalty = test_penalty
        self.rule = rule
        self.n_folds = n_folds
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.zero_gain = zero_gain
        self.lookahead = lookahead
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a graph: split and join nodes, merge leaves."""
        data = self._begin(X, y, sample_weight)
        return self._finish(data, **self._fit_graph(data))

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean of each row's leaf."""
        means: npt.NDArray[np.float64] = self._values_of(X)[:, 0]
        return means

    def _pack(self) -> FittedState:
        return {"test_penalty": self.test_penalty_, **pack_graph(self.graph_)}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        graph = unpack_graph(state, schema, n_classes=None)
        return {"graph_": graph, "test_penalty_": _penalty_from(state)}


def _penalty_from(state: FittedState) -> float:
    penalty = state.get("test_penalty")
    if not isinstance(penalty, float) or not 0 <= penalty <= 1:
        raise malformed("'test_penalty' is not a number from 0 to 1")
    return penalty
