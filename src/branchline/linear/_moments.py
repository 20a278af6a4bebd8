"""Weighted sums of rows: all that least squares needs to know of them.

For rows (x, y) of weight v: Σ v, Σ v x, Σ v y, Σ v x xᵀ, Σ v x y, Σ v y². Sums of folds add up to
those of the whole, so that cross-validation passes over the rows once, and the error of any
weights on any fold takes no row at all:

    Σ v (y − b − w·x)² = Σ v (y − b)² − 2 w·Σ v x (y − b) + wᵀ (Σ v x xᵀ) w.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._memory import refuse_over_budget
from branchline.linear._regressor import RegressionProblem

__all__ = ["Centered", "Moments", "moments_of", "moments_of_folds"]


@dataclass(frozen=True, eq=False)
class Centered:
    """Moments about the weighted means, for one output: Σ v x xᵀ, Σ v x y and Σ v y²."""

    weight: float
    xx: Floats
    xy: Floats
    yy: float
    x_mean: Floats
    y_mean: float


@dataclass(frozen=True, eq=False)
class Moments:
    """Weighted sums for one output, about a fixed origin."""

    weight: float
    x: Floats
    y: float
    xx: Floats
    xy: Floats
    yy: float

    def __sub__(self, other: "Moments") -> "Moments":
        return Moments(
            self.weight - other.weight,
            self.x - other.x,
            self.y - other.y,
            self.xx - other.xx,
            self.xy - other.xy,
            self.yy - other.yy,
        )

    def centered(self) -> Centered:
        """Return the sums about the means."""
        x_mean, y_mean = self.x / self.weight, self.y / self.weight
        xx = self.xx - np.outer(self.x, x_mean)
        yy = max(self.yy - self.y * y_mean, 0.0)
        return Centered(self.weight, xx, self.xy - self.x * y_mean, yy, x_mean, y_mean)

    def mean_error(self, weights: Floats, bias: Floats) -> Floats:
        """Return the mean squared error of several models, a row of weights each."""
        straight = self.yy - 2 * bias * self.y + bias**2 * self.weight
        crossed = weights @ self.xy - bias * (weights @ self.x)
        squared = ((weights @ self.xx) * weights).sum(axis=1)
        return np.asarray(np.maximum(straight - 2 * crossed + squared, 0.0) / self.weight)


def moments_of(problem: RegressionProblem, origin: tuple[Floats, float] | None = None) -> Moments:
    """Return the sums of a problem's rows about an origin (0 for sparse rows)."""
    refuse_over_budget(8 * problem.n_terms**2, "the products of all pairs of terms")
    x_origin, y_origin = origin_of(problem) if origin is None else origin
    weights, y = problem.weights, problem.targets[:, 0] - y_origin
    if sparse.issparse(problem.matrix):
        x: Any = problem.matrix
        weighted = sparse.diags_array(weights) @ x
        xx = (x.T @ weighted).toarray()
    else:
        x = problem.matrix - x_origin
        root = np.sqrt(weights)[:, None] * x
        xx = root.T @ root
    sums = np.asarray(weights @ x), float(weights @ y)
    products = np.asarray((weights * y) @ x), float(weights @ y**2)
    return Moments(float(weights.sum()), *sums, xx, *products)


def origin_of(problem: RegressionProblem) -> tuple[Floats, float]:
    """Return the means of all rows, about which no digits are lost; 0 for sparse terms."""
    total = problem.total_weight
    y_mean = float(problem.weights @ problem.targets[:, 0] / total)
    if sparse.issparse(problem.matrix):
        return np.zeros(problem.n_terms), y_mean
    return np.asarray(problem.weights @ problem.matrix) / total, y_mean


def moments_of_folds(problem: RegressionProblem, n_folds: int) -> list[tuple[Moments, Moments]]:
    """Return, for each fold, the sums to fit and the sums to test on, about the means of all rows.

    Sums of all other rows are those of all rows less those of the fold, except in time.
    """
    origin, folds = origin_of(problem), problem.split(n_folds)
    if problem.folds.times is not None:
        return [
            (moments_of(learned, origin), moments_of(tried, origin)) for learned, tried in folds
        ]
    whole = moments_of(problem, origin)
    parts = [moments_of(tried, origin) for _, tried in folds]
    return [(whole - part, part) for part in parts]
