"""Wide tables are turned into the space that their rows span: n numbers a row instead of p.

With fewer rows than terms, X = U D Vᵀ has at most n directions. A model whose penalty does not
depend on how the terms are turned (‖w‖², or none) has weights within them, w = V u, so that it can
be fitted on the n × n rows U D and turned back.

1. The eigenvectors of X Xᵀ give U and D in a pass over X. They are good to about ten digits where
   the directions that are kept vary by no less than a hundredth of the largest.
2. Else a QR decomposition of Xᵀ is taken, which loses no digits, and the small triangle is
   decomposed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg
from scipy import sparse

from branchline._arrays import Floats
from branchline._long_algebra import eigh
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread

__all__ = ["RowSpace", "is_wide", "narrow", "row_space_of"]

# Eigenvalues of X Xᵀ below the first share of the largest may be rounding; above the second they
# are known to about ten digits.
_NOTHING = 1e-12
_CLEARLY = 1e-4
_ROUNDING = 1e-11


Lift: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class RowSpace:
    """X = U D Vᵀ.

    Parameters
    ----------
    left
        U, a column a direction, the one that varies most first.
    values
        D.
    lift
        Turns rows u over the directions back into rows u Vᵀ over the terms.
    """

    left: Floats
    values: Floats
    lift: Lift

    @property
    def rows(self) -> Floats:
        """The rows over the directions: U D."""
        return np.ascontiguousarray(self.left * self.values)


def is_wide(matrix: Any) -> bool:
    """Whether a matrix has clearly more terms than rows, and is not sparse."""
    n_rows, n_terms = matrix.shape
    return bool(not sparse.issparse(matrix) and n_terms > 1.5 * n_rows and n_terms > 100)


def narrow(matrix: Any) -> tuple[Any, Lift]:
    """Return rows of as few numbers as there are directions, and what turns weights back.

    A matrix that is not wide is returned as it is.
    """
    if not is_wide(matrix):
        return matrix, lambda weights: weights
    space = row_space_of(matrix)
    return space.rows, space.lift


@one_thread
def row_space_of(matrix: Floats) -> RowSpace:
    """Return the directions that the rows of a wide matrix span."""
    refuse_over_budget(16 * matrix.size, "the directions of the rows")
    return _by_products(matrix) or _by_reflections(matrix)


def _by_products(matrix: Floats) -> RowSpace | None:
    """Return the directions by way of X Xᵀ; None where it does not keep enough digits."""
    squares, vectors = eigh(matrix @ matrix.T)
    squares, vectors = squares[::-1], vectors[:, ::-1]
    largest = max(float(squares[0]), 0.0) if len(squares) else 0.0
    is_kept = squares > _NOTHING * largest
    if not is_kept.any() or squares[is_kept][-1] < _CLEARLY * largest:
        return None
    left, values = np.ascontiguousarray(vectors[:, is_kept]), np.sqrt(squares[is_kept])
    lost = np.ascontiguousarray(vectors[:, ~is_kept].T) @ matrix
    if len(lost) and np.abs(lost).max() > _ROUNDING * values[0]:
        return None
    return RowSpace(left, values, one_thread(lambda rows: ((rows / values) @ left.T) @ matrix))


def _by_reflections(matrix: Floats) -> RowSpace:
    """Return the directions by way of Xᵀ = Q R, of which Q stays as LAPACK keeps it."""
    (packed, scales), triangle = scipy.linalg.qr(matrix.T, mode="raw", check_finite=False)
    n_rows = len(matrix)
    left, values, turned = scipy.linalg.svd(triangle[:n_rows].T, check_finite=False)
    rank = int((values > values[0] * np.finfo(np.float64).eps * max(matrix.shape)).sum())

    @one_thread
    def lift(rows: Floats) -> Floats:
        columns = np.zeros((matrix.shape[1], len(rows)), order="F")
        columns[:n_rows] = (rows @ turned[:rank]).T
        work = max(1, 64 * len(rows))
        found = scipy.linalg.lapack.dormqr("L", "N", packed, scales, columns, work, overwrite_c=1)
        return np.ascontiguousarray(found[0].T)

    return RowSpace(np.ascontiguousarray(left[:, :rank]), values[:rank], lift)
