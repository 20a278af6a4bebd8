"""The folds in which strengths of a penalty are tried: fitted, and scored by their held-out rows.

1. Two classes and few terms: Newton's method on all folds at once where rows are few, else fold by
   fold (``_logistic_newton``).
2. All others: scikit-learn's solver, fold by fold.

Each fold starts from where it was for the strength before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._class_sums import probabilities_of
from branchline._folds import Fold
from branchline.linear._logistic_newton import LogisticRows, design_of, newton
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
    if is_newton and problem.matrix.size <= _SHARED_CELLS:
        return _sharing(problem, folds, used)
    borrowed = [_fold(problem, solver, used * fold.learn, used * fold.test) for fold in folds]
    made = [fold for fold in borrowed if fold is not None]
    if not is_newton:
        return list(made)
    return [_newton_fold(fold) for fold in made]


# -- Newton's method ------------------------------------------------------------------------------


@dataclass
class _NewtonFolds:
    """Folds of two classes: rows to learn from, and rows to score with a row of weights a fold."""

    learned: LogisticRows
    tested: LogisticRows
    max_iter: int
    sums: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.sums = np.zeros((len(self.learned.weights), self.learned.design.shape[1]))

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
        scores = (self.sums @ self.tested.design.T) * (2.0 * self.tested.truth - 1.0)
        losses = np.minimum(np.logaddexp(0.0, -scores), -np.log(_LEAST_PROBABILITY))
        return np.asarray((self.tested.weights * losses).sum(axis=1))


def _sharing(problem: SoftmaxProblem, folds: Sequence[Fold], used: Units) -> list[ScoredFolds]:
    """Return all folds as weights of the same rows."""
    truth = problem.class_of_row.astype(np.float64)
    share = (used * problem.weights) / problem.folds.units
    pairs = [(fold.learn * share, fold.test * share) for fold in folds]
    kept = [(learn, test) for learn, test in pairs if _has_both(learn, truth) and test.any()]
    if not kept:
        return []
    design = design_of(problem.matrix)
    learn, test = (np.array(part) for part in zip(*kept, strict=True))
    both = LogisticRows(design, truth, learn), LogisticRows(design, truth, test)
    return [_NewtonFolds(*both, problem.max_iter)]


def _has_both(weights: Floats, truth: Floats) -> bool:
    return len(np.unique(truth[weights > 0])) == 2


def _newton_fold(fold: "_BorrowedFold") -> _NewtonFolds:
    """Return a fold with rows of its own."""
    parts = [
        LogisticRows(
            design_of(part.matrix), part.class_of_row.astype(np.float64), part.weights[None]
        )
        for part in (fold.learned, fold.tested)
    ]
    return _NewtonFolds(parts[0], parts[1], fold.learned.max_iter)


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
    return problem.rows(rows, units[rows] / problem.folds.units[rows])


def _renumber(problem: SoftmaxProblem, present: npt.NDArray[Any]) -> SoftmaxProblem:
    places = np.searchsorted(present, problem.class_of_row)
    return replace(problem, class_of_row=places, n_classes=len(present))
