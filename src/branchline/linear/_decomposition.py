"""A least-squares problem taken apart once, for every penalty: singular values and projections.

With rows weighted and centered, Z = U D Vᵀ and c = Uᵀ y. All of least squares and ridge follows:

    w(λ) = V diag(d / (d² + λ)) c,   df(λ) = Σ d² / (d² + λ),
    RSS(λ) = RSS(0) + Σ (λ / (d² + λ))² c².

1. "qr": a QR decomposition of [Z y] reduces any number of rows to as many as there are terms,
   exactly; then R is decomposed. For arrays.
   Where terms outnumber rows, Z is decomposed as ``_row_space`` does it: no matrix has more
   cells than the rows.
2. "gram": the eigenvectors of ZᵀZ, which keep half of the digits. For sparse matrices.
3. "exact_gram": ZᵀZ of a large table, added over blocks of rows without rounding
   (``_block_products``) and taken apart in 32 digits, so that R has all digits of its own. Then as
   in 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._encoding._encoded_blocks import EncodedBlocks
from branchline._long_algebra import eigh, qr_triangle, svd
from branchline._memory import refuse_over_budget
from branchline._row_space import is_wide, row_space_of
from branchline.linear._block_products import centered_products
from branchline.linear._regressor import RegressionProblem

__all__ = ["WIDEST_GRAM", "Decomposition", "decompose"]

# Sparse problems of more terms are solved by iteration.
WIDEST_GRAM = 3000
_EPSILON = float(np.finfo(np.float64).eps)
_NOISE = 64 * _EPSILON
# A direction of terms that varies a billion times less than another is rounding, not data.
_SMALLEST = 1e-9


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The parts of a least-squares problem.

    Parameters
    ----------
    values
        The singular values d that are not zero, the largest first.
    directions
        V, one column per singular value, for terms divided by ``norms``.
    norms
        What each term was divided by.
    projections
        c, one row per singular value, one column per output.
    residual, total
        The weighted sum of squares that no weights can explain, and that of the centered targets.
    x_mean, y_mean
        The weighted means.
    solver
        "qr", "gram" or "exact_gram".
    """

    values: Floats
    directions: Floats
    norms: Floats
    projections: Floats
    residual: Floats
    total: Floats
    x_mean: Floats
    y_mean: Floats
    solver: str

    @property
    def rank(self) -> int:
        """How many directions the rows tell apart."""
        return len(self.values)

    def weights(self, penalty: float = 0.0) -> Floats:
        """Return w(λ), one row per output; with λ = 0 and less than full rank, the shortest."""
        shrunk = (self.values / (self.values**2 + penalty))[:, None] * self.projections
        return (self.directions @ shrunk).T / self.norms

    def bias(self, weights: Floats) -> Floats:
        """Return the constants that go with weights."""
        return self.y_mean - weights @ self.x_mean

    def is_known(self) -> Any:
        """Return which terms have a weight that the rows determine."""
        return np.abs(1.0 - (self.directions**2).sum(axis=1)) < 1e-7


def decompose(problem: RegressionProblem, *, scale: bool) -> Decomposition:
    """Take a problem apart; ``scale`` divides terms by their norm, so that rank has no unit."""
    if isinstance(problem.matrix, EncodedBlocks):
        return _from_blocks(problem, scale=scale)
    weights = problem.weights
    x_mean = np.asarray(weights @ problem.matrix) / weights.sum()
    y_mean = weights @ problem.targets / weights.sum()
    targets = np.sqrt(weights)[:, None] * (problem.targets - y_mean)
    total = (targets**2).sum(axis=0)
    parts = _from_gram if sparse.issparse(problem.matrix) else _from_rows
    if is_wide(problem.matrix):
        parts = _from_few_rows
    values, directions, norms, projections, residual = parts(problem, x_mean, targets, scale=scale)
    solver = "gram" if sparse.issparse(problem.matrix) else "qr"
    residual = np.minimum(residual, total)
    return Decomposition(
        values, directions, norms, projections, residual, total, x_mean, y_mean, solver
    )


def _from_rows(
    problem: RegressionProblem, x_mean: Floats, targets: Floats, *, scale: bool
) -> tuple[Floats, ...]:
    n_rows, n_terms = problem.matrix.shape
    refuse_over_budget(16 * n_rows * (n_terms + targets.shape[1]), "least squares")
    rows = np.empty((n_rows, n_terms + targets.shape[1]), order="F")
    np.subtract(problem.matrix, x_mean, out=rows[:, :n_terms])
    rows[:, :n_terms] *= np.sqrt(problem.weights)[:, None]
    rows[:, n_terms:] = targets
    triangle = qr_triangle(rows)[: rows.shape[1]]
    return _from_triangle(problem, triangle, x_mean, scale=scale)


def _from_triangle(
    problem: RegressionProblem, triangle: Floats, x_mean: Floats, *, scale: bool
) -> tuple[Floats, ...]:
    """Return the parts of rows of terms and targets, given the triangle that they reduce to."""
    n_rows, n_terms = problem.matrix.shape
    left, right = triangle[:, :n_terms].copy(), triangle[:, n_terms:]
    norms = np.sqrt((left**2).sum(axis=0))
    # What is left of a constant term after centring is rounding, not variation.
    left[:, norms <= _NOISE * np.sqrt(problem.total_weight) * np.abs(x_mean)] = 0.0
    norms = _norms(np.where(left.any(axis=0), norms, 0.0), scale=scale)
    u, values, vt = svd(left / norms)
    rank = _rank(values, max(n_rows, n_terms) * _EPSILON)
    projections = u[:, :rank].T @ right
    residual = ((right - u[:, :rank] @ projections) ** 2).sum(axis=0)
    return values[:rank], vt[:rank].T, norms, projections, residual


def _from_blocks(problem: RegressionProblem, *, scale: bool) -> Decomposition:
    blocks: EncodedBlocks = problem.matrix
    sums = centered_products(blocks, problem.weights, problem.targets)
    triangle, left = sums.triangle()
    parts = _from_triangle(problem, triangle, sums.mean[: blocks.shape[1]], scale=scale)
    values, directions, norms, projections, residual = parts
    x_mean, y_mean = np.split(sums.mean, [blocks.shape[1]])
    residual = np.minimum(residual + left, sums.target_squares)
    total = sums.target_squares
    return Decomposition(
        values, directions, norms, projections, residual, total, x_mean, y_mean, "exact_gram"
    )


def _from_few_rows(
    problem: RegressionProblem, x_mean: Floats, targets: Floats, *, scale: bool
) -> tuple[Floats, ...]:
    refuse_over_budget(32 * problem.matrix.size, "least squares")
    rows = (problem.matrix - x_mean) * np.sqrt(problem.weights)[:, None]
    norms = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    # What is left of a constant term after centring is rounding, not variation.
    is_constant = norms <= _NOISE * np.sqrt(problem.total_weight) * np.abs(x_mean)
    rows[:, is_constant] = 0.0
    norms = _norms(np.where(is_constant, 0.0, norms), scale=scale)
    if scale:
        rows /= norms
    space = row_space_of(rows)
    rank = _rank(space.values, max(rows.shape) * _EPSILON)
    projections = space.left[:, :rank].T @ targets
    residual = ((targets - space.left[:, :rank] @ projections) ** 2).sum(axis=0)
    directions = space.lift(np.eye(rank, len(space.values))).T
    return space.values[:rank], directions, norms, projections, residual


def _from_gram(
    problem: RegressionProblem, x_mean: Floats, targets: Floats, *, scale: bool
) -> tuple[Floats, ...]:
    root = np.sqrt(problem.weights)
    matrix = sparse.diags_array(root) @ problem.matrix
    gram = (matrix.T @ matrix).toarray() - problem.weights.sum() * np.outer(x_mean, x_mean)
    norms = _norms(np.sqrt(np.maximum(np.diag(gram), 0.0)), scale=scale)
    eigenvalues, vectors = eigh(gram / np.outer(norms, norms))
    values, vectors = np.sqrt(np.maximum(eigenvalues[::-1], 0.0)), vectors[:, ::-1]
    rank = _rank(values, np.sqrt(len(values) * _EPSILON))
    products = (np.asarray(matrix.T @ targets) - np.outer(x_mean, root @ targets)).T / norms
    projections = (products @ vectors[:, :rank] / values[:rank]).T
    residual = (targets**2).sum(axis=0) - (projections**2).sum(axis=0)
    return values[:rank], vectors[:, :rank], norms, projections, np.maximum(residual, 0.0)


def _norms(norms: Floats, *, scale: bool) -> Floats:
    return np.where(norms > 0, norms, 1.0) if scale else np.ones(len(norms))


def _rank(values: Floats, tolerance: float) -> int:
    largest = values[0] if len(values) else 0.0
    return int((values > largest * max(tolerance, _SMALLEST)).sum())
