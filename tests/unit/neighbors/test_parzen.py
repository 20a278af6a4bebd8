"""Parzen windows: the formula, the bandwidth, and rows out of reach."""

import numpy as np
import pandas as pd
import pytest

from branchline.neighbors import ParzenClassifier, ParzenRegressor
from common.tables import mixed_frame, target

PLAIN = {"scale": "none", "column_weights": None}
X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 4.0]})
Y = np.array([1.0, 3.0, 2.0, 8.0])
WEIGHT = {
    "gaussian": lambda u: np.exp(-(u**2) / 2),
    "epanechnikov": lambda u: np.maximum(0, 1 - u**2),
    "boxcar": lambda u: (u <= 1) * 1.0,
}


@pytest.mark.parametrize("kernel", WEIGHT)
@pytest.mark.parametrize("h", [1.5, 3.0])
def test_the_prediction_is_the_weighted_mean(kernel, h):
    asked = np.array([0.0, 0.7, 3.1])
    weights = WEIGHT[kernel](np.abs(asked[:, None] - X["x"].to_numpy()) / h)
    model = ParzenRegressor(bandwidth=h, kernel=kernel, **PLAIN).fit(X, Y)
    np.testing.assert_allclose(model.predict({"x": asked}), weights @ Y / weights.sum(axis=1))
    classes = ParzenClassifier(bandwidth=h, kernel=kernel, **PLAIN).fit(X, ["a", "b", "a", "b"])
    share = weights @ [1, 0, 1, 0] / weights.sum(axis=1)
    expected = np.column_stack([share, 1 - share])
    np.testing.assert_allclose(classes.predict_proba({"x": asked}), expected, atol=1e-12)


@pytest.mark.parametrize("kernel", WEIGHT)
def test_where_no_row_is_near_the_nearest_decide(kernel):
    model = ParzenRegressor(bandwidth=1e-80, kernel=kernel, **PLAIN).fit(X, Y)
    np.testing.assert_allclose(model.predict({"x": [3.9, 100.0, 0.5]}), [8.0, 8.0, 2.0])


def test_the_bandwidth_is_the_one_of_least_error_left_out():
    random = np.random.default_rng(0)
    x = random.uniform(0, 6, 15)  # fewer than 20 rows are left out one by one
    y = np.sin(x) + random.normal(0, 0.1, 15)
    model = ParzenRegressor(**PLAIN).fit(x[:, None], y)
    errors = []
    for h in model.cv_curve_[:, 0]:
        squares = ((x[:, None] - x) / h) ** 2
        np.fill_diagonal(squares, np.inf)
        weights = np.exp(-(squares - squares.min(axis=1, keepdims=True)) / 2)
        errors.append(np.mean((weights @ y / weights.sum(axis=1) - y) ** 2))
    np.testing.assert_allclose(model.cv_curve_[:, 1], errors, rtol=1e-6)
    assert model.bandwidth_ == model.cv_curve_[np.argmin(errors), 0]


def test_a_smooth_curve_is_followed_and_noise_averaged():
    random = np.random.default_rng(1)
    x = random.uniform(0, 6, (300, 1))
    smooth = ParzenRegressor().fit(x, np.sin(3 * x[:, 0]))
    noise = ParzenRegressor().fit(x, random.normal(size=300))
    assert smooth.score(x, np.sin(3 * x[:, 0])) > 0.98
    assert noise.bandwidth_ > 4 * smooth.bandwidth_


def test_blocks_do_not_matter(monkeypatch):
    frame = mixed_frame()
    y = target(frame, "regression")
    model = ParzenRegressor(kernel="epanechnikov").fit(frame, y)
    expected = model.predict(frame)
    monkeypatch.setattr("branchline.neighbors._kernel_means._BLOCK_PAIRS", 500)
    np.testing.assert_allclose(model.predict(frame), expected, rtol=1e-12)


def test_large_targets_do_not_overflow():
    model = ParzenRegressor(bandwidth=1.0, **PLAIN).fit(X, Y * 1e307)
    assert np.isfinite(model.predict(X)).all()


def test_the_text_names_kernel_and_bandwidth():
    lines = ParzenRegressor(bandwidth=2, **PLAIN).fit(X, Y).to_text().splitlines()
    assert lines[0] == "4 rows, weighted by a gaussian kernel of bandwidth 2"
    assert lines[2] == "  x: 1"


def test_one_row_and_rows_at_one_place():
    assert ParzenRegressor().fit(X[:1], [5.0]).predict({"x": [3.0]})[0] == 5.0
    same = pd.DataFrame({"x": [1.0, 1.0, 1.0]})
    assert ParzenRegressor().fit(same, [1.0, 2.0, 6.0]).predict(same)[0] == pytest.approx(3.0)


def test_more_rows_are_added():
    frame = mixed_frame()
    y = target(frame, "classification")
    model = ParzenClassifier().partial_fit(frame[:50], y[:50]).partial_fit(frame[50:], y[50:])
    whole = ParzenClassifier().fit(frame, y)
    np.testing.assert_array_equal(model.predict_proba(frame), whole.predict_proba(frame))


def test_a_bandwidth_that_is_nothing_beside_the_numbers_asks_the_nearest():
    huge = pd.DataFrame({"x": [1e307, 2e307, 9e307]})
    for kernel in WEIGHT:
        model = ParzenRegressor(bandwidth=1e-9, kernel=kernel, **PLAIN).fit(huge, [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(model.predict({"x": [1.1e307, 8e307]}), [1.0, 3.0])


def test_the_largest_numbers_have_finite_distances_and_bandwidths():
    huge = pd.DataFrame({"x": [-1.7e308, 0.0, 1.7e308, 1.0]})
    model = ParzenRegressor(**PLAIN).fit(huge, Y)
    assert np.isfinite(model.bandwidth_)
    assert np.isfinite(model.cv_curve_).all()
    assert np.isfinite(model.kneighbors(huge, 4)[0]).all()
    assert np.isfinite(model.predict(huge)).all()
