"""Ridge regression in the space of a kernel, without its bias: solutions and what they leave out.

With row weights W = diag w_i, S = √W, and the kernel K_c of rows centered at their weighted mean:

1. G = S K_c S, and a = S (G + α I)⁻¹ S (y − ȳ); the residual of row i is α a_i / w_i.
2. The hat matrix H of ŷ = H y has 1 − h_ii = α ((G + α I)⁻¹)_ii − w_i / Σ w. The direction of the
   bias has the eigenvalue ``level`` instead of 0 in G, so that no near numbers are subtracted.
3. Leaving out the part δ_i of row i turns its residual r_i into r_i / (1 − h_ii δ_i): exact, for
   all rows from one factorization. All copies of a row are left out together (δ = 1), except where
   each copy counts as a row of its own (``_folds``).
4. A given α needs a Cholesky factor; many are compared by one decomposition G = Q Λ Qᵀ.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from branchline._arrays import Floats
from branchline._long_algebra import cholesky, diagonal_of_inverse, eigh, solve, svd
from branchline.errors import ParameterError, Repair
from branchline.svm._kernel_product import KernelProduct, ThinKernel

__all__ = ["CenteredRidge", "RidgeSolution", "centered_ridge"]

_N_ALPHAS = 101
_LEAST_ALPHA, _MOST_ALPHA = 1e-8, 1e2  # of the mean eigenvalue, and of the largest
# Below this share of the largest eigenvalue, digits of a Cholesky factor would be lost.
_FAINT = 1e-10
_CELLS_AT_ONCE = 2**15


@dataclass(frozen=True, eq=False)
class RidgeSolution:
    """The solution of one α; ``kept`` is 1 − h_ii of each row."""

    alpha: float
    coefficients: Floats
    kept: Floats
    left_out: Floats

    def mean_square(self, weights: Floats) -> Floats:
        """Return the mean squared leave-one-out residual of each output."""
        mean: Floats = weights @ self.left_out**2 / weights.sum()
        return mean


@dataclass(frozen=True, eq=False)
class CenteredRidge:
    """The problem without its bias.

    Parameters
    ----------
    targets
        S (y − ȳ), one column per output.
    weights
        Of the rows.
    part
        The part of each row that is left out at a time.
    level
        The eigenvalue that the direction of the bias was given.
    """

    targets: Floats
    weights: Floats
    part: Floats
    level: float

    @cached_property
    def spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues and eigenvectors of G; those that are not there have the eigenvalue 0."""
        raise NotImplementedError

    def at(self, alpha: float) -> RidgeSolution:
        """Return the solution for one α."""
        values, vectors = self.spectrum
        shares = 1 / (values + alpha)
        within = vectors.T @ self.targets
        solved, inverse = vectors @ (shares[:, None] * within), self._squares @ shares
        if len(values) < len(self.weights):
            rest = self.targets - vectors @ within
            rest -= vectors @ (vectors.T @ rest)  # again: what rounding left would grow by 1/α
            solved += rest / alpha
            inverse += (1 - self._squares.sum(axis=1)) / alpha
        return self._solution(alpha, solved, inverse)

    def best(self, *, in_one_unit: bool = False) -> RidgeSolution:
        """Return the solution of the least leave-one-out error, of the largest α on ties.

        Each output counts in units of its own variance, or all of them in one unit.
        """
        values, _ = self.spectrum
        size = np.abs(values)
        least, most = _LEAST_ALPHA * size.sum() / len(self.weights), _MOST_ALPHA * size.max()
        alphas = np.geomspace(least, most, _N_ALPHAS) if most > 0 else np.ones(1)
        alphas = alphas[alphas > -2 * values.min()]  # a kernel that is none needs at least so much
        solutions = (CenteredRidge.at(self, float(alpha)) for alpha in alphas[::-1])
        total = (self.targets**2).sum(axis=0)
        scale = np.where((total > 0) & (not in_one_unit), total, 1.0)
        return min(solutions, key=lambda found: self._error(found, scale))

    def _error(self, found: RidgeSolution, scale: Floats) -> float:
        error = float((found.mean_square(self.weights) / scale).mean())
        return np.inf if np.isnan(error) else error

    @cached_property
    def _squares(self) -> Floats:
        squares: Floats = self.spectrum[1] ** 2
        return squares

    def _solution(self, alpha: float, solved: Floats, inverse: Floats) -> RidgeSolution:
        """Return a solution, given (G + αI)⁻¹ times the targets, and its diagonal."""
        roots, share = np.sqrt(self.weights), self.weights / self.weights.sum()
        kept = alpha * inverse - alpha / (self.level + alpha) * share
        left = (1 - self.part) + self.part * kept
        # A row that is all there is leaves nothing to predict it from.
        left = np.where(left > 1e-14, left, np.nan)
        residual = alpha * solved / roots[:, None]
        return RidgeSolution(alpha, roots[:, None] * solved, kept, residual / left[:, None])


@dataclass(frozen=True, eq=False)
class _ThinRidge(CenteredRidge):
    """The problem of a thin kernel: G = Z Zᵀ with Z = S (F − the mean of its rows)."""

    features: Floats

    @cached_property
    def spectrum(self) -> tuple[Floats, Floats]:
        """The squares of the singular values of Z, and its left singular vectors."""
        vectors, roots, _ = svd(self.features)
        is_there = roots > 1e-8 * roots.max(initial=0.0)
        is_there[:1] = True
        return roots[is_there] ** 2, np.ascontiguousarray(vectors[:, is_there])


@dataclass(frozen=True, eq=False)
class _WholeRidge(CenteredRidge):
    """The problem of a whole kernel: G as a matrix."""

    matrix: Floats

    @cached_property
    def spectrum(self) -> tuple[Floats, Floats]:
        """All eigenvalues and eigenvectors; those that are 0 but for rounding are 0."""
        values, vectors = eigh(self.matrix)
        rounding = len(values) * 2.3e-16 * np.abs(values).max()
        return np.where(np.abs(values) <= rounding, 0.0, values), vectors

    def at(self, alpha: float) -> RidgeSolution:
        """Return the solution for one α, by a Cholesky factor where it has the digits."""
        if alpha > _FAINT * linalg.norm(self.matrix, 1, check_finite=False):
            shifted = self.matrix.copy()
            shifted.flat[:: len(shifted) + 1] += alpha
            factor = cholesky(shifted)
            if factor is not None:
                solved = solve(factor, self.targets)
                return self._solution(alpha, solved, diagonal_of_inverse(factor))
        values, _ = self.spectrum
        if values[0] + alpha <= _FAINT * np.abs(values).max() and values[0] < 0:
            raise _not_positive(float(values[0]), alpha)
        return super().at(alpha)


def centered_ridge(
    kernel: KernelProduct, weights: Floats, targets: Floats, part: Floats
) -> CenteredRidge:
    """Return the problem of centered rows and targets."""
    share, roots = weights / weights.sum(), np.sqrt(weights)[:, None]
    centered = roots * (targets - share @ targets)
    if isinstance(kernel, ThinKernel):
        features = roots * (kernel.factor - share @ kernel.factor)
        return _ThinRidge(centered, weights, part, 0.0, features)
    means = share @ kernel.gram
    off = means - float(share @ means)
    diagonal = (np.diag(kernel.gram) - means - off) * roots[:, 0] * roots[:, 0]
    level = float(np.abs(diagonal).mean())
    matrix = np.empty_like(kernel.gram)
    step = max(1, _CELLS_AT_ONCE // len(matrix))
    for first in range(0, len(matrix), step):  # in the cache
        rows = slice(first, first + step)
        some = np.subtract(kernel.gram[rows], means, out=matrix[rows])
        some -= off[rows, None]
        some *= roots[rows]
        some *= roots.T
        some += level * np.sqrt(np.outer(share[rows], share))
    return _WholeRidge(centered, weights, part, level, matrix)


def _not_positive(least: float, alpha: float) -> ParameterError:
    enough = float(f"{2 * abs(least):.2g}")
    return ParameterError(
        f"alpha={alpha:g} is too small for this kernel, whose matrix has an eigenvalue of "
        f"{least:.3g}: there is no best model. A kernel without negative eigenvalues has one for "
        "every alpha.",
        code="P175",
        values=[alpha],
        repair=Repair(f"model.set_params(alpha={enough:g})"),
    )
