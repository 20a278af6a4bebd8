"""Lasso and elastic net: scikit-learn's weights at a given α, α by cross-validation."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import linear_model

from branchline._encoding._encoded import EncodedRows
from branchline._validation import NumberTarget, RowWeights, TrainingData
from branchline.errors import BranchlineWarning, ParameterError
from branchline.linear import ElasticNet, Lasso
from branchline.linear import _lasso_descent as descents
from branchline.linear import _lasso_path as paths
from branchline.linear._regressor import RegressionProblem
from branchline.table import as_table
from unit.linear.regression_cases import messy, refuse, rows, standardize

TIGHT = {"tol": 1e-14, "max_iter": 100_000}


@pytest.mark.parametrize("alpha", [0.01, 0.5, 2.0])
@pytest.mark.parametrize("ratio", [1.0, 0.3])
def test_weights_are_those_of_scikit_learn_at_the_same_alpha(alpha, ratio):
    X, y = rows()
    theirs = linear_model.ElasticNet(alpha=alpha, l1_ratio=ratio, **TIGHT).fit(standardize(X), y)
    ours = ElasticNet(alpha=alpha, l1_ratio=ratio).fit(X, y)
    # Both stop coordinate descent at a duality gap of 1e-13 or less of the sum of squares.
    np.testing.assert_allclose(ours.weights_[0], theirs.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.coef_, theirs.coef_ / X.std(axis=0), rtol=1e-6, atol=1e-8)
    if ratio == 1.0:
        np.testing.assert_array_equal(Lasso(alpha=alpha).fit(X, y).weights_, ours.weights_)


def test_weights_of_rows_are_those_of_scikit_learn():
    X, y = rows()
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weight)
    theirs = linear_model.Lasso(alpha=0.3, **TIGHT).fit(standardize(X[repeated]), y[repeated])
    ours = Lasso(alpha=0.3).fit(X, y, weight)
    np.testing.assert_allclose(ours.weights_[0], theirs.coef_, rtol=1e-6, atol=1e-8)


def test_one_column_is_soft_thresholded():
    x = np.array([-1.0, 0, 1, -1, 0, 1])
    y = 3 * x / x.std() + 5  # covariance 3 with the standardized column
    model = Lasso(alpha=1.0).fit(x[:, None], y)
    assert model.weights_[0, 0] == pytest.approx(2.0)
    assert Lasso(alpha=3.5).fit(x[:, None], y).selected_ == ()


def test_solvers_on_rows_and_on_products_agree():
    X, y = rows()
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    for matrix in (standardize(X), sparse.csr_array(standardize(X))):
        data = TrainingData(as_table(X), NumberTarget(y), RowWeights(weights.astype(int)))
        encoded = EncodedRows(matrix, weights, data, None)
        problem = RegressionProblem(
            matrix, weights, y[:, None] / 64, np.zeros(1, dtype=np.intp), encoded
        )
        l1 = paths.price_grid(problem, 12, None)
        prices = paths.Prices(l1, 0.5)
        by_gram = paths.descend(problem, prices, 8, "gram")[1]
        by_rows = paths.descend(problem, prices, 8, "rows")[1]
        np.testing.assert_allclose(by_gram.weights, by_rows.weights, atol=1e-7)
        np.testing.assert_allclose(by_gram.bias, by_rows.bias, atol=1e-7)
        errors = [paths.cross_validate(problem, prices, how, 4).error for how in ("gram", "rows")]
        np.testing.assert_allclose(*errors, rtol=1e-2)


def test_cross_validation_finds_the_columns_that_matter():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 20))
    y = 3 * X[:, 2] - 2 * X[:, 7] + random.normal(size=150)
    model = Lasso(rule="one_se").fit(X, y)
    assert model.selected_ == ("x2", "x7")
    best = Lasso().fit(X, y)
    assert set(model.selected_) <= set(best.selected_)
    assert best.alpha_ < model.alpha_
    path = best.path_
    assert path.df[0] == 0
    assert path.alphas[np.argmin(path.cv_error)] == pytest.approx(best.alpha_, rel=0.5)
    np.testing.assert_array_equal(
        path.weights[path.alphas.tolist().index(best.alpha_)], best.weights_[0]
    )


def test_elastic_net_does_not_depend_on_the_unit_of_the_target():
    X, y = rows()
    kilos, grams = ElasticNet().fit(X, y), ElasticNet().fit(X, 1000 * y)
    np.testing.assert_allclose(1000 * kilos.predict(X), grams.predict(X), rtol=1e-6)
    again = ElasticNet(alpha=grams.alpha_, l1_ratio=grams.l1_ratio_).fit(X, 1000 * y)
    np.testing.assert_allclose(again.weights_, grams.weights_, rtol=1e-6)
    theirs = linear_model.ElasticNet(alpha=grams.alpha_, l1_ratio=grams.l1_ratio_, **TIGHT)
    theirs.fit(standardize(X), 1000 * y)
    np.testing.assert_allclose(grams.weights_[0], theirs.coef_, rtol=1e-6, atol=1e-6)


def test_path_ends_at_a_given_alpha():
    X, y = rows()
    path = Lasso(alpha=0.2, n_alphas=7).fit(X, y).path_
    assert (len(path.alphas), path.alphas[-1]) == (7, pytest.approx(0.2))
    assert np.isnan(path.cv_error).all()


def test_text_says_which_columns_survive():
    frame = pd.DataFrame({"useful": np.arange(40.0), "noise": np.tile([0.0, 1], 20)})
    model = Lasso(alpha=1.0).fit(frame, 2 * frame["useful"].to_numpy())
    assert model.to_text().startswith("alpha 1: 1 of 2 columns kept")
    assert model.to_text().endswith("not used: noise")


def test_products_count_for_their_columns():
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 3))
    model = Lasso(basis="polynomial", rule="one_se").fit(X, X[:, 0] * X[:, 2])
    assert model.selected_ == ("x0", "x2")


def test_columns_that_nearly_repeat_each_other_are_told(monkeypatch):
    monkeypatch.setattr(descents, "_ROUGH", descents.Effort(1e-5, 1))
    monkeypatch.setattr(descents, "_FINE", descents.Effort(1e-13, 1))
    X, y = rows()
    X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]
    with pytest.warns(BranchlineWarning, match="did not settle"):
        Lasso(alpha=1e-6, n_alphas=2).fit(X, y)


def test_a_target_that_does_not_vary_has_no_weights():
    X, _ = rows()
    for model in (Lasso(), ElasticNet(), Lasso(alpha=0.0)):
        assert model.fit(X, np.full(len(X), 7.0)).predict(X) == pytest.approx(7.0)


def test_bad_parameters_and_forged_values_are_refused():
    frame, y = messy()
    with pytest.raises(ParameterError, match="'l1_ratio' parameter"):
        ElasticNet(l1_ratio=0.0).fit(frame, y)
    model = Lasso(n_alphas=5).fit(frame, y)
    path = model._pack()["path"]
    rising = path[:, ::-1].copy()
    refuse(
        model,
        alpha=float("nan"),
        l1_ratio=0.0,
        path=rising,
        path_weights=np.zeros((5, 2)),
        solver="magic",
        bias=np.array([np.inf]),
    )
    refuse(model, alpha=123.0, path=-path)
