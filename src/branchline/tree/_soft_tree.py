"""Soft trees: a crisp tree whose thresholds have margins, within which rows go both ways.

1. Grow and prune a tree as ``DecisionTreeClassifier`` does; missing values are shared by weights.
2. Fit the margins of its thresholds (``soft/_fit_margins``): a common factor by folds, then each
   node's own; margins may stay 0.
3. Refit the leaves by the shares of the rows.
4. Predict the mean of a row's leaves, weighted by its shares (``soft/_soft_thresholds``).
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._state import classes_from_state, classes_to_state
from branchline._trees._tree_state import unpack_tree
from branchline.table import Schema
from branchline.tree.soft._soft_estimator import SoftTree

__all__ = ["SoftTreeClassifier", "SoftTreeRegressor"]


class SoftTreeClassifier(SoftTree, Classifier):
    """A decision tree with soft thresholds, for classes.

    Near a threshold a row goes both ways: "age ≤ 43 ± 4" sends ages up to 39 one way, from 47 on
    the other, and those between in shares. Probabilities then change smoothly, and a small error of
    measurement cannot flip a prediction. The questions are those of a plain tree.

    Do not use it where thresholds are laws (an age of consent, a dose limit), or where a row must
    follow one rule alone.

    Parameters
    ----------
    width
        How far thresholds reach, in standard deviations of the column in the node. "auto"
        (default): chosen by folds, then for each node; 0: a plain tree.
    max_depth
        Maximum depth: tests on the longest path; None (default): any depth.
    min_samples_leaf
        Minimum number of rows of a branch. Default 1.
    n_folds
        The number of folds by which the width is chosen. Default 5.
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
    margins_
        How far the threshold of each node reaches to each side; 0: rows go one way.
    values_
        The class frequencies of each leaf, refitted by the shares of the rows.
    factor_
        The width as given or chosen by folds.

    See Also
    --------
    DecisionTreeClassifier

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import SoftTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = SoftTreeClassifier(width=0.5).fit(X, y)
    >>> round(float(model.margins_[0]), 2)
    0.38
    """

    _opposite = "branchline.tree.SoftTreeRegressor"

    def __init__(
        self,
        *,
        width: float | str = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.width = width
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree, prune it, and make its thresholds soft."""
        data = self._begin(X, y, sample_weight)
        classes = data.class_target.classes
        return self._finish(data, classes_=classes, **self._fit_soft(data, len(classes)))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class frequencies of each row's leaves, weighted by its shares."""
        return self._averages(X)

    def _pack(self) -> FittedState:
        return {"classes": classes_to_state(self.classes_), **self._pack_soft()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        tree = unpack_tree(state, schema, n_classes=len(classes))
        return {"classes_": classes, **self._unpack_soft(state, tree)}


class SoftTreeRegressor(SoftTree, Regressor):
    """A decision tree with soft thresholds, for a number.

    Near a threshold a row goes both ways, in shares, so that predictions change without jumps. The
    questions are those of a plain tree.

    Do not use it where the target really jumps at a threshold, or where a row must follow one rule
    alone.

    Parameters
    ----------
    width
        How far thresholds reach, in standard deviations of the column in the node. "auto"
        (default): chosen by folds, then for each node; 0: a plain tree.
    max_depth
        Maximum depth: tests on the longest path; None (default): any depth.
    min_samples_leaf
        Minimum number of rows of a branch. Default 1.
    n_folds
        The number of folds by which the width is chosen. Default 5.
    random_state
        The seed of folds. Default 0.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    Attributes
    ----------
    tree_
        The tests, as arrays.
    margins_
        How far the threshold of each node reaches to each side; 0: rows go one way.
    values_
        The mean of each leaf, refitted by the shares of the rows.
    factor_
        The width as given or chosen by folds.

    See Also
    --------
    DecisionTreeRegressor

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import SoftTreeRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(SoftTreeRegressor(max_depth=3).fit(X, y).score(X, y), 2)
    0.84
    """

    _opposite = "branchline.tree.SoftTreeClassifier"

    def __init__(
        self,
        *,
        width: float | str = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        n_folds: int = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.width = width
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree, prune it, and make its thresholds soft."""
        data = self._begin(X, y, sample_weight)
        return self._finish(data, **self._fit_soft(data, 0))

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean of each row's leaves, weighted by its shares."""
        predicted: Floats = self._averages(X)[:, 0]
        return predicted

    def _pack(self) -> FittedState:
        return dict(self._pack_soft())

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return self._unpack_soft(state, unpack_tree(state, schema, n_classes=None))
