"""How much each column matters to the recommended model, on rows that it has not seen.

1. The model is fitted again without a third of the test sets, with the same parameters.
2. Columns are shuffled in the rows left out (``permutation_importance``), as often as a few seconds
   allow.
3. A forest is measured on all rows instead, out of bag (``_forest_importance``).
4. For gradient boosting, the part of each column in its scores is measured as well
   (``_attributions``).
"""

import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline.assess import Comparison, Outcome
from branchline.assess._permutation_importance import Importances, permutation_importance
from branchline.assess.comparing._problem import Problem
from branchline.report._attributions import Attributions, measure_attributions
from branchline.report._forest_importance import (
    has_out_of_bag,
    importances_out_of_bag,
    out_of_bag_rows,
)
from branchline.table import Table

__all__ = ["Measured", "measure_importances"]

_SECONDS = 1.5
_TOO_LONG = 10.0
_FEWEST_ROWS = 10
# permutation_importance scores each shuffle on all rows and on 200 draws of them.
_N_SCORES = 201
_UNSEEN_SHARE = 1 / 3  # of the rows that were tested
_TOO_MANY_COLUMNS = "there are too many columns to measure it in a few seconds"


@dataclass(frozen=True)
class Measured:
    """Importances, or why there are none.

    Parameters
    ----------
    found
        The importances.
    why_not
        Why there are none.
    n_rows
        On how many rows they were measured.
    model
        The model that was fitted without these rows.
    row
        The first of these rows.
    out_of_bag
        Whether each row was predicted by the trees that had not seen it.
    attributions
        How far each column moves the prediction of gradient boosting; None for other models.
    """

    found: Importances | None
    why_not: str = ""
    n_rows: int = 0
    model: Any = None
    row: int = 0
    out_of_bag: bool = False
    attributions: Attributions | None = None


def measure_importances(comparison: Comparison, model: Any, fit_seconds: float) -> Measured:
    """Return the importances of the columns for a fitted model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the comparison has told what there is to tell
        found = _shuffled(comparison, model, fit_seconds)
        return replace(found, attributions=measure_attributions(comparison, model))


def _shuffled(comparison: Comparison, model: Any, fit_seconds: float) -> Measured:
    by_itself = has_out_of_bag(comparison.problem, model, comparison.plan.metric)
    again = None
    try:
        if fit_seconds <= _TOO_LONG:
            again = _without_some_rows(comparison, model)
        if by_itself:
            return _out_of_bag(comparison, model, again)
        if fit_seconds > _TOO_LONG:
            return Measured(None, "fitting the model once more takes too long")
        if again is None:
            return Measured(None, "there are too few rows to leave some out")
        return _by_rows_left_out(comparison, again)
    except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
        return Measured(None, f"measuring it failed ({str(error).splitlines()[0][:200]})")


@dataclass(frozen=True)
class _Again:
    """The model fitted without some rows, and these rows."""

    model: Any
    unseen: Problem
    first_row: int


def _without_some_rows(comparison: Comparison, model: Any) -> _Again | None:
    """Fit the model again without a third of the test sets; None: there are too few rows."""
    problem, held = comparison.problem, _held_rows(comparison)
    others = np.setdiff1d(np.arange(problem.n_rows), held)
    if min(len(held), len(others)) < _FEWEST_ROWS:
        return None
    rest = problem.rows(others)
    return _Again(clone(model).fit(rest.table, rest.target), problem.rows(held), int(held[0]))


def _by_rows_left_out(comparison: Comparison, again: _Again) -> Measured:
    """Shuffle columns in the rows left out, and score by the metric that decides."""
    model, plan = again.model, comparison.plan
    outcome = comparison.outcome(comparison.best)
    n_repeats = _count_repeats(model, again.unseen.table, _seconds_of_scores(comparison, outcome))
    if not n_repeats:
        return Measured(None, _TOO_MANY_COLUMNS)
    unseen = again.unseen.rows(_known(model, again.unseen.target))
    positive = None
    if outcome.positive is not None and outcome.classes is not None:
        positive = outcome.classes[outcome.positive]
    found = permutation_importance(
        model,
        unseen.table,
        unseen.target,
        metric=plan.metric,
        positive=positive,
        costs=plan.costs,
        n_repeats=n_repeats,
        random_state=plan.seed,
    )
    return Measured(found, "", unseen.n_rows, model, again.first_row)


def _seconds_of_scores(comparison: Comparison, outcome: Outcome) -> float:
    """Return how long it takes to score one shuffle of one column."""
    if comparison.metric.needs_probabilities and outcome.probabilities is None:
        return 0.0
    seconds = []
    for _ in range(3):  # the quickest: the first also imports and fills caches
        begin = time.perf_counter()
        comparison.metric.score(outcome)
        seconds.append(time.perf_counter() - begin)
    return _N_SCORES * min(seconds) * _UNSEEN_SHARE


def _out_of_bag(comparison: Comparison, model: Any, again: _Again | None) -> Measured:
    problem = comparison.problem
    n_repeats = _count_repeats(model, problem.table, 0.0)
    if not n_repeats:
        return Measured(None, _TOO_MANY_COLUMNS)
    metric, n_rows = comparison.plan.metric, int(out_of_bag_rows(model).sum())
    found = importances_out_of_bag(model, n_repeats, metric, problem.target)
    if again is None:
        return Measured(found, "", n_rows, out_of_bag=True)
    return Measured(found, "", n_rows, again.model, again.first_row, out_of_bag=True)


def _known(model: Any, target: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the rows whose class the model has met."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return np.arange(len(target))
    return np.flatnonzero(np.isin(target, classes))


def _held_rows(comparison: Comparison) -> npt.NDArray[np.intp]:
    splits = [split for split in comparison.splits if split.repeat == 0]
    if comparison.plan.resampling.kind == "time_folds":
        return splits[-1].test  # the latest rows: no model may see later ones
    return np.unique(np.concatenate([split.test for split in splits[::3]]))


def _count_repeats(model: Any, table: Table, seconds_of_scores: float) -> int:
    """Return how often the columns can be shuffled in the time there is; 0: not even once."""
    begin = time.perf_counter()
    model.predict(table)
    once = table.n_columns * (time.perf_counter() - begin + seconds_of_scores)
    if once > _TOO_LONG:
        return 0
    return int(min(5, max(1, _SECONDS // once)))
