"""The log marginal likelihood of a Gaussian process, exact, with its derivatives.

With K the kernel matrix of the n rows, S = σ² W⁻¹ the noise of rows with weights w_i, y the
centered targets, and L Lᵀ = K + S, α = (K + S)⁻¹ y:

    J = −log p(y) = ½ yᵀ α + Σ log L_ii + ½ n log 2π + ½ Σ (w_i − 1) log 2πσ² + ½ Σ log w_i

1. A row of weight k stands for k rows with one target: the last two terms make J that of the
   copies.
2. ∂J/∂K = ½ ((K + S)⁻¹ − α αᵀ): one Cholesky factor and one inverse give all derivatives, which
   the kernel takes as an adjoint (``branchline.kernels.Trainable``).
3. The average information, ½ q_kᵀ (K + S)⁻¹ q_l with q_k = ∂K/∂t_k α, is the mean of the observed
   and the expected one, and never negative: with it a search needs few steps.
4. ∂J/∂log σ² = Σ_i (∂J/∂K)_ii S_i + ½ Σ (w_i − 1).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from branchline._arrays import Floats, Places
from branchline._long_algebra import cholesky, solve
from branchline.kernels import Points, Trainable

__all__ = ["FAILED", "ExactLikelihood", "Problem", "copies_term", "noise_of"]

# What the optimizer is told where a matrix has no Cholesky factor.
FAILED = 1e25
_STEP = 1e-5


@dataclass(frozen=True, eq=False)
class Problem:
    """What a likelihood is of.

    Parameters
    ----------
    kernel
        The kernel with its parameters.
    points
        The rows, as prepared for the kernel as it was given.
    targets
        Centered, in the units of the fit.
    weights
        Of the rows.
    noise
        σ² where it is given; None: it is the last of the parameters, by its logarithm.
    """

    kernel: Trainable
    points: Points
    targets: Floats
    weights: Floats
    noise: float | None

    def take(self, rows: Places | slice) -> "Problem":
        """Return the problem of some of the rows."""
        points = self.points.take(rows)
        return Problem(self.kernel, points, self.targets[rows], self.weights[rows], self.noise)

    def split(self, values: Floats) -> tuple[Floats, float]:
        """Return the parameters of the kernel, and σ²."""
        if self.noise is None:
            return values[:-1], math.exp(values[-1])
        return values, self.noise


def copies_term(problem: Problem, noise: float) -> float:
    """Return what weights add to J: ½ Σ (w_i − 1) log 2πσ² + ½ Σ log w_i."""
    weights = problem.weights
    if noise <= 0 or (weights == 1).all():
        return 0.0
    extra = float((weights - 1).sum()) * math.log(2 * math.pi * noise)
    return 0.5 * (extra + float(np.log(weights).sum()))


class ExactLikelihood:
    """J of all rows of a problem, its derivatives, and the average information."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._alpha = self._adjoint = self._gram = np.zeros(0)

    def __call__(self, values: Floats) -> tuple[float, Floats]:
        """Return J and its derivatives."""
        problem, n_rows = self.problem, len(self.problem.points)
        of_kernel, noise = problem.split(values)
        parts = problem.points.parts
        self._gram, backward = problem.kernel.block(of_kernel, parts, parts)
        matrix = np.broadcast_to(self._gram, (n_rows, n_rows)).copy(order="F")
        of_rows = noise_of(noise, problem.weights)
        matrix.flat[:: n_rows + 1] += of_rows
        factor = cholesky(matrix) if np.isfinite(matrix).all() else None
        if factor is None:
            self._alpha = np.zeros(0)
            return FAILED, np.zeros(len(values))
        self._alpha = solve(factor, problem.targets[:, None])[:, 0]
        found = 0.5 * float(problem.targets @ self._alpha) + float(np.log(np.diag(factor)).sum())
        found += 0.5 * n_rows * math.log(2 * math.pi) + copies_term(problem, noise)
        self._adjoint = _adjoint(factor, self._alpha)
        slopes = backward(self._adjoint)
        if problem.noise is None:
            own = float(np.diag(self._adjoint) @ of_rows)
            slopes = np.append(slopes, own + 0.5 * float((problem.weights - 1).sum()))
        return found, slopes

    def information(self, values: Floats) -> Floats:
        """Return ½ q_kᵀ (K + S)⁻¹ q_l, with q_k = ∂(K + S)/∂t_k α."""
        if len(self._alpha) == 0:
            return np.eye(len(values))
        of_kernel, noise = self.problem.split(values)
        parts, alpha = self.problem.points.parts, self._alpha
        before = _times(self._gram, alpha)
        moved = []
        for step in _STEP * np.eye(len(of_kernel)):
            gram, _ = self.problem.kernel.block(of_kernel + step, parts, parts)
            moved.append((_times(gram, alpha) - before) / _STEP)
        if self.problem.noise is None:
            moved.append(noise_of(noise, self.problem.weights) * alpha)
        q = np.array(moved).reshape(-1, len(alpha)).T
        solved = 2 * self._adjoint @ q + np.outer(alpha, alpha @ q)
        found: Floats = 0.5 * q.T @ solved
        return (found + found.T) / 2


def _times(gram: Floats, values: Floats) -> Floats:
    """Return the product of a block that may be one value for all."""
    if gram.size == 1:
        return np.full(len(values), float(gram.ravel()[0]) * float(values.sum()))
    product: Floats = gram @ values
    return product


def noise_of(noise: float, weights: Floats) -> Floats:
    """Return σ² / w_i of each row."""
    return noise / weights


def _adjoint(factor: Floats, alpha: Floats) -> Floats:
    """Return ½ ((L Lᵀ)⁻¹ − α αᵀ); L may be overwritten."""
    lower = factor if factor.flags.f_contiguous else np.asfortranarray(factor)
    inverse, _ = lapack.dpotri(lower, lower=1, overwrite_c=1)
    half = np.tril(inverse, -1)
    whole = half + half.T
    whole.flat[:: len(whole) + 1] = np.diag(inverse)
    whole -= np.outer(alpha, alpha)
    whole *= 0.5
    return np.asarray(whole)
