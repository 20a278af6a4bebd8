"""The folds in which strengths of a penalty are tried: fitted, and scored by their held-out rows.

1. Few unknowns: Newton's method (``_logistic_newton``), on all folds at once where rows are few and
   every fold has rows of all classes, else fold by fold.
2. All others: scikit-learn's solver, fold by fold.

Each fold starts from where it was for the strength before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._class_sums import n_sums, probabilities_of
from branchline._folds import Fold
from branchline.linear._logistic_newton import NewtonRows, newton, newton_rows
from branchline.linear._logistic_solver import (
    SoftmaxProblem,
    fit_quietly,
    has_newton,
    new_solver,
)

__all__ = ["ScoredFolds", "folds_to_score"]

Units = npt.NDArray[np.int64]

# Up to this many cells of rows, all folds share them: rows that are held out have the weight 0.
_SHARED_CELLS = 2**16
_CLOSE_NEWTON = 1e-6
# Losses need fewer digits than coefficients.
_CLOSE = 1e-4
_LEAST_PROBABILITY = 1e-15


class ScoredFolds(Protocol):
    """Some folds that are fitted together."""

    @property
    def total(self) -> Floats:
        """The weight of the held-out rows of each fold."""

    def losses(self, strength: float) -> Floats:
        """Return the summed log loss of the held-out rows of each fold."""


def folds_to_score(
    problem: SoftmaxProblem, solver: str, folds: Sequence[Fold], used: Units
) -> list[ScoredFolds]:
    """Return the folds in which something can be learned and tested, some of them together."""
    is_newton = has_newton(problem, solver)
    if is_newton and problem.matrix.size * n_sums(problem.n_classes) <= _SHARED_CELLS:
        shared = _sharing(problem, folds, used)
        if shared is not None:
            return shared
    borrowed = [_fold(problem, solver, used * fold.learn, used * fold.test) for fold in folds]
    made = [fold for fold in borrowed if fold is not None]
    if not is_newton:
        return list(made)
    return [_newton_fold(fold) for fold in made]


# -- Newton's method ------------------------------------------------------------------------------


@dataclass
class _NewtonFolds:
    """Folds with a row of weights each: rows to learn from, and rows to score."""

    learned: NewtonRows
    tested: NewtonRows
    max_iter: int
    sums: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.sums = np.zeros((len(self.learned.weights), self.learned.n_unknown))

    @property
    def total(self) -> Floats:
        """The weight of the held-out rows of each fold."""
        return np.asarray(self.tested.weights.sum(axis=1))

    def losses(self, strength: float) -> Floats:
        """Return the summed log loss of the held-out rows of each fold."""
        found = newton(
            self.learned, strength, self.sums, close=_CLOSE_NEWTON, max_iter=self.max_iter
        )
        self.sums = found.sums
        losses = self.tested.losses(self.tested.scores(self.sums))
        losses = np.minimum(losses, -np.log(_LEAST_PROBABILITY))
        return np.asarray((self.tested.weights * losses).sum(axis=1))


def _sharing(
    problem: SoftmaxProblem, folds: Sequence[Fold], used: Units
) -> list[ScoredFolds] | None:
    """Return all folds as weights of the same rows; None where a fold of several lacks a class."""
    assert problem.folds is not None
    share = (used * problem.weights) / problem.folds.units
    pairs = [(fold.learn * share, fold.test * share) for fold in folds]
    n_present = [len(np.unique(problem.class_of_row[learn > 0])) for learn, _ in pairs]
    if problem.n_classes > 2 and min(n_present) < problem.n_classes:
        return None
    kept = [pair for pair, n in zip(pairs, n_present, strict=True) if n > 1 and pair[1].any()]
    if not kept:
        return []
    learn, test = (np.array(part) for part in zip(*kept, strict=True))
    rows = newton_rows(problem.matrix, problem.class_of_row, learn, problem.n_classes)
    return [_NewtonFolds(rows, rows.weighing(test), problem.max_iter)]


def _newton_fold(fold: "_BorrowedFold") -> _NewtonFolds:
    """Return a fold with rows of its own."""
    learned, tested = (
        newton_rows(part.matrix, part.class_of_row, part.weights[None], fold.learned.n_classes)
        for part in (fold.learned, fold.tested)
    )
    return _NewtonFolds(learned, tested, fold.learned.max_iter)


# -- scikit-learn's solvers -----------------------------------------------------------------------


@dataclass(frozen=True)
class _BorrowedFold:
    """Rows to learn from, with their classes numbered anew, and rows to score."""

    model: Any
    learned: SoftmaxProblem
    tested: SoftmaxProblem

    @property
    def total(self) -> Floats:
        """The weight of the held-out rows, of one fold."""
        return np.array([self.tested.weights.sum()])

    def losses(self, strength: float) -> Floats:
        """Return the summed log loss of the held-out rows."""
        model = fit_quietly(self.model, replace(self.learned, strength=strength))
        scores = np.asarray(self.tested.matrix @ model.coef_.T) + model.intercept_
        truth = np.arange(len(scores)), self.tested.class_of_row
        right = probabilities_of(scores, self.tested.n_classes)[truth]
        return np.array([-self.tested.weights @ np.log(np.maximum(right, _LEAST_PROBABILITY))])


def _fold(problem: SoftmaxProblem, solver: str, learn: Units, test: Units) -> _BorrowedFold | None:
    """Return one fold; None when nothing can be learned or tested in it."""
    learned = _part(problem, learn)
    present = np.unique(learned.class_of_row)
    # A class that is not among the training rows cannot be predicted.
    tested = _part(problem, np.where(np.isin(problem.class_of_row, present), test, 0))
    if len(present) < 2 or not len(tested.class_of_row):
        return None
    model = new_solver(problem, solver).set_params(tol=_CLOSE)
    return _BorrowedFold(model, _renumber(learned, present), _renumber(tested, present))


def _part(problem: SoftmaxProblem, units: Units) -> SoftmaxProblem:
    """Return the rows of which there are some units, with their share of the weights."""
    rows = np.flatnonzero(units)
    assert problem.folds is not None
    return problem.rows(rows, units[rows] / problem.folds.units[rows])


def _renumber(problem: SoftmaxProblem, present: npt.NDArray[Any]) -> SoftmaxProblem:
    places = np.searchsorted(present, problem.class_of_row)
    return replace(problem, class_of_row=places, n_classes=len(present))
