"""Inner folds of selectors: the error of a learner on some of the columns.

1. Folds are those of ``_folds``: copies, groups and times are respected.
2. A learner is fitted on the chosen columns of each training part, and its errors on the held-out
   rows are averaged by weight: the share of wrong classes, or the mean squared error.
3. Errors of a set of columns are kept: searches ask for the same set again. Searches announce the
   sets that they will ask for, so that linear learners fit them together (``_linear_folds``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from branchline._arrays import Floats
from branchline._canonical_rows import canonical_rows
from branchline._fit_member import answers_of, fit_member
from branchline._folds import fold_rows
from branchline._model_rows import rows_for
from branchline._validation import ClassTarget, TrainingData
from branchline.catalog import make
from branchline.errors import ParameterError, Repair
from branchline.features._linear_folds import LinearFolds, linear_folds
from branchline.linear import LinearRegression, LogisticRegression

__all__ = ["FoldErrors", "InnerFolds", "answers_of", "fit_learner", "learner_for", "task_of_data"]


@dataclass(frozen=True)
class FoldErrors:
    """The error in each fold."""

    folds: Floats
    weights: Floats

    @property
    def mean(self) -> float:
        """The mean error of all held-out rows."""
        return float(np.average(self.folds, weights=self.weights))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, from its spread over the folds."""
        k = len(self.folds)
        return float(np.std(self.folds, ddof=1) / np.sqrt(k)) if k > 1 else 0.0

    def worse_by(self, other: "FoldErrors") -> tuple[float, float]:
        """Return how much worse this is than another, fold by fold: mean and standard error."""
        apart = FoldErrors(self.folds - other.folds, self.weights)
        return apart.mean, apart.standard_error


def task_of_data(data: TrainingData) -> str:
    """Return the task of checked rows."""
    return "classification" if isinstance(data.target, ClassTarget) else "regression"


def learner_for(estimator: Any, data: TrainingData, random_state: Any) -> Any:
    """Return an unfitted learner: a name of the catalog is made, an estimator copied.

    None is a linear model that chooses nothing by folds of its own: searches fit it many times.
    """
    if estimator is None:
        is_class = task_of_data(data) == "classification"
        return LogisticRegression(C=1.0) if is_class else LinearRegression()
    if isinstance(estimator, str):
        return make(estimator, task=task_of_data(data), random_state=random_state)
    return clone(estimator)


def fit_learner(learner: Any, data: TrainingData, names: Sequence[str]) -> Any:
    """Return a copy of a learner, fitted on some columns, with the weights of the rows."""
    return fit_member(learner, replace(data, table=data.table.select(names)), _takes_no_weights)


def _takes_no_weights(learner: str) -> ParameterError:
    return ParameterError(
        f"Columns are chosen by {learner}, which takes no sample_weight; only whole weights can be "
        "given to it, as copies of rows.",
        code="P640",
        values=[learner],
        repair=Repair("model.set_params(estimator='tree')"),
    )


def _weights(data: TrainingData) -> Floats:
    return data.weights.of_rows(data.table.n_rows)


class InnerFolds:
    """Training data, split once, on which sets of columns are compared.

    Parameters
    ----------
    data
        The rows.
    learner
        The learner whose error counts.
    n_folds, seed
        How the rows are split.
    """

    def __init__(self, data: TrainingData, learner: Any, n_folds: int, seed: int) -> None:
        rows = canonical_rows(data, merge=True)
        self.data = rows
        self._learner = learner
        folds = fold_rows(rows).split(n_folds, seed, keep_classes=True)
        # No parts where all rows are equal (or of one group): then nothing can be chosen.
        self.parts = [(fold.learning(rows), fold.testing(rows)) for fold in folds]
        self._known: dict[frozenset[str], FoldErrors] = {}

    @cached_property
    def _held_out(self) -> Floats:
        return np.array([_weights(test).sum() for _, test in self.parts])

    @cached_property
    def _linear(self) -> LinearFolds | None:
        return linear_folds(self.parts, self._learner)

    def announce(self, sets: Sequence[Sequence[str]]) -> None:
        """Fit many sets of columns at once, where the learner is of a kind that can."""
        new = {frozenset(names): names for names in sets}
        asked = [(key, sorted(names)) for key, names in new.items() if key not in self._known]
        asked = [(key, names) for key, names in asked if names]
        if not asked or self._linear is None:
            return
        errors = self._linear.errors([names for _, names in asked])
        for (key, _), folds in zip(asked, errors, strict=True):
            if np.isfinite(folds).all():
                self._known[key] = FoldErrors(folds, self._held_out)

    def errors(self, names: Sequence[str]) -> FoldErrors:
        """Return the errors of a set of columns, the same in every fold."""
        key = frozenset(names)
        if key not in self._known:
            self.announce([names])
        if key not in self._known:
            self._known[key] = self.errors_of_folds([names] * len(self.parts))
        return self._known[key]

    def errors_of_folds(self, names: Sequence[Sequence[str]]) -> FoldErrors:
        """Return the errors of a set of columns for each fold."""
        found = [
            self._error(train, test, columns)
            for (train, test), columns in zip(self.parts, names, strict=True)
        ]
        return FoldErrors(np.array(found), self._held_out)

    def _error(self, train: TrainingData, test: TrainingData, names: Sequence[str]) -> float:
        truth, weights = answers_of(test), _weights(test)
        if len(names) == 0:
            guess = _constant(train)
        else:
            wanted = set(names)
            ordered = [name for name in self.data.table.names if name in wanted]
            model = fit_learner(self._learner, train, ordered)
            guess = model.predict(rows_for(model, test.table.select(ordered)))
        if isinstance(test.target, ClassTarget):
            return float(np.average(guess != truth, weights=weights))
        return float(np.average((guess - truth) ** 2, weights=weights))


def _constant(train: TrainingData) -> Any:
    """Return what is predicted without columns: the most frequent class, or the mean."""
    weights = _weights(train)
    if isinstance(train.target, ClassTarget):
        count = np.bincount(train.target.class_of_row, weights, train.target.n_classes)
        return train.target.classes[int(count.argmax())]
    return np.average(train.target.values, weights=weights)
