"""The kernel matrix of training rows as something to multiply with: whole, or as a thin factor.

1. Rows of few numbers, and of few categories, have kernel matrices of low rank, up to rounding:
   K = F Fᵀ with n × r numbers (pivoted Cholesky). Methods then cost n r² instead of n³.
2. Where that fails (many columns, or few rows, where it gains nothing) the whole matrix is taken.

Which one is taken depends on the rows alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from branchline._arrays import Floats
from branchline._long_algebra import cholesky, solve
from branchline._memory import refuse_over_budget
from branchline.errors import ParameterError, Repair
from branchline.kernels._low_rank import _pivoted_cholesky
from branchline.svm._kernel_rows import KernelRows

__all__ = ["KernelProduct", "ThinKernel", "WholeKernel", "kernel_product"]

Linear = Callable[[Floats], Floats]
# Fewer rows are soon done; more pivots take longer to find than they save.
_FEWEST_ROWS = 1000
_MOST_PIVOTS = 400
# The matrix, a weighted or centered one, its factor or eigenvectors, and their squares.
_MATRICES = 4


@dataclass(frozen=True, eq=False)
class WholeKernel:
    """K as a matrix."""

    gram: Floats

    def times(self, values: Floats) -> Floats:
        """Return K times a matrix."""
        product: Floats = self.gram @ values
        return product

    @cached_property
    def diagonal(self) -> Floats:
        """K(o, o) of each row."""
        return np.diag(self.gram)

    def damped(self, weights: Floats) -> Linear:
        """Return the product with S (I + S K S)⁻¹ S, S = √weights."""
        roots = np.sqrt(weights)
        matrix = roots[:, None] * self.gram * roots
        matrix[np.diag_indices_from(matrix)] += 1
        factor = _factored(matrix)
        column = roots[:, None]
        return lambda values: column * solve(factor, column * values)


@dataclass(frozen=True, eq=False)
class ThinKernel:
    """K as F Fᵀ."""

    factor: Floats

    def times(self, values: Floats) -> Floats:
        """Return K times a matrix."""
        product: Floats = self.factor @ (self.factor.T @ values)
        return product

    @cached_property
    def diagonal(self) -> Floats:
        """K(o, o) of each row."""
        squares: Floats = (self.factor**2).sum(axis=1)
        return squares

    def damped(self, weights: Floats) -> Linear:
        """Return the product with S (I + S K S)⁻¹ S = W − W F (I + Fᵀ W F)⁻¹ Fᵀ W, W = S²."""
        column = weights[:, None]
        weighted = column * self.factor
        matrix = self.factor.T @ weighted
        matrix[np.diag_indices_from(matrix)] += 1
        factor = _factored(matrix)

        def product(values: Floats) -> Floats:
            inner = solve(factor, weighted.T @ values)
            found: Floats = column * values - weighted @ inner
            return found

        return product


KernelProduct = WholeKernel | ThinKernel


def kernel_product(rows: KernelRows) -> KernelProduct:
    """Return the kernel matrix of training rows, thin when it can be."""
    if len(rows) >= _FEWEST_ROWS and rows.kernel.kernel.is_mercer:
        factor, pivots, _ = _pivoted_cholesky(rows.kernel, rows.points, 0.0, _MOST_PIVOTS)
        if 0 < len(pivots) < _MOST_PIVOTS:  # nothing but rounding is left
            return ThinKernel(factor)
    refuse_over_budget(_MATRICES * 8 * len(rows) ** 2, "the kernel matrix and its factors")
    return WholeKernel(rows.gram)


def _factored(matrix: Floats) -> Floats:
    factor = cholesky(matrix)
    if factor is None:
        raise ParameterError(
            "C times the values of the kernel is beyond the digits of numbers: the steps of the "
            "solver cannot be computed. Standardize the columns, or use a smaller C or degree.",
            code="P178",
            repair=Repair("model.set_params(standardize=True)"),
        )
    return factor
