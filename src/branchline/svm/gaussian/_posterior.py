"""What a Gaussian process expects of new rows, and of its own rows when each is left out.

Exact, with L Lᵀ = K + S and α = (K + S)⁻¹ y:

    mean k(x)ᵀ α,    variance k(x, x) − ‖L⁻¹ k(x)‖²

Sparse, with L_u L_uᵀ = K_uu, A = L_u⁻¹ K_uf S^(−½) and L_B L_Bᵀ = I + A Aᵀ:

    mean k_u(x)ᵀ b,  variance k(x, x) − ‖L_u⁻¹ k_u(x)‖² + ‖L_B⁻¹ L_u⁻¹ k_u(x)‖²

Leaving out a row needs no second fit. With p_i the diagonal of the inverse of the covariance of all
rows, row i is predicted by y_i − α_i / p_i, with the variance 1 / p_i − S_i of the function. Where
copies of a row count one by one, the other copies are put back.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from branchline._arrays import Floats
from branchline._long_algebra import cholesky, diagonal_of_inverse, solve
from branchline._memory import refuse_over_budget
from branchline._one_thread import limit_threads
from branchline.errors import DataError, Repair
from branchline.kernels import FittedKernel, Points
from branchline.svm.gaussian._inducing import JITTER, lower_solve

__all__ = ["LeftOut", "Posterior", "exact_posterior", "sparse_posterior"]

_BLOCK_CELLS = 2**22


@dataclass(frozen=True, eq=False)
class Posterior:
    """The rows that are kept, their coefficients, and what variances need.

    Parameters
    ----------
    kernel, points
        The fitted kernel and the rows that are kept: all of them, or the inducing ones.
    coefficients
        α, or b.
    noise
        The variance of the noise of each row that is kept; None for a sparse process.
    inner
        L_B of a sparse process.
    """

    kernel: FittedKernel
    points: Points
    coefficients: Floats
    noise: Floats | None
    inner: Floats | None

    @cached_property
    def factor(self) -> Floats:
        """L, or L_u."""
        with limit_threads("blas"):
            gram = self.kernel.gram(self.points, self.points)
            if self.noise is None:
                return _factored(gram, JITTER * np.full(len(gram), np.diag(gram).mean()))
            return _factored(gram, self.noise)

    def variances(self, points: Points, n_threads: int = 1) -> Floats:
        """Return the variance of the function at each row."""
        found = self.kernel.diag(points).copy()
        step = max(1, _BLOCK_CELLS // max(1, len(self.points)))
        for first in range(0, len(points), step):
            rows = slice(first, first + step)
            block = self.kernel.gram(points.take(rows), self.points, n_threads=n_threads)
            with limit_threads("blas"):
                within = lower_solve(self.factor, np.asfortranarray(block.T))
                found[rows] -= np.einsum("ij,ij->j", within, within)
                if self.inner is not None:
                    again = lower_solve(self.inner, within)
                    found[rows] += np.einsum("ij,ij->j", again, again)
        return np.maximum(found, 0.0)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Predictions of training rows by the others: means, and variances of the function.

    ``log_likelihood`` is that of all rows, or its lower bound.
    """

    means: Floats
    variances: Floats
    log_likelihood: float


def exact_posterior(
    kernel: FittedKernel, points: Points, targets: Floats, noise: Floats, part: Floats
) -> tuple[Posterior, LeftOut]:
    """Return the posterior of all rows, and each row predicted by the others.

    ``part`` is the part of each row that is left out at a time: less than 1 for one of its copies.
    """
    refuse_over_budget(3 * 8 * len(points) ** 2, "the kernel matrix and its factor")
    factor = _factored(kernel.gram(points, points), noise)
    alpha = solve(factor, targets[:, None])[:, 0]
    posterior = Posterior(kernel, points, alpha, noise, None)
    posterior.__dict__["factor"] = factor
    halves = float(np.log(np.diag(factor)).sum()) + 0.5 * float(targets @ alpha)
    likelihood = -halves - 0.5 * len(points) * float(np.log(2 * np.pi))
    precision = diagonal_of_inverse(factor.copy(order="K"))
    return posterior, _left_out(targets, alpha, precision, noise, part, likelihood)


def _left_out(
    targets: Floats,
    alpha: Floats,
    precision: Floats,
    noise: Floats,
    part: Floats,
    likelihood: float,
    missing: Floats | float = 0.0,
) -> LeftOut:
    if len(targets) < 2:
        unknown = np.full(len(targets), np.nan)
        return LeftOut(unknown, unknown, likelihood)
    means = targets - alpha / precision
    variances = np.maximum(1 / precision - noise, 1e-15 / precision)
    remain = np.where(part < 1, (1 - part) / np.maximum(noise, 1e-300), 0.0)
    together = 1 / (1 / variances + remain)
    means = np.where(part < 1, together * (means / variances + remain * targets), means)
    return LeftOut(means, np.where(part < 1, together, variances) + missing, likelihood)


def sparse_posterior(
    kernel: FittedKernel,
    data: tuple[Points, Points],
    targets: Floats,
    noise: Floats,
    part: Floats,
    n_threads: int,
) -> tuple[Posterior, LeftOut]:
    """Return the posterior by inducing rows: ``data`` has them, then all rows; block by block."""
    few, points = data
    step = max(1, _BLOCK_CELLS // len(few))
    blocks = [slice(first, first + step) for first in range(0, len(points), step)]
    gram = kernel.gram(few, few)
    l_u = _factored(gram, JITTER * np.full(len(few), np.diag(gram).mean()))

    def within(rows: slice) -> Floats:
        k_fu = kernel.gram(points.take(rows), few, n_threads=n_threads)
        return lower_solve(l_u, np.asfortranarray(k_fu.T)) / np.sqrt(noise[rows])

    inner, scores = np.eye(len(few), order="F"), np.zeros(len(few))
    for rows in blocks:
        a = within(rows)
        inner += a @ a.T
        scores += a @ (targets[rows] / np.sqrt(noise[rows]))
    l_b = cholesky(inner)
    if l_b is None:
        raise _not_positive()
    l_b = np.asfortranarray(np.tril(l_b))
    solved = solve(l_b, scores[:, None])
    b = lower_solve(l_u, solved, transposed=True)[:, 0]
    posterior = Posterior(kernel, few, b, None, l_b)
    posterior.__dict__["factor"] = l_u
    explained, kept = np.empty(len(points)), np.empty(len(points))
    alpha, diagonal = np.empty(len(points)), kernel.diag(points)
    for rows in blocks:
        a = within(rows)
        again = lower_solve(l_b, a)
        explained[rows] = noise[rows] * np.einsum("ij,ij->j", a, a)
        kept[rows] = 1 - np.einsum("ij,ij->j", again, again)
        predicted = (solved[:, 0] @ a) * np.sqrt(noise[rows])
        alpha[rows] = (targets[rows] - predicted) / noise[rows]
    missing = np.maximum(diagonal - explained, 0.0)
    likelihood = -0.5 * float(
        (np.log(2 * np.pi * noise) + targets * alpha + missing / noise).sum()
    ) - float(np.log(np.diag(l_b)).sum())
    precision = np.maximum(kept, 1e-15) / noise
    found = _left_out(targets, alpha, precision, noise, part, likelihood, missing)
    return posterior, found


def _factored(gram: Floats, noise: Floats) -> Floats:
    matrix = np.asfortranarray(gram)
    matrix = matrix.copy(order="F") if matrix is gram else matrix
    matrix.flat[:: len(matrix) + 1] += noise
    factor = cholesky(matrix)
    if factor is None:
        raise _not_positive()
    return np.asfortranarray(np.tril(factor))


def _not_positive() -> DataError:
    return DataError(
        "The kernel matrix of these rows plus the noise is not positive definite, so no Gaussian "
        "process has it: the kernel is not a positive semidefinite one, or equal rows have no "
        "noise.",
        code="D651",
        repair=Repair("model.set_params(noise_std='auto', kernel='auto')"),
    )
