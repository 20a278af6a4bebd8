"""A learner on chosen columns: a selector and a learner as one model.

1. ``fit``: the selector chooses columns of the training rows; the learner is fitted on them.
2. ``predict`` needs the chosen columns only. A table with names may hold all columns or just those;
   without names (NumPy) all columns are expected, by position.
3. Whatever refits the model (cross-validation, a search, a bag) chooses the columns anew.
"""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.metaestimators import available_if

from branchline._arrays import AnyArray, Bools, Floats
from branchline._base import (
    Classifier,
    Complexity,
    Estimator,
    FittedState,
    Predictor,
    Regressor,
    reports_progress,
)
from branchline._explanation import Explanation
from branchline._member_state import can_be_packed, member_from_state, member_to_state
from branchline._model_rows import rows_for
from branchline._named_learners import Learner, check_learner, takes_weights
from branchline._plain_numbers import count, joined
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._validation import Constraint, PredictionData, TrainingData, check_prediction_data
from branchline.catalog import make
from branchline.errors import ParameterError, Repair
from branchline.features._inner_folds import answers_of
from branchline.features._make_selector import check_selector, make_selector
from branchline.features._selector import Selector
from branchline.features._selector_given import SelectorGiven, selector_from_state
from branchline.table import Schema, Table, as_table

__all__ = ["SelectedClassifier", "SelectedRegressor", "selected_learner"]

_MOST_NAMED = 12
_STATE = {"classes", "selector", "members"}


def _has_why(model: Any) -> bool:
    return hasattr(getattr(model, "member_", None), "why")


class _Selected(Predictor):
    """What both tasks share."""

    _constraints: ClassVar[dict[str, Constraint]] = {
        "selector": SelectorGiven(),
        "estimator": Learner(),
    }
    _copies_of_columns_count = True  # one of two copies may be chosen, or both
    selector: Any
    estimator: Any
    random_state: Any
    selector_: Selector
    member_: Any

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose columns, and fit the learner on them."""
        data = self._begin(X, y, sample_weight)
        selector = make_selector(self.selector, task=self._task, random_state=self.random_state)
        weights = None
        if data.weights.units is not None:
            weights = data.weights.of_rows(data.table.n_rows)
        selector.fit(data.table, answers_of(data), sample_weight=weights)
        chosen = data.table.select(selector.get_feature_names_out())
        member = self._learner(weights)
        given = {} if weights is None else {"sample_weight": weights}
        member.fit(rows_for(member, chosen), answers_of(data), **given)
        return self._remember(data, selector, member)

    def _remember(self, data: TrainingData, selector: Selector, member: Any) -> Self:
        about: dict[str, Any] = {"selector_": selector, "member_": member}
        if self._task == "classification":
            about["classes_"] = data.class_target.classes
        return self._finish(data, **about)

    def _learner(self, weights: Floats | None) -> Any:
        """Return an unfitted learner; refuse weights that it cannot use."""
        learner = self.estimator
        if isinstance(learner, str):
            learner = make(learner, task=self._task, random_state=self.random_state)
        if weights is not None and not takes_weights(learner):
            raise ParameterError(
                f"Weights were given, but {type(learner).__name__} takes no sample_weight. Fit "
                "without weights, or take another learner.",
                code="P082",
                values=[learner],
                repair=Repair("model.fit(X, y)"),
            )
        return clone(learner)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        try:
            check_selector(self.selector)
        except ParameterError as error:
            error.message = f"The 'selector' parameter of {type(self).__name__}: {error.message}"
            raise
        check_learner(type(self).__name__, "estimator", self.estimator, self._task)

    @classmethod
    def of_parts(cls, selector: Selector, member: Any, /, **parameters: Any) -> Self:
        """Return the model that a fitted selector and a learner fitted on its choice make."""
        model = cls(**parameters)
        about: dict[str, Any] = {"selector_": selector, "member_": member}
        if cls._task == "classification":
            about["classes_"] = np.asarray(member.classes_)
        names = ("schema_", "n_features_in_", "feature_names_in_")
        columns = {name: vars(selector)[name] for name in names if name in vars(selector)}
        model.__dict__.update(about, **columns)
        return model

    # -- what was chosen --------------------------------------------------------------------------

    @property
    def support_(self) -> Bools:
        """Whether each column was chosen."""
        self._check_fitted()
        return self.selector_.support_

    @property
    def needed_schema_(self) -> Schema:
        """The columns that predictions need."""
        fields = zip(self.schema_.fields, self.support_, strict=True)
        return Schema(tuple(field for field, is_kept in fields if is_kept), self.schema_.named)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the names of the chosen columns."""
        self._check_fitted()
        return self.selector_.get_feature_names_out()

    def _check_rows(self, X: Any) -> PredictionData:
        """Bring rows into the chosen columns; columns that were not chosen may be absent."""
        self._check_fitted()
        owner, needed = type(self).__name__, self.needed_schema_
        given = as_table(X, texts="raw")
        if not (self.schema_.named and given.schema.named):
            whole = check_prediction_data(given, self.schema_, owner=owner)
            return PredictionData(whole.table.select(needed.names))
        needed.refuse_absent(given)
        unused = set(self.schema_.names) - set(needed.names)
        kept = given.select([name for name in given.names if name not in unused])
        return check_prediction_data(kept, needed, owner=owner)

    def _rows_of_member(self, X: Any) -> Any:
        rows = self._check_rows(X).table  # refuses a model that is not fitted
        return rows_for(self.member_, rows)

    # -- reading ----------------------------------------------------------------------------------

    @available_if(_has_why)  # type: ignore[untyped-decorator]
    def why(self, *given: Any, **more: Any) -> Any:
        """Return what the learner says about its choices; see the ``why`` of trees."""
        return self.member_.why(*given, **more)

    def _complexity(self) -> Complexity:
        ours = isinstance(self.member_, Estimator)
        return self.member_.complexity() if ours else Complexity(1, "parts")

    def _explain(self, row: Table) -> Explanation:
        if isinstance(self.member_, Predictor):
            return self.member_._explain(row)
        return super()._explain(row)

    def _choice_words(self) -> str:
        chosen = [str(name) for name in self.get_feature_names_out()]
        inputs = count(len(self.schema_), "input")
        return f"{len(chosen)} of {inputs} chosen: {joined(chosen, _MOST_NAMED)}"

    def to_text(self) -> str:
        """Return the chosen columns as text, then the learner."""
        lines = [self._choice_words(), f"learner: {type(self.member_).__name__}"]
        lines += [self.member_.to_text()] if hasattr(self.member_, "to_text") else []
        return "\n".join(lines)

    # -- saving -----------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        state: dict[str, Any] = {
            "selector": member_to_state(self.selector_),
            "members": [member_to_state(self.member_)],
        }
        if self._task == "classification":
            state["classes"] = classes_to_state(self.classes_)
        return state

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state) if self._task == "classification" else None
        members, packed = state.get("members"), state.get("selector")
        if not isinstance(members, list) or len(members) != 1 or set(state) - _STATE:
            raise malformed("there is not one learner")
        selector = selector_from_state(packed, schema)
        kept = zip(schema.fields, selector.support_, strict=True)
        needed = Schema(tuple(field for field, is_kept in kept if is_kept), schema.named)
        about: dict[str, Any] = {"selector_": selector}
        about["member_"] = member_from_state(members[0], needed, classes)
        return about if classes is None else {"classes_": classes, **about}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled model; a learner of another library has no form to be checked in."""
        member = state.get("member_")
        if member is None or can_be_packed(member):
            super().__setstate__(state)
            return
        chosen_by = isinstance(state.get("selector_"), Selector | SelectorGiven)
        if not chosen_by or not hasattr(member, "predict"):
            raise malformed("there is no selector, or no learner")
        BaseEstimator.__setstate__(self, state)


class SelectedClassifier(_Selected, Classifier):
    """A classifier on chosen columns.

    The columns are chosen from the training rows, and the learner is fitted on them. Every refit
    chooses anew, so scores of cross-validation are honest. Predictions need the chosen columns
    only.

    Parameters
    ----------
    selector
        What chooses the columns: a name with an optional number ("relief",
        "mutual_information:10", "forward:5", "shadow"), or a selector of ``branchline.features``.
        Default "mutual_information".
    estimator
        The learner that is fitted on the chosen columns: a name of the catalog or an estimator.
        Default "logistic".
    random_state
        The seed of selectors and learners that are given by name. Default 0.

    Attributes
    ----------
    selector_
        The fitted selector; ``selector_.path_`` shows how the number was chosen.
    member_
        The learner, fitted on the chosen columns.
    support_
        Whether each column was chosen.

    See Also
    --------
    select_inputs : rank and choose the inputs of a table, and say what may go.
    RankSelector : keep the columns that score best.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import SelectedClassifier
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> model = SelectedClassifier(selector="mutual_information:3", estimator="tree").fit(X, y)
    >>> model.get_feature_names_out().tolist()
    ['chest_pain', 'vessels', 'thallium_scan']
    >>> model.complexity().count
    6
    """

    _opposite = "branchline.features.SelectedRegressor"

    def __init__(
        self,
        *,
        selector: Any = "mutual_information",
        estimator: Any = "logistic",
        random_state: Any = 0,
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.random_state = random_state

    def predict(self, X: Any) -> AnyArray:
        """Return the learner's class of each row."""
        rows = self._rows_of_member(X)
        return np.asarray(self.member_.predict(rows))

    @available_if(lambda model: _gives_probabilities(model))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the learner's probability of each class."""
        rows = self._rows_of_member(X)
        return np.asarray(self.member_.predict_proba(rows))


class SelectedRegressor(_Selected, Regressor):
    """A regressor on chosen columns.

    The columns are chosen from the training rows, and the learner is fitted on them. Every refit
    chooses anew, so scores of cross-validation are honest. Predictions need the chosen columns
    only.

    Parameters
    ----------
    selector
        What chooses the columns: a name with an optional number ("relief",
        "mutual_information:10", "forward:5", "shadow"), or a selector of ``branchline.features``.
        Default "mutual_information".
    estimator
        The learner that is fitted on the chosen columns: a name of the catalog or an estimator.
        Default "ridge".
    random_state
        The seed of selectors and learners that are given by name. Default 0.

    Attributes
    ----------
    selector_
        The fitted selector; ``selector_.path_`` shows how the number was chosen.
    member_
        The learner, fitted on the chosen columns.
    support_
        Whether each column was chosen.

    See Also
    --------
    select_inputs : rank and choose the inputs of a table, and say what may go.
    RankSelector : keep the columns that score best.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.features import SelectedRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = SelectedRegressor(selector="correlation:2", estimator="linear").fit(X, y)
    >>> int(model.support_.sum())
    2
    """

    _opposite = "branchline.features.SelectedClassifier"

    def __init__(
        self,
        *,
        selector: Any = "mutual_information",
        estimator: Any = "ridge",
        random_state: Any = 0,
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.random_state = random_state

    def predict(self, X: Any) -> Floats:
        """Return the learner's number for each row."""
        rows = self._rows_of_member(X)
        return np.asarray(self.member_.predict(rows), dtype=np.float64)


def _gives_probabilities(model: Any) -> bool:
    member = getattr(model, "member_", model.estimator)
    if isinstance(member, str):
        member = make(member, task="classification")
    return hasattr(member, "predict_proba")


def selected_learner(selector: Any, estimator: Any, *, random_state: Any = 0) -> Any:
    """Return an unfitted learner that chooses its columns by a selector first.

    Parameters
    ----------
    selector
        A name such as "relief:5", or a selector.
    estimator
        An estimator.
    random_state
        The seed of a selector by name. Default 0.

    See Also
    --------
    SelectedClassifier : a classifier on chosen columns.
    make_selector : return an unfitted selector.

    Examples
    --------
    >>> from branchline import catalog
    >>> from branchline.features import make_selector, selected_learner
    >>> tree = catalog.make("tree", task="classification")
    >>> selected_learner(make_selector("relief:5"), tree).selector.n_columns
    5
    """
    made = SelectedClassifier if is_classifier(estimator) else SelectedRegressor
    return made(selector=selector, estimator=estimator, random_state=random_state)
