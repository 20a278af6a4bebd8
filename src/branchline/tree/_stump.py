"""A tree of one test: the stump.

1. Code the table with exact ranks (``branchline._codes``).
2. Count each code's share of the target and find the best test of all columns
   (``native/include/branchline/find_test.hpp`` states the rules).
3. Keep one leaf a branch: class frequencies or mean.

Missing values go to the side that makes the test better; unseen categories follow them.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline import _core
from branchline._base import Classifier, Estimator, FittedState, Regressor, reports_progress
from branchline._codes import fit_codes
from branchline._dtypes import UNITS
from branchline._fixed_point import FixedPoint, fixed_point
from branchline._state import classes_from_state, classes_to_state
from branchline._validation import (
    ClassTarget,
    OneOf,
    RowWeights,
    TrainingData,
    Whole,
    count_threads,
)
from branchline.table import Schema
from branchline.tree._one_test import CRITERIA, grow_one_test
from branchline.tree._text import tree_to_text
from branchline.tree._tree_arrays import TreeArrays

__all__ = ["StumpClassifier", "StumpRegressor"]


class _Stump(Estimator):
    """What both stumps share: the search, reading and saving."""

    split: str
    min_samples_leaf: int
    n_jobs: int | None
    tree_: TreeArrays

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the node that each row ends in: 0 when it stays at the root."""
        rows = self._check_rows(X)
        return self.tree_.find_leaves(rows.table, count_threads(self.n_jobs, rows.n_cells))

    def to_text(self) -> str:
        """Return the stump as text: its test, and a line for each branch."""
        self._check_fitted()
        return tree_to_text(self.tree_, self.schema_, getattr(self, "classes_", None))

    def _grow(
        self, data: TrainingData, criterion: str, target: _core.SearchTarget, summarise: Any
    ) -> TreeArrays:
        n_threads = count_threads(self.n_jobs, data.n_cells)
        codes = fit_codes(data.table, units=data.weights.units, n_threads=n_threads)
        options = _core.SearchOptions()
        options.criterion = CRITERIA[criterion]
        options.multiway = self.split == "multiway"
        options.min_branch_units = data.weights.at_least(self.min_samples_leaf)
        options.n_threads = n_threads
        return grow_one_test(codes, target, options, summarise)


class StumpClassifier(Classifier, _Stump):
    """Predict a class with a single test of a single column.

    Parameters
    ----------
    criterion
        What the test should lower most: "gini", "entropy" or "misclassification".
    split
        "binary": x ≤ t for numbers, x ∈ S for categories; "multiway": a branch for each category.
    min_samples_leaf
        The fewest rows in a branch; in a multiway test rarer categories share one, which may be
        smaller. Rows count by weight: whole weights as copies, others rescaled to a mean of 1.
    n_jobs
        Threads; None for all cores. The result does not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    tree_
        The fitted tree, as arrays.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import StumpClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> print(StumpClassifier().fit(X, y).to_text())
    petal_length ≤ 2.45
      yes: setosa 100 % of 50
      no or missing: versicolor 50 % of 100
    """

    _opposite = "branchline.tree.StumpRegressor"
    _constraints: ClassVar = {
        "criterion": OneOf(("gini", "entropy", "misclassification")),
        "split": OneOf(("binary", "multiway")),
        "min_samples_leaf": Whole(1),
    }

    def __init__(
        self,
        *,
        criterion: str = "gini",
        split: str = "binary",
        min_samples_leaf: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.split = split
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best test."""
        data = self._begin(X, y, sample_weight)
        target, weights = data.class_target, data.weights
        search = _core.SearchTarget(target.class_of_row, None, weights.units, target.n_classes)
        summarise = _ClassFrequencies(target, weights)
        tree = self._grow(data, self.criterion, search, summarise)
        return self._finish(data, classes_=target.classes, tree_=tree)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class frequencies of each row's branch."""
        nodes = self.apply(X)
        return self.tree_.value[nodes]

    def _pack(self) -> FittedState:
        return {"classes": classes_to_state(self.classes_), **self.tree_.to_state()}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        return {
            "classes_": classes,
            "tree_": TreeArrays.from_state(state, schema, n_classes=len(classes), max_depth=1),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one test cannot solve scikit-learn's examples
        return tags


class StumpRegressor(Regressor, _Stump):
    """Predict a number with a single test of a single column.

    Parameters
    ----------
    split
        "binary": x ≤ t for numbers, x ∈ S for categories; "multiway": a branch for each category.
    min_samples_leaf
        The fewest rows in a branch; in a multiway test rarer categories share one, which may be
        smaller. Rows count by weight: whole weights as copies, others rescaled to a mean of 1.
    n_jobs
        Threads; None for all cores. The result does not depend on it.

    Attributes
    ----------
    tree_
        The fitted tree, as arrays.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import StumpRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> print(StumpRegressor().fit(X, y).to_text())
    cylinders
      3, 6, 8: 17.289 (mean of 191)
      4, 5 or missing: 29.2589 (mean of 207)
    """

    _opposite = "branchline.tree.StumpClassifier"
    _constraints: ClassVar = {
        "split": OneOf(("binary", "multiway")),
        "min_samples_leaf": Whole(1),
    }

    def __init__(
        self,
        *,
        split: str = "binary",
        min_samples_leaf: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.split = split
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best test."""
        data = self._begin(X, y, sample_weight)
        weights = data.weights
        numbers = fixed_point(data.number_target.values, weights)
        search = _core.SearchTarget(None, numbers.sums, weights.units, 0)
        tree = self._grow(data, "variance", search, _Means(numbers, weights))
        return self._finish(data, tree_=tree)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean of each row's branch."""
        nodes = self.apply(X)
        means: npt.NDArray[np.float64] = self.tree_.value[nodes, 0]
        return means

    def _pack(self) -> FittedState:
        return self.tree_.to_state()

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        return {"tree_": TreeArrays.from_state(state, schema, n_classes=None, max_depth=1)}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


class _ClassFrequencies:
    """The weight and the class frequencies of each branch."""

    def __init__(self, target: ClassTarget, weights: RowWeights) -> None:
        self._target, self._weights = target, weights

    def __call__(self, branch_of_row: npt.NDArray[np.int32], n_branches: int) -> Any:
        n_classes = self._target.n_classes
        cell = branch_of_row * np.int64(n_classes) + self._target.class_of_row
        # Units are whole numbers with a sum below 2^53, so these float sums are exact.
        counts = np.bincount(cell, self._weights.units, minlength=n_branches * n_classes)
        counts = counts.reshape(n_branches, n_classes)
        total = counts.sum(axis=1)
        return total * self._weights.unit, counts / total[:, None]


class _Means:
    """The weight and the mean of each branch."""

    def __init__(self, numbers: FixedPoint, weights: RowWeights) -> None:
        self._numbers, self._weights = numbers, weights

    def __call__(self, branch_of_row: npt.NDArray[np.int32], n_branches: int) -> Any:
        sums = np.zeros(n_branches, dtype=UNITS)
        np.add.at(sums, branch_of_row, self._numbers.sums)
        units = np.bincount(branch_of_row, self._weights.units, minlength=n_branches)
        weight = units * self._weights.unit
        means = [
            self._numbers.mean(int(total), float(each))
            for total, each in zip(sums, weight, strict=True)
        ]
        return weight, np.array(means)[:, None]
