"""Least squares: textbook numbers, scikit-learn's coefficients, honest about what is not known."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn import linear_model

from branchline.errors import ParameterError
from branchline.linear import LinearRegression
from branchline.linear._decomposition import decompose
from branchline.linear._least_squares import _iterated
from branchline.linear._regressor import RegressionProblem
from unit.linear.regression_cases import messy, refuse, rows


def test_coefficients_are_those_of_scikit_learn_in_the_units_of_the_table():
    X, y = rows()
    ours, theirs = LinearRegression().fit(X, y), linear_model.LinearRegression().fit(X, y)
    # Both solve by orthogonal decompositions; columns differ by four orders of magnitude.
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-9)
    assert ours.solver_ == "qr"


def test_summary_has_the_textbook_numbers_of_a_line():
    x, y = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 4, 5, 4, 5])
    summary = LinearRegression().fit(x[:, None], y).summary()
    line = stats.linregress(x, y)  # slope 0.6, intercept 2.2
    constant, slope = summary.rows
    assert (constant.coefficient, slope.coefficient) == pytest.approx((2.2, 0.6))
    assert (slope.error, constant.error) == pytest.approx((line.stderr, line.intercept_stderr))
    assert slope.p == pytest.approx(line.pvalue)
    assert summary.residual_std == pytest.approx(np.sqrt(2.4 / 3))
    assert (summary.df_residual, summary.r2) == pytest.approx((3, 0.6))
    assert summary.adjusted_r2 == pytest.approx(1 - 0.4 * 4 / 3)
    reach = stats.t.ppf(0.975, 3) * line.stderr
    assert (slope.low, slope.high) == pytest.approx((0.6 - reach, 0.6 + reach))
    assert "on 3 degrees of freedom; R² 0.6" in str(summary)


def test_errors_of_many_columns_are_those_of_the_normal_equations():
    X, y = rows()
    model = LinearRegression().fit(X, y)
    design = np.column_stack([np.ones(len(X)), X])
    left = y - model.predict(X)
    covariance = np.linalg.inv(design.T @ design) * (left @ left) / (len(X) - 6)
    expected = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(model.standard_errors_[0], expected[1:], rtol=1e-6)
    np.testing.assert_allclose(model.intercept_errors_, expected[:1], rtol=1e-6)


def test_intervals_hold_the_truth_19_times_in_20():
    random = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        X = random.normal(size=(12, 2))
        y = 1 + X @ [2.0, -1.0] + random.normal(size=12)
        first = LinearRegression().fit(X, y).coefficients().rows[0]
        held += first.low <= 2.0 <= first.high
    assert 0.91 < held / 300 < 0.985


def test_weights_count_as_rows_in_errors_too():
    X, y = rows(30, 2)
    weighted = LinearRegression().fit(X, y, np.repeat([1, 3], 15))
    repeated = LinearRegression().fit(np.vstack([X, X[15:], X[15:]]), np.r_[y, y[15:], y[15:]])
    np.testing.assert_array_equal(weighted.standard_errors_, repeated.standard_errors_)
    assert weighted.df_residual_ == 60 - 3


def test_ten_copies_of_a_column_leave_predictions_unchanged_and_are_named():
    X, y = rows()
    once = LinearRegression().fit(X, y)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame = frame.assign(**{f"copy{at}": frame["b"] for at in range(10)})
    model = LinearRegression().fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), once.predict(X), rtol=1e-9)
    assert model.aliased_ == (("b", *(f"copy{at}" for at in range(10))),)
    assert model.rank_ == 5
    by_name = {row.term: row for row in model.coefficients()}
    assert by_name["b"].low is None
    assert by_name["copy3"].value == pytest.approx(once.coef_[1] / 11)
    np.testing.assert_allclose(by_name["a"].low, once.coefficients().rows[0].low, rtol=1e-6)
    assert "linearly dependent, so without interval: b, copy0" in model.to_text()


def test_several_outputs_are_one_regression_each():
    X, y = rows()
    both = LinearRegression().fit(X, np.column_stack([y, 1e200 * y**2]))
    np.testing.assert_allclose(both.predict(X)[:, 0], LinearRegression().fit(X, y).predict(X))
    assert both.coef_.shape == (2, 5)
    assert both.summary(1).r2 == pytest.approx(LinearRegression().fit(X, y**2).r2_[0])
    assert [row.output for row in both.coefficients()][::5] == ["output 0", "output 1"]


def test_categories_are_differences_from_the_most_frequent_level():
    frame = pd.DataFrame({"town": ["Mons"] * 4 + ["Ath"] * 2 + ["Namur"] * 2})
    model = LinearRegression().fit(frame, [1.0, 2, 3, 2, 5, 7, 9, 9])
    listed = {row.term: row.value for row in model.coefficients()}
    assert listed == pytest.approx({"town=Ath": 4.0, "town=Namur": 7.0})
    assert model.intercept_ == pytest.approx(2.0)


def test_explanation_adds_up():
    frame, y = messy()
    model = LinearRegression().fit(frame, y)
    explained = model.explain(frame[:1])
    assert explained.is_sum
    assert explained.total == pytest.approx(model.predict(frame[:1])[0])
    assert explained.base == pytest.approx(y.mean())  # least squares goes through the means


def test_sparse_solvers_agree_with_the_dense_one():
    random = np.random.default_rng(0)
    matrix = random.normal(size=(80, 6)) * (random.random((80, 6)) < 0.4)
    y = matrix @ np.arange(6.0) + random.normal(size=80)
    weights = random.integers(1, 3, 80).astype(float)
    exponents = np.zeros(1, dtype=np.intp)
    dense = decompose(RegressionProblem(matrix, weights, y[:, None], exponents), scale=True)
    problem = RegressionProblem(sparse.csr_array(matrix), weights, y[:, None], exponents)
    gram = decompose(problem, scale=True)
    assert (dense.solver, gram.solver) == ("qr", "gram")
    np.testing.assert_allclose(gram.weights(), dense.weights(), rtol=1e-9)
    np.testing.assert_allclose(gram.residual, dense.residual, rtol=1e-9)
    iterated = _iterated(problem)
    np.testing.assert_allclose(iterated["weights_"], dense.weights(), rtol=1e-6)
    np.testing.assert_allclose(iterated["bias_"], dense.bias(dense.weights()), rtol=1e-6)


def test_without_rows_to_spare_there_are_no_intervals():
    model = LinearRegression().fit([[1.0], [2.0]], [1.0, 3.0])
    assert model.coefficients().rows[0].low is None
    assert model.summary().residual_std is None
    assert " – " in str(model.summary())


def test_bad_parameters_and_forged_values_are_refused():
    X, y = rows()
    with pytest.raises(ParameterError, match="'basis' parameter"):
        LinearRegression(basis="cubic").fit(X, y)
    model = LinearRegression().fit(X, y)
    weights = model.weights_.copy()
    weights[0, 0] = np.nan
    refuse(
        model,
        weights=weights,
        bias=np.zeros(0),
        rank=9,
        solver="magic",
        df_residual=float("inf"),
        standard_errors=-model.standard_errors_,
        residual_std=np.zeros(3),
        aliased=[["nobody"]],
    )


def test_errors_beyond_all_floats_are_not_known_and_the_model_can_be_saved(tmp_path):
    X = np.array([0.0, 5e-324, 1e-323, 2.2e-308] * 6)[:, None]
    model = LinearRegression().fit(X, 1e3 * np.arange(24.0))
    assert np.isnan(model.standard_errors_).all()
    model.save(tmp_path / "model.branchline")
    assert np.isfinite(model.predict(X)).all()
