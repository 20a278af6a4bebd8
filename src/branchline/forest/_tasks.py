"""Forests that predict classes, and forests that predict numbers: what each kind adds.

*Classes*: the mean over trees of class frequencies; costs of errors take part in growing and
deciding. *Numbers*: the mean over trees; intervals from out-of-bag residuals; quantiles from the
targets that each leaf holds (Meinshausen, 2006, Quantile regression forests).
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from branchline._base import Classifier, FittedState, Regressor, reports_progress
from branchline._state import classes_from_state, classes_to_state, malformed, numbers_from_state
from branchline._trees._costs import (
    check_costs,
    class_factors,
    costs_from_state,
    decide,
)
from branchline._trees._counts import check_counts
from branchline._trees._draws import Draws, draws_of
from branchline._trees._forest_state import unpack_forest
from branchline._validation import Real, TrainingData, check_parameters
from branchline.errors import ParameterError, Repair
from branchline.forest._forest import Forest
from branchline.forest._many_trees import Grown
from branchline.forest._out_of_bag import oob_rows, oob_score
from branchline.forest._quantiles import (
    LeafTargets,
    leaf_targets,
    pack_leaf_targets,
    quantiles,
    unpack_leaf_targets,
)
from branchline.table import Schema
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["ForestClassifier", "ForestRegressor"]

Floats = npt.NDArray[np.float64]

# Residuals are remembered by this number of quantiles.
_N_RESIDUALS = 1001


class ForestClassifier(Forest, Classifier):
    """What forests of classes share."""

    class_weight: Any
    costs: Any
    classes_: npt.NDArray[Any]
    oob_decision_function_: Floats
    _costs: Floats | None

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees."""
        data, draws = draws_of(self._begin(X, y, sample_weight), self.class_weight)
        costs = check_costs(self.costs, data.class_target.classes)
        grown = self._grow(data, draws, class_factors(costs))
        fitted = {**self._common(data, grown), "oob_score_": None}
        if self.oob_score and grown.predicted is not None:
            oob = grown.predicted
            decided = decide(oob.mean[oob.is_known], costs)
            fitted["oob_decision_function_"] = draws.aligned(oob.mean)
            fitted["oob_score_"] = oob_score(data, oob, decided)
        elif self.oob_score:
            fitted["oob_decision_function_"] = _all_seen(
                data, draws, len(data.class_target.classes)
            )
        return self._finish(data, classes_=data.class_target.classes, _costs=costs, **fitted)

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean over trees of the class frequencies in each row's leaves."""
        self._check_fitted()
        return self._mean(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row (with costs: of least expected cost)."""
        best = decide(self.predict_proba(X), self._costs)
        names: npt.NDArray[Any] = self.classes_[best]
        return names

    def oob_metric(
        self, metric: Callable[..., Any], *, probabilities: bool = False, **options: Any
    ) -> Any:
        """Return any metric of the out-of-bag predictions, ``metric(truth, predicted)``.

        Parameters
        ----------
        metric
            A function such as those of ``sklearn.metrics``.
        probabilities
            Give it probabilities (of two classes: of the second) instead of classes.
        **options
            Handed on to the metric.

        Examples
        --------
        >>> from sklearn.metrics import f1_score
        >>> from branchline import load_dataset
        >>> from branchline.forest import RandomForestClassifier
        >>> X, y = load_dataset("german-credit").split_target("class")
        >>> model = RandomForestClassifier().fit(X, y)
        >>> round(model.oob_metric(f1_score, pos_label="bad"), 1)
        0.5
        """
        truth, mean = self._oob_truth_and_mean("oob_metric(…)")
        if probabilities:
            return metric(truth, mean[:, 1] if mean.shape[1] == 2 else mean, **options)
        return metric(truth, self.classes_[decide(mean, self._costs)], **options)

    def oob_confusion(self) -> npt.NDArray[np.float64]:
        """Return the weight of rows of each class (rows) that is decided for each (columns).

        Whole weights count as they are, others scaled to a mean of 1.
        """
        self._oob_truth_and_mean("oob_confusion()")
        grown = self._training("oob_confusion()")
        oob = self._out_of_bag(grown)
        rows = oob_rows(grown.growth.data, oob)
        table = np.zeros((len(self.classes_),) * 2)
        np.add.at(table, (rows.truth, decide(rows.mean, self._costs)), rows.weight)
        return table

    def _oob_truth_and_mean(self, call: str) -> tuple[npt.NDArray[Any], Floats]:
        grown = self._training(call)
        rows = oob_rows(grown.growth.data, self._out_of_bag(grown))
        return self.classes_[rows.truth], rows.mean

    def tree(self, number: int) -> DecisionTreeClassifier:
        """Return one of the trees, to be read, drawn or followed."""
        self._check_fitted()
        model: DecisionTreeClassifier = self._as_tree(
            DecisionTreeClassifier, number, classes_=self.classes_, _costs=self._costs
        )
        model.decision_ = decide(model.tree_.value, self._costs)
        return model

    def _pack(self) -> FittedState:
        packed = {"classes": classes_to_state(self.classes_), **self._pack_common()}
        return packed if self._costs is None else {**packed, "costs": self._costs}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        forest = unpack_forest(state, schema, n_classes=len(classes))
        return {
            "classes_": classes,
            "_costs": costs_from_state(state, classes),
            **self._unpack_common(state, schema, forest),
        }


def _all_seen(data: TrainingData, draws: Draws, n_values: int) -> Floats:
    """Return the out-of-bag predictions where every tree has seen every row: NaN for all rows."""
    return draws.aligned(np.full((data.table.n_rows, n_values), np.nan))


class ForestRegressor(Forest, Regressor):
    """What forests of numbers share."""

    _multi_output = True
    keep_targets: bool
    n_outputs_: int
    oob_prediction_: Floats
    _residuals: Floats | None
    _leaf_targets: LeafTargets | None

    def _check_parameters(self) -> None:
        if self.criterion == "absolute_error":
            raise _no_medians(type(self).__name__)
        super()._check_parameters()

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees."""
        data, draws = draws_of(self._begin(X, y, sample_weight))
        if self.criterion == "poisson":
            check_counts(data.number_target)
        n_outputs = data.number_target.matrix.shape[1]
        self._refuse_several(n_outputs)
        grown = self._grow(data, draws, None)
        fitted = {**self._common(data, grown), "_residuals": None, "oob_score_": None}
        if self.oob_score and grown.predicted is not None:
            oob = grown.predicted
            mean = oob.mean[:, 0] if n_outputs == 1 else oob.mean
            fitted["oob_prediction_"] = draws.aligned(mean)
            fitted["oob_score_"] = oob_score(data, oob, None)
            fitted["_residuals"] = _residuals(grown) if n_outputs == 1 else None
        elif self.oob_score:
            unknown = _all_seen(data, draws, n_outputs)
            fitted["oob_prediction_"] = unknown[:, 0] if n_outputs == 1 else unknown
        fitted["_leaf_targets"] = self._targets_of_leaves(grown) if self.keep_targets else None
        return self._finish(data, n_outputs_=n_outputs, **fitted)

    def predict(self, X: Any) -> Floats:
        """Return the mean over trees: a row for each case, a column for each output."""
        self._check_fitted()
        mean = self._mean(X)
        return mean[:, 0] if self.n_outputs_ == 1 else mean

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Return intervals that hold the truth of new rows with a given probability.

        The residuals of training rows, each predicted by trees that have not seen it, are added to
        the prediction: on average over rows like the training rows, ``coverage`` of all truths lie
        inside. The width is the same for every row; ``predict_quantiles`` fits it to each.

        Parameters
        ----------
        X
            The rows.
        coverage
            The share of truths that should lie inside.

        Returns
        -------
        One row per case: lower and upper bound.
        """
        allowed = {"coverage": Real(0.0, 1.0, low_open=True)}
        check_parameters("predict_interval", {"coverage": coverage}, allowed)
        center = self.predict(X)
        if self._residuals is None:
            raise _no_residuals(type(self).__name__)
        tails = [(1 - coverage) / 2, (1 + coverage) / 2]
        low, high = np.interp(tails, np.linspace(0, 1, len(self._residuals)), self._residuals)
        return np.column_stack([center + low, center + high])

    def predict_quantiles(
        self, X: Any, probabilities: Sequence[float] = (0.05, 0.5, 0.95)
    ) -> Floats:
        """Return quantiles of the target for each row, from the targets in its leaves.

        Needs ``keep_targets=True``.

        Parameters
        ----------
        X
            The rows.
        probabilities
            Which quantiles, as numbers from 0 to 1.

        Returns
        -------
        One row per case, a column a quantile.
        """
        leaves = self.apply(X)
        if self._leaf_targets is None:
            raise ParameterError(
                "Quantiles need the targets of each leaf, which this forest has not kept.",
                code="P146",
                repair=Repair("model.set_params(keep_targets=True).fit(X, y)"),
            )
        for probability in probabilities:
            allowed = {"probabilities": Real(0.0, 1.0)}
            check_parameters("predict_quantiles", {"probabilities": probability}, allowed)
        return quantiles(self.forest_, self._leaf_targets, leaves, list(probabilities))

    def oob_metric(self, metric: Callable[..., Any], **options: Any) -> Any:
        """Return any metric of the out-of-bag predictions, ``metric(truth, predicted)``."""
        grown = self._training("oob_metric(…)")
        rows = oob_rows(grown.growth.data, self._out_of_bag(grown))
        if self.n_outputs_ == 1:
            return metric(rows.truth[:, 0], rows.mean[:, 0], **options)
        return metric(rows.truth, rows.mean, **options)

    def tree(self, number: int) -> DecisionTreeRegressor:
        """Return one of the trees, to be read, drawn or followed."""
        self._check_fitted()
        model: DecisionTreeRegressor = self._as_tree(
            DecisionTreeRegressor, number, n_outputs_=self.n_outputs_
        )
        return model

    def _refuse_several(self, n_outputs: int) -> None:
        if self.keep_targets and n_outputs > 1:
            raise ParameterError(
                f"Quantiles are of one number; the target has {n_outputs}.",
                code="P146",
                repair=Repair("model.set_params(keep_targets=False)"),
            )

    def _targets_of_leaves(self, grown: Grown) -> LeafTargets:
        growth, data = grown.growth, grown.growth.data
        leaves = grown.forest.find_leaves(data.table, 1)
        targets = data.number_target.matrix[:, 0]
        return leaf_targets(
            grown.forest, leaves, growth.counts_of_tree, targets, growth.draws.units
        )

    def _pack(self) -> FittedState:
        packed = {"n_outputs": self.n_outputs_, **self._pack_common()}
        if self._residuals is not None:
            packed["residuals"] = self._residuals
        if self._leaf_targets is not None:
            packed["leaf_targets"] = pack_leaf_targets(self._leaf_targets)
        return packed

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        n_outputs = state.get("n_outputs")
        if type(n_outputs) is not int or not 1 <= n_outputs <= 2**20:
            raise malformed("'n_outputs' is not a whole number of at least 1")
        forest = unpack_forest(state, schema, n_classes=None, n_outputs=n_outputs)
        residuals = targets = None
        if "residuals" in state:
            residuals = numbers_from_state(state, "residuals", length=_N_RESIDUALS)
            if (np.diff(residuals) < 0).any() or n_outputs != 1:
                raise malformed("'residuals' are not in order")
        if "leaf_targets" in state:
            targets = unpack_leaf_targets(state["leaf_targets"], forest)
        return {
            "n_outputs_": n_outputs,
            "_residuals": residuals,
            "_leaf_targets": targets,
            **self._unpack_common(state, schema, forest),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags


def _residuals(grown: Grown) -> Floats | None:
    """Return quantiles of what the truth is above the out-of-bag prediction."""
    assert grown.predicted is not None
    rows = oob_rows(grown.growth.data, grown.predicted)
    if not rows.known.any():
        return None
    with np.errstate(over="ignore"):
        residual = rows.truth[:, 0] - rows.mean[:, 0]
    order = np.argsort(residual, kind="stable")
    weight = rows.weight[order]
    place = (np.cumsum(weight) - weight / 2) / weight.sum()
    most = np.finfo(np.float64).max
    sorted_residual = np.clip(residual[order], -most, most)
    return np.interp(np.linspace(0, 1, _N_RESIDUALS), place, sorted_residual)


def _no_residuals(name: str) -> ParameterError:
    return ParameterError(
        f"Intervals come from rows that trees have not seen; this {name} has none of them, or more "
        "than one output.",
        code="P142",
        repair=Repair("model.set_params(bootstrap=True, oob_score=True).fit(X, y)"),
    )


def _no_medians(name: str) -> ParameterError:
    """Return the error of a criterion that single trees have, and forests do not."""
    return ParameterError(
        f"{name} grows its trees from sums of rows, of which medians do not consist; "
        "criterion='absolute_error' is a criterion of DecisionTreeRegressor. BaggingRegressor "
        "averages such trees.",
        code="P780",
        values=["absolute_error"],
        repair=Repair(
            "from branchline.ensemble import BaggingRegressor\n"
            "from branchline.tree import DecisionTreeRegressor\n"
            "tree = DecisionTreeRegressor(criterion='absolute_error', prune=None)\n"
            "model = BaggingRegressor(estimator=tree, n_estimators=100)"
        ),
    )
