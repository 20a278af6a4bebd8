"""Kernels from outside: Gram matrices and functions; kernels by name."""

import numpy as np
import pytest

from branchline.errors import DataError, ParameterError
from branchline.kernels import (
    RBF,
    FunctionKernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    kernel_of,
)
from branchline.table import as_table

X = np.random.default_rng(0).normal(size=(12, 3))
GRAM = X @ X.T


def test_a_given_gram_is_itself():
    np.testing.assert_array_equal(Precomputed().gram(GRAM), GRAM)
    np.testing.assert_array_equal(Precomputed().diag(GRAM), np.diag(GRAM))
    np.testing.assert_allclose(Precomputed().distance(GRAM), Linear().distance(X), atol=1e-12)


def test_rows_of_a_given_gram_are_taken_in_step():
    fitted = Precomputed().fit(as_table(GRAM))
    train = fitted.prepare(as_table(GRAM)).take([3, 1, 7])
    np.testing.assert_array_equal(fitted.gram(train, train), GRAM[np.ix_([3, 1, 7], [3, 1, 7])])
    new = np.arange(6.0).reshape(2, 3) @ X.T
    points = fitted.prepare(as_table(new))
    np.testing.assert_array_equal(fitted.gram(points, train), new[:, [3, 1, 7]])
    coefficients = np.array([[1.0], [2.0], [-1.0]])
    expected = new[:, [3, 1, 7]] @ coefficients
    np.testing.assert_allclose(fitted.sums(points, train, coefficients), expected)
    for ask in (lambda: fitted.diag(points), lambda: fitted.gram(train, points)):
        with pytest.raises(DataError) as caught:
            ask()
        assert caught.value.code == "D160"


@pytest.mark.parametrize(
    ("matrix", "code"),
    [
        (GRAM[:3], "D160"),
        ([[1.0, np.nan], [np.nan, 1.0]], "D160"),
        ([["a", "b"], ["b", "a"]], "D160"),
        ([[1.0, 0.5], [0.4, 1.0]], "D162"),
    ],
)
def test_a_gram_that_is_none_is_refused(matrix, code):
    with pytest.raises(DataError) as caught:
        Precomputed().gram(matrix)
    assert caught.value.code == code


def test_functions_of_rows_and_of_blocks(monkeypatch):
    from branchline.kernels import _given_kernels

    blocks = FunctionKernel(lambda A, B: A @ B.T)
    pairs = FunctionKernel(lambda x, z: x @ z, vectorized=False)
    for kernel in (blocks, pairs, kernel_of(lambda A, B: A @ B.T)):
        np.testing.assert_allclose(kernel.gram(X), GRAM)
        np.testing.assert_allclose(kernel.gram(X, X[:2]), GRAM[:, :2])
        np.testing.assert_allclose(kernel.diag(X), np.diag(GRAM))
    seen = []

    def watched(A, B):
        seen.append(len(A))
        return A @ B.T

    monkeypatch.setattr(_given_kernels, "_BLOCK_PAIRS", 5 * len(X))
    np.testing.assert_allclose(FunctionKernel(watched).gram(X), GRAM)
    assert seen == [5, 5, 2]


def test_functions_see_texts_and_mixed_rows():
    common = FunctionKernel(lambda a, b: len(set(a) & set(b)), vectorized=False)
    assert common.gram(["abc", "bcd"]).tolist() == [[3.0, 2.0], [2.0, 3.0]]
    table = as_table({"size": [1.0, 2.0], "color": ["red", None]})
    same = FunctionKernel(lambda a, b: a[0] * b[0] + (a[1] == b[1]), vectorized=False)
    assert same.gram(table).tolist() == [[2.0, 2.0], [2.0, 5.0]]


def test_a_text_unseen_in_training_is_still_read():
    common = FunctionKernel(lambda a, b: len(set(a) & set(b)), vectorized=False)
    assert common.gram(["abc", "bcd"], ["xc"]).tolist() == [[1.0], [1.0]]
    assert common.fit(as_table({"text": ["ab"]})).reads_text


@pytest.mark.parametrize(
    "function",
    [
        lambda A, B: A,
        lambda A, B: "none",
        lambda A, B: np.full((len(A), len(B)), np.nan),
        lambda A, B: None,
    ],
)
def test_functions_that_answer_wrongly_are_refused(function):
    with pytest.raises(ParameterError) as caught:
        FunctionKernel(function).gram(X)
    assert caught.value.code == "P166"


def test_kernels_by_name():
    assert kernel_of("rbf") == RBF()
    assert kernel_of("rbf", gamma=2) == RBF(gamma=2)
    assert kernel_of("linear", gamma=2) == Linear()
    assert kernel_of("poly", "auto", 4, 1.5) == Polynomial(4, gamma="auto", coef0=1.5)
    assert kernel_of("sigmoid", coef0=1.0) == Sigmoid(coef0=1.0)
    assert kernel_of("laplacian") == Laplacian()
    assert kernel_of("precomputed") == Precomputed()
    assert kernel_of(RBF("a")) == RBF("a")


@pytest.mark.parametrize("given", ["gauss", "rbff", None, 3, RBF])
def test_unknown_kernels_are_refused(given):
    with pytest.raises(ParameterError) as caught:
        kernel_of(given)
    assert caught.value.code == "P162"


def test_no_rows_are_refused():
    with pytest.raises(DataError) as caught:
        RBF().gram(np.empty((0, 2)))
    assert caught.value.code == "D001"


def test_a_function_that_is_none_is_refused():
    with pytest.raises(ParameterError) as caught:
        FunctionKernel("rbf")
    assert caught.value.code == "P166"
