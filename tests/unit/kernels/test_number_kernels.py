"""Kernels on numbers: formulas, gamma, columns, mixed tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import pairwise

from branchline.errors import DataError, ParameterError
from branchline.kernels import RBF, Laplacian, Linear, Polynomial, Sigmoid
from branchline.table import as_table

NUMBERS = st.floats(-5, 5, width=16)
MATRICES = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=NUMBERS)


@given(MATRICES)
def test_formulas_are_those_of_scikit_learn(X):
    expected = {
        Linear(): X @ X.T,
        Polynomial(3, gamma=0.5, coef0=2): pairwise.polynomial_kernel(X, X, 3, 0.5, 2),
        RBF(gamma=0.3): pairwise.rbf_kernel(X, X, 0.3),
        Laplacian(gamma=0.3): pairwise.laplacian_kernel(X, X, 0.3),
        Sigmoid(gamma=0.1, coef0=-1): pairwise.sigmoid_kernel(X, X, 0.1, -1),
    }
    for kernel, matrix in expected.items():
        np.testing.assert_allclose(kernel.gram(X), matrix, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(kernel.diag(X), np.diag(matrix), rtol=1e-9, atol=1e-9)


@given(MATRICES)
def test_distance_is_that_of_the_kernels_space(X):
    plain = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(Linear().distance(X), plain, atol=1e-9)
    np.testing.assert_allclose(RBF(gamma=1).distance(X), 2 - 2 * np.exp(-plain), atol=1e-9)
    np.testing.assert_allclose(Linear().distance(X, X[:1]), plain[:, :1], atol=1e-9)


def test_one_row_and_constant_columns_count():
    assert Linear().gram([[1.0, 2.0]]).tolist() == [[5.0]]
    assert Linear().gram([[1.0, 2.0], [1.0, 3.0]]).tolist() == [[5.0, 7.0], [7.0, 10.0]]
    assert RBF(gamma=1.0).gram([[1.0], [1.0]], [[2.0]]).round(6).tolist() == [[0.367879]] * 2


@given(MATRICES)
def test_gamma_scale_is_that_of_scikit_learn(X):
    spread = X.shape[1] * X.var()
    fitted = RBF().fit(as_table(X))
    expected = 1 / spread if spread > 0 and np.isfinite(1 / spread) else 1.0
    assert fitted.number_form.gamma == pytest.approx(expected)
    assert RBF(gamma="auto").fit(as_table(X)).number_form.gamma == 1 / X.shape[1]


def test_gamma_scale_counts_weights_as_copies():
    X = np.array([[0.0, 1.0], [2.0, 5.0], [3.0, -1.0]])
    copies = X[[0, 0, 0, 1, 2, 2]]
    weights = np.array([3.0, 1.0, 2.0])
    for standardize in (False, True):
        weighted = RBF().fit(as_table(X), weights, standardize=standardize)
        copied = RBF().fit(as_table(copies), standardize=standardize)
        assert weighted.number_form.gamma == pytest.approx(copied.number_form.gamma)
    assert copied.number_form.gamma == pytest.approx(0.5)  # two columns of variance 1


def test_sigma_is_the_width():
    assert RBF(sigma=2.0) == RBF(gamma=0.125)


MIXED = {
    "height": [1.0, 2.0, None, 4.0, 2.5, 1.0],
    "color": ["red", "blue", "red", None, "green", "blue"],
    "weight": [10.0, 20.0, 30.0, 10.0, 20.0, 15.0],
}


def test_a_mixed_table_is_rbf_on_numbers_times_matching_categories():
    table = as_table(MIXED).select(["weight", "color"])
    numbers = RBF("weight", gamma=0.1).gram(table)
    codes = np.array([0, 1, 0, 2, 3, 1])  # a hole is a level of its own
    matches = codes[:, None] == codes[None, :]
    expected = numbers * np.where(matches, 1.0, np.exp(-2 * 0.1))
    np.testing.assert_allclose(RBF(gamma=0.1).gram(table), expected)


@given(st.permutations(["height", "color", "weight"]))
def test_the_order_of_columns_does_not_matter(names):
    table = as_table(MIXED)
    for kernel in (RBF(), Linear(), Polynomial(2), Laplacian("height", "color")):
        np.testing.assert_allclose(kernel.gram(table.select(names)), kernel.gram(table))
        fitted = kernel.fit(table, standardize=True)
        here, there = fitted.prepare(table), fitted.prepare(table.select(names))
        np.testing.assert_allclose(fitted.gram(here, there), fitted.gram(here, here))


def test_holes_and_unseen_categories_give_finite_values():
    fitted = RBF().fit(as_table(MIXED), standardize=True)
    new = as_table({"height": [None, 3.0], "color": ["violet", None], "weight": [None, 1.0]})
    gram = fitted.gram(fitted.prepare(new), fitted.prepare(as_table(MIXED)))
    assert gram.shape == (2, 6)
    assert ((gram > 0) & (gram <= 1)).all()


def test_names_choose_columns():
    X = np.array([[1.0, 10.0], [2.0, 20.0]])
    assert Linear("x1").gram(X).tolist() == [[100.0, 200.0], [200.0, 400.0]]
    table = as_table({"a": [1.0, 2.0], "b": [10.0, 20.0]})
    assert Linear("b").gram(table).tolist() == [[100.0, 200.0], [200.0, 400.0]]
    fitted = Linear("b").fit(table)
    assert fitted.prepare(as_table({"b": [3.0]})).matrix.tolist() == [[3.0]]
    with pytest.raises(DataError, match="height") as caught:
        Linear("height").gram(table)
    assert caught.value.code == "D003"


@pytest.mark.parametrize(
    "make",
    [
        lambda: RBF(gamma=0),
        lambda: RBF(gamma=-1.0),
        lambda: RBF(gamma="wide"),
        lambda: RBF(sigma=0),
        lambda: Laplacian(gamma=float("nan")),
        lambda: Polynomial(0),
        lambda: Polynomial(1.5),
        lambda: Polynomial("height"),
        lambda: Sigmoid(coef0=float("inf")),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(ParameterError) as caught:
        make()
    assert caught.value.code == "P001"


@pytest.mark.parametrize("make", [lambda: RBF(1.0), lambda: Linear("a", "a")])
def test_columns_that_are_no_names_are_refused(make):
    with pytest.raises(ParameterError) as caught:
        make()
    assert caught.value.code == "P164"


def test_values_beyond_the_largest_number_are_refused():
    with pytest.raises(DataError) as caught:
        Polynomial(9).gram([[1e90], [1.0]])
    assert caught.value.code == "D163"
    assert caught.value.rows == (0, 1)


def test_sums_are_products_with_the_gram():
    X = np.random.default_rng(0).normal(size=(30, 3))
    coefficients = np.random.default_rng(1).normal(size=(30, 2))
    for kernel in (RBF(), Polynomial(2), 2 * RBF() + Linear(), RBF() * Linear()):
        fitted = kernel.fit(as_table(X))
        points = fitted.prepare(as_table(X))
        expected = kernel.gram(X) @ coefficients
        np.testing.assert_allclose(fitted.sums(points, points, coefficients), expected)
        single = fitted.sums(points, points, coefficients, single=True)
        np.testing.assert_allclose(single, expected, rtol=1e-3, atol=1e-4)


def test_a_sparse_table_is_taken_as_it_is():
    from scipy import sparse

    X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(Linear().gram(sparse.csr_array(X)), X @ X.T)


def test_threads_do_not_change_a_bit():
    X = np.random.default_rng(0).normal(size=(70, 5))
    fitted = (RBF() * Linear() + Polynomial(2).normalized()).fit(as_table(X))
    points = fitted.prepare(as_table(X))
    one = fitted.gram(points, points, n_threads=1)
    np.testing.assert_array_equal(fitted.gram(points, points, n_threads=3), one)
    coefficients = np.ones((70, 1))
    few = [fitted.sums(points, points, coefficients, n_threads=n).tolist() for n in (1, 3)]
    assert few[0] == few[1]
