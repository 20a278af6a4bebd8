"""Ridge: the closed form, scikit-learn's weights, and λ by generalized cross-validation."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model

from branchline._encoding._encoded import EncodedRows
from branchline._validation import NumberTarget, RowWeights, TrainingData
from branchline.encoding import TableEncoder
from branchline.errors import ParameterError
from branchline.linear import Ridge
from branchline.linear._regressor import RegressionProblem
from branchline.linear._ridge import _iterated
from branchline.table import as_table
from unit.linear.regression_cases import refuse, rows, standardize


def test_weights_are_the_closed_form():
    X, y = rows()
    model = Ridge(alpha=2.5).fit(X, y)
    A = standardize(X).T  # a column a row, as the formula has it
    expected = np.linalg.solve(A @ A.T + 2.5 * np.eye(5), A @ (y - y.mean()))
    np.testing.assert_allclose(model.weights_[0], expected, rtol=1e-9)
    assert model.bias_[0] == pytest.approx(y.mean())


@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0, 1e4])
def test_predictions_are_those_of_scikit_learn(alpha):
    X, y = rows()
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    ours = Ridge(alpha=alpha, encoder=TableEncoder(scale="none")).fit(X, y, weight)
    theirs = linear_model.Ridge(alpha=alpha, solver="svd").fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_effective_degrees_of_freedom_and_gcv_are_those_of_the_hat_matrix():
    X, y = rows(25, 4)
    model = Ridge().fit(X, y)
    Z = standardize(X)
    hat = Z @ np.linalg.solve(Z.T @ Z + model.alpha_ * np.eye(4), Z.T)
    assert model.effective_df_ == pytest.approx(np.trace(hat))
    left = y - model.predict(X)
    gcv = (left @ left / 25) / (1 - (np.trace(hat) + 1) / 25) ** 2 / y.var()
    curve = model.gcv_curve_
    assert curve.error.min() == pytest.approx(gcv)
    assert curve.alphas[np.argmin(curve.error)] == model.alpha_
    assert (np.diff(curve.df) < 0).all()


def test_no_signal_shrinks_to_the_mean_and_a_clear_one_not_at_all():
    random = np.random.default_rng(1)
    X = random.normal(size=(100, 20))
    assert Ridge().fit(X, random.normal(size=100)).effective_df_ < 8
    assert Ridge().fit(X, X @ np.ones(20)).effective_df_ == pytest.approx(20, abs=1e-3)


def test_columns_may_outnumber_rows():
    random = np.random.default_rng(2)
    X = random.normal(size=(120, 300))
    y = X[:, :10].sum(axis=1) + random.normal(size=120)
    model = Ridge().fit(X[:60], y[:60])
    assert model.score(X[60:], y[60:]) > 0.1
    assert model.effective_df_ < 60


def test_large_sparse_problems_are_solved_by_gradients():
    random = np.random.default_rng(0)
    matrix = random.normal(size=(90, 8)) * (random.random((90, 8)) < 0.4)
    y = (matrix @ np.arange(8.0) + random.normal(size=90))[:, None]
    data = TrainingData(as_table(matrix), NumberTarget(y), RowWeights())
    stored = sparse.csr_array(matrix)
    encoded = EncodedRows(stored, np.ones(90), data, None)
    problem = RegressionProblem(stored, np.ones(90), y, np.zeros(1, dtype=np.intp), encoded)
    fitted = _iterated(problem, np.array([3.0]))
    expected = linear_model.Ridge(alpha=3.0).fit(matrix, y[:, 0])
    np.testing.assert_allclose(fitted["weights_"][0], expected.coef_, rtol=1e-6)
    chosen = _iterated(problem, None)
    assert chosen["alpha_"] < 9.0  # a clear signal is hardly shrunk
    assert len(chosen["gcv_curve_"].error) == 7


def test_text_says_how_much_is_shrunk():
    X, y = rows()
    text = Ridge(alpha=2.0).fit(X, y).to_text()
    assert text.startswith("lambda 2, 4.")
    assert "effective degrees of freedom" in text


def test_bad_parameters_and_forged_values_are_refused():
    X, y = rows()
    with pytest.raises(ParameterError, match="'alpha' parameter"):
        Ridge(alpha=-1.0).fit(X, y)
    refuse(
        Ridge().fit(X, y),
        alpha=-1.0,
        effective_df=1e9,
        curve=np.full((3, 2), -1.0),
        solver="magic",
        encoding={},
        weights=np.zeros((1, 4)),
        bias=np.zeros(2),
    )
