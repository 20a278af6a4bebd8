"""What all forests share: fitting tree by tree, out-of-bag estimates, reading, saving.

1. The table is coded once; trees are grown side by side (``_growth``), each on its own bag.
2. ``n_estimators="auto"`` grows as many as are worth it (``_how_many_trees``); a time budget ends
   growing between trees.
3. Rows that a tree has not seen measure it (``_out_of_bag``): score, importances, intervals.
4. The answer for a row is the mean over trees of what its leaves hold.
"""

import copy
import time
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline import errors
from branchline._arrays import Floats
from branchline._base import Complexity, FittedState, Predictor
from branchline._explanation import Explanation
from branchline._intervals import Interval
from branchline._state import malformed, number_from_state, numbers_from_state
from branchline._trees._costs import decide
from branchline._trees._draws import Draws
from branchline._trees._few_rows import are_few_floats, are_plain_numbers
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._forest_state import pack_forest
from branchline._validation import TrainingData, Whole, check_parameters, check_seed, count_threads
from branchline.errors import ParameterError, Repair
from branchline.forest._explaining import explain_by_paths
from branchline.forest._growth import OutOfBag, begin_growth
from branchline.forest._how_many_trees import grow_enough, grow_given
from branchline.forest._importance import corrected_importances, impurity_importances
from branchline.forest._kernel import forest_kernel, proximity
from branchline.forest._many_trees import Grown, Trees, old_trees
from branchline.forest._oob_importance import OobImportance, importance_out_of_bag
from branchline.forest._out_of_bag import oob_interval, oob_rows
from branchline.forest._settings import ForestSettings
from branchline.forest._single_tree import single_tree
from branchline.table import Schema, Table

__all__ = ["Forest"]

Nodes = npt.NDArray[np.int32]

# Training data of up to this number of cells are remembered, for importances by shuffling.
_CELLS_TO_REMEMBER = 2**26


class Forest(Predictor):
    """Fitting, prediction, reading and saving of a forest."""

    n_estimators: Any
    criterion: str
    random_state: Any
    n_jobs: int | None
    oob_score: bool
    time_budget: float | None
    warm_start: bool
    max_features: Any
    forest_: ForestArrays
    feature_importances_: Floats
    oob_score_: float | None
    _takes_floats: bool
    _random_thresholds: ClassVar[bool] = False
    _copies_of_columns_count: ClassVar = True
    _left_out_of_files: ClassVar = frozenset(
        {"oob_decision_function_", "oob_prediction_", "oob_votes_"}
    )

    # -- fitting ------------------------------------------------------------------------------

    def _n_steps(self) -> int | None:
        return self.n_estimators if isinstance(self.n_estimators, int) else None

    def _forget(self) -> None:
        """Remove what an earlier fit left; with a warm start, put its trees aside first."""
        kept = self.__dict__.get("_remembered")
        if self.warm_start is True and kept is not None and "forest_" in self.__dict__:
            self.__dict__["_warm"] = kept
        super()._forget()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        for name in ("_remembered", "_warm"):  # the training data stay where they were
            state.pop(name, None)
        return state

    def _grow(self, data: TrainingData, draws: Draws, class_factor: Floats | None) -> Grown:
        begin = time.monotonic()
        parameters = {**self.get_params(deep=False), "random_thresholds": self._random_thresholds}
        settings = ForestSettings.from_parameters(parameters)
        warm: Grown | None = self.__dict__.pop("_warm", None)
        warm = warm if self.warm_start else None
        seed = check_seed(self.random_state)
        if warm is not None and self.random_state is None:
            seed = int(warm.growth.bag.seed)
        n_threads = count_threads(self.n_jobs, data.n_cells * 8)
        growth = begin_growth(
            data, draws, settings, seed=seed, n_threads=n_threads, class_factor=class_factor
        )
        trees = Trees(self, growth, n_threads, old_trees(warm, growth), begin)
        if self.n_estimators == "auto":
            grow_enough(trees)
        else:
            grow_given(trees, self.n_estimators)
        return Grown(growth, trees.forest.ready(), trees.predicted, trees.gains)

    def _common(self, data: TrainingData, grown: Grown) -> dict[str, Any]:
        """Return the fitted attributes that every forest has."""
        n_columns = data.table.n_columns
        oob = grown.predicted if self.oob_score else None
        if oob is not None and oob.is_known.any():
            raw, shares = corrected_importances(grown.forest, oob.leaf_units, n_columns)
        else:
            total = grown.gains.sum()
            raw = shares = grown.gains / total if total > 0 else np.zeros(n_columns)
        return {
            "forest_": grown.forest,
            "feature_importances_": shares,
            "raw_importances_": raw,
            "n_estimators_": grown.forest.n_trees,
            "_takes_floats": are_plain_numbers(data.table.schema),
            "_remembered": grown if self.warm_start or data.n_cells <= _CELLS_TO_REMEMBER else None,
        }

    # -- rows go down -------------------------------------------------------------------------

    def apply(self, X: Any) -> Nodes:
        """Return the node that each row ends in: a column for each tree."""
        rows = self._check_rows(X)
        return self.forest_.find_leaves(rows.table, count_threads(self.n_jobs, rows.n_cells))

    def _mean(self, X: Any) -> Floats:
        """Return for each row the mean over trees of its leaves' values."""
        few = self._mean_of_few(X)
        if few is not None:
            return few
        rows = self._check_rows(X)
        n_cells = rows.table.n_rows * self.forest_.n_trees  # steps, not cells, are the work
        return self.forest_.average(rows.table, count_threads(self.n_jobs, n_cells))

    def _mean_of_few(self, X: Any) -> Floats | None:
        """Return the same for a few rows of plain floats without making a table; else None."""
        if not self.__dict__.get("_takes_floats") or not are_few_floats(X, self.n_features_in_):
            return None
        return self.forest_.average_of_few(X)

    def _first_trees(self, n_trees: int) -> Self:
        """Return the forest as it was after its first trees, to predict with."""
        twin = copy.copy(self)
        twin.__dict__["forest_"] = self.forest_.first(n_trees).ready()
        return twin

    def _oob_of_first(self, n_trees: int) -> tuple[npt.NDArray[Any], Floats] | None:
        """Return truth and mean of rows that the first trees had not seen; None if not known."""
        grown: Grown | None = self.__dict__.get("_remembered")
        if grown is None or not grown.growth.leaves_rows_out:
            return None
        n_threads = count_threads(self.n_jobs, grown.growth.data.n_cells * 8)
        oob = grown.growth.out_of_bag(grown.forest.first(n_trees).ready(), 0, n_threads)
        rows = oob_rows(grown.growth.data, oob)
        return (rows.truth, rows.mean) if rows.known.any() else None

    # -- reading ------------------------------------------------------------------------------

    @property
    def impurity_importances_(self) -> Floats:
        """The share of each column in the decrease of impurity on the rows trees were grown on.

        Columns of many values are favored; ``feature_importances_`` is corrected for that.
        """
        self._check_fitted()
        return impurity_importances(self.forest_, len(self.schema_), self.criterion)

    def oob_importance(self, *, n_repeats: int = 5) -> OobImportance:
        """Return what shuffling each column adds to the loss out of bag, with intervals.

        Parameters
        ----------
        n_repeats
            How often each column is shuffled.
        """
        check_parameters("oob_importance", {"n_repeats": n_repeats}, {"n_repeats": Whole(1)})
        grown = self._training("oob_importance()")
        n_threads = count_threads(self.n_jobs, grown.growth.data.n_cells * 8)
        return importance_out_of_bag(
            grown.growth,
            grown.forest,
            self._out_of_bag(grown),
            self.__dict__.get("_costs"),
            n_repeats=n_repeats,
            n_threads=n_threads,
        )

    @property
    def oob_interval_(self) -> Interval | None:
        """The out-of-bag score with its 95 % interval, as of a score by cross-validation.

        None where every tree has seen every row. Not there in a model that was saved: it does not
        hold the training rows.
        """
        grown = self._training("oob_interval_")
        try:
            oob = self._out_of_bag(grown)
        except errors.ParameterError:
            return None
        mean = oob.mean[oob.is_known]
        decided = decide(mean, self.__dict__.get("_costs")) if hasattr(self, "classes_") else None
        return oob_interval(grown.growth.data, oob, decided)

    def proximity(self, X: Any, Z: Any = None) -> Floats:
        """Return the share of trees in which two rows end in the same leaf.

        ``Z=None`` compares the rows of X with one another.
        """
        mine = self.apply(X)
        return proximity(mine, mine if Z is None else self.apply(Z), self.forest_.n_nodes)

    def kernel(self, X: Any, Z: Any = None) -> Floats:
        """Return the forest as a kernel: the mean over trees of 1 / weight of a shared leaf.

        With Z the training rows of a forest without bootstrap, the sum of their targets times the
        kernel is the prediction. ``Z=None`` compares the rows of X with one another.
        """
        mine = self.apply(X)
        return forest_kernel(self.forest_, mine, mine if Z is None else self.apply(Z))

    def _training(self, call: str) -> Grown:
        self._check_fitted()
        grown: Grown | None = self.__dict__.get("_remembered")
        if grown is None:
            raise errors.NotFittedError(
                f"This {type(self).__name__} no longer has the rows it was fitted on: models that "
                "were saved, copied or fitted on more than 67 million cells do not keep them.",
                code="N002",
                repair=Repair(f"model.fit(X, y).{call}"),
            )
        return grown

    def _out_of_bag(self, grown: Grown) -> OutOfBag:
        """Return what trees predict for rows they have not seen, made anew when it was not kept."""
        n_threads = count_threads(self.n_jobs, grown.growth.data.n_cells * 8)
        oob = grown.predicted or grown.growth.out_of_bag(grown.forest, 0, n_threads)
        if not oob.is_known.any():
            raise _nothing_unseen(type(self).__name__)
        return oob

    def get_depth(self) -> int:
        """Return the depth of the deepest tree."""
        self._check_fitted()
        return int(self.forest_.depths().max())

    def _explain(self, row: Table) -> Explanation:
        prediction = self.predict(row)[0]
        return explain_by_paths(self.forest_, row, prediction, self.__dict__.get("classes_"))

    def _complexity(self) -> Complexity:
        return Complexity(int(self.forest_.n_leaves.sum()), "leaves")

    def _as_tree(self, kind: type[Any], number: Any, **fitted: Any) -> Any:
        """Return one tree as an estimator of its own."""
        return single_tree(self, kind, number, **fitted)

    # -- saving -------------------------------------------------------------------------------

    def _pack_common(self) -> dict[str, Any]:
        score = self.__dict__.get("oob_score_")
        return {
            **pack_forest(self.forest_),
            "importances": self.feature_importances_,
            "raw_importances": self.raw_importances_,
            "oob_score": score,
        }

    def _unpack_common(self, state: FittedState, schema: Schema, forest: Any) -> dict[str, Any]:
        shares = numbers_from_state(state, "importances", length=len(schema), low=0.0)
        raw = numbers_from_state(state, "raw_importances", length=len(schema))
        if shares.sum() > 0 and abs(shares.sum() - 1) > 1e-6:
            raise malformed("importances do not sum to 1")
        score = None if state.get("oob_score") is None else number_from_state(state, "oob_score")
        if score is not None and not (score <= 1.0 and (self._task == "regression" or score >= 0)):
            raise malformed("'oob_score' is out of range")
        return {
            "forest_": forest,
            "feature_importances_": shares,
            "raw_importances_": raw,
            "n_estimators_": forest.n_trees,
            "oob_score_": score,
            "_takes_floats": are_plain_numbers(schema),
        }


def _nothing_unseen(name: str) -> errors.BranchlineError:
    return ParameterError(
        f"Every tree of this {name} has seen every row, so there are no out-of-bag predictions.",
        code="P142",
        repair=Repair("model.set_params(bootstrap=True)"),
    )
