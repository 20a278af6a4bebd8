"""A learner fitted on the labeled rows, and what it predicts for others.

1. A copy of the learner gets the labeled rows. Forests leave their out-of-bag estimates out: they
   do not change predictions, and nothing here reads them.
2. Probabilities are brought to the list of all classes: a class without a label yet has 0.
3. A committee is a forest: one's own, or 50 trees beside a learner that is none.
4. A forest asks with 200 trees at least: with fewer, votes are too coarse to order rows by.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import AnyArray, Floats, Places
from branchline._codes import native_columns
from branchline._model_rows import rows_for
from branchline.active._pool import Pool
from branchline.errors import BranchlineWarning
from branchline.forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchline.table import Table

__all__ = ["Fitted", "asking_learner", "fit_on", "fitted_forest", "votes"]

_N_TREES = 50
_LEAST_ASKING = 200
_FORESTS = (
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
)


@dataclass(frozen=True)
class Fitted:
    """A fitted learner and the names of all classes (None: it predicts numbers)."""

    model: Any
    classes: AnyArray | None

    def probabilities(self, rows: Table) -> Floats:
        """Return a column for each class."""
        assert self.classes is not None
        found = np.zeros((rows.n_rows, len(self.classes)))
        if hasattr(self.model, "predict_proba"):
            given = self.model.predict_proba(rows_for(self.model, rows))
            found[:, np.searchsorted(self.classes, self.model.classes_)] = given
        else:
            predicted = self.model.predict(rows_for(self.model, rows))
            found[np.arange(rows.n_rows), np.searchsorted(self.classes, predicted)] = 1.0
        return found

    def outputs(self, rows: Table) -> Floats:
        """Return probabilities, or predicted numbers."""
        if self.classes is not None:
            return self.probabilities(rows)
        return np.asarray(self.model.predict(rows_for(self.model, rows)), dtype=np.float64)


def fit_on(learner: Any, pool: Pool, rows: Places, classes: AnyArray | None) -> Fitted:
    """Fit a copy of a learner on labeled rows."""
    answers = np.asarray([pool.answers[row] for row in rows.tolist()])
    model = clone(learner)
    if "oob_score" in model.get_params(deep=False):
        model.set_params(oob_score=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        model.fit(rows_for(model, pool.table.rows(rows)), answers)
    return Fitted(model, classes)


def asking_learner(learner: Any) -> Any:
    """Return the learner that asks: the learner itself, a small forest with more trees."""
    if not isinstance(learner, _FORESTS) or learner.n_estimators >= _LEAST_ASKING:
        return learner
    return clone(learner).set_params(n_estimators=_LEAST_ASKING)


def fitted_forest(learner: Any, fitted: Fitted, pool: Pool, seed: int) -> Fitted:
    """Return the committee: the fitted learner where it is a forest, else a forest beside it."""
    if hasattr(fitted.model, "forest_"):
        return fitted
    kind = RandomForestRegressor if fitted.classes is None else RandomForestClassifier
    forest = kind(n_estimators=_N_TREES, random_state=seed)
    return fit_on(forest, pool, pool.training, fitted.classes)


def votes(fitted: Fitted, rows: Table) -> Floats:
    """Return what each tree predicts: trees × rows × classes (or × 1)."""
    forest = fitted.model.forest_
    checked = fitted.model._check_rows(rows).table
    columns, n_categories = native_columns(checked, forest.pooling)
    each = [
        forest.walker.average(columns, n_categories, 1, tree, 1).reshape(rows.n_rows, -1)
        for tree in range(forest.n_trees)
    ]
    return np.asarray(each)
