"""Kernels that are none: every machine ends with a clear answer, and none claims a bound."""

import time
from contextlib import contextmanager

import numpy as np
import pytest

from branchline.errors import BranchlineWarning, DataError
from branchline.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM


def rows_of(seed, n_rows=40):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    return X, X[:, 0] + X[:, 1] * X[:, 2] > 0


def indefinite(seed, n_rows=40):
    random = np.random.default_rng(seed)
    values = random.normal(size=(n_rows, n_rows))
    return values + values.T, random.integers(0, 2, n_rows)


@contextmanager
def at_once():
    """Check that an answer does not take all the steps that there may be."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < 3


GIVEN = {"kernel": "precomputed", "time_budget": 5}
FUNCTION = {"kernel": lambda a, b: -(a @ b.T), "time_budget": 5}
WITHOUT_PROOF = [
    ({"kernel": "sigmoid", "gamma": 0.4, "coef0": 1.0, "standardize": False}, False),
    (GIVEN, True),
    ({**GIVEN, "fit_intercept": False}, True),
    ({**GIVEN, "strategy": "one_vs_rest"}, True),
    (FUNCTION, False),
]


@pytest.mark.parametrize(("parameters", "is_given"), WITHOUT_PROOF)
def test_a_kernel_that_is_none_ends_and_is_said(parameters, is_given):
    K, labels = indefinite(0)
    X, y = (K, labels) if is_given else rows_of(0)
    with pytest.warns(BranchlineWarning, match="not positive semidefinite"):
        model = SVC(**parameters).fit(X, y)
    assert model.converged_
    assert np.isnan(model.gap_)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("has_bias", [True, False])
def test_squared_slack_without_a_kernel_has_no_solution(sign, has_bias):
    K, y = indefinite(1)
    K = K if sign > 0 else -np.eye(len(y))
    with at_once(), pytest.raises(DataError, match="not positive semidefinite") as caught:
        SVC(loss="squared_hinge", fit_intercept=has_bias, **GIVEN).fit(K, y)
    assert caught.value.code == "D171"


def test_a_hard_margin_without_a_kernel_claims_nothing():
    K, y = indefinite(2)
    with pytest.raises(DataError) as caught:
        SVC(margin="hard", **GIVEN).fit(K, y)
    assert "coincide" not in caught.value.message


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [SVR, NuSVR, OneClassSVM], ids=lambda make: make.__name__)
def test_other_machines_end_too_and_say_it(make, seed):
    K, _ = indefinite(seed)
    with pytest.warns(BranchlineWarning, match="not positive semidefinite"):
        model = make(**GIVEN).fit(K, K[:, 0])
    assert model.converged_
    assert np.isnan(model.gap_)
    assert np.isfinite(model.predict(K)).all()


def test_squared_deviations_without_a_kernel_have_no_solution():
    K, _ = indefinite(3)
    with at_once(), pytest.raises(DataError) as caught:
        SVR(loss="squared_epsilon_insensitive", **GIVEN).fit(K, np.arange(40.0))
    assert caught.value.code == "D171"


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.parametrize("seed", range(5))
def test_a_nu_machine_has_numbers_or_an_error(seed):
    K, y = indefinite(seed)
    try:
        model = NuSVC(0.3, **GIVEN).fit(K, y)
    except DataError as error:
        code = error.code
    else:
        code = None
        assert np.isfinite(model.decision_function(K)).all()
        assert np.isfinite(model.objective_)
    assert code in (None, "D171", "D172")


def test_an_unimportant_negative_eigenvalue_is_rounding():
    random = np.random.default_rng(0)
    factor = random.normal(size=(40, 5))
    K = factor @ factor.T - 1e-14 * np.eye(40)
    model = SVC(kernel="precomputed").fit(K, random.integers(0, 2, 40))
    assert model.gap_ <= 1e-6 * model.objective_
