"""Soft trees: a crisp tree whose thresholds have margins, within which rows go both ways.

1. Grow and prune a tree as ``DecisionTreeClassifier`` does; missing values are shared by weights.
2. Fit the margins of its thresholds (``soft/_fit_margins``): a common factor by folds, then each
   node's own; margins may stay 0.
3. Refit the leaves by the shares of the rows.
4. Predict the mean of a row's leaves, weighted by its shares (``soft/_soft_thresholds``).
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._canonical_rows import canonical_rows
from branchline._folds import fold_rows
from branchline._state import (
    are_frequencies,
    classes_from_state,
    classes_to_state,
    malformed,
    numbers_from_state,
)
from branchline._trees._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline._trees._tree_state import pack_tree, unpack_tree
from branchline._validation import (
    AnyOf,
    Constraint,
    OneOf,
    Real,
    TrainingData,
    Whole,
    check_seed,
    count_threads,
)
from branchline.table import Schema
from branchline.tree._leaf_model_tree import LeafModelTree
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.pruning._methods import grow_and_prune
from branchline.tree.reading._paths import Path
from branchline.tree.soft._fit_margins import (
    Targets,
    choose_factor,
    margins_of,
    refine_margins,
    refitted,
)
from branchline.tree.soft._soft_thresholds import SoftThresholds, leaf_shares, soft_values

__all__ = ["SoftTreeClassifier", "SoftTreeRegressor"]

_NONE = OneOf((None,))


class _SoftTree(LeafModelTree):
    """What both soft trees share."""

    _constraints: ClassVar[dict[str, Constraint]] = {
        "width": AnyOf((OneOf(("auto",)), Real(0.0, 10.0))),
        "max_depth": AnyOf((_NONE, Whole(1))),
        "min_samples_leaf": Whole(1),
        "n_folds": Whole(2),
    }
    # Shares are added up as floats.
    _tolerance = 1e-9
    width: Any
    max_depth: int | None
    min_samples_leaf: int
    n_folds: int
    random_state: Any
    margins_: Floats
    values_: Floats
    factor_: float

    # -- fitting --------------------------------------------------------------------------------

    def _fit_soft(self, data: TrainingData, n_classes: int) -> dict[str, Any]:
        n_threads = count_threads(self.n_jobs, data.n_cells)
        rows = canonical_rows(data, merge=True, n_threads=n_threads)
        seed = check_seed(self.random_state)
        tree = self._crisp(rows, seed, n_threads)
        targets = Targets.of(rows, n_classes)
        factor = self._factor(rows, n_classes, seed, n_threads)
        margins = margins_of(tree, rows.table, targets.weight, factor)
        if self.width == "auto":
            margins = refine_margins(tree, margins, rows.table, targets)
        value = refitted(tree, margins, rows.table, targets)
        return _fitted(tree, margins, value, factor)

    def _crisp(self, rows: TrainingData, seed: int, n_threads: int) -> TreeArrays:
        settings = TreeSettings.from_parameters(
            {
                "criterion": "gini" if self._task == "classification" else "variance",
                "missing": "fractional",
                "max_depth": self.max_depth,
                "min_samples_leaf": self.min_samples_leaf,
                "correct_for_chance": True,
            }
        )
        growth = begin_growth(rows, settings, n_threads, None)
        return grow_and_prune(growth, None, settings, seed).tree

    def _factor(self, rows: TrainingData, n_classes: int, seed: int, n_threads: int) -> float:
        """Return the factor of margins as given, or the one of the least held-out loss."""
        if not isinstance(self.width, str):
            return float(self.width)
        if rows.table.n_rows < 2 * self.n_folds:
            return 0.0
        trials = []
        for fold in fold_rows(rows).split(self.n_folds, seed):
            learn, test = fold.learning(rows), fold.testing(rows)
            tree = self._crisp(learn, seed, n_threads)
            if tree.n_nodes > 1:
                known = (learn.table, Targets.of(learn, n_classes))
                trials.append((tree, *known, test.table, Targets.of(test, n_classes)))
        return choose_factor(trials)[0] if trials else 0.0

    # -- predicting -----------------------------------------------------------------------------

    def _averages(self, X: Any) -> Floats:
        rows = self._check_rows(X)
        return soft_values(self.tree_, self.margins_, rows.table, self.values_)

    def memberships(self, X: Any) -> Floats:
        """Return the share of each row in each leaf (in the order of nodes); rows sum to 1."""
        rows = self._check_rows(X)
        leaves = np.flatnonzero(self.tree_.is_leaf)
        shares = np.zeros((rows.table.n_rows, len(leaves)))
        for leaf, here, share in leaf_shares(self.tree_, self.margins_, rows.table):
            shares[here, np.searchsorted(leaves, leaf)] = share
        return shares

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the leaf of the largest share of each row."""
        leaves = np.flatnonzero(self.tree_.is_leaf).astype(np.int32)
        found: npt.NDArray[np.int32] = leaves[np.argmax(self.memberships(X), axis=1)]
        return found

    def _with_prediction(self, path: Path, row: Any) -> Path:
        return super()._with_prediction(replace(path, answer=self._answer(path)), row)

    @staticmethod
    def _answer(path: Path) -> str:
        n_ends = len(path.ends)
        return path.ends[0].words if n_ends == 1 else f"the average of {n_ends} leaves"

    # -- saving ---------------------------------------------------------------------------------

    def _pack_soft(self) -> dict[str, Any]:
        leaf = self.tree_.is_leaf
        return {
            **pack_tree(self.tree_),
            "margins": self.margins_,
            "leaf_values": np.ravel(self.values_[leaf]),
            "factor": self.factor_,
        }

    @staticmethod
    def _unpack_soft(state: FittedState, tree: TreeArrays) -> dict[str, Any]:
        margins = numbers_from_state(state, "margins", length=tree.n_nodes, low=0.0)
        is_cut = (tree.kind == THRESHOLD_TEST) & np.isfinite(tree.threshold)
        if (margins[~is_cut] != 0).any():
            raise malformed("a node without a threshold has a margin")
        width = tree.value.shape[1]
        flat = numbers_from_state(state, "leaf_values", length=tree.n_leaves * width)
        value = tree.value.copy()
        value[tree.is_leaf] = flat.reshape(tree.n_leaves, width)
        if tree.is_classification and not are_frequencies(value):
            raise malformed("the values of a leaf are not frequencies with a sum of 1")
        factor = state.get("factor")
        if not isinstance(factor, float) or not 0 <= factor <= 10:
            raise malformed("'factor' is not a number from 0 to 10")
        return _fitted(tree, margins, value, factor)


def _fitted(tree: TreeArrays, margins: Floats, value: Floats, factor: float) -> dict[str, Any]:
    notes = SoftThresholds(margins, tree.threshold)
    return {
        "tree_": replace(tree, notes=notes),
        "margins_": margins,
        "values_": value,
        "factor_": float(factor),
    }


class SoftTreeClassifier(_SoftTree, Classifier):
    """A decision tree with soft thresholds, for classes.

    Near a threshold a row goes both ways: "age ≤ 43 ± 4" sends ages up to 39 one way, from 47 on the
    other, and those between in shares. Probabilities then change smoothly, and a small error of
    measurement cannot flip a prediction. The questions are those of a plain tree.

    Do not use it where thresholds are laws (an age of consent, a dose limit), or where a row must
    follow one rule alone.

    Parameters
    ----------
    width
        How far thresholds reach, in standard deviations of the column in the node. "auto": chosen
        by folds, then for each node; 0: a plain tree.
    max_depth
        Maximum depth: tests on the longest path; None: any depth.
    min_samples_leaf
        Minimum number of rows of a branch.
    n_folds
        The number of folds by which the width is chosen.
    random_state
        The seed of folds.
    n_jobs
        Threads; None for all cores. The result does not depend on it.

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


class SoftTreeRegressor(_SoftTree, Regressor):
    """A decision tree with soft thresholds, for a number.

    Near a threshold a row goes both ways, in shares, so that predictions change without jumps. The
    questions are those of a plain tree.

    Do not use it where the target really jumps at a threshold, or where a row must follow one rule
    alone.

    Parameters
    ----------
    width
        How far thresholds reach, in standard deviations of the column in the node. "auto": chosen
        by folds, then for each node; 0: a plain tree.
    max_depth
        Maximum depth: tests on the longest path; None: any depth.
    min_samples_leaf
        Minimum number of rows of a branch.
    n_folds
        The number of folds by which the width is chosen.
    random_state
        The seed of folds.
    n_jobs
        Threads; None for all cores. The result does not depend on it.

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

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import SoftTreeRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(SoftTreeRegressor(max_depth=3).fit(X, y).score(X, y), 2)
    0.83
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
