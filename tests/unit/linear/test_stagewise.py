"""Forward stagewise regression: steps, their order, and when they stop."""

import numpy as np
import pytest
from sklearn import linear_model

from branchline.errors import ParameterError
from branchline.linear import ForwardStagewise
from unit.linear.regression_cases import messy, refuse, rows, standardize


def test_first_steps_by_hand():
    x = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    y = 4 * x[:, 0] + 3 * x[:, 1] + 10  # standard deviation 5
    model = ForwardStagewise(step=0.1, n_steps=4).fit(x, y)
    # Correlations with the residual: 0.8 and 0.6; two steps of the first column level them, and
    # a third goes below; then the second moves.
    assert model.step_terms_.tolist()[:2] == [0, 0]
    assert sorted(model.step_terms_.tolist()[2:]) == [0, 1]
    np.testing.assert_allclose(model.coef_, [0.3 * 5, 0.1 * 5])
    assert model.intercept_ == pytest.approx(10.0)
    assert model.order_ == ("x0", "x1")


def test_many_steps_reach_least_squares():
    X, y = rows()
    expected = linear_model.LinearRegression().fit(X, y).predict(X)
    boosted = ForwardStagewise(method="boost", step=0.5, n_steps=100_000).fit(X, y)
    np.testing.assert_allclose(boosted.predict(X), expected, rtol=1e-6)
    small = ForwardStagewise(step=0.001, n_steps=1_000_000).fit(X, y)
    assert small.n_steps_ < 100_000  # it stops by itself
    np.testing.assert_allclose(small.predict(X), expected, atol=0.05)


def test_path_is_close_to_the_lasso():
    X, y = rows()
    model = ForwardStagewise(step=0.001, n_steps=400).fit(X, y)
    weights = model.weights_[0]
    # The lasso with the same sum of absolute weights.
    _, path, _ = linear_model.lasso_path(
        standardize(X), y - y.mean(), alphas=np.geomspace(3, 1e-3, 400)
    )
    place = np.argmin(np.abs(np.abs(path).sum(axis=0) - np.abs(weights).sum()))
    np.testing.assert_allclose(weights, path[:, place], atol=0.1 * np.abs(weights).max())


def test_cross_validation_stops_early_on_noise_and_late_on_signal():
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 10))
    noise = ForwardStagewise().fit(X, random.normal(size=100))
    signal = ForwardStagewise().fit(X, X @ np.arange(10.0) + random.normal(size=100))
    assert noise.n_steps_ < 40 < signal.n_steps_
    assert len(signal.cv_error_) > signal.n_steps_
    assert signal.cv_error_[signal.n_steps_] == pytest.approx(signal.cv_error_.min(), rel=1e-3)
    assert signal.score(X, X @ np.arange(10.0)) > 0.98
    fewer = ForwardStagewise(rule="one_se").fit(X, X @ np.arange(10.0) + random.normal(size=100))
    assert fewer.n_steps_ <= signal.n_steps_


def test_text_lists_terms_in_the_order_of_coming_in():
    frame, y = messy()
    model = ForwardStagewise(n_steps=30).fit(frame, y)
    text = model.to_text().splitlines()
    assert text[0] == "30 steps of 0.01 (incremental), in the order of coming in"
    assert text[2].split()[0] == "height"
    assert model.order_[0] == "height"


def test_no_steps_is_the_mean():
    X, y = rows()
    np.testing.assert_allclose(ForwardStagewise(n_steps=0).fit(X, y).predict(X), y.mean())


def test_bad_parameters_and_forged_values_are_refused():
    X, y = rows()
    with pytest.raises(ParameterError, match="'step' parameter"):
        ForwardStagewise(step=0.0).fit(X, y)
    model = ForwardStagewise().fit(X, y)
    refuse(
        model,
        step_terms=model.step_terms_ + 4,
        step_amounts=model.step_amounts_[:-1],
        cv_error=-model.cv_error_,
        weights=np.zeros((2, 5)),
    )
