"""GaussianProcessRegressor: the peer's posterior, rows left out, intervals, files."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor as Peer
from sklearn.gaussian_process import kernels as of_peer
from tests.unit.charts.drawing_checks import check_picture

import branchline
from branchline import load_dataset
from branchline.errors import DataError, ParameterError
from branchline.kernels import ARD, RBF, Constant, Hamming, Linear, Sigmoid, Spectrum
from branchline.svm import GaussianProcessRegressor

GIVEN = {"noise_std": 0.1, "optimize": False, "standardize": False}
LENGTHS = (0.7, 1.3, 2.0)


def rows(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n_rows)
    return X, y - y.mean()


@pytest.mark.parametrize(
    ("kernel", "peer"),
    [
        (2.0 * ARD(length_scales=LENGTHS), 2.0 * of_peer.RBF(LENGTHS)),
        (RBF(gamma=0.5) + 0.5, of_peer.RBF(1.0) + of_peer.ConstantKernel(0.5)),
        (Linear() + 1, of_peer.DotProduct(1.0)),
    ],
)
def test_the_posterior_is_that_of_scikit_learn(kernel, peer):
    X, y = rows()
    new = np.random.default_rng(5).normal(size=(40, 3))
    model = GaussianProcessRegressor(kernel, **GIVEN).fit(X, y)
    other = Peer(peer, alpha=0.01, optimizer=None).fit(X, y)
    mean, deviation = other.predict(new, return_std=True)
    np.testing.assert_allclose(model.predict(new), mean, atol=1e-8)
    np.testing.assert_allclose(model.predict_std(new, with_noise=False), deviation, atol=1e-8)
    assert model.predict_std(new) == pytest.approx(np.hypot(deviation, 0.1), abs=1e-8)
    assert model.log_marginal_likelihood_ == pytest.approx(other.log_marginal_likelihood_value_)


def test_the_likelihood_is_at_least_that_of_scikit_learn():
    X, y = make_friedman1(150, 5, noise=1.0, random_state=0)
    model = GaussianProcessRegressor("ard").fit(X, y)
    kernel = of_peer.ConstantKernel(1.0) * of_peer.RBF(np.ones(5)) + of_peer.WhiteKernel(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = Peer(kernel, normalize_y=True).fit((X - X.mean(0)) / X.std(0), y)
    assert model.log_marginal_likelihood_ >= peer.log_marginal_likelihood_value_ - 1e-3


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_left_out_are_what_leaving_out_gives(weighted):
    X, y = rows(15)
    weight = np.arange(15) % 3 + 1 if weighted else np.ones(15)
    kernel = Linear() + 1  # which does not care what the mean of the target is
    model = GaussianProcessRegressor(kernel * 1e4, **GIVEN).fit(X, y, weight)
    for row in range(15):
        others = np.where(np.arange(15) == row, 0, weight)
        without = GaussianProcessRegressor(kernel * 1e4, **GIVEN).fit(X, y, others)
        assert model.loo_predictions_[row] == pytest.approx(without.predict(X[[row]])[0], abs=1e-4)
        assert model.loo_std_[row] == pytest.approx(without.predict_std(X[[row]])[0], rel=1e-4)
    errors = y - model.loo_predictions_
    assert model.loo_error_ == pytest.approx(weight @ errors**2 / weight.sum())


def test_copies_have_the_likelihood_of_copies():
    X, y = rows(20)
    twice = GaussianProcessRegressor(RBF(gamma=0.5), **GIVEN).fit(np.r_[X, X], np.r_[y, y])
    peer = Peer(of_peer.RBF(1.0), alpha=0.01, optimizer=None).fit(np.r_[X, X], np.r_[y, y])
    found = branchline.svm.gaussian._learning.ExactLikelihood(_problem(X, y, np.full(20, 2.0)))
    value, _ = found(np.log([0.5, 0.01]))
    assert -value == pytest.approx(peer.log_marginal_likelihood_value_)
    np.testing.assert_allclose(twice.predict(X), peer.predict(X), atol=1e-8)


def _problem(X, y, weights):
    from branchline.kernels import trainable
    from branchline.svm.gaussian._marginal_likelihood import Problem
    from branchline.table import as_table

    table = as_table(X)
    fitted = RBF(gamma=0.5).fit(table)
    points = fitted.prepare(table)
    return Problem(trainable(fitted, points), points, y, weights, None)


@pytest.mark.parametrize("noise", ["normal", "heavy", "uneven"])
def test_intervals_hold_what_they_promise(noise):
    rng = np.random.default_rng(3)
    shares = []
    for _ in range(4):
        X = rng.uniform(size=(1300, 2))
        size = {"normal": 1.0, "heavy": 1.0, "uneven": 0.3 + X[:, 0]}[noise]
        drawn = rng.standard_t(3, 1300) if noise == "heavy" else rng.normal(size=1300)
        y = 5 * np.sin(6 * X[:, 0]) * X[:, 1] + size * drawn
        model = GaussianProcessRegressor().fit(X[:300], y[:300])
        low, high = model.predict_interval(X[300:], 0.95).T
        shares.append(((low <= y[300:]) & (y[300:] <= high)).mean())
    assert 0.93 <= np.mean(shares) <= 0.97


def test_columns_that_do_not_matter_are_found():
    X, y = make_friedman1(300, 10, noise=1.0, random_state=1)
    model = GaussianProcessRegressor().fit(X, y)
    assert set(list(model.length_scales_)[:5]) == {"x0", "x1", "x2", "x3", "x4"}
    assert model.noise_ == pytest.approx(1.0, abs=0.15)
    assert "does not matter" in model.to_text()
    check_picture(model.draw())


def test_restarts_never_end_worse_and_are_the_same_each_time():
    X, y = rows(40, seed=2)
    one = GaussianProcessRegressor().fit(X, y)
    several = GaussianProcessRegressor(n_restarts=4, random_state=7).fit(X, y)
    again = GaussianProcessRegressor(n_restarts=4, random_state=7).fit(X[::-1], y[::-1])
    assert several.log_marginal_likelihood_ >= one.log_marginal_likelihood_ - 1e-6
    np.testing.assert_array_equal(several.predict(X), again.predict(X))


def test_inducing_rows_come_close_and_keep_their_width():
    X, y = make_friedman1(700, 5, noise=1.0, random_state=0)
    new, truth = make_friedman1(1000, 5, noise=1.0, random_state=1)
    exact = GaussianProcessRegressor().fit(X, y)
    sparse = GaussianProcessRegressor(n_inducing=80).fit(X, y)
    assert len(sparse.support_) == 80
    assert sparse.log_marginal_likelihood_ <= exact.log_marginal_likelihood_ + 1e-6
    assert np.mean((sparse.predict(new) - truth) ** 2) < 1.15
    np.testing.assert_allclose(sparse.predict_std(new), exact.predict_std(new), rtol=0.1)
    assert sparse.loo_error_ == pytest.approx(exact.loo_error_, rel=0.1)
    np.testing.assert_allclose(sparse._spread.reach(0.95), exact._spread.reach(0.95), rtol=0.02)


def test_all_rows_as_inducing_ones_are_the_exact_process():
    X, y = rows(30)
    exact = GaussianProcessRegressor(RBF(gamma=0.02), **GIVEN).fit(X, y)
    few = GaussianProcessRegressor(RBF(gamma=0.02), **GIVEN, n_inducing=29).fit(X, y)
    np.testing.assert_allclose(few.predict(X), exact.predict(X), atol=1e-4)
    np.testing.assert_allclose(few.loo_predictions_, exact.loo_predictions_, atol=1e-3)


@pytest.mark.parametrize("n_inducing", ["auto", 40])
def test_a_saved_model_knows_its_width(tmp_path, n_inducing):
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = GaussianProcessRegressor(n_inducing=n_inducing).fit(X, y)
    model.save(tmp_path / "model.branchline")
    loaded = branchline.load(tmp_path / "model.branchline")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_interval(X, 0.9), model.predict_interval(X, 0.9))
    assert loaded.to_text() == model.to_text()
    assert loaded.length_scales_ == model.length_scales_


def test_formulas_texts_and_functions():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "word": rng.choice(["abc", "abd", "xyz"], 60)})
    y = frame["x"] ** 2 + (frame["word"] == "xyz") + 0.1 * rng.normal(size=60)
    for kernel in (
        1.0 * RBF("x") + 0.5 * Hamming("word"),
        1.0 * RBF("x") * Spectrum("word", k=2).normalized() + Constant(1.0),
        "laplacian",
        lambda a, b: np.exp(-np.abs(np.subtract.outer(a[:, 0], b[:, 0]).astype(float))),
    ):
        assert GaussianProcessRegressor(kernel).fit(frame, y).score(frame, y) > 0.5


def test_a_kernel_that_is_none_is_refused():
    X, y = rows()
    model = GaussianProcessRegressor(Sigmoid(gamma=1.0, coef0=-2.0), noise_std=0.0, optimize=False)
    with pytest.raises(DataError) as caught:
        model.fit(X, y)
    assert caught.value.code == "D651"
    model.set_params(noise_std="auto", kernel="auto").fit(X, y)  # the repair


def test_length_scales_are_counted_and_drawn_where_there_are_any():
    X, y = rows()
    with pytest.raises(ParameterError) as caught:
        GaussianProcessRegressor(ARD(length_scales=(1.0, 2.0))).fit(X, y)
    assert caught.value.code == "P890"
    with pytest.raises(ParameterError) as caught:
        GaussianProcessRegressor("rbf").fit(X, y).draw()
    assert caught.value.code == "P891"


def test_wide_and_tiny_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3000))
    model = GaussianProcessRegressor().fit(X, X[:, 0] + X[:, 1])
    assert model.length_scales_ == {}
    tiny = GaussianProcessRegressor().fit(X[:10, :2], X[:10, 0])
    assert np.isfinite(tiny.predict_interval(X[:, :2], 0.95)).all()
    constant = GaussianProcessRegressor().fit(X[:30, :2], np.full(30, 7.0))
    assert constant.predict(X[:3, :2]).tolist() == [7.0] * 3
