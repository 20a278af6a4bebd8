"""Wide tables: the space that the rows span, and models that are fitted in it."""

import numpy as np
import pytest
from sklearn import linear_model, svm
from sklearn.base import clone

from branchline import _row_space as row_space
from branchline.linear import (
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
)
from branchline.svm import LinearSVC, LinearSVR


def wide(n_rows=40, n_terms=300, seed=0):
    """Standardized rows, two classes and a number; centered, so that one direction is empty."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, n_terms))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    signal = X[:, :5].sum(axis=1) + generator.normal(size=n_rows)
    return X, (signal > 0).astype(int), signal


@pytest.mark.parametrize("way", [row_space._by_products, row_space._by_reflections])
def test_the_parts_give_the_rows_back(way):
    X, _, _ = wide()
    space = way(X)
    assert space.values.shape == (39,)
    np.testing.assert_allclose(space.lift(space.rows), X, atol=1e-12)
    directions = space.lift(np.eye(39))
    np.testing.assert_allclose(directions @ directions.T, np.eye(39), atol=1e-12)
    np.testing.assert_allclose(space.left.T @ space.left, np.eye(39), atol=1e-12)


def test_products_that_would_lose_digits_are_not_used():
    X, _, _ = wide()
    faint = X * 10.0 ** -np.linspace(0, 6, 40)[:, None]
    assert row_space._by_products(faint) is None
    space = row_space.row_space_of(faint)
    np.testing.assert_allclose(space.lift(space.rows), faint, atol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_weights_are_those_of_the_terms(n_classes):
    X, _, signal = wide()
    y = np.digitize(signal, np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]))
    ours = LogisticRegression(C=0.1).fit(X, y)
    peer = linear_model.LogisticRegression(C=0.1, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    assert ours.gradient_norm_ < 1e-6


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 41.0)])
def test_least_squares_and_ridge_are_those_of_the_peer(weights):
    X, _, y = wide()
    ours = Ridge(alpha=3.0).fit(X, y, sample_weight=weights)
    # Our terms are standardized with the weights.
    share = np.ones(40) / 40 if weights is None else weights / weights.sum()
    spread = np.sqrt(share @ (X - share @ X) ** 2)
    peer = linear_model.Ridge(alpha=3.0).fit(X / spread, y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X / spread), rtol=1e-9)
    exact = LinearRegression().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(exact.predict(X), y, atol=1e-9)
    assert np.isnan(exact.standard_errors_).all()
    assert exact.rank_ == 39


def test_least_squares_of_a_wide_table_makes_no_matrix_of_all_pairs_of_terms():
    """100 × 50 000 once took all memory of a machine; 20 GB for one such matrix."""
    X = np.random.default_rng(0).normal(size=(20, 20_000))
    model = LinearRegression().fit(X, X[:, 0])
    np.testing.assert_allclose(model.predict(X), X[:, 0], atol=1e-8)
    assert sum(len(group) for group in model.aliased_) == 20_000


def test_groups_of_terms_are_found_without_all_pairs():
    X, _, y = wide(60, 8)
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]])
    groups = LinearRegression().fit(X, y).aliased_
    assert {frozenset(group) for group in groups} == {
        frozenset({"x0", "x8"}),
        frozenset({"x1", "x2", "x9"}),
    }


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_linear_margins_are_those_of_the_terms(loss):
    X, y, _ = wide()
    ours = LinearSVC(C=0.01, loss=loss, tol=1e-8).fit(X, y)
    assert ours.converged_
    assert ours.weights_.shape == (1, 300)
    terms = LinearSVC(C=0.01, loss=loss, tol=1e-8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("branchline.svm._linear_svc.narrow", lambda m: (m, lambda w: w))
        terms.fit(X, y)
    np.testing.assert_allclose(ours.weights_, terms.weights_, atol=1e-5)
    assert ours.objective_ == pytest.approx(terms.objective_, rel=1e-6)


def test_linear_support_vector_regression_is_that_of_the_peer():
    X, _, y = wide()
    ours = LinearSVR(C=0.01, epsilon=0.1, tol=1e-8).fit(X, y)
    peer = svm.SVR(kernel="linear", C=0.01, epsilon=0.1, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), atol=1e-4)


@pytest.mark.parametrize("shrinkage", ["auto", None, 0.3, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_wide_discriminants_are_those_of_covariances(shrinkage, weighted):
    X, _, signal = wide()
    y = np.digitize(signal, np.quantile(signal, [0.3, 0.6]))
    weights = np.arange(1.0, 41.0) if weighted else None
    model = LinearDiscriminantAnalysis(shrinkage=shrinkage)
    found, expected = _with_and_without_products(model, X, y, weights)
    assert found.shrinkage_ == pytest.approx(expected.shrinkage_, rel=1e-9)
    np.testing.assert_allclose(found.weights_, expected.weights_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("reg_param", ["auto", 0.0, 0.4])
def test_wide_quadratic_discriminants_are_those_of_covariances(reg_param):
    X, y, _ = wide()
    model = QuadraticDiscriminantAnalysis(reg_param=reg_param)
    found, expected = _with_and_without_products(model, X, y, None)
    np.testing.assert_allclose(found.shrinkage_, expected.shrinkage_, rtol=1e-9)
    np.testing.assert_allclose(found.log_determinants_, expected.log_determinants_, rtol=1e-7)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-6)
    again = wide(seed=1)[0]
    np.testing.assert_allclose(found.predict_proba(again), expected.predict_proba(again), atol=1e-6)


def _with_and_without_products(model, X, y, weights):
    """Return a discriminant from products of rows, and one from covariances of terms."""
    found = clone(model).fit(X, y, sample_weight=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("branchline.linear._covariance.is_wide", lambda _: False)
        return found, clone(model).fit(X, y, sample_weight=weights)
