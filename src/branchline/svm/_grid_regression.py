"""Scores of every epsilon, C and fold on one kernel matrix: the work of ``SVRGrid``.

1. In each fold the target is centered and scaled by the fold's training rows, as ``SVR`` does.
2. The C are solved in rising order, each from the last: s β with the best s in [1, C_new / C_old],
   which keeps all bounds and the sum.
3. A fold's held-out rows are predicted by Σ_j β_j K(x_j, x) + b; scores are in the target's units.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from branchline import _core
from branchline._arrays import Floats
from branchline._folds import Fold, fold_rows
from branchline.svm._grid_cells import Scale
from branchline.svm._grid_search import share_of
from branchline.svm._kernel_rows import KernelRows, SolverLimits
from branchline.svm._margin_regressor import TargetUnits, numbers_in_units
from branchline.svm._quadratic_program import QuadraticProgram, Solution, regression

__all__ = ["ERRORS", "GridRegression"]

_INFINITE = float("inf")
_LARGEST = 1e300
Measure = Callable[[Floats, Floats, Floats], float]


def _root_mean_squared(truth: Floats, predicted: Floats, weights: Floats) -> float:
    off, unit = _apart(truth, predicted)
    return min(_LARGEST, unit * float(np.sqrt(np.average(off**2, weights=weights))))


def _mean_absolute(truth: Floats, predicted: Floats, weights: Floats) -> float:
    off, unit = _apart(truth, predicted)
    return min(_LARGEST, unit * float(np.average(np.abs(off), weights=weights)))


def _r2(truth: Floats, predicted: Floats, weights: Floats) -> float:
    off, unit = _apart(truth, predicted)
    scaled = truth / unit
    spread = float(weights @ (scaled - np.average(scaled, weights=weights)) ** 2)
    left = float(weights @ off**2)
    if spread == 0:
        return 1.0 if left == 0 else 0.0
    return max(-_LARGEST, 1 - left / spread)


def _apart(truth: Floats, predicted: Floats) -> tuple[Floats, float]:
    """Return truth − predicted in a unit in which its squares do not overflow, and the unit."""
    largest = max(float(np.abs(truth).max()), float(np.abs(predicted).max()))
    unit = 1.0 if 1e-100 < largest < 1e100 else max(largest, 1e-300)
    return truth / unit - predicted / unit, unit


ERRORS: dict[str, tuple[Measure, Scale]] = {
    "rmse": (_root_mean_squared, Scale(0.0, _INFINITE, is_error=True)),
    "mae": (_mean_absolute, Scale(0.0, _INFINITE, is_error=True)),
    "r2": (_r2, Scale(-_INFINITE, 1.0)),
}


@dataclass(frozen=True, eq=False)
class _Part:
    """One fold's training rows with one epsilon."""

    fold: Fold
    numbers: Floats
    weights: Floats
    units: TargetUnits
    epsilon: float

    def problem(self, strength: float, before: tuple[Solution, float] | None) -> QuadraticProgram:
        """Return the problem of one C, started from the solution of the last."""
        made = regression(self.numbers, strength * self.weights, self.epsilon)
        rows = np.tile(self.fold.learn_rows.astype(np.uint32), 2)
        if before is None:
            return replace(made, rows=rows)
        solution, strength_before = before
        gain = float(solution.problem.linear @ solution.beta)
        most = strength / strength_before
        factor = float(np.clip(gain / max(solution.quadratic, 1e-300), 1.0, most))
        start = np.clip(factor * solution.beta, made.lower, made.upper)
        return replace(made, rows=rows, start=start)


@dataclass(frozen=True, eq=False)
class GridRegression:
    """What is the same for every kernel.

    Parameters
    ----------
    rows
        All rows.
    strengths
        The C to try, rising.
    n_folds
        The number of folds.
    metric, tolerance, standardize
        As in ``SVRGrid``.
    """

    rows: KernelRows
    strengths: Floats
    n_folds: int
    metric: str
    tolerance: float
    standardize: bool

    @cached_property
    def folds(self) -> list[Fold]:
        """The folds; the training rows themselves when there is nothing to hold out."""
        rows = fold_rows(self.rows.data)
        return rows.split(self.n_folds) or [Fold(rows.units, rows.units)]

    def scores_of(self, gram: Floats, epsilons: Floats) -> Floats:
        """Return the score of each epsilon, C and fold."""
        parts = [self._part(fold, one) for one in epsilons.tolist() for fold in self.folds]
        scores = np.empty((len(parts), len(self.strengths)))
        last: list[Solution] = []
        steps = [(None, self.strengths[0]), *pairwise(self.strengths.tolist())]
        for c, (before, strength) in enumerate(steps):
            starts = [None if before is None else (one, before) for one in last]
            given = starts or [None] * len(parts)
            problems = [
                part.problem(float(strength), start)
                for part, start in zip(parts, given, strict=True)
            ]
            last = self._solve(gram, problems)
            scores[:, c] = [
                self._score(gram, part, one) for part, one in zip(parts, last, strict=True)
            ]
        by_epsilon = scores.reshape(len(epsilons), len(self.folds), -1)
        return np.ascontiguousarray(by_epsilon.transpose(0, 2, 1))

    def _part(self, fold: Fold, epsilon: float) -> _Part:
        train = fold.learn_rows
        weights = self.rows.weights[train] * share_of(self.rows, fold.learn)
        numbers = self.rows.data.number_target.values[train]
        scaled, units = numbers_in_units(numbers, weights, standardize=self.standardize)
        return _Part(fold, scaled, weights, units, epsilon)

    def _solve(self, gram: Floats, problems: list[QuadraticProgram]) -> list[Solution]:
        options = self.rows.options(SolverLimits(self.tolerance))
        native = [problem.native() for problem in problems]
        solved = _core.solve_svm_gram_double(gram, native, options)
        return [Solution(one, *values) for one, values in zip(problems, solved, strict=True)]

    def _score(self, gram: Floats, part: _Part, solution: Solution) -> float:
        train, test = part.fold.learn_rows, part.fold.test_rows
        half = len(train)
        beta = solution.beta[:half] + solution.beta[half:]
        used = np.flatnonzero(beta)
        # A sum of one row's products in a fixed order: the same bits wherever the row is tested.
        sums = np.einsum("ij,j->i", gram[np.ix_(test, train[used])], beta[used])
        predicted = (sums - solution.level()) * part.units.scale + part.units.middle
        weights = self.rows.weights[test] * share_of(self.rows, part.fold.test)
        measure, _ = ERRORS[self.metric]
        return measure(self.rows.data.number_target.values[test], predicted, weights)
