"""Quadratic discriminant analysis against scikit-learn, and classes of few rows."""

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Theirs

from branchline import load_dataset
from branchline.errors import ModelFileError
from branchline.linear._discriminant import LinearDiscriminantAnalysis
from branchline.linear._quadratic_discriminant import QuadraticDiscriminantAnalysis


def within_scaled() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    residuals = X - np.array([X[y == label].mean(axis=0) for label in range(3)])[y]
    return X / np.sqrt((residuals**2).mean(axis=0)), y


@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:3])) < (1, 9, 1),
    reason='before 1.9.1 its solver "svd" divides by another number of rows',
)
@pytest.mark.parametrize("reg_param", [0.0, 0.2])
def test_scikit_learn_has_the_same_probabilities(reg_param: float) -> None:
    X, y = within_scaled()
    theirs = Theirs(reg_param=reg_param).fit(X, y)
    ours = QuadraticDiscriminantAnalysis(reg_param=reg_param).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)


def test_two_classes_have_one_log_odds() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    theirs = Theirs(solver="eigen").fit(X, y)
    ours = QuadraticDiscriminantAnalysis(reg_param=0.0).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-6)


def test_a_class_of_one_row_leans_on_the_others() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 3)), rng.normal(size=(40, 3)) + 3, [[-6.0, -6.0, -6.0]]])
    y = np.r_[np.zeros(60), np.ones(40), [2]].astype(int)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert model.shrinkage_[2] == 1.0
    assert model.predict([[-6.1, -5.9, -6.0], [0, 0, 0], [3, 3, 3]]).tolist() == [2, 0, 1]


def test_few_rows_lean_on_the_shared_covariance_and_many_do_not() -> None:
    rng = np.random.default_rng(0)
    few, many = (
        QuadraticDiscriminantAnalysis().fit(
            np.vstack([rng.normal(size=(n, 5)), 3 * rng.normal(size=(n, 5))]), np.repeat([0, 1], n)
        )
        for n in (8, 2000)
    )
    assert few.shrinkage_.min() > 0.1
    assert many.shrinkage_.max() < 0.02


def test_spreads_alone_tell_classes_apart() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(500, 2)), 5 * rng.normal(size=(500, 2))])
    y = np.repeat([0, 1], 500)
    assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) < 0.6
    assert QuadraticDiscriminantAnalysis().fit(X, y).score(X, y) > 0.85


def test_explanations_add_up_to_the_log_odds() -> None:
    X, y = load_dataset("german-credit").split_target("class")
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    for row in (0, 7, 100):
        explained = model.explain(X.rows([row]))
        log_odds = float(abs(model.decision_function(X.rows([row]))[0]))
        np.testing.assert_allclose(explained.total, log_odds, rtol=1e-8)
        total = explained.base + sum(part.amount for part in explained.parts)
        np.testing.assert_allclose(total, explained.total, rtol=1e-9)


def test_a_constant_table_gives_the_priors() -> None:
    model = QuadraticDiscriminantAnalysis().fit([[1.0]] * 4, [0, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[0.25, 0.75]])


@pytest.mark.parametrize(
    "change",
    [
        {"roots": []},
        {"roots": [np.zeros((1, 2)), np.zeros((1, 1))]},
        {"roots": [np.full((1, 1), np.nan), np.zeros((1, 1))]},
        {"roots": [np.zeros(1), np.zeros((1, 1))]},
        {"means": np.zeros((3, 1))},
        {"priors": np.array([0.0, 1.0])},
        {"log_determinants": np.array([np.inf, 0.0])},
        {"shrinkage": np.array([2.0, 0.0])},
    ],
)
def test_forged_values_are_refused(change: Any) -> None:
    model = QuadraticDiscriminantAnalysis().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    clone(model)._unpack(model._pack(), model.schema_)
    with pytest.raises(ModelFileError):
        clone(model)._unpack({**model._pack(), **change}, model.schema_)
