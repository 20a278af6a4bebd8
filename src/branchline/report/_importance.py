"""How much each column matters to the recommended model, on rows that it has not seen.

1. The model is fitted anew without a third of the test sets, with the parameters it has.
2. Columns are shuffled in the rows left out (``permutation_importance``), as often as a few seconds
   allow.
"""

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from branchline.assess import Comparison
from branchline.assess._permutation_importance import Importances, permutation_importance

__all__ = ["Measured", "measure_importances"]

_SECONDS = 1.5
_TOO_LONG = 10.0
_FEWEST_ROWS = 10
# permutation_importance scores each shuffle on all rows and on 200 draws of them.
_N_SCORES = 201
_SECONDS_A_SCORE = 1e-4


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
    """

    found: Importances | None
    why_not: str = ""
    n_rows: int = 0
    model: Any = None
    row: int = 0


def measure_importances(comparison: Comparison, model: Any, fit_seconds: float) -> Measured:
    """Return the importances of the columns for a fitted model."""
    if fit_seconds > _TOO_LONG:
        return Measured(None, "fitting the model once more takes too long")
    problem = comparison.problem
    held = _held_rows(comparison)
    learnt = np.setdiff1d(np.arange(problem.n_rows), held)
    if min(len(held), len(learnt)) < _FEWEST_ROWS:
        return Measured(None, "there are too few rows to leave some out")
    rest, unseen = problem.rows(learnt), problem.rows(held)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the comparison has told what there is to tell
            again = clone(model).fit(rest.table, rest.target)
            n_repeats = _count_repeats(again, unseen.table)
            if not n_repeats:
                return Measured(None, "with so many columns it takes too long")
            unseen = unseen.rows(_known(again, unseen.target))
            X, y, seed = unseen.table, unseen.target, comparison.plan.seed
            found = permutation_importance(again, X, y, n_repeats=n_repeats, random_state=seed)
    except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
        return Measured(None, f"measuring it failed ({str(error).splitlines()[0][:200]})")
    return Measured(found, "", unseen.n_rows, again, int(held[0]))


def _known(model: Any, target: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the rows whose class the model has met."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        return np.arange(len(target))
    return np.flatnonzero(np.isin(target, classes))


def _held_rows(comparison: Comparison) -> npt.NDArray[np.intp]:
    splits = [split for split in comparison.splits if split.repeat == 0]
    if comparison.plan.resampling.kind == "time-folds":
        return splits[-1].test  # the latest rows: no model may see later ones
    return np.unique(np.concatenate([split.test for split in splits[::3]]))


def _count_repeats(model: Any, table: Any) -> int:
    """Return how often the columns can be shuffled in the time there is; 0: not even once."""
    begin = time.perf_counter()
    model.predict(table)
    once = table.n_columns * (time.perf_counter() - begin + _N_SCORES * _SECONDS_A_SCORE)
    if once > _TOO_LONG:
        return 0
    return int(min(5, max(1, _SECONDS // once)))
