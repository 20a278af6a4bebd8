"""Kernels of histograms against plain sums, their verdicts, and models that hold them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import branchline
from branchline.errors import DataError, ParameterError
from branchline.kernels import RBF, ChiSquare, Intersection
from branchline.svm import SVC, GaussianProcessRegressor

COUNTS = arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.integers(0, 50)
)


def intersection(x, z):
    return sum(min(a, b) for a, b in zip(x, z, strict=True))


def chi_square(x, z):
    pairs = [(a, b) for a, b in zip(x, z, strict=True) if a + b > 0]
    return math.exp(-0.1 * sum((a - b) ** 2 / (a + b) for a, b in pairs))


@given(COUNTS)
def test_values_are_those_of_the_formulas(X):
    for kernel, twin in ((Intersection(), intersection), (ChiSquare(gamma=0.1), chi_square)):
        expected = [[twin(x, z) for z in X.tolist()] for x in X.tolist()]
        np.testing.assert_allclose(kernel.gram(X), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(kernel.diag(X), np.diag(expected), rtol=1e-12)
        verdict = kernel.is_psd(X)
        assert verdict.reason == "proved"
        assert verdict.least_eigenvalue >= -1e-9 * max(1.0, np.abs(expected).max())


def test_numbers_below_zero_are_named():
    rows = {"red": [1.0, 2.0], "shift": [0.0, -3.0]}
    with pytest.raises(DataError, match="'shift'") as caught:
        Intersection().gram(rows)
    assert (caught.value.code, caught.value.rows) == ("D652", (1,))
    assert Intersection("red").gram(rows).tolist() == [[1.0, 1.0], [1.0, 2.0]]
    with pytest.raises(ParameterError):
        ChiSquare(gamma=0.0)


def test_counts_stay_counts_where_numbers_are_standardized(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.poisson(5.0, size=(80, 6)).astype(float)
    y = np.where(X[:, 0] > X[:, 1], "a", "b")
    kernel = 0.1 * Intersection() + ChiSquare(gamma=0.05) * RBF()
    model = SVC(10, kernel=kernel).fit(X, y)
    assert model.score(X, y) > 0.95
    model.save(tmp_path / "model.branchline")
    loaded = branchline.load(tmp_path / "model.branchline")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    process = GaussianProcessRegressor(1.0 * ChiSquare(gamma=0.02)).fit(X, X[:, 0])
    assert process.score(X, X[:, 0]) > 0.8
