"""What both soft trees share: fitting margins, sharing rows, saving."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState
from branchline._canonical_rows import canonical_rows
from branchline._folds import fold_rows
from branchline._state import (
    are_frequencies,
    malformed,
    numbers_from_state,
)
from branchline._trees._tree_arrays import THRESHOLD_TEST, TreeArrays
from branchline._trees._tree_state import pack_tree
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

__all__ = ["SoftTree"]

_NONE = OneOf((None,))


class SoftTree(LeafModelTree):
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
        return _fitted(tree, margins, np.ldexp(value, targets.exponent), factor)

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

    def _reads_as_sum(self) -> bool:
        return False

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
    soft = replace(tree, notes=SoftThresholds(margins, tree.threshold))
    soft.__dict__["value"] = value  # readers show the leaves as they were refitted
    return {
        "tree_": soft,
        "margins_": margins,
        "values_": value,
        "factor_": float(factor),
    }
