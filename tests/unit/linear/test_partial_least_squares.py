"""Partial least squares: scikit-learn's predictions, components by cross-validation."""

import numpy as np
import pytest
from sklearn import cross_decomposition

from branchline.errors import ParameterError
from branchline.linear import LinearRegression, PLSRegressor
from unit.linear.regression_cases import messy, refuse, rows


@pytest.mark.parametrize("n_components", [1, 2, 4])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_predictions_are_those_of_scikit_learn(n_components, n_outputs):
    X, y = rows()
    y = y if n_outputs == 1 else np.column_stack([y, y**2, np.sin(y)])
    theirs = cross_decomposition.PLSRegression(n_components, tol=1e-10, max_iter=5000).fit(X, y)
    ours = PLSRegressor(n_components=n_components).fit(X, y)
    # Both iterate to 1e-10; rows are taken in another order here.
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    coefficients = theirs.coef_ if n_outputs > 1 else theirs.coef_[0]
    size = np.abs(coefficients * X.std(axis=0)).max()
    found = (ours.coef_ - coefficients) * X.std(axis=0)
    assert np.abs(found).max() < 1e-6 * size
    assert ours.n_components_ == n_components


def test_all_components_are_least_squares():
    X, y = rows()
    model = PLSRegressor(n_components=50).fit(X, y)
    assert model.n_components_ == 5
    np.testing.assert_allclose(model.predict(X), LinearRegression().fit(X, y).predict(X), rtol=1e-6)


def test_cross_validation_finds_the_number_of_hidden_factors():
    random = np.random.default_rng(0)
    hidden = random.normal(size=(80, 2))
    X = hidden @ random.normal(size=(2, 200)) + 0.5 * random.normal(size=(80, 200))
    y = hidden @ [1.0, 2.0] + 0.3 * random.normal(size=80)
    model = PLSRegressor(rule="one_se").fit(X[:60], y[:60])
    assert 1 <= model.n_components_ <= 3
    assert model.score(X[60:], y[60:]) > 0.8
    assert model.cv_error_[0] == pytest.approx(1.0, abs=0.2)
    assert model.x_rotations_.shape == (200, model.n_components_)


def test_no_signal_takes_no_component():
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 5))
    model = PLSRegressor(rule="one_se").fit(X, random.normal(size=60))
    assert model.n_components_ == 0
    assert np.ptp(model.predict(X)) == 0


def test_there_is_no_sample_weight():
    X, y = rows()
    with pytest.raises(TypeError, match="sample_weight"):
        PLSRegressor().fit(X, y, sample_weight=np.ones(len(y)))


def test_bad_parameters_and_forged_values_are_refused():
    frame, y = messy()
    with pytest.raises(ParameterError, match="'n_components' parameter"):
        PLSRegressor(n_components=0).fit(frame, y)
    model = PLSRegressor().fit(frame, y)
    assert model.to_text().startswith(f"{model.n_components_} components\n")
    refuse(
        model,
        x_rotations=model.x_rotations_[1:],
        cv_error=-model.cv_error_,
        weights=np.zeros((1, 1)),
    )
    refuse(model, x_rotations=np.full(model.x_rotations_.shape, np.nan), cv_error=None)
