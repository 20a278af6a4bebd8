"""SVR and NuSVR: LIBSVM's functions, units of the target, what ν promises."""

import numpy as np
import pytest
from sklearn import svm

from branchline.errors import ParameterError
from branchline.svm import SVR, NuSVR

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.6},
    "poly": {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 1.0},
}


def problem(seed, n_rows=80):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=n_rows)


def raw(C=1.0, **parameters):
    return SVR(C, **{"standardize": False, "gamma": 0.6, "tol": 1e-6, **parameters})


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_predictions_are_those_of_libsvm(kernel, C, epsilon):
    for seed in range(2):
        X, y = problem(seed)
        weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
        ours = raw(C, epsilon=epsilon, **KERNELS[kernel]).fit(X, y, weights)
        theirs = svm.SVR(C=C, epsilon=epsilon, tol=1e-9, **KERNELS[kernel]).fit(X, y, weights)
        assert ours.converged_
        assert ours.gap_ <= 1e-4 * ours.objective_ + 1e-9
        assert ours.predict(X) == pytest.approx(theirs.predict(X), abs=2e-3)
        assert np.abs(ours.dual_coef_).sum() == pytest.approx(
            np.abs(theirs.dual_coef_).sum(), rel=1e-3
        )
        assert ours.epsilon_ == epsilon


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.9])
def test_nu_regression_is_that_of_libsvm(nu):
    for seed in range(3):
        X, y = problem(seed)
        ours = NuSVR(2, nu=nu, gamma=0.6, standardize=False, tol=1e-7).fit(X, y)
        theirs = svm.NuSVR(C=2, nu=nu, gamma=0.6, tol=1e-9).fit(X, y)
        assert ours.predict(X) == pytest.approx(theirs.predict(X), abs=2e-3)
        assert ours.gap_ <= 1e-4 * ours.objective_ + 1e-9


@pytest.mark.parametrize("nu", [0.15, 0.4, 0.7])
def test_nu_is_between_the_shares_outside_and_of_support_vectors(nu):
    for seed in range(3):
        X, y = problem(seed)
        model = NuSVR(5, nu=nu, gamma=0.6, standardize=False, tol=1e-6).fit(X, y)
        outside = np.abs(model.predict(X) - y) > model.epsilon_ * (1 + 1e-4) + 1e-5
        assert np.mean(outside) <= nu + 1e-9
        assert len(model.support_) / len(y) >= nu - 1e-9


def test_the_tube_of_a_nu_machine_makes_an_svr_of_the_same_function():
    X, y = problem(0)
    model = NuSVR(2, nu=0.4, gamma=0.6, standardize=False, tol=1e-7).fit(X, y)
    same = raw(2, epsilon=model.epsilon_).fit(X, y)
    assert model.predict(X) == pytest.approx(same.predict(X), abs=1e-3)


@pytest.mark.parametrize("make", [SVR, NuSVR])
@pytest.mark.parametrize(("shift", "scale"), [(1e6, 1.0), (0.0, 1e6), (-3.0, 1e-6)])
def test_units_of_the_target_are_those_of_predictions(make, shift, scale):
    X, y = problem(2)
    plain = make(3, tol=1e-8).fit(X, y)
    other = make(3, tol=1e-8).fit(X, shift + scale * y)
    expected = shift + scale * plain.predict(X)
    assert other.predict(X) == pytest.approx(expected, rel=1e-6, abs=1e-5 * scale)
    assert other.epsilon_ == pytest.approx(scale * plain.epsilon_, rel=1e-5)


def test_a_linear_function_is_found():
    X, _ = problem(1)
    y = 2 * X[:, 0] - X[:, 2] + 7
    model = raw(1e3, kernel="linear", epsilon=0.0).fit(X, y)
    assert model.coef_ == pytest.approx(np.array([[2.0, 0.0, -1.0]]), abs=1e-6)
    assert model.intercept_ == pytest.approx([7.0], abs=1e-6)
    with pytest.raises(AttributeError, match="linear"):
        _ = raw().fit(X, y).coef_


@pytest.mark.parametrize("make", [SVR, NuSVR])
def test_a_target_that_does_not_vary_is_predicted(make):
    X, _ = problem(0, 10)
    assert make().fit(X, np.full(10, 4.0)).predict(X) == pytest.approx(np.full(10, 4.0))


@pytest.mark.parametrize("make", [SVR, NuSVR])
def test_two_rows_and_one(make):
    assert np.isfinite(make().fit([[0.0], [1.0]], [1.0, 2.0]).predict([[0.5]])).all()
    assert make().fit([[0.0]], [3.0]).predict([[5.0]]) == pytest.approx([3.0])


def test_equal_rows_with_other_targets_meet_in_the_middle():
    model = raw(10, epsilon=0.0).fit([[1.0]] * 4, [0.0, 0.0, 6.0, 9.0])
    assert 0.0 <= model.predict([[1.0]])[0] <= 6.0
    assert model.gap_ <= 1e-6 * model.objective_


def test_an_epsilon_wider_than_the_target_needs_no_support_vectors():
    X, y = problem(0)
    model = raw(1, epsilon=100.0).fit(X, y)
    assert len(model.support_) == 0
    assert np.ptp(model.predict(X)) == 0
    assert model.objective_ == 0.0


@pytest.mark.parametrize("C", [1e5, 1e8])
def test_a_very_large_c_ends(C):
    X, y = problem(3, 40)
    model = raw(C, tol=1e-3, time_budget=10).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-3 * model.objective_


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_huge_and_tiny_targets(scale):
    X, y = problem(3)
    plain = SVR(3).fit(X, y).predict(X)
    assert SVR(3).fit(X, scale * y).predict(X) == pytest.approx(scale * plain, rel=1e-6)


def test_an_explanation_ends_at_the_prediction():
    X, y = problem(0)
    model = SVR().fit(X, y)
    explanation = model.explain(X[:1])
    assert explanation.total == pytest.approx(model.predict(X[:1])[0])
    assert {part.column for part in explanation.parts} == {"x0", "x1", "x2"}


@pytest.mark.parametrize("parameters", [{"C": 0}, {"epsilon": -1}, {"loss": "square"}, {"tol": 0}])
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(ParameterError):
        SVR(**parameters).fit([[0.0], [1.0]], [0.0, 1.0])
