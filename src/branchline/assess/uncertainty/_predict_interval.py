"""Predictions with what is known of their errors: intervals for numbers, sets for classes."""

import warnings
from typing import Any

import numpy as np

from branchline._plain_numbers import number, percent
from branchline._prediction_errors import NumberErrors, PredictionErrors
from branchline._validation import Real
from branchline._warn import warn
from branchline.assess.uncertainty._class_sets import ClassSets, class_sets
from branchline.assess.uncertainty._conformal_quantile import fewest_rows
from branchline.assess.uncertainty._number_intervals import NumberIntervals, number_intervals
from branchline.errors import BranchlineWarning, DataError, ParameterError, Repair

__all__ = ["predict_interval"]


def predict_interval(model: Any, X: Any, *, level: float = 0.9) -> NumberIntervals | ClassSets:
    """Predict rows, each with an interval or a set of plausible classes.

    About ``level`` of new rows that are like the training rows have the true number inside their
    interval, or the true class in their set. The model must know its errors: ``fit_intervals``
    measures them, and ``Comparison.fit`` and ``branchline compare --save`` keep those of the
    comparison.

    Parameters
    ----------
    model
        A fitted model with ``prediction_errors_``.
    X
        The rows to predict.
    level
        The part of new rows that should be held, between 0 and 1. Default 0.9.

    Returns
    -------
    NumberIntervals or ClassSets
        ``prediction``, ``lower`` and ``upper`` for numbers; ``prediction``, ``sets`` and
        ``probability`` for classes. Print it to read a summary.

    See Also
    --------
    NumberIntervals : predicted numbers with intervals.
    ClassSets : predicted classes with sets of plausible ones.

    Examples
    --------
    >>> import branchline as bl
    >>> X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    >>> model = bl.make("ridge", task="regression").fit(X, y)
    >>> found = bl.predict_interval(bl.fit_intervals(model, X, y), X.rows([0, 1]), level=0.9)
    >>> found.prediction.round(1).tolist(), found.lower.round(1).tolist()
    ([17.7, 15.9], [14.0, 12.4])
    """
    _refuse_level(level)
    errors = getattr(model, "prediction_errors_", None)
    if errors is None:
        raise _errors_not_known(model)
    prediction = np.asarray(model.predict(X))
    found: NumberIntervals | ClassSets
    if isinstance(errors, NumberErrors):
        needed = fewest_rows((1 + level) / 2)
        found = number_intervals(errors, prediction.astype(np.float64), float(level))
    else:
        needed = fewest_rows(level)
        given = _probabilities(model, X)
        found = class_sets(errors, model.classes_, prediction, given, float(level))
    if errors.n_effective < needed:
        warn(_too_few(errors, needed, float(level)))
    return found


def _refuse_level(level: Any) -> None:
    if Real().allows(level) and 0 < level < 1:
        return
    nearest = level / 100 if Real().allows(level) and 1 < level < 100 else 0.9
    raise ParameterError(
        f"The level of an interval is a number between 0 and 1, such as 0.9; {level!r} is not.",
        code="P310",
        values=[level],
        repair=Repair(f"bl.predict_interval(model, X, level={nearest:g})", "--interval 90"),
    )


def _probabilities(model: Any, X: Any) -> Any:
    """Return probabilities, if there are any; ``predict`` has warned of unseen categories."""
    if not hasattr(model, "predict_proba"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        return np.asarray(model.predict_proba(X), dtype=np.float64)


def _errors_not_known(model: Any) -> DataError:
    return DataError(
        f"This {type(model).__name__} does not know its errors on rows that it has not seen, which "
        "intervals rest on.",
        code="D410",
        repair=Repair(
            "import branchline as bl\nbl.fit_intervals(model, X, y)  # X, y: the training rows",
            "fit the model again: branchline fit FILE --target COLUMN --intervals --save MODEL "
            "(or compare --save)",
        ),
    )


def _too_few(errors: PredictionErrors, needed: int, level: float) -> BranchlineWarning:
    known = f"{number(errors.n_effective)} independent errors are known"
    kind = "intervals are infinite" if isinstance(errors, NumberErrors) else "sets hold all classes"
    return BranchlineWarning(
        f"{percent(level, fine=True)} {kind}: {known} and at least {needed} are needed.",
        code="W025",
        repair=Repair("bl.predict_interval(model, X, level=0.5)", "--interval 50"),
    )
