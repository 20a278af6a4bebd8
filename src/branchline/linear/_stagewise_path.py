"""Forward stagewise steps: what agrees best with the residual moves a little, again and again.

With terms and target of standard deviation 1, and c_j the correlation of term j with the residual:

1. j = argmax |c_j|.
2. w_j += δ, with δ = ε sign(c_j) ("incremental") or δ = ε c_j ("boost").
3. c −= δ G_j, where G_j holds the correlations of term j with all terms; it is made when j first
   moves. No row is looked at otherwise.
4. Stop when the step would overshoot: |c_j| ≤ ε / 2, or when nothing is left to explain.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._arrays import Floats
from branchline.linear._cv_curve import CVCurve, mean_and_error
from branchline.linear._regressor import RegressionProblem

__all__ = ["Steps", "Walk", "cross_validate_steps", "standardized"]

_NOTHING_LEFT = 1e-9
# A walk on left-out rows ends when this share of its steps brought no improvement.
_PATIENCE, _LEAST_PATIENCE = 0.5, 200


@dataclass(frozen=True, eq=False)
class Steps:
    """Which term moved at each step, and by how much (in standard deviations)."""

    terms: npt.NDArray[np.int32]
    amounts: Floats

    def weights(self, n_steps: int, n_terms: int) -> Floats:
        """Return the weights after some steps."""
        moved = np.zeros(n_terms)
        np.add.at(moved, self.terms[:n_steps], self.amounts[:n_steps])
        return moved


@dataclass(frozen=True, eq=False)
class Walk:
    """A problem of one output with terms scaled to standard deviation 1, and their correlations.

    Parameters
    ----------
    matrix
        One column a term, dense or sparse (CSC), as encoded.
    share
        The weight of each row, as a share of all.
    mean, spread
        Those of each term; a spread of 0 means that it does not vary.
    residual
        The target about its mean, divided by ``unit``.
    """

    matrix: Any
    share: Floats
    mean: Floats
    spread: Floats
    residual: Floats
    y_mean: float
    unit: float
    columns: dict[int, Floats] = field(default_factory=dict)

    def correlations(self, values: Floats) -> Floats:
        """Return Σ share · z_j · values for each scaled term z_j."""
        weighted = self.share * values
        products = np.asarray(weighted @ self.matrix) - weighted.sum() * self.mean
        scaled: Floats = np.where(self.spread > 0, products / self._divisor, 0.0)
        return scaled

    @property
    def _divisor(self) -> Floats:
        return np.where(self.spread > 0, self.spread, 1.0)

    def term(self, place: int) -> Floats:
        """Return one scaled term."""
        return scaled_term(self.matrix, place, self.mean, self.spread)

    def column(self, place: int) -> Floats:
        """Return the correlations of one term with all."""
        if place not in self.columns:
            self.columns[place] = self.correlations(self.term(place))
        return self.columns[place]

    def steps(self, size: float, method: str, n_steps: int) -> Any:
        """Yield the term and the amount of each step."""
        left = self.correlations(self.residual)
        for _ in range(n_steps):
            if len(left) == 0:
                return
            best = int(np.argmax(np.abs(left)))
            agreement = float(left[best])
            if abs(agreement) <= (size / 2 if method == "incremental" else _NOTHING_LEFT):
                return
            amount = np.copysign(size, agreement) if method == "incremental" else size * agreement
            left -= amount * self.column(best)
            yield best, float(amount)


def standardized(problem: RegressionProblem, unit: float | None = None) -> Walk:
    """Return a problem ready for steps; ``unit`` is what targets are divided by."""
    share, y = problem.weights / problem.total_weight, problem.targets[:, 0]
    matrix = problem.matrix.tocsc() if sparse.issparse(problem.matrix) else problem.matrix
    mean, y_mean = np.asarray(share @ matrix), float(share @ y)
    if sparse.issparse(matrix):
        squares = np.asarray(share @ matrix.multiply(matrix)) - mean**2
    else:
        squares = share @ (matrix - mean) ** 2
    spread = np.sqrt(np.maximum(squares, 0.0))
    spread[spread <= 1e-9 * np.abs(mean)] = 0.0  # rounding, not variation
    if unit is None:
        unit = float(np.sqrt(share @ (y - y_mean) ** 2)) or 1.0
    return Walk(matrix, share, mean, spread, (y - y_mean) / unit, y_mean, unit)


def scaled_term(matrix: Any, place: int, mean: Floats, spread: Floats) -> Floats:
    """Return one term about a mean, divided by a spread."""
    values = matrix[:, [place]].toarray().ravel() if sparse.issparse(matrix) else matrix[:, place]
    scaled: Floats = (values - mean[place]) / spread[place]
    return scaled


def cross_validate_steps(
    problem: RegressionProblem, size: float, method: str, n_steps: int, n_folds: int
) -> CVCurve:
    """Return the squared error on rows left out after each number of steps, from 0 on."""
    folds, unit = problem.split(n_folds), standardized(problem).unit
    if not folds:
        return CVCurve(np.zeros(1), np.zeros(1))
    curves, weights = [], []
    for learned, tried in folds:
        walk = standardized(learned, unit)
        curves.append(_errors_along(walk, tried, size, method, n_steps))
        weights.append(tried.total_weight)
    longest = max(len(curve) for curve in curves)
    padded = [np.append(c, np.full(longest - len(c), c[-1])) for c in curves]
    return mean_and_error(np.array(padded), np.array(weights))


def _errors_along(
    walk: Walk, tried: RegressionProblem, size: float, method: str, n_steps: int
) -> Floats:
    share = tried.weights / tried.total_weight
    left = (tried.targets[:, 0] - walk.y_mean) / walk.unit
    matrix = tried.matrix.tocsc() if sparse.issparse(tried.matrix) else tried.matrix
    terms: dict[int, Floats] = {}
    errors = [float(share @ left**2)]
    best = 0
    for place, amount in walk.steps(size, method, n_steps):
        if place not in terms:
            terms[place] = scaled_term(matrix, place, walk.mean, walk.spread)
        left = left - amount * terms[place]
        errors.append(float(share @ left**2))
        best = len(errors) - 1 if errors[-1] < errors[best] else best
        if len(errors) - best > max(_LEAST_PATIENCE, _PATIENCE * len(errors)):
            break
    return np.array(errors)
