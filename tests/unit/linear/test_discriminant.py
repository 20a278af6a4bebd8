"""Linear discriminant analysis against scikit-learn, and what it does where covariances fail."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

from branchline import load_dataset
from branchline.errors import ModelFileError, ParameterError
from branchline.linear._discriminant import LinearDiscriminantAnalysis


def within_scaled() -> tuple[Any, Any, Any]:
    """Return iris with terms of unit spread within classes, as shrinking sees them."""
    X, y = load_iris(return_X_y=True)
    residuals = X - np.array([X[y == label].mean(axis=0) for label in range(3)])[y]
    scale = np.sqrt((residuals**2).mean(axis=0))
    return X / scale, y, residuals / scale


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scikit_learn_has_the_same_sums(n_classes: int) -> None:
    # Both are closed forms. Its solver "svd" divides by another number of rows before 1.9.1.
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    theirs = Theirs(solver="lsqr").fit(X, y)
    ours = LinearDiscriminantAnalysis(shrinkage=None).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-10
    )
    if n_classes == 2:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7)
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X), rtol=1e-7
        )


def test_a_given_shrinkage_is_scikit_learn_s() -> None:
    X, y, _ = within_scaled()
    theirs = Theirs(solver="lsqr", shrinkage=0.3).fit(X, y)
    ours = LinearDiscriminantAnalysis(shrinkage=0.3).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_the_shrinkage_of_ledoit_and_wolf_is_scikit_learn_s() -> None:
    X, y, residuals = within_scaled()
    model = LinearDiscriminantAnalysis(shrinkage="ledoit_wolf").fit(X, y)
    expected = ledoit_wolf_shrinkage(residuals, assume_centered=True)
    np.testing.assert_allclose(model.shrinkage_, expected, rtol=1e-9)


def test_weights_are_copies_and_priors_move_the_constants_only() -> None:
    X, y = load_iris(return_X_y=True)
    copies = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), copies)
    weighted = LinearDiscriminantAnalysis(shrinkage=None).fit(X, y, sample_weight=copies)
    theirs = Theirs(solver="lsqr").fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    priors = {0: 0.2, 1: 0.7, 2: 0.1}
    given = LinearDiscriminantAnalysis(shrinkage=None, priors=priors).fit(X, y)
    free = LinearDiscriminantAnalysis(shrinkage=None).fit(X, y)
    np.testing.assert_array_equal(given.weights_, free.weights_)
    expected = free.predict_proba(X) * [0.2, 0.7, 0.1]  # the classes have equal shares
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(given.predict_proba(X), expected, atol=1e-9)


def test_copies_of_a_column_change_nothing_without_shrinkage() -> None:
    X, y = load_iris(return_X_y=True)
    copies = np.hstack([X, *[X[:, :1]] * 10])
    once = LinearDiscriminantAnalysis(shrinkage=None).fit(X, y).predict_proba(X)
    often = LinearDiscriminantAnalysis(shrinkage=None).fit(copies, y).predict_proba(copies)
    np.testing.assert_allclose(once, often, atol=1e-6)


def test_a_column_that_gives_the_class_away_decides_instead_of_being_lost() -> None:
    # Within classes the first column does not vary at all, so its variance has no inverse.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    X = np.column_stack([y, rng.normal(size=100)])
    for shrinkage in (None, "auto"):
        model = LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
        assert model.score(X, y) == 1.0
        assert np.isfinite(model.weights_).all()


def test_more_columns_than_rows_are_shrunk() -> None:
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(40, 200)), rng.normal(size=(400, 200))
    X[:20, :10] += 1.0
    new[:200, :10] += 1.0
    model = LinearDiscriminantAnalysis().fit(X, np.repeat([0, 1], 20))
    assert model.shrinkage_ > 0.3
    assert model.score(new, np.repeat([0, 1], 200)) > 0.75


def test_soybean_like_tables_need_no_preparation() -> None:
    for name, target in (("votes84", "party"), ("german-credit", "class")):
        X, y = load_dataset(name).split_target(target)
        model = LinearDiscriminantAnalysis().fit(X, y)
        assert model.score(X, y) > 0.75
        explained = model.explain(X.rows([3]))
        log_odds = float(abs(model.decision_function(X.rows([3]))[0]))
        np.testing.assert_allclose(explained.total, log_odds, rtol=1e-8)


@pytest.mark.parametrize(
    "priors", [{0: 0.5}, {0: 0.5, 1: 0.6}, {0: -0.5, 1: 1.5}, {0: 0.5, 1: 0.3, 2: 0.2}, {0: "x"}]
)
def test_bad_priors_are_refused(priors: Any) -> None:
    with pytest.raises(ParameterError, match="'priors' parameter") as caught:
        LinearDiscriminantAnalysis(priors=priors).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert caught.value.code == "P060"


@pytest.mark.parametrize(
    "change", [{"priors": np.array([0.5, 0.6])}, {"shrinkage": 1.5}, {"shrinkage": None}]
)
def test_forged_values_are_refused(change: Any) -> None:
    model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    again = clone(model)._unpack(model._pack(), model.schema_)
    assert again["shrinkage_"] == model.shrinkage_
    with pytest.raises(ModelFileError):
        clone(model)._unpack({**model._pack(), **change}, model.schema_)
