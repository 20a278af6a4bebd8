"""How much each column matters to the recommended model, on rows that it has not seen.

1. The model is fitted again without a third of the test sets, with the same parameters.
2. Columns are shuffled in the rows left out (``permutation_importance``). How many rows are
   predicted depends on the size of the table alone (``_Work``), so that the same comparison gives
   the same importances on every machine.
3. A forest is measured on all rows instead, out of bag (``_forest_importance``).
4. For gradient boosting, the part of each column in its scores is measured as well
   (``_attributions``).
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline.assess import Comparison, Importances, Problem, permutation_importance
from branchline.report._attributions import Attributions, measure_attributions
from branchline.report._forest_importance import (
    has_out_of_bag,
    importances_out_of_bag,
    out_of_bag_rows,
)

__all__ = ["Measured", "measure_importances"]

_FEWEST_ROWS = 10
# A model that takes longer to fit is not fitted again where the time is limited.
_TOO_LONG = 10.0  # seconds
_MOST_REPEATS = 5
_MOST_COLUMNS = 1_000
# Rows predicted with a shuffled column, over all columns and repeats: so many, or twice the table.
_MOST_PREDICTED = 50_000
# A forest's trees predict their own rows quickly.
_MOST_OUT_OF_BAG = 2_000_000
_TOO_MANY_COLUMNS = f"the table has more than {_MOST_COLUMNS:,} columns"


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
    constant
        Columns with one value in all of these rows: shuffling cannot show what they do.
    """

    found: Importances | None
    why_not: str = ""
    n_rows: int = 0
    model: Any = None
    row: int = 0
    out_of_bag: bool = False
    attributions: Attributions | None = None
    constant: tuple[str, ...] = ()


def measure_importances(comparison: Comparison, model: Any, fit_seconds: float) -> Measured:
    """Return the importances of the columns for a fitted model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the comparison has told what there is to tell
        found = _shuffled(comparison, model, fit_seconds)
        return replace(found, attributions=measure_attributions(comparison, model))


def _shuffled(comparison: Comparison, model: Any, fit_seconds: float) -> Measured:
    by_itself = has_out_of_bag(comparison.problem, model, comparison.plan.metric)
    is_late = comparison.plan.time_budget is not None and fit_seconds > _TOO_LONG
    again = None
    try:
        if comparison.problem.table.n_columns > _MOST_COLUMNS:
            return Measured(None, _TOO_MANY_COLUMNS)
        if not is_late:
            again = _without_some_rows(comparison, model)
        if by_itself:
            return _out_of_bag(comparison, model, again)
        if is_late:
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


@dataclass(frozen=True)
class _Work:
    """How many rows are predicted with a shuffled column, by the size of the table.

    Parameters
    ----------
    n_columns
        Columns to shuffle.
    n_unseen
        Rows that the model has not seen.
    most
        Rows to predict, over all columns and repeats.
    """

    n_columns: int
    n_unseen: int
    most: int

    @property
    def n_repeats(self) -> int:
        """How often each column is shuffled: 1 to 5 times."""
        return int(np.clip(self.most // (self.n_columns * self.n_unseen), 1, _MOST_REPEATS))

    @property
    def share(self) -> float:
        """The share of the unseen rows that is used: all, unless one shuffle is too much."""
        least = min(1.0, 2 * _FEWEST_ROWS / self.n_unseen)
        return float(np.clip(self.most / (self.n_columns * self.n_unseen), least, 1.0))


def _by_rows_left_out(comparison: Comparison, again: _Again) -> Measured:
    """Shuffle columns in the rows left out, and score by the metric that decides."""
    model, plan = again.model, comparison.plan
    outcome = comparison.outcome(comparison.best)
    unseen = again.unseen.rows(_known(model, again.unseen.target))
    most = max(_MOST_PREDICTED, 2 * comparison.problem.n_rows)
    work = _Work(unseen.table.n_columns, max(1, unseen.n_rows), most)
    if work.share < 1 and (part := unseen.folds.hold_out(work.share, plan.seed)) is not None:
        unseen = unseen.rows(np.sort(part.test_rows))
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
        n_repeats=work.n_repeats,
        random_state=plan.seed,
    )
    constant = tuple(one.name for one in unseen.table.columns if not one.varies)
    return Measured(found, "", unseen.n_rows, model, again.first_row, constant=constant)


def _out_of_bag(comparison: Comparison, model: Any, again: _Again | None) -> Measured:
    problem = comparison.problem
    work = _Work(problem.table.n_columns, problem.n_rows, _MOST_OUT_OF_BAG)
    if work.share < 1 and again is not None:
        return _by_rows_left_out(comparison, again)
    metric, n_rows = comparison.plan.metric, int(out_of_bag_rows(model).sum())
    found = importances_out_of_bag(model, work.n_repeats, metric, problem.target)
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
