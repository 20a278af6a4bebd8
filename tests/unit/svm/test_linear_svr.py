"""LinearSVR: the objective of LIBSVM's linear machine, a true gap, robust and free of units."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm

import branchline
from branchline.encoding import TableEncoder
from branchline.errors import BranchlineWarning
from branchline.svm._linear_svr import LinearSVR

RAW = TableEncoder(scale="none")


def rows(seed=0, n_rows=100, n_columns=4):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    return X, X @ random.normal(size=n_columns) + 3 + random.standard_t(2, size=n_rows)


def objective(model, X, y):
    excess = np.maximum(0, np.abs(y - X @ model.coef_ - model.intercept_) - model.epsilon)
    loss = excess**2 if model.loss.startswith("squared") else excess
    return 0.5 * (model.coef_**2).sum() + model.C_ * loss.sum()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("epsilon", [0.0, 0.5])
@pytest.mark.parametrize("C", [0.1, 5.0])
@pytest.mark.parametrize("solver", ["auto", "descent"])
def test_the_objective_is_that_of_libsvm(seed, epsilon, C, solver):
    X, y = rows(seed)
    model = LinearSVR(
        C=C, epsilon=epsilon, encoder=RAW, solver=solver, tol=1e-6, max_iter=200_000
    ).fit(X, y)
    theirs = svm.SVR(kernel="linear", C=C, epsilon=epsilon, tol=1e-9).fit(X, y)
    # Their dual is exact to the tolerance; the constant that they give is not always.
    beta = theirs.dual_coef_[0]
    best = y[theirs.support_] @ beta - epsilon * np.abs(beta).sum()
    best -= 0.5 * (theirs.coef_**2).sum()
    assert model.objective_ == pytest.approx(objective(model, X, y), rel=1e-9)
    assert model.objective_ == pytest.approx(best, rel=2e-6)
    assert model.objective_ - model.gap_ <= best * (1 + 1e-6)


@pytest.mark.parametrize("solver", ["auto", "descent"])
def test_squares_without_a_tube_are_ridge_regression(solver):
    X, y = rows()
    model = LinearSVR(
        C=2.0, loss="squared_epsilon_insensitive", encoder=RAW, solver=solver, tol=1e-9
    ).fit(X, y)
    centered = X - X.mean(axis=0)
    weights = np.linalg.solve(centered.T @ centered + np.eye(4) / 4, centered.T @ (y - y.mean()))
    np.testing.assert_allclose(model.coef_, weights, rtol=1e-3 if solver == "descent" else 1e-8)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_sparse_is_dense_and_weights_are_copies(loss):
    X, y = rows()
    X = X * (np.abs(X) > 1)
    dense = LinearSVR(loss=loss, encoder=RAW).fit(X, y)
    thin = LinearSVR(loss=loss, encoder=RAW).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-5, atol=1e-7)
    copies = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = LinearSVR(loss=loss).fit(X, y, copies)
    repeated = LinearSVR(loss=loss).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_array_equal(weighted.weights_, repeated.weights_)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("unit", [2.0**-40, 2.0**60])
def test_units_of_the_target_do_not_matter(loss, unit):
    X, y = rows()
    plain = LinearSVR(loss=loss, epsilon=0.25).fit(X, y)
    other = LinearSVR(loss=loss, epsilon=0.25 * unit).fit(X, y * unit)
    np.testing.assert_allclose(other.predict(X), plain.predict(X) * unit, rtol=1e-12)
    assert other.objective_ == pytest.approx(plain.objective_ * unit**2)


def test_outputs_are_solved_each_for_itself():
    X, y = rows()
    both = LinearSVR().fit(X, np.column_stack([y, 100 * y[::-1]]))
    assert both.coef_.shape == (2, 4)
    np.testing.assert_allclose(both.predict(X)[:, 0], LinearSVR().fit(X, y).predict(X))


def test_rows_far_away_pull_no_harder():
    X, y = rows(n_rows=200)
    wild = y.copy()
    wild[:5] += 1e4
    clean = LinearSVR(C=1.0).fit(X, y)
    robust = LinearSVR(C=1.0).fit(X, wild)
    assert np.abs(robust.predict(X) - clean.predict(X)).max() < 1.0


def test_degenerate_tables_have_answers():
    X, _ = rows()
    same = LinearSVR().fit(X, np.full(len(X), 7.0))
    np.testing.assert_allclose(same.predict(X), 7.0)
    assert (same.objective_, same.converged_) == (0.0, True)
    two = LinearSVR(C=1e6, encoder=RAW).fit([[0.0], [1.0]], [1.0, 3.0])
    np.testing.assert_allclose(two.predict([[0.0], [1.0]]), [1.0, 3.0], atol=1e-3)
    wide = LinearSVR(epsilon=1e9).fit(X, X[:, 0])
    assert wide.objective_ == 0.0
    flat = LinearSVR(encoder=RAW).fit(np.ones((5, 1)), [1.0, 2.0, 3.0, 4.0, 9.0])
    assert flat.predict([[1.0]])[0] == pytest.approx(3.0, abs=1e-3)  # the median


def test_threads_do_not_change_a_bit():
    X, y = rows(n_rows=9000)
    one, four = (LinearSVR(n_jobs=n).fit(X, y) for n in (1, 4))
    np.testing.assert_array_equal(one.weights_, four.weights_)
    np.testing.assert_array_equal(one.bias_, four.bias_)


def test_a_fit_that_stops_early_says_by_how_much():
    X, y = rows()
    with pytest.warns(BranchlineWarning, match="above the least possible"):
        model = LinearSVR(max_iter=2).fit(X, y)
    best = LinearSVR().fit(X, y).objective_
    assert model.objective_ - model.gap_ <= best <= model.objective_


def test_a_saved_model_is_the_same(tmp_path):
    X, y = rows()
    model = LinearSVR(basis="polynomial").fit(X, y)
    model.save(tmp_path / "model")
    again = branchline.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.C_ == model.C_
    assert "least possible" in again.to_text()
