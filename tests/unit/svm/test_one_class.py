"""OneClassSVM: LIBSVM's region, what ν promises, outliers of any table."""

import numpy as np
import pytest
from sklearn import svm

from branchline import Table
from branchline.errors import ParameterError
from branchline.svm import OneClassSVM

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.6},
    "poly": {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 1.0},
}


def rows_of(seed, n_rows=80):
    random = np.random.default_rng(seed)
    return random.normal(size=(n_rows, 3)) @ random.normal(size=(3, 3)) + 5


def raw(nu=0.5, **parameters):
    return OneClassSVM(nu, **{"standardize": False, "gamma": 0.6, "tol": 1e-7, **parameters})


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("nu", [0.13, 0.47, 0.86])  # not a whole number of rows: ρ is unique
def test_scores_are_those_of_libsvm(kernel, nu):
    for seed in range(2):
        X = rows_of(seed)
        ours = raw(nu, **KERNELS[kernel]).fit(X)
        theirs = svm.OneClassSVM(nu=nu, tol=1e-9, **KERNELS[kernel]).fit(X)
        size = np.abs(theirs.score_samples(X)).max()
        assert ours.converged_
        assert ours.gap_ <= 1e-5 * (1 + abs(ours.objective_))
        within = 1e-4 * size + 1e-5
        assert ours.score_samples(X) == pytest.approx(theirs.score_samples(X), abs=within)
        alpha = ours.dual_coef_[0]
        if ((alpha > 1e-9) & (alpha < 1 - 1e-9)).any():  # else any threshold in a stretch is right
            assert ours.offset_ == pytest.approx(theirs.offset_[0], abs=within)


def test_weights_count_as_copies():
    X, weights = rows_of(1, 40), np.random.default_rng(0).integers(1, 4, 40)
    ours = raw(0.3).fit(X, sample_weight=weights)
    copies = raw(0.3).fit(np.repeat(X, weights, 0))
    assert ours.decision_function(X) == pytest.approx(copies.decision_function(X), abs=1e-12)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.7])
def test_nu_is_between_the_shares_outside_and_of_support_vectors(nu):
    for seed in range(4):
        X = rows_of(seed)
        model = raw(nu).fit(X)
        assert np.mean(model.decision_function(X) < -1e-5) <= nu + 1e-9
        assert len(model.support_) / len(X) >= nu - 1e-9


def test_decisions_predictions_and_offset_agree():
    X = rows_of(0)
    model = OneClassSVM(0.3).fit(X)
    decision = model.decision_function(X)
    assert decision == pytest.approx(model.score_samples(X) - model.offset_)
    assert (model.predict(X) == np.where(decision >= 0, 1, -1)).all()
    assert model.intercept_ == pytest.approx([-model.offset_])
    assert (model.fit_predict(X) == model.predict(X)).all()


def test_a_far_row_of_a_mixed_table_is_outside():
    random = np.random.default_rng(0)
    table = Table({"size": random.normal(size=60), "color": ["red", "blue"] * 30})
    model = OneClassSVM(0.1).fit(table)
    strange = Table({"size": [0.0, 40.0, None], "color": ["red", "green", "blue"]})
    predicted = model.predict(strange)
    assert predicted[0] == 1
    assert predicted[1] == -1


@pytest.mark.parametrize("nu", [1e-9, 1.0])
def test_the_ends_of_nu(nu):
    X = rows_of(2, 30)
    model = raw(nu, tol=1e-3).fit(X)
    assert model.converged_
    assert model.dual_coef_.sum() == pytest.approx(30 * nu, rel=1e-9)
    assert np.isfinite(model.decision_function(X)).all()


def test_equal_rows_and_one_row():
    same = raw(0.5).fit([[1.0, 2.0]] * 5)
    assert (same.predict([[1.0, 2.0]]) == 1).all()
    assert raw(0.5).fit([[1.0, 2.0]]).predict([[9.0, 9.0]]).tolist() == [-1]


def test_the_target_is_not_looked_at():
    X = rows_of(0)
    y = np.random.default_rng(0).normal(size=len(X))
    assert (raw().fit(X).decision_function(X) == raw().fit(X, y).decision_function(X)).all()


def test_an_explanation_ends_at_the_decision():
    X = rows_of(0)
    model = OneClassSVM(0.3).fit(X)
    assert model.explain(X[:1]).total == pytest.approx(model.decision_function(X[:1])[0])


@pytest.mark.parametrize("nu", [0.0, 1.5, "few"])
def test_what_is_no_share_is_refused(nu):
    with pytest.raises(ParameterError):
        OneClassSVM(nu).fit([[0.0], [1.0]])
