"""Decompositions of matrices that stop for Ctrl-C.

Python hears Ctrl-C between two of its steps, so one long call of LAPACK is deaf until its end.

1. Small matrices are handed to LAPACK as they are: it is done in a few tenths of a second.
2. A large Cholesky factor, and the diagonal of the inverse, are made block by block.
3. Eigenvectors and singular vectors of large matrices are found in a thread, for which the caller
   waits. Interrupted, the caller leaves at once; the thread ends with the decomposition.
"""

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import scipy.linalg

__all__ = ["cholesky", "diagonal_of_inverse", "eigh", "qr_triangle", "solve", "svd"]

Floats = npt.NDArray[np.float64]
Result = TypeVar("Result")

_FEW = 1200  # rows and columns of a matrix whose Cholesky factor LAPACK makes in one call
_FEW_DIRECTIONS = 600  # and whose directions it finds in one call
_BLOCK = 512
_PRODUCTS_AT_ONCE = 2**31  # a tenth of a second or so
_LOOK_EVERY = 0.05  # seconds


def eigh(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, the least first, and its eigenvectors."""
    if len(matrix) <= _FEW_DIRECTIONS:
        values, vectors = scipy.linalg.eigh(matrix, check_finite=False)
        return values, vectors
    # NumPy's call, unlike SciPy's, lets other threads work.
    found = _in_a_thread(lambda: np.linalg.eigh(matrix))
    return found[0], found[1]


def svd(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Return U, the singular values and Vᵀ of a matrix, as many as its smaller side has."""
    if min(matrix.shape) <= _FEW_DIRECTIONS:
        u, values, vt = scipy.linalg.svd(matrix, full_matrices=False, check_finite=False)
        return u, values, vt
    found = _in_a_thread(lambda: np.linalg.svd(matrix, full_matrices=False))
    return found[0], found[1], found[2]


def qr_triangle(rows: Floats) -> Floats:
    """Return R of the QR decomposition of a matrix, which may be overwritten."""

    def decompose() -> Floats:
        options = {"mode": "r", "overwrite_a": True, "check_finite": False}
        triangle: Floats = scipy.linalg.qr(rows, **options)[0]
        return triangle

    is_short = rows.shape[0] * rows.shape[1] ** 2 <= _PRODUCTS_AT_ONCE
    return decompose() if is_short else _in_a_thread(decompose)


def cholesky(matrix: Floats) -> Floats | None:
    """Return the lower Cholesky factor of a matrix, which may be overwritten.

    What stands above the diagonal of the factor means nothing. None: the matrix is not positive
    definite.
    """
    if len(matrix) <= _FEW:
        factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1, overwrite_a=1)
        return None if failed else factor
    whole = matrix if matrix.flags.c_contiguous else matrix.T  # it is symmetric
    if not whole.flags.c_contiguous:
        whole = np.ascontiguousarray(whole)
    for first in range(0, len(whole), _BLOCK):
        end = min(first + _BLOCK, len(whole))
        _subtract_products(whole, first, end)
        corner, failed = scipy.linalg.lapack.dpotrf(whole[first:end, first:end], lower=1)
        if failed:
            return None
        whole[first:end, first:end] = corner
        below = whole[end:, first:end]
        if len(below):
            below[:] = scipy.linalg.blas.dtrsm(1.0, corner, below.T, lower=1).T
    return whole


def _subtract_products(whole: Floats, first: int, end: int) -> None:
    """Take off a block of columns what the columns before it explain."""
    step = max(_BLOCK, _PRODUCTS_AT_ONCE // max(1, first * (end - first)))
    for row in range(first, len(whole), step):
        some = slice(row, row + step)
        whole[some, first:end] -= whole[some, :first] @ whole[first:end, :first].T


def solve(factor: Floats, values: Floats) -> Floats:
    """Return the solution of L Lᵀ x = values, given L of ``cholesky``."""
    if factor.flags.f_contiguous:
        return np.asarray(scipy.linalg.lapack.dpotrs(factor, values, lower=1)[0])
    return np.asarray(scipy.linalg.lapack.dpotrs(factor.T, values, lower=0)[0])


def diagonal_of_inverse(factor: Floats) -> Floats:
    """Return the diagonal of the inverse of L Lᵀ, given L (which may be overwritten).

    It is the sum of squares of each column of L⁻¹.
    """
    if len(factor) <= _FEW:
        inverse, _ = scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
        return np.diag(inverse).copy()
    starts = range(0, len(factor), _BLOCK)
    diagonal = np.empty(len(factor))
    for first in starts:
        end = min(first + _BLOCK, len(factor))
        columns = np.zeros((len(factor) - first, end - first))
        columns[: end - first] = np.eye(end - first)
        for row in range(first, len(factor), _BLOCK):
            some = slice(row, row + _BLOCK)
            here = slice(row - first, row - first + _BLOCK)
            if row > first:
                columns[here] = -(factor[some, first:row] @ columns[: row - first])
            corner = factor[some, some]
            columns[here] = scipy.linalg.blas.dtrsm(1.0, corner, columns[here], lower=1)
        diagonal[first:end] = np.einsum("ij,ij->j", columns, columns)
    return diagonal


def _in_a_thread(call: Callable[[], Result]) -> Result:
    """Return what a call gives; the caller can be interrupted while it waits."""
    found: list[Result] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(call())
        except BaseException as error:
            failed.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), daemon=True)
    thread.start()
    # Not join() without an end: it could not be interrupted.
    while thread.is_alive():
        thread.join(_LOOK_EVERY)
    if failed:
        raise failed[0]
    return found[0]
