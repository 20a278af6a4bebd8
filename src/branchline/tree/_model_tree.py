"""Trees with a learner of the catalog in each leaf.

1. Grow a plain tree of small depth, as ``DecisionTreeClassifier`` does, without pruning.
2. Keep a split where models of its branches predict held-out rows better than one model for the
   node (``leaves/_keep_splits``).
3. Fit a copy of the learner on the rows of each leaf; leaves of one class are constants.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._explanation import Explanation
from branchline._folds import fold_rows
from branchline._one_thread import one_thread
from branchline._state import classes_from_state, classes_to_state, malformed, numbers_from_state
from branchline._trees._tree_arrays import TreeArrays
from branchline._trees._tree_state import pack_tree, unpack_tree
from branchline._validation import (
    AnyOf,
    Constraint,
    OneOf,
    TrainingData,
    Whole,
    check_seed,
    count_threads,
)
from branchline.table import Schema, Table
from branchline.tree._leaf_model_tree import LeafModelTree
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.leaves._keep_splits import splits_to_collapse
from branchline.tree.leaves._model_leaves import (
    LeafLearner,
    ModelLeaves,
    check_leaf,
    fit_leaf,
    unpack_members,
)

__all__ = ["ModelTreeClassifier", "ModelTreeRegressor"]


class _ModelTree(LeafModelTree):
    """What both model trees share."""

    _constraints: ClassVar[dict[str, Constraint]] = {
        "leaf": LeafLearner(),
        "max_depth": AnyOf((OneOf((None,)), Whole(1))),
        "min_samples_leaf": Whole(1),
        "n_folds": Whole(2),
    }
    # Learners on floats may be in the leaves.
    _tolerance = 1e-6
    _copies_of_columns_count = True
    leaf: Any
    max_depth: int | None
    min_samples_leaf: int
    n_folds: int
    random_state: Any
    leaves_: ModelLeaves

    @one_thread
    def _fit_leaves(self, data: TrainingData, classes: Any) -> dict[str, Any]:
        learner = check_leaf(type(self).__name__, self.leaf, self._task)
        n_threads = count_threads(self.n_jobs, data.n_cells)
        rows = canonical_rows(data, merge=True, n_threads=n_threads)
        folds = fold_rows(rows).split(self.n_folds, check_seed(self.random_state))
        tree = self._grow(rows, n_threads)
        if tree.n_nodes > 1 and folds:
            tree = tree.pruned(splits_to_collapse(tree, rows, learner, folds))
        node_of_row = tree.find_leaves(rows.table, n_threads)
        leaves = np.flatnonzero(tree.is_leaf).tolist()
        parts = [rows.rows(np.flatnonzero(node_of_row == leaf)) for leaf in leaves]
        low, high = (np.zeros(len(leaves)), np.zeros(len(leaves)))
        if classes is None:
            targets = [part.number_target.matrix[:, 0] for part in parts]
            low = np.array([target.min() for target in targets])
            high = np.array([target.max() for target in targets])
        members = tuple(fit_leaf(learner, part) for part in parts)
        return _fitted(tree, ModelLeaves(members, tree, low, high, classes))

    def _grow(self, rows: TrainingData, n_threads: int) -> TreeArrays:
        settings = TreeSettings.from_parameters(
            {
                "criterion": "gini" if self._task == "classification" else "variance",
                "max_depth": self.max_depth,
                "min_samples_leaf": self.min_samples_leaf,
                "correct_for_chance": True,
                "prune": None,
            }
        )
        growth = begin_growth(rows, settings, n_threads, None)
        return growth.to_arrays(growth.grow(growth.whole))

    def _outputs(self, X: Any) -> Floats:
        rows = self._check_rows(X)
        n_threads = count_threads(self.n_jobs, rows.n_cells)
        nodes = self.tree_.find_leaves(rows.table, n_threads)
        return self.leaves_.predict(rows.table, nodes)

    def _explain(self, row: Table) -> Explanation:
        """Let the model of the row's leaf explain itself."""
        member = self.leaves_.member(int(self.apply(row)[0]))
        if member is None:
            return super()._explain(row)
        found: Explanation = member._explain(row)
        return replace(found, notes=("its path:", str(self.path(row)), *found.notes))

    # -- saving ---------------------------------------------------------------------------------

    def _pack_leaves(self) -> dict[str, Any]:
        leaves = self.leaves_
        packed = {**pack_tree(self.tree_), "members": leaves.pack()}
        return packed | (
            {} if leaves.classes is not None else {"low": leaves.low, "high": leaves.high}
        )

    @staticmethod
    def _unpack_leaves(
        state: FittedState, schema: Schema, tree: TreeArrays, classes: Any
    ) -> dict[str, Any]:
        n_leaves = tree.n_leaves
        members = tuple(unpack_members(state.get("members"), n_leaves, schema, classes))
        low, high = np.zeros(n_leaves), np.zeros(n_leaves)
        if classes is None:
            low, high = (numbers_from_state(state, n, length=n_leaves) for n in ("low", "high"))
        if (low > high).any():
            raise malformed("the range of a leaf's targets is empty")
        return _fitted(tree, ModelLeaves(members, tree, low, high, classes))


def _fitted(tree: TreeArrays, leaves: ModelLeaves) -> dict[str, Any]:
    return {"tree_": replace(tree, notes=leaves), "leaves_": leaves}


class ModelTreeClassifier(_ModelTree, Classifier):
    """A small decision tree with a classifier in each leaf.

    A few questions divide the rows, and a learner of its own predicts in each part: naive Bayes
    (NBTree), nearest neighbors, logistic regression, or any learner of the catalog. Splits that do
    not help these models on held-out rows are taken back, so the result may be the learner alone.

    Do not use it on few rows: each leaf has only its own. Where one model fits all rows, it is
    simpler and as good.

    Parameters
    ----------
    leaf
        The learner: "naive_bayes" (default), "linear" (logistic regression), "neighbors", the name
        of another learner (``branchline.catalog.names()``), or an estimator of the library.
    max_depth
        Maximum depth: tests on the longest path; None: any depth. Default 3.
    min_samples_leaf
        Minimum number of rows of a branch. Default 30.
    n_folds
        The number of folds by which splits are judged. Default 5.
    random_state
        The seed of folds. Default 0.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    tree_
        The tests, as arrays.
    leaves_
        The fitted learners: ``leaves_.member(node)`` is that of a leaf, None for a constant.

    References
    ----------
    Kohavi, R. (1996), Scaling up the accuracy of naive-Bayes classifiers: a decision-tree hybrid.

    See Also
    --------
    LinearTreeRegressor
    DecisionTreeClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import ModelTreeClassifier
    >>> X, y = load_dataset("votes84").split_target("party")
    >>> round(ModelTreeClassifier(leaf="naive_bayes").fit(X, y).score(X, y), 2)
    0.97
    """

    _opposite = "branchline.tree.ModelTreeRegressor"

    def __init__(
        self,
        *,
        leaf: Any = "naive_bayes",
        max_depth: int | None = 3,
        min_samples_leaf: int = 30,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.leaf = leaf
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree, keep the splits that help, and fit a learner in each leaf."""
        data = self._begin(X, y, sample_weight)
        classes = data.class_target.classes
        return self._finish(data, classes_=classes, **self._fit_leaves(data, classes))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probabilities that the learner of each row's leaf predicts."""
        return self._outputs(X)

    def _pack(self) -> FittedState:
        return {"classes": classes_to_state(self.classes_), **self._pack_leaves()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        tree = unpack_tree(state, schema, n_classes=len(classes))
        return {"classes_": classes, **self._unpack_leaves(state, schema, tree, classes)}


class ModelTreeRegressor(_ModelTree, Regressor):
    """A small regression tree with a regressor in each leaf.

    A few questions divide the rows, and a learner of its own predicts in each part. Splits that do
    not help these models on held-out rows are taken back. Predictions are cut to the range of the
    leaf's training targets.

    For linear sums ``LinearTreeRegressor`` is faster and more accurate: it chooses its tests by
    them. Do not use model trees on few rows: each leaf has only its own.

    Parameters
    ----------
    leaf
        The learner: "linear" (default; ridge regression), "neighbors", the name of another learner
        (``branchline.catalog.names()``), or an estimator of the library.
    max_depth
        Maximum depth: tests on the longest path; None: any depth. Default 3.
    min_samples_leaf
        Minimum number of rows of a branch. Default 30.
    n_folds
        The number of folds by which splits are judged. Default 5.
    random_state
        The seed of folds. Default 0.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    Attributes
    ----------
    tree_
        The tests, as arrays.
    leaves_
        The fitted learners: ``leaves_.member(node)`` is that of a leaf, None for a constant.

    See Also
    --------
    LinearTreeRegressor
    M5

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import ModelTreeRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(ModelTreeRegressor(leaf="linear").fit(X, y).score(X, y), 2)
    0.92
    """

    _opposite = "branchline.tree.ModelTreeClassifier"

    def __init__(
        self,
        *,
        leaf: Any = "linear",
        max_depth: int | None = 3,
        min_samples_leaf: int = 30,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.leaf = leaf
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree, keep the splits that help, and fit a learner in each leaf."""
        data = self._begin(X, y, sample_weight)
        return self._finish(data, **self._fit_leaves(data, None))

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the number that the learner of each row's leaf predicts."""
        predicted: Floats = self._outputs(X)[:, 0]
        return predicted

    def _pack(self) -> FittedState:
        return self._pack_leaves()

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        tree = unpack_tree(state, schema, n_classes=None)
        return self._unpack_leaves(state, schema, tree, None)
