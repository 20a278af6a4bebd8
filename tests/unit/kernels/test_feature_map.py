"""Explicit features and features of low rank: their products are the kernel."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from branchline.errors import DataError, ParameterError
from branchline.kernels import (
    RBF,
    FunctionKernel,
    Hamming,
    Linear,
    Polynomial,
    Precomputed,
    feature_map,
    low_rank,
)

MATRICES = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 4)),
    elements=st.floats(-3, 3, width=16),
)


@given(MATRICES, st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1.0, 0.3]))
def test_products_of_features_are_the_kernel(X, degree, coef0, gamma):
    kernel = Polynomial(degree, gamma=gamma, coef0=coef0)
    features = feature_map(kernel, X)
    n = X.shape[1]
    expected = math.comb(n + degree, degree) if coef0 > 0 else math.comb(n + degree - 1, degree)
    assert features.matrix.shape == (len(X), expected)
    assert len(set(features.names)) == expected
    gram = kernel.gram(X)
    np.testing.assert_allclose(features.matrix @ features.matrix.T, gram, rtol=1e-9, atol=1e-8)


def test_names_and_the_linear_map():
    X = {"a": [1.0, 2.0], "b": [3.0, 4.0]}
    assert feature_map(Polynomial(2), X).names == ("1", "a", "b", "a^2", "a b", "b^2")
    assert feature_map(Polynomial(2, coef0=0), X).names == ("a^2", "a b", "b^2")
    linear = feature_map(Linear(), X)
    assert linear.names == ("a", "b")
    assert linear.matrix.tolist() == [[1.0, 3.0], [2.0, 4.0]]


@pytest.mark.parametrize("kernel", [RBF(), Polynomial(2, coef0=-1), Linear() + Linear()])
def test_kernels_without_a_known_map_are_refused(kernel):
    with pytest.raises(ParameterError) as caught:
        feature_map(kernel, [[1.0]])
    assert caught.value.code == "P167"


@given(MATRICES)
def test_low_rank_is_exact_when_it_may_be(X):
    for kernel in (Linear(), RBF(gamma=0.5), Polynomial(2)):
        found = low_rank(kernel, X, tol=0)
        gram = kernel.gram(X)
        scale = max(1.0, np.abs(gram).max())
        np.testing.assert_allclose(found.factor @ found.factor.T, gram, atol=1e-8 * scale)
        np.testing.assert_allclose(found.transform(X), found.factor, atol=1e-4 * scale)


def test_the_residual_bounds_what_is_left():
    X = np.random.default_rng(0).normal(size=(80, 4))
    gram = RBF(gamma=0.2).gram(X)
    for rank in (1, 5, 20):
        found = low_rank(RBF(gamma=0.2), X, tol=0, max_rank=rank)
        left = gram - found.factor @ found.factor.T
        assert found.rank == rank == len(set(found.pivots.tolist()))
        assert found.residual == pytest.approx(np.trace(left))
        assert np.abs(left).max() <= found.residual
        assert np.linalg.eigvalsh(left)[0] > -1e-10
    loose = low_rank(RBF(gamma=0.2), X, tol=0.1)
    assert loose.residual <= 0.1 * 80
    assert loose.rank < 80


def test_few_kernel_values_are_asked_for():
    asked = []

    def slow(A, B):
        asked.append(len(A) * len(B))
        return A @ B.T

    X = np.random.default_rng(0).normal(size=(100, 3))
    found = low_rank(FunctionKernel(slow), X)
    assert found.rank == 3
    assert sum(asked) == 100 + 3 * 100


def test_other_rows_are_given_features():
    X = np.random.default_rng(0).normal(size=(40, 2))
    found = low_rank(Linear(), X)
    Z = np.random.default_rng(1).normal(size=(7, 2))
    np.testing.assert_allclose(found.transform(Z) @ found.factor.T, Z @ X.T, atol=1e-10)
    assert low_rank(Hamming(), [["a"], ["b"], ["a"]]).rank == 2


def test_what_is_no_kernel_is_refused():
    with pytest.raises(DataError) as caught:
        low_rank(Precomputed(), [[1.0, 2.0], [2.0, 1.0]])
    assert caught.value.code == "D164"
    with pytest.raises(ParameterError) as caught:
        low_rank(Linear(), [[1.0]], tol=-1)
    assert caught.value.code == "P001"
    assert low_rank(Linear(), [[0.0], [0.0]]).rank == 0
