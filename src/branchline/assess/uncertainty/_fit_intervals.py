"""Measure the errors of a learner on rows that it has not seen, and keep them with a model.

1. The training rows are split into folds by the one owner of folds (``_folds``): copies of a row
   stay together, ``Table.with_groups`` keeps groups together, and with ``Table.with_times`` the
   past predicts the future.
2. For each fold a fresh copy of the learner is fitted on the others and predicts it.
3. At most 20,000 rows are kept, chosen by a hash of their content; more would hardly change a
   quantile.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier, is_regressor

from branchline._folds import Fold, FoldRows, fold_rows, seed_of_repeat
from branchline._prediction_errors import ClassErrors, NumberErrors, PredictionErrors
from branchline._validation import (
    ClassTarget,
    NumberTarget,
    Owner,
    Task,
    TrainingData,
    Whole,
    check_parameters,
    check_seed,
    check_training_data,
)
from branchline.assess._given_model import check_model
from branchline.assess._scoring import probabilities_of
from branchline.errors import BranchlineError, DataError, KindError, Repair

__all__ = ["fit_intervals", "known_errors"]

AnyArray: TypeAlias = npt.NDArray[Any]
_MOST_ROWS = 20_000


def fit_intervals(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    n_folds: int = 10,
    estimator: Any = None,
    random_state: Any = 0,
) -> Any:
    """Measure a model's errors by cross-validation, so that it can give intervals.

    The model keeps the errors (``prediction_errors_``) and saves them in its file. It costs
    ``n_folds`` fits; a new ``fit`` forgets them.

    Parameters
    ----------
    model
        A fitted classifier or regressor.
    X, y, sample_weight
        The rows that it was fitted on, with their target and weights. ``Table.with_groups`` and
        ``Table.with_times`` are respected. Default None: all weigh the same.
    n_folds
        The number of folds, at least 2. Default 10.
    estimator
        The estimator to fit in the folds, if not a copy of ``model``. Pass the search if the model
        was found by one. Default None: a copy of ``model``.
    random_state
        The seed of the folds. Default 0.

    Returns
    -------
    The model.

    See Also
    --------
    predict_interval : predict rows, each with an interval or a set of plausible classes.
    cross_validate : assess a model by k-fold cross-validation, or in another way.

    Examples
    --------
    >>> import branchline as bl
    >>> X, y = bl.load_dataset("iris").split_target("species")
    >>> model = bl.make("lda", task="classification").fit(X, y)
    >>> bl.predict_interval(bl.fit_intervals(model, X, y), X.rows([0, 70]), level=0.99).sets
    [['setosa'], ['versicolor', 'virginica']]
    """
    check_parameters("fit_intervals", {"n_folds": n_folds}, {"n_folds": Whole(2)})
    _refuse_other_models(model)
    owner = Owner(type(model).__name__, getattr(model, "_opposite", None))
    task: Task = "classification" if is_classifier(model) else "regression"
    data = check_training_data(X, y, sample_weight, task=task, owner=owner)
    rows = fold_rows(data)
    folds = _usable(rows.split(n_folds, seed_of_repeat(check_seed(random_state))), data)
    if not folds:
        raise DataError(
            "The errors of a model cannot be measured on rows that all are copies of one row, or "
            "on a class that stands alone.",
            code="D411",
        )
    source = model if estimator is None else estimator
    predicted, given = _cross_predict(source, data, folds, is_weighted=sample_weight is not None)
    ways = "cross-validation" if data.table.times is None else "validation in time"
    origin = f"{len(folds)}-fold {ways}"
    target = data.class_target if task == "classification" else data.number_target
    model.prediction_errors_ = known_errors(target, rows, predicted, given, origin)
    return model


def _refuse_other_models(model: Any) -> None:
    if isinstance(model, type) or not hasattr(model, "fit"):
        check_model(model)
    if is_classifier(model) or is_regressor(model):
        if hasattr(model, "_check_fitted"):
            model._check_fitted()
        return
    raise KindError(
        f"{type(model).__name__} predicts neither a class nor a number, so it has no intervals.",
        code="D412",
        repair=Repair("model = branchline.make('tree', task='regression').fit(X, y)"),
    )


def _usable(folds: list[Fold], data: TrainingData) -> list[Fold]:
    """Leave out folds without two classes to learn from; their rows are not tested."""
    if not isinstance(data.target, ClassTarget) or len(data.target.classes) < 2:
        return folds
    places = data.target.class_of_row
    return [fold for fold in folds if len(np.unique(places[fold.learn > 0])) > 1]


def _cross_predict(
    learner: Any, data: TrainingData, folds: list[Fold], *, is_weighted: bool
) -> tuple[AnyArray, AnyArray | None]:
    """Return the prediction and the probabilities of each row; NaN and zeros where not tested."""
    classes = data.target.classes if isinstance(data.target, ClassTarget) else None
    y = data.number_target.values if classes is None else classes[data.class_target.class_of_row]
    predicted = np.full(len(y), np.nan)
    has_probabilities = classes is not None and hasattr(learner, "predict_proba")
    given = np.zeros((len(y), len(classes))) if classes is not None and has_probabilities else None
    for fold in folds:
        fitted = _fit(clone(learner), data, y, fold, is_weighted)
        asked = data.table.rows(fold.test_rows)
        found = np.asarray(fitted.predict(asked))
        predicted[fold.test_rows] = found if classes is None else np.searchsorted(classes, found)
        if given is not None:
            given[fold.test_rows] = probabilities_of(fitted, asked, classes)
    return predicted, given


def _fit(learner: Any, data: TrainingData, y: AnyArray, fold: Fold, is_weighted: bool) -> Any:
    """Fit on a training set; an error names rows of the whole table."""
    rows = fold.learn_rows
    weights = {"sample_weight": fold.learn[rows] * data.weights.unit} if is_weighted else {}
    try:
        return learner.fit(data.table.rows(rows), y[rows], **weights)
    except BranchlineError as error:
        raise error.with_rows(rows[list(error.rows)]) from None


def known_errors(
    target: ClassTarget | NumberTarget,
    rows: FoldRows,
    predicted: AnyArray,
    given: AnyArray | None,
    origin: str,
) -> PredictionErrors:
    """Return what a model keeps: the rows that were predicted, in an order of their own.

    Parameters
    ----------
    target, rows
        The truth, and the rows with their weights.
    predicted
        The number, or the place of the class, predicted out of fold; NaN for rows never tested.
    given
        The probabilities of the classes; None when there are none.
    origin
        How rows were tested, in words.
    """
    tested = np.flatnonzero(np.isfinite(predicted))
    tested = tested[np.argsort(rows.rank[tested], kind="stable")]
    n_effective = _effective(rows.rows(tested))
    if len(tested) > _MOST_ROWS:
        n_effective *= _MOST_ROWS / len(tested)
        tested = tested[:_MOST_ROWS]
    weight = rows.units[tested] * rows.unit
    about: dict[str, Any] = {"weight": weight, "n_effective": n_effective, "origin": origin}
    if not isinstance(target, ClassTarget):
        return NumberErrors(target.values[tested], predicted[tested], **about)
    truth = target.class_of_row[tested]
    places = predicted[tested].astype(truth.dtype)
    if given is None:
        return ClassErrors(truth, places, None, None, **about)
    p_truth, p_predicted = (np.clip(given[tested, place], 0.0, 1.0) for place in (truth, places))
    return ClassErrors(truth, places, p_truth, p_predicted, **about)


def _effective(rows: FoldRows) -> float:
    """Return the number of independent rows."""
    found = rows.effective_rows(float(rows.units.sum()) * rows.unit)
    return min(found, float(rows.n_rows))
