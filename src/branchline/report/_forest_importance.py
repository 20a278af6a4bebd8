"""Importances of a forest's columns, each row judged by the trees that have not seen it.

1. A column's cells are shuffled among all rows and the rows judged again (``oob_importance``): no
   row is left out for it, and the model measured is the recommended one itself.
2. Losses are those of accuracy, error or R², or of what follows from R²: with s the target's
   standard deviation, rmse = s √(1 − R²) and mse = s² (1 − R²). A column's rank may be any that the
   intervals leave open.
3. Not where another metric decides; nor where rows belong together or follow each other in time, as
   trees have then seen the like of rows left out; nor where classes are weighted or errors priced,
   as that is not accuracy.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.assess import METRICS, Interval
from branchline.assess._permutation_importance import ColumnImportance, Importances
from branchline.assess.comparing._problem import Problem
from branchline.forest import OobImportance

__all__ = ["has_out_of_bag", "importances_out_of_bag", "out_of_bag_rows"]


def has_out_of_bag(problem: Problem, model: Any, metric: str) -> bool:
    """Whether a model is a forest whose trees can judge the rows they have not seen."""
    if not hasattr(model, "oob_importance") or not _has_its_rows(model):
        return False
    if metric not in _FROM_SCORE:
        return False
    settings = model.get_params(deep=False)
    is_plain = settings.get("costs") is None and settings.get("class_weight") is None
    return is_plain and problem.groups is None and problem.times is None


# A metric as it follows from the out-of-bag score, R² or accuracy, and the target's deviation.
_FROM_SCORE: dict[str, Callable[[float, float], float]] = {
    "r2": lambda score, s: score,
    "mse": lambda score, s: s * s * (1 - score),
    "rmse": lambda score, s: s * math.sqrt(max(0.0, 1 - score)),
    "accuracy": lambda score, s: score,
    "error": lambda score, s: 1 - score,
}


def _has_its_rows(model: Any) -> bool:
    """Whether a forest left rows out of its trees, and was not loaded from a file without them."""
    names = {"oob_decision_function_", "oob_prediction_"}
    return model.oob_score_ is not None and not names.isdisjoint(vars(model))


def out_of_bag_rows(model: Any) -> npt.NDArray[np.bool_]:
    """Return which rows of its training some tree of a forest has not seen."""
    predicted = getattr(model, "oob_decision_function_", None)
    predicted = model.oob_prediction_ if predicted is None else predicted[:, 0]
    return np.asarray(np.isfinite(predicted))


def importances_out_of_bag(
    model: Any, n_repeats: int, metric: str, target: npt.NDArray[Any]
) -> Importances:
    """Return what shuffling each column costs, in the words of permutation importance."""
    found: OobImportance = model.oob_importance(n_repeats=n_repeats)
    order = np.argsort(-found.mean, kind="stable").tolist()
    is_regression = not hasattr(model, "classes_")
    judged = target[out_of_bag_rows(model)]
    spread = float(np.std(judged.astype(np.float64))) if is_regression else 1.0
    sign = -1.0 if METRICS[metric].less_is_better else 1.0

    def measure(score: float) -> float:
        return _FROM_SCORE[metric](score, spread)

    def loss_of(loss: float) -> float:
        return sign * (measure(model.oob_score_) - measure(model.oob_score_ - loss))

    columns = [_column(found, place, rank, loss_of) for rank, place in enumerate(order, start=1)]
    return Importances(metric, measure(model.oob_score_), tuple(columns))


def _column(
    found: OobImportance, place: int, rank: int, loss_of: Callable[[float], float]
) -> ColumnImportance:
    low, high = float(found.low[place]), float(found.high[place])
    n_surely_above, n_surely_below = (found.low > high).sum(), (found.high < low).sum()
    return ColumnImportance(
        found.columns[place],
        Interval(loss_of(float(found.mean[place])), loss_of(low), loss_of(high)),
        rank,
        int(n_surely_above) + 1,
        len(found.columns) - int(n_surely_below),
    )
