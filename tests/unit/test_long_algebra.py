"""Decompositions in blocks and in threads: the same as LAPACK's, and they stop for Ctrl-C."""

import numpy as np
import pytest

from branchline import _long_algebra as algebra
from interrupts import NEEDS_PROC, SOON, endings


@pytest.fixture
def in_blocks(monkeypatch):
    monkeypatch.setattr(algebra, "_FEW", 10)
    monkeypatch.setattr(algebra, "_BLOCK", 64)
    monkeypatch.setattr(algebra, "_PRODUCTS_AT_ONCE", 2**16)
    monkeypatch.setattr(algebra, "_FEW_DIRECTIONS", 10)


def symmetric(size, seed=0):
    rows = np.random.default_rng(seed).normal(size=(size, size))
    return rows @ rows.T + np.eye(size)


@pytest.mark.parametrize("size", [11, 64, 65, 200])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_factor_in_blocks_is_the_factor(in_blocks, size, order):
    matrix = symmetric(size)
    values = np.random.default_rng(1).normal(size=(size, 2))
    factor = algebra.cholesky(np.array(matrix, order=order))
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(matrix), atol=1e-11)
    np.testing.assert_allclose(algebra.solve(factor, values), np.linalg.solve(matrix, values))
    np.testing.assert_allclose(
        algebra.diagonal_of_inverse(factor), np.diag(np.linalg.inv(matrix)), rtol=1e-9
    )


def test_a_matrix_that_is_not_positive_definite_has_no_factor(in_blocks):
    assert algebra.cholesky(symmetric(100) - 50 * np.eye(100)) is None


def test_directions_found_in_a_thread_are_those_of_lapack(in_blocks):
    matrix = symmetric(80)
    values, vectors = algebra.eigh(matrix)
    np.testing.assert_allclose((vectors * values) @ vectors.T, matrix, atol=1e-10)
    u, sizes, vt = algebra.svd(matrix[:, :30])
    np.testing.assert_allclose((u * sizes) @ vt, matrix[:, :30], atol=1e-10)
    triangle = algebra.qr_triangle(matrix[:, :30].copy())
    np.testing.assert_allclose(triangle.T @ triangle, matrix[:, :30].T @ matrix[:, :30])


def test_what_fails_in_the_thread_is_raised(in_blocks):
    with pytest.raises(np.linalg.LinAlgError):
        algebra.eigh(np.full((20, 20), np.nan))


PROLOGUE = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
from branchline.linear import LinearRegression, Ridge
from branchline.svm import KernelPCA, KernelRidge
wide = np.random.default_rng(0).normal(size=(4000, 2500))
rows = np.random.default_rng(0).normal(size=(7000, 10))
"""
FITS = {
    "KernelRidge, chosen": "KernelRidge('auto').fit(rows[:4000], rows[:4000, 0])",
    "KernelRidge": "KernelRidge().fit(rows, rows[:, 0])",
    "KernelPCA": "KernelPCA(500).fit(rows[:4000])",
    "Ridge": "Ridge().fit(wide, wide[:, 0])",
    "LinearRegression": "LinearRegression().fit(wide, wide[:, 0])",
}


@NEEDS_PROC
def test_long_fits_stop_for_control_c():
    for name, ending in endings(FITS, prologue=PROLOGUE, after=1.0).items():
        assert ending.name == "KeyboardInterrupt", name
        assert ending.seconds < SOON, name
