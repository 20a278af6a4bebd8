"""The gap is a true bound: objectives against an independent interior-point solver."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from branchline.errors import ModelFileError
from branchline.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from branchline.svm._certificate import Certificate, best_bias
from twins.svm import (
    classification_objective,
    classification_optimum,
    kernel_values,
    one_class_optimum,
    regression_objective,
    regression_optimum,
)

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.7},
    "poly": {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0},
    "laplacian": {"kernel": "laplacian", "gamma": 0.4},
}
STOPS = {"exact": {"tol": 1e-8}, "usual": {}, "rough": {"tol": 0.5}, "early": {"max_iter": 4}}


def rows_of(seed, n_rows=24):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    X[3] = X[2]
    score = X[:, 0] * X[:, 1] + X[:, 2] + 0.6 * random.normal(size=n_rows)
    weights = random.integers(1, 4, n_rows).astype(float)
    return X, score, weights


def values_of(X, kernel):
    parameters = dict(kernel)
    return kernel_values(parameters.pop("kernel"), X, X, **parameters)


def fitted(model, *data):
    """Fit, whether or not it ends in time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


def on_rows(model, n_rows):
    """Return β of each row; the fits here have no equal rows of one class and weight."""
    beta = np.zeros(n_rows)
    beta[model.support_] = model.dual_coef_[0]
    return beta


def assert_bounded(model, best):
    """The best objective is between what the certificate says, which is right when done."""
    slack = 1e-9 * (1 + abs(best))
    assert model.objective_ - model.gap_ <= best + slack
    assert best <= model.objective_ + slack
    if model.converged_:
        assert model.kkt_violation_ <= model.tol
    if model.converged_ and model.tol <= 1e-3:
        assert model.objective_ - model.gap_ == pytest.approx(best, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("has_bias", [True, False])
def test_a_classification(stop, kernel, loss, has_bias):
    for seed in range(3):
        X, score, weights = rows_of(seed)
        labels, C = np.where(score > np.median(score), 1.0, -1.0), 10.0 ** (seed - 1)
        model = SVC(
            C, loss=loss, fit_intercept=has_bias, standardize=False, **KERNELS[kernel],
            **STOPS[stop],
        )  # fmt: skip
        fitted(model, X, labels, weights)
        K, squared = values_of(X, KERNELS[kernel]), loss == "squared_hinge"
        best = classification_optimum(K, labels, C * weights, squared=squared, has_bias=has_bias)
        assert_bounded(model, best)
        seen = classification_objective(
            K, labels, C * weights, model.decision_function(X), on_rows(model, len(X)),
            squared=squared,
        )  # fmt: skip
        assert seen >= best - 1e-9 * (1 + best)
        if stop == "exact":
            assert model.objective_ == pytest.approx(best, rel=1e-7)
            assert seen == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("squared", [False, True])
def test_a_regression(stop, kernel, squared):
    loss = "squared_epsilon_insensitive" if squared else "epsilon_insensitive"
    for seed in range(3):
        X, numbers, weights = rows_of(seed, n_rows=18)
        X[3] += 1.0
        C, epsilon = 10.0 ** (seed - 1), 0.15 * seed
        model = SVR(
            C, epsilon=epsilon, loss=loss, standardize=False, **KERNELS[kernel], **STOPS[stop]
        )
        fitted(model, X, numbers + 5, weights)
        K = values_of(X, KERNELS[kernel])
        best = regression_optimum(K, numbers, C * weights, epsilon, squared=squared)
        assert_bounded(model, best)
        residuals, beta = model.predict(X) - numbers - 5, on_rows(model, len(X))
        seen = regression_objective(K, residuals, C * weights, epsilon, beta, squared=squared)
        assert seen >= best - 1e-9 * (1 + best)
        if stop == "exact":
            assert model.objective_ == pytest.approx(best, rel=1e-7)
            assert seen == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_one_class(stop, kernel):
    for seed in range(3):
        X, _, weights = rows_of(seed)
        X[3] += 1.0
        nu = (0.15, 0.5, 0.9)[seed]
        model = OneClassSVM(nu, standardize=False, **KERNELS[kernel], **STOPS[stop])
        fitted(model, X, None, weights)
        best = one_class_optimum(values_of(X, KERNELS[kernel]), weights, nu)
        assert_bounded(model, best)
        assert model.dual_coef_.sum() == pytest.approx(nu * weights.sum())
        if stop == "exact":
            assert model.objective_ == pytest.approx(best, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("stop", ["exact", "usual", "early"])
def test_a_nu_machine_is_certified_as_the_one_of_the_c_that_it_found(stop):
    for seed in range(3):
        X, score, weights = rows_of(seed)
        labels = np.where(score > np.median(score), 1.0, -1.0)
        model = NuSVC(0.4, gamma=0.7, standardize=False, **STOPS[stop])
        fitted(model, X, labels, weights)
        costs = model.C_[0] * weights
        best = classification_optimum(kernel_values("rbf", X, X, gamma=0.7), labels, costs)
        assert_bounded(model, best)


@pytest.mark.parametrize("stop", ["exact", "usual", "early"])
def test_a_nu_regression_is_certified_as_the_one_of_the_tube_that_it_found(stop):
    for seed in range(3):
        X, numbers, weights = rows_of(seed, n_rows=18)
        X[3] += 1.0
        model = NuSVR(2.0, nu=0.4, gamma=0.7, standardize=False, **STOPS[stop])
        fitted(model, X, numbers, weights)
        K = kernel_values("rbf", X, X, gamma=0.7)
        assert_bounded(model, regression_optimum(K, numbers, 2 * weights, model.epsilon_))


def test_several_classes_have_a_certificate_each():
    X, score, weights = rows_of(0, 30)
    y = np.digitize(score, np.quantile(score, [0.3, 0.6]))
    pairs = SVC(5, gamma=0.7, standardize=False).fit(X, y, weights)
    rest = SVC(5, gamma=0.7, standardize=False, strategy="one_vs_rest").fit(X, y, weights)
    K = kernel_values("rbf", X, X, gamma=0.7)
    for at, (one, other) in enumerate([(0, 1), (0, 2), (1, 2)]):
        here = np.flatnonzero((y == one) | (y == other))
        labels = np.where(y[here] == one, 1.0, -1.0)
        best = classification_optimum(K[np.ix_(here, here)], labels, 5 * weights[here])
        assert pairs.objective_[at] == pytest.approx(best, rel=1e-7)
        assert pairs.gap_[at] <= 1e-6 * best
    for one in range(3):
        best = classification_optimum(K, np.where(y == one, 1.0, -1.0), 5 * weights)
        assert rest.objective_[one] == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SVC(1e3, max_iter=3), "max_iter"),
        (lambda: SVC(1e3, time_budget=1e-9), "time_budget"),
        (lambda: NuSVC(0.4, max_iter=3), "max_iter"),
        (lambda: SVR(1e3, max_iter=3), "max_iter"),
        (lambda: NuSVR(1e3, max_iter=3), "max_iter"),
        (lambda: OneClassSVM(0.4, max_iter=3), "max_iter"),
    ],
)
def test_stopping_early_is_said_with_figures(make, words):
    X, score, _ = rows_of(1, 60)
    model = make()
    y = score if hasattr(model, "epsilon") or isinstance(model, NuSVR) else score > 0
    with pytest.warns(ConvergenceWarning) as heard:
        model.fit(X, y)
    assert not model.converged_
    text = str(heard[0].message)
    assert words in text
    assert f"{model.kkt_violation_:.3g}" in text
    assert f"{model.gap_:.3g}" in text
    assert heard[0].filename == __file__


# -- the bias, and the certificate's own state --------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_best_bias_is_as_good_as_any(seed):
    random = np.random.default_rng(seed)
    thresholds, costs = random.integers(-3, 4, 9).astype(float), random.integers(0, 3, 9) * 1.0
    signs = random.choice([-1.0, 1.0], 9)

    def value(b):
        return float(costs @ np.maximum(0, signs * (b - thresholds)))

    at = float(random.normal())
    found = best_bias(thresholds, signs, costs, at=at)
    assert value(found) == pytest.approx(min(value(b) for b in [*thresholds, at]))


SOUND = Certificate(2.0, 1.5, 0.1, 7, False)


def test_a_certificate_survives_packing():
    assert Certificate.unpack(SOUND.pack()) == SOUND
    assert SOUND.gap == 0.5


@pytest.mark.parametrize(
    "damage",
    [
        {"objectives": np.array([1.0, 2.0])},
        {"objectives": np.array([1.0, np.nan, 0.0])},
        {"objectives": [1.0, 2.0, 3.0]},
        {"n_steps": -1},
        {"n_steps": True},
        {"n_steps": 1.0},
        {"is_done": 1},
        {"is_done": None},
    ],
)
def test_a_damaged_certificate_is_refused(damage):
    with pytest.raises(ModelFileError):
        Certificate.unpack({**SOUND.pack(), **damage})
