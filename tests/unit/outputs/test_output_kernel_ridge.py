"""Kernel ridge regression to outputs of any kind that have a kernel."""

import numpy as np
import pytest

import branchline
from branchline.kernels import RBF, Spectrum
from branchline.outputs import OutputKernelRidge, cross_validate_kernel_outputs
from branchline.svm import KernelRidge


@pytest.fixture(scope="module")
def numbers():
    """Return rows and two numbers for each, of unlike spread."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(80, 3))
    noise = 0.2 * draws.normal(size=(80, 2))
    return X, np.column_stack([20 * X[:, 0], np.sin(3 * X[:, 2])]) + noise


def test_a_linear_kernel_gives_ridge_regression_of_several_numbers(numbers):
    X, y = numbers
    model = OutputKernelRidge(alpha=0.3).fit(X, y)
    ridge = KernelRidge(0.3).fit(X, y)
    mean = model.predict_weights(X) @ model.candidates_.to_numpy()
    np.testing.assert_allclose(mean, ridge.predict(X), atol=1e-9)
    assert model.loo_distance_ == pytest.approx(np.sum(ridge.loo_error_))


def test_alpha_has_the_least_distance_when_rows_are_left_out(numbers):
    X, y = numbers
    model = OutputKernelRidge(RBF(gamma=0.1)).fit(X, y)
    for alpha in np.geomspace(model.alpha_ / 100, model.alpha_ * 100, 9):
        other = OutputKernelRidge(RBF(gamma=0.1), alpha=float(alpha)).fit(X, y)
        assert model.loo_distance_ <= other.loo_distance_ * (1 + 1e-9)


def test_the_distance_is_that_of_fits_without_each_row(numbers):
    X, y = (part[:12] for part in numbers)
    model = OutputKernelRidge(alpha=0.5, kernel="linear", standardize=False).fit(X, y)
    far = []
    for row in range(12):
        rest = np.arange(12) != row
        left = OutputKernelRidge(alpha=0.5, kernel="linear", standardize=False)
        left.fit(X[rest], y[rest])
        mean = left.predict_weights(X[[row]]) @ left.candidates_.to_numpy()
        far.append(((y[row] - mean) ** 2).sum())
    assert model.loo_distance_ == pytest.approx(np.mean(far))


def test_from_texts_to_texts(tmp_path):
    draws = np.random.default_rng(0)
    X = ["".join(draws.choice(list(both), 8)) for both in ["ab", "cd"] * 30]
    y = [text[::-1].upper() for text in X]
    model = OutputKernelRidge(Spectrum(k=2), kernel=Spectrum(k=2), alpha=1.0).fit(X, y)
    assert np.mean(model.predict(X) == np.array(y)) > 0.5
    model.save(tmp_path / "m.model")
    unseen = ["abababba", "cdcdcdcd"]
    loaded = branchline.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.predict_weights(unseen), model.predict_weights(unseen))
    assert [set(text) <= set("ABCD") for text in model.predict(unseen)] == [True, True]
    scores = cross_validate_kernel_outputs(model, X, y, n_folds=5)
    assert scores.explained.low > 0.2
