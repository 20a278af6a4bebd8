"""Sparse Gaussian processes: few rows stand for all, chosen and judged by a lower bound.

With inducing rows u, Q = K_fu K_uu⁻¹ K_uf and S = σ² W⁻¹, the variational bound (Titsias, 2009) is

    −J = log N(y; 0, Q + S) − ½ Σ_i (k_ii − q_ii) / S_i   ≤   log p(y).

1. ``inducing_places`` takes the row whose variance, given the rows taken before, is largest
   (pivoted Cholesky; Burt et al., 2020), until enough are taken or nothing is left to explain.
2. V = L_u⁻¹ K_uf, A = V S^(−½), B = I + A Aᵀ: J costs n m² instead of n³.
3. With G = ½ ((Q + S)⁻¹ − α αᵀ − S⁻¹) and P = K_uu⁻¹ K_uf, the adjoints are ∂J/∂K_uf = 2 P G and
   ∂J/∂K_uu = −P G Pᵀ; both come from B⁻¹, without a matrix of n × n.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas

from branchline._arrays import Floats
from branchline._long_algebra import cholesky, solve
from branchline.kernels import FittedKernel, Points
from branchline.svm.gaussian._marginal_likelihood import (
    FAILED,
    ExactLikelihood,
    Problem,
    copies_term,
    noise_of,
)

__all__ = ["JITTER", "BoundLikelihood", "inducing_places", "lower_solve"]

JITTER = 1e-9  # of the mean of k(u, u): K_uu of chosen rows is well conditioned, but for rounding
_EXPLAINED = 1e-8  # of the largest variance


def inducing_places(
    kernel: FittedKernel, points: Points, most: int, n_threads: int = 1
) -> npt.NDArray[np.intp]:
    """Return the rows that explain most of the variance, one after the other."""
    left = kernel.diag(points).copy()
    enough = _EXPLAINED * float(left.max(initial=0.0))
    features = np.empty((min(most, len(points)), len(points)))
    taken: list[int] = []
    while len(taken) < len(features):
        pivot = int(left.argmax())
        if taken and left[pivot] <= enough:
            break
        column = kernel.gram(points.take([pivot]), points, n_threads=n_threads)[0]
        known = features[: len(taken)]
        column = column - known[:, pivot] @ known
        feature = column / math.sqrt(max(float(left[pivot]), 1e-300))
        features[len(taken)] = feature
        left -= feature**2
        taken.append(pivot)
        left[taken] = 0.0
    return np.array(taken, dtype=np.intp)


def lower_solve(factor: Floats, values: Floats, *, transposed: bool = False) -> Floats:
    """Return L⁻¹ values, or L⁻ᵀ values."""
    lower = np.asfortranarray(factor)
    return np.asarray(blas.dtrsm(1.0, lower, values, lower=1, trans_a=int(transposed)))


@dataclass(frozen=True, eq=False)
class _Factors:
    """L_u, A, L_B, B⁻¹ A S^(−½) and the coefficients b = K_uu⁻¹ K_uf α."""

    l_u: Floats
    a: Floats
    l_b: Floats
    b: Floats
    alpha: Floats


@dataclass(frozen=True, eq=False)
class BoundLikelihood:
    """J of a bound: ``some`` is the exact likelihood of some rows, for the information."""

    problem: Problem
    inducing: Points
    some: ExactLikelihood

    def __call__(self, values: Floats) -> tuple[float, Floats]:
        """Return J and its derivatives."""
        return _bound(self.problem, self.inducing, values)

    def information(self, values: Floats) -> Floats:
        """Return the information of some rows, times how many more there are."""
        self.some(values)
        times = len(self.problem.points) / len(self.some.problem.points)
        return times * self.some.information(values)


def _bound(problem: Problem, inducing: Points, values: Floats) -> tuple[float, Floats]:
    of_kernel, noise = problem.split(values)
    kernel, rows, few = problem.kernel, problem.points.parts, inducing.parts
    n_few, n_rows = len(inducing), len(problem.points)
    k_uu, back_uu = kernel.block(of_kernel, few, few)
    k_uf, back_uf = kernel.block(of_kernel, few, rows)
    diagonal, back_diagonal = kernel.diagonal(of_kernel, rows)
    s = noise_of(noise, problem.weights)
    whole = np.broadcast_to(k_uf, (n_few, n_rows))
    found = _factors(np.broadcast_to(k_uu, (n_few, n_few)), whole, s, problem.targets)
    if found is None:
        return FAILED, np.zeros(len(values))
    rest = np.broadcast_to(diagonal, (n_rows,)) - s * np.einsum("ij,ij->j", found.a, found.a)
    value = 0.5 * (n_rows * math.log(2 * math.pi) + float(np.log(s).sum()))
    value += float(np.log(np.diag(found.l_b)).sum()) + 0.5 * float(problem.targets @ found.alpha)
    value += 0.5 * float((rest / s).sum()) + copies_term(problem, noise)
    of_few, of_both = _adjoints(found, s)
    slopes = back_uu(of_few) + back_uf(of_both) + back_diagonal(0.5 / s)
    if problem.noise is None:
        inner = lower_solve(found.l_b, found.a)
        precision = (1 - np.einsum("ij,ij->j", inner, inner)) / s
        own = 0.5 * float((s * (precision - found.alpha**2) - rest / s).sum())
        slopes = np.append(slopes, own + 0.5 * float((problem.weights - 1).sum()))
    return value, slopes


def _factors(k_uu: Floats, k_uf: Floats, s: Floats, targets: Floats) -> _Factors | None:
    matrix = k_uu.copy(order="F")
    matrix.flat[:: len(matrix) + 1] += JITTER * float(np.diag(matrix).mean())
    l_u = cholesky(matrix) if np.isfinite(matrix).all() else None
    if l_u is None:
        return None
    a = lower_solve(l_u, k_uf) / np.sqrt(s)
    inner = np.asfortranarray(a @ a.T)
    inner.flat[:: len(inner) + 1] += 1.0
    l_b = cholesky(inner)
    if l_b is None:
        return None
    solved = solve(l_b, (a @ (targets / np.sqrt(s)))[:, None])
    b = lower_solve(l_u, solved, transposed=True)[:, 0]
    alpha = (targets - b @ k_uf) / s
    return _Factors(l_u, a, l_b, b, alpha)


def _adjoints(found: _Factors, s: Floats) -> tuple[Floats, Floats]:
    """Return ∂J/∂K_uu and ∂J/∂K_uf."""
    few = len(found.b)
    inverse = solve(found.l_b, np.eye(few))
    change = inverse - np.eye(few)  # B⁻¹ − I
    of_both = lower_solve(found.l_u, change @ found.a / np.sqrt(s), transposed=True)
    of_both = of_both - np.outer(found.b, found.alpha)
    b = np.tril(found.l_b) @ np.tril(found.l_b).T
    middle = 2 * np.eye(few) - b - inverse
    left = lower_solve(found.l_u, middle, transposed=True)
    outer = lower_solve(found.l_u, np.ascontiguousarray(left.T), transposed=True)
    return -0.5 * (outer - np.outer(found.b, found.b)), of_both
