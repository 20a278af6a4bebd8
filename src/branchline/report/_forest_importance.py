"""Importances of a forest's columns, each row judged by the trees that have not seen it.

1. A column's cells are shuffled among all rows and the rows judged again (``oob_importance``): no
   row is left out for it, and the model measured is the recommended one itself.
2. Losses are those of accuracy or of R². A column's rank may be any that the intervals leave open.
3. Not where rows belong together or follow each other in time, as trees have then seen the like of
   rows left out; nor where classes are weighted or errors priced, as that is not accuracy.
"""

from typing import Any

import numpy as np

from branchline.assess import Interval
from branchline.assess._permutation_importance import ColumnImportance, Importances
from branchline.assess.comparing._problem import Problem
from branchline.forest import OobImportance

__all__ = ["count_judged", "importances_out_of_bag", "judges_itself"]


def judges_itself(problem: Problem, model: Any) -> bool:
    """Whether a model is a forest whose trees can judge the rows they have not seen."""
    if not hasattr(model, "oob_importance") or not _has_its_rows(model):
        return False
    settings = model.get_params(deep=False)
    is_plain = settings.get("costs") is None and settings.get("class_weight") is None
    return is_plain and problem.groups is None and problem.times is None


def _has_its_rows(model: Any) -> bool:
    """Whether a forest left rows out of its trees, and was not loaded from a file without them."""
    names = {"oob_decision_function_", "oob_prediction_"}
    return model.oob_score_ is not None and not names.isdisjoint(vars(model))


def count_judged(model: Any) -> int:
    """Return how many rows of its training some tree of a forest has not seen."""
    said = getattr(model, "oob_decision_function_", None)
    said = model.oob_prediction_ if said is None else said[:, 0]
    return int(np.isfinite(said).sum())


def importances_out_of_bag(model: Any, n_repeats: int) -> Importances:
    """Return what shuffling each column costs, in the words of permutation importance."""
    found: OobImportance = model.oob_importance(n_repeats=n_repeats)
    order = np.argsort(-found.mean, kind="stable").tolist()
    columns = [_column(found, place, rank) for rank, place in enumerate(order, start=1)]
    metric = "accuracy" if hasattr(model, "classes_") else "r2"
    return Importances(metric, float(model.oob_score_), tuple(columns))


def _column(found: OobImportance, place: int, rank: int) -> ColumnImportance:
    low, high = float(found.low[place]), float(found.high[place])
    n_surely_above, n_surely_below = (found.low > high).sum(), (found.high < low).sum()
    return ColumnImportance(
        found.columns[place],
        Interval(float(found.mean[place]), low, high),
        rank,
        int(n_surely_above) + 1,
        len(found.columns) - int(n_surely_below),
    )
