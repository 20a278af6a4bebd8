"""Newton's method: scikit-learn's solution, for all folds at once."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Theirs

from branchline.linear import LogisticRegression
from branchline.linear import _logistic_solver as solver
from branchline.linear import _strength_folds as strength_folds
from branchline.linear._logistic_newton import LogisticRows, design_of, newton, newton_rows


def rows(n_rows=80, n_columns=6, *, separable=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    noise = 0.0 if separable else 1.0
    truth = (X[:, 0] + noise * rng.normal(size=n_rows) > 0.5).astype(float)
    return X, truth, rng.integers(1, 4, n_rows).astype(float)


def solved(X, truth, weights, strength, close=1e-10):
    start = np.zeros((len(weights), X.shape[1] + 1))
    given = LogisticRows(design_of(X), truth, weights)
    return newton(given, strength, start, close=close, max_iter=500)


@pytest.mark.parametrize("strength", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("separable", [False, True])
def test_the_solution_is_scikit_learns(strength, separable):
    X, truth, weights = rows(separable=separable)
    found = solved(X, truth, weights[None], strength)
    peer = Theirs(C=strength, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    peer.fit(X, truth, sample_weight=weights)
    np.testing.assert_allclose(found.sums[0, 1:], peer.coef_[0], rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(found.sums[0, 0], peer.intercept_[0], rtol=1e-5, atol=1e-8)


def test_problems_together_have_the_solutions_of_each_alone():
    X, truth, weights = rows()
    held_out = np.arange(len(X)) % 4
    together = np.array([np.where(held_out == fold, 0.0, weights) for fold in range(4)])
    found = solved(X, truth, together, 3.0)
    for fold in range(4):
        kept = held_out != fold
        alone = solved(X[kept], truth[kept], weights[kept][None], 3.0)
        np.testing.assert_allclose(found.sums[fold], alone.sums[0], rtol=1e-8, atol=1e-10)


def test_steps_that_are_too_long_are_halved():
    X, truth = np.array([[-1.0], [1.0], [50.0]]), np.array([0.0, 1.0, 0.0])
    given = LogisticRows(design_of(X), truth, np.ones((1, 3)))
    found = newton(given, 10.0, np.array([[-30.0, 9.0]]), close=1e-10, max_iter=200)
    again = solved(X, truth, np.ones((1, 3)), 10.0)
    np.testing.assert_allclose(found.sums, again.sums, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n_columns", [5, 200])
@pytest.mark.parametrize("shares", [0, 2**30])  # fold by fold, and all at once
def test_strengths_are_chosen_as_with_scikit_learns_solver(n_columns, shares, monkeypatch):
    X, truth, weights = rows(60, n_columns, seed=4)
    monkeypatch.setattr(strength_folds, "_SHARED_CELLS", shares)
    ours = LogisticRegression().fit(X, truth, weights)
    monkeypatch.setattr(solver, "has_newton", lambda *_: False)
    monkeypatch.setattr(strength_folds, "has_newton", lambda *_: False)
    borrowed = LogisticRegression().fit(X, truth, weights)
    assert ours.C_ == borrowed.C_
    both = zip(ours.strength_path_.losses, borrowed.strength_path_.losses, strict=True)
    for one, other in both:
        assert one == pytest.approx(other, rel=2e-3)  # theirs stop at a gradient of 1e-4
    np.testing.assert_allclose(ours.weights_, borrowed.weights_, rtol=1e-4, atol=1e-7)


def test_row_keys_are_made_once(monkeypatch):
    from branchline import _canonical_rows

    calls = []
    original = _canonical_rows.matrix_keys
    monkeypatch.setattr(
        _canonical_rows, "matrix_keys", lambda *a, **k: calls.append(1) or original(*a, **k)
    )
    X, truth, _ = rows()
    LogisticRegression().fit(X, truth)
    assert len(calls) == 1


def test_the_gradient_of_a_wide_table_is_that_of_the_chosen_strength():
    X, truth, weights = rows(60, 200, seed=4)
    model = LogisticRegression().fit(X, truth, weights)  # a warning would fail the test
    assert model.C_ == 1e-4
    assert model.gradient_norm_ < 1e-9


# -- more classes -------------------------------------------------------------------------------


def rows_of_classes(n_classes=4, n_rows=120, n_columns=5, *, separable=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    noise = 0.0 if separable else 1.0
    scores = X @ rng.normal(size=(n_columns, n_classes)) + noise * rng.normal(size=(n_rows, 1))
    return X, scores.argmax(axis=1), rng.integers(1, 4, n_rows).astype(float)


def solved_classes(X, classes, weights, strength, n_classes=4):
    given = newton_rows(X, classes, weights, n_classes)
    start = np.zeros((len(weights), given.n_unknown))
    return newton(given, strength, start, close=1e-11, max_iter=500)


@pytest.mark.parametrize("strength", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("separable", [False, True])
def test_the_solution_for_more_classes_is_scikit_learns(strength, separable):
    X, classes, weights = rows_of_classes(separable=separable)
    sums = solved_classes(X, classes, weights[None], strength).sums.reshape(4, -1)
    peer = Theirs(C=strength, solver="lbfgs", tol=1e-10, max_iter=10_000)
    peer.fit(X, classes, sample_weight=weights)
    np.testing.assert_allclose(sums[:, 1:], peer.coef_, rtol=1e-3, atol=1e-4)
    ours = 0.5 * (sums[:, 1:] ** 2).sum() / strength  # and ours has the smaller sum, or the same
    theirs = 0.5 * (peer.coef_**2).sum() / strength
    log_of = lambda scores: scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)  # noqa: E731
    of_row = np.arange(len(X)), classes
    ours -= weights @ log_of(X @ sums[:, 1:].T + sums[:, 0])[of_row]
    theirs -= weights @ log_of(X @ peer.coef_.T + peer.intercept_)[of_row]
    assert ours <= theirs * (1 + 1e-9)
    constants = peer.intercept_ - peer.intercept_.mean()
    np.testing.assert_allclose(sums[:, 0], constants, rtol=1e-3, atol=1e-3)
    assert abs(sums[:, 0].sum()) < 1e-8


def test_slope_and_curvature_are_those_of_the_losses():
    X, classes, weights = rows_of_classes(n_rows=30, n_columns=2)
    given = newton_rows(X, classes, weights[None], 4)
    at = np.random.default_rng(1).normal(size=(1, given.n_unknown))
    at.reshape(4, -1)[:, 0] -= at.reshape(4, -1)[:, 0].mean()  # where the added square is 0

    def loss(sums):
        return float((given.weights * given.losses(given.scores(sums))).sum())

    steps = 1e-6 * np.eye(given.n_unknown)
    slope = [(loss(at + step) - loss(at - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(given.slope(given.scores(at))[0], slope, rtol=1e-6, atol=1e-6)
    curved = [
        (given.slope(given.scores(at + s)) - given.slope(given.scores(at - s)))[0] / 2e-6
        for s in steps
    ]
    found = given.curvature(given.scores(at))[0]
    constants = np.arange(0, given.n_unknown, X.shape[1] + 1)
    found[np.ix_(constants, constants)] -= weights.sum()
    np.testing.assert_allclose(found, curved, rtol=1e-5, atol=1e-5)


def test_problems_of_more_classes_together_have_the_solutions_of_each_alone():
    X, classes, weights = rows_of_classes()
    held_out = np.arange(len(X)) % 3
    together = np.array([np.where(held_out == fold, 0.0, weights) for fold in range(3)])
    found = solved_classes(X, classes, together, 3.0)
    for fold in range(3):
        kept = held_out != fold
        alone = solved_classes(X[kept], classes[kept], weights[kept][None], 3.0)
        np.testing.assert_allclose(found.sums[fold], alone.sums[0], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("shares", [0, 2**30])  # fold by fold, and all at once
def test_strengths_of_more_classes_are_chosen_as_with_scikit_learns_solver(shares, monkeypatch):
    X, classes, weights = rows_of_classes(seed=4)
    monkeypatch.setattr(strength_folds, "_SHARED_CELLS", shares)
    ours = LogisticRegression().fit(X, classes, sample_weight=weights)
    monkeypatch.setattr(strength_folds, "has_newton", lambda *_: False)
    theirs = LogisticRegression().fit(X, classes, sample_weight=weights)
    assert ours.C_ == theirs.C_
    np.testing.assert_allclose(ours.strength_path_.losses, theirs.strength_path_.losses, rtol=2e-3)


def test_a_class_of_one_row_is_absent_from_a_fold():
    X, classes, _ = rows_of_classes(3, seed=2)
    classes[classes == 2] = 1
    classes[7] = 2
    model = LogisticRegression().fit(X, classes)
    assert np.isfinite(model.strength_path_.losses).all()
    assert model.predict_proba(X).shape == (120, 3)
