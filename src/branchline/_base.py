"""The roots of all estimators: scikit-learn's contract on raw tables.

A fit goes: clear what was fitted before → check parameters → check data (the door) → learn → write
all fitted attributes at once, last. So an interrupted or failed fit leaves the estimator unfitted.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, wraps
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import Tags

from branchline import errors
from branchline._explanation import Explanation, explain_by_leaving_out
from branchline._plain_numbers import count as plain_count
from branchline._prediction_errors import PredictionErrors
from branchline._state import check_restored, column_attributes
from branchline._validation import (
    Constraint,
    Owner,
    PredictionData,
    TrainingData,
    check_parameters,
    check_prediction_data,
    check_training_data,
    check_training_inputs,
    refuse_unknown_parameters,
)
from branchline.errors import ParameterError, Repair
from branchline.table import Schema, Table, as_table, unseen_categories

__all__ = [
    "Classifier",
    "Clusterer",
    "Complexity",
    "Estimator",
    "FittedState",
    "Predictor",
    "Regressor",
    "Transformer",
    "WithoutTarget",
    "one_row",
    "reports_progress",
]

FittedState: TypeAlias = Mapping[str, Any]
Fit = TypeVar("Fit", bound=Callable[..., Any])


@dataclass(frozen=True)
class Complexity:
    """How much there is to read in a model: ``count`` of ``unit`` (leaves, weights, rows)."""

    count: int
    unit: str

    def __str__(self) -> str:
        return plain_count(self.count, self.unit)


# Private attributes that no fit wrote: scikit-learn's own, and what a warm start continues.
_NOT_FITTED = ("_skl", "_metadata", "_callback", "_parent_callback", "_propagated", "_warm")


def reports_progress(fit: Fit) -> Fit:
    """Let scikit-learn's callbacks (``set_callbacks(ProgressBar())``) follow a ``fit`` method.

    A ``fit`` that raises leaves nothing fitted, also when Ctrl-C comes while callbacks are ended.
    Memory that runs out in NumPy is an error of ours, as in the compiled core.
    """
    managed = with_callbacks(fit)

    @wraps(fit)
    def fit_or_forget(estimator: "Estimator", *args: Any, **parameters: Any) -> Any:
        try:
            return managed(estimator, *args, **parameters)
        except BaseException as error:
            estimator._forget()
            if isinstance(error, MemoryError) and not isinstance(error, errors.BranchlineError):
                raise errors.NotEnoughMemoryError from error
            raise

    return cast("Fit", fit_or_forget)


class Estimator(CallbackSupportMixin, BaseEstimator):
    """What every learner shares: parameters, the door, tags, saving.

    A subclass declares ``_constraints`` (one a parameter) and ``_opposite`` (the full name of the
    estimator for the opposite task), writes ``fit`` with ``_begin`` and ``_finish``, and says with
    ``_pack`` and ``_unpack`` which fitted values make up the model.
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {}
    _opposite: ClassVar[str | None]
    _task: ClassVar[Any]
    # A learner whose result depends on the order of rows says so (tests exempt it from one check).
    _learns_in_sequence: ClassVar[bool] = False
    # Whether a regressor may be given several numbers for a row.
    _multi_output: ClassVar[bool] = False
    # How far predictions may be apart when rows are weighted instead of repeated, or predicted one
    # by one: 0 where decisions are taken on integers, more where floats are added (tests use it).
    _tolerance: ClassVar[float] = 0.0
    # Whether a second copy of a column changes the model (distances, products, penalties).
    _copies_of_columns_count: ClassVar[bool] = False
    # Fitted attributes that say something of each training row: no part of the model, so a file
    # does not hold them and a loaded model does not have them.
    _left_out_of_files: ClassVar[frozenset[str]] = frozenset()

    __signature__: ClassVar[inspect.Signature]
    schema_: Schema
    n_features_in_: int
    # Errors on rows not seen, for prediction intervals; absent or None when they are not known.
    prediction_errors_: PredictionErrors | None

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Show the parameters of ``__init__``: early Python 3.11 shows those of ``__new__``."""
        super().__init_subclass__(**arguments)
        if cls.__init__ is not object.__init__:
            parameters = [*inspect.signature(cls.__init__).parameters.values()][1:]
            cls.__signature__ = inspect.Signature(parameters)

    @classmethod
    @cache
    def _get_param_names(cls) -> tuple[str, ...]:
        """Return the names once found: scikit-learn reads the signature again for every copy."""
        return tuple(super()._get_param_names())

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """Refuse misspelled parameters with the nearest name, before ``__init__`` sees them."""
        refuse_unknown_parameters(cls, parameters)
        made: Self = super().__new__(cls)
        return made

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name; a misspelled one is refused with the nearest name."""
        plain = {name: value for name, value in parameters.items() if "__" not in name}
        refuse_unknown_parameters(type(self), plain)
        super().set_params(**parameters)
        return self

    # -- fitting ------------------------------------------------------------------------------

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        self._start(X, y)
        owner = Owner(type(self).__name__, self._opposite, self._multi_output)
        return check_training_data(X, y, sample_weight, task=self._task, owner=owner)

    def _start(self, X: Any, y: Any = None) -> None:
        """Begin a fit: forget the last one, tell callbacks, check parameters."""
        self._forget()
        context = self._init_callback_context(max_subtasks=self._n_steps())
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        self._check_parameters()

    def _n_steps(self) -> int | None:
        """Return how many steps a fit will tell callbacks of; None when that is not known."""
        return 0

    @contextmanager
    def _step_of_fit(self, name: str) -> Iterator[None]:
        """Tell scikit-learn's callbacks that a step of the fit begins, and that it has ended."""
        step = self._callback_fit_ctx.subcontext(task_name=name)
        step.call_on_fit_task_begin(estimator=self)
        yield
        step.call_on_fit_task_end(estimator=self)

    def _check_parameters(self) -> None:
        check_parameters(type(self).__name__, self.get_params(deep=False), self._constraints)

    def _forget(self) -> None:
        """Remove everything an earlier fit left, also under private names."""
        for name in list(self.__dict__):
            is_private = name.startswith("_") and not name.startswith(_NOT_FITTED)
            if is_private or (name.endswith("_") and not name.startswith("_")):
                del self.__dict__[name]

    def _finish(self, data: TrainingData, **fitted: Any) -> Self:
        """Write all fitted attributes in one step, so that no signal can come between them."""
        self._callback_fit_ctx.call_on_fit_task_end(estimator=self)
        self.__dict__.update(fitted, **column_attributes(data.table.schema))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "schema_" in self.__dict__

    # -- predicting ---------------------------------------------------------------------------

    def _check_rows(self, X: Any) -> PredictionData:
        """Bring rows to predict into the fitted schema."""
        self._check_fitted()
        return check_prediction_data(X, self.schema_, owner=type(self).__name__)

    def _check_fitted(self) -> None:
        if self.__sklearn_is_fitted__():
            return
        raise errors.NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
            code="N001",
            repair=Repair("model.fit(X, y)"),
        )

    # -- reading ------------------------------------------------------------------------------

    def complexity(self) -> Complexity:
        """Return how much there is to read in the fitted model: its leaves, weights or rows."""
        self._check_fitted()
        return self._complexity()

    def _complexity(self) -> Complexity:
        raise NotImplementedError

    # -- saving -------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the fitted model to one file; ``branchline.load`` reads it back.

        The file holds numbers and names, no code: loading a file cannot run any.
        """
        from branchline._saving import save

        save(self, path)

    def _pack(self) -> FittedState:
        """Return the fitted values that make up the model: arrays, numbers, text, lists."""
        raise TypeError(f"{type(self).__name__} cannot be saved")

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        """Check packed values and return the fitted attributes they stand for."""
        raise TypeError(f"{type(self).__name__} cannot be loaded")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled estimator; what was fitted is checked as a saved model is."""
        super().__setstate__(state)
        if self.__sklearn_is_fitted__():
            check_restored(self)

    # -- scikit-learn's contract ----------------------------------------------------------------

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.dict = True
        tags.input_tags.sparse = True
        return tags


class Predictor(Estimator):
    """What classifiers and regressors share: a prediction of one row can be explained."""

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, or a mapping of column names to values.
        """
        if isinstance(row, Mapping) and not any(np.ndim(cell) for cell in row.values()):
            row = [row]
        self._check_fitted()
        given = as_table(row, texts="raw")
        checked = one_row(self._check_rows(given).table)
        found = self._explain(checked)
        found = replace(found, probability=self._probability_of(checked, found.prediction))
        return found.with_unseen(
            {one.name: one.values[0] for one in unseen_categories(self.schema_, given)}
        )

    def _explain(self, row: Table) -> Explanation:
        """Explain a checked table of one row."""
        raise NotImplementedError

    def _probability_of(self, row: Table, prediction: Any) -> float | None:
        """Return the probability of what is predicted for a row; None where there is none."""
        return None


def one_row(rows: Table) -> Table:
    """Return the table when it has one row, the only number that can be explained."""
    if rows.n_rows == 1:
        return rows
    raise ParameterError(
        f"One row can be explained at a time; {rows.n_rows} were given.",
        code="P021",
        repair=Repair("from branchline import Table\nmodel.explain(Table(X).rows([0]))"),
    )


class Classifier(ClassifierMixin, Predictor):
    """Root of estimators that predict a class."""

    _task = "classification"
    classes_: npt.NDArray[Any]

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``."""
        raise NotImplementedError

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable class of each row; the first of ``classes_`` on ties."""
        probabilities = self.predict_proba(X)
        if probabilities.shape[1] == 2:  # a search along rows of two would take longer
            best = (probabilities[:, 1] > probabilities[:, 0]).astype(np.intp)
        else:
            best = np.argmax(probabilities, axis=1)
        names: npt.NDArray[Any] = self.classes_[best]
        return names

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of each class's probability."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _explain(self, row: Table) -> Explanation:
        best = int(np.argmax(self.predict_proba(row)[0]))
        name = self.classes_[best]
        return explain_by_leaving_out(
            row,
            lambda rows: self.predict_proba(rows)[:, best],
            prediction=name,
            about=f"probability of {str(name)!r}",
        )

    def _probability_of(self, row: Table, prediction: Any) -> float | None:
        if not hasattr(self, "predict_proba"):
            return None
        return float(self.predict_proba(row)[0][np.flatnonzero(self.classes_ == prediction)[0]])


class Regressor(RegressorMixin, Predictor):
    """Root of estimators that predict a number."""

    _task = "regression"

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the predicted number of each row."""
        raise NotImplementedError

    def _explain(self, row: Table) -> Explanation:
        return explain_by_leaving_out(
            row,
            lambda rows: self._first_output(rows),
            prediction=float(self._first_output(row)[0]),
            about="predicted number",
        )

    def _first_output(self, rows: Table) -> npt.NDArray[np.float64]:
        predicted = self.predict(rows)
        return predicted if predicted.ndim == 1 else predicted[:, 0]


class WithoutTarget(Estimator):
    """What estimators that look at no target share: the door for inputs alone."""

    _task = None

    def _begin_inputs(self, X: Any, sample_weight: Any) -> TrainingData:
        self._start(X)
        return check_training_inputs(X, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


class Transformer(TransformerMixin, WithoutTarget):
    """Root of estimators that turn a table into numbers without looking at a target."""


class Clusterer(ClusterMixin, WithoutTarget):
    """Root of estimators that put rows into clusters; 0 is the cluster of the largest weight."""

    _left_out_of_files = frozenset({"labels_"})
    labels_: npt.NDArray[np.int64]

    def _labels_of_given(self, X: Any, data: TrainingData, labels: Any) -> npt.NDArray[np.int64]:
        """Return a label for each row given; rows of weight 0 go where ``predict`` puts them.

        Parameters
        ----------
        X
            The rows that ``fit`` was given.
        data
            The rows that count.
        labels
            The clusters of the rows that count.
        """
        if data.kept is None:
            return np.asarray(labels, dtype=np.int64)
        every = np.empty(len(data.kept), dtype=np.int64)
        every[data.kept] = labels
        others = np.flatnonzero(~data.kept)
        every[others] = self.predict(self._check_rows(X).table.rows(others))
        return every

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the cluster of each row."""
        raise NotImplementedError
