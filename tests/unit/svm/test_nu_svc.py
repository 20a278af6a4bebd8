"""NuSVC: LIBSVM's machine, what ν promises, and the C that it corresponds to."""

import warnings

import numpy as np
import pytest
from sklearn import svm

from branchline.errors import BranchlineWarning, ParameterError
from branchline.svm import SVC, NuSVC


def problem(seed, n_rows=90, n_classes=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * random.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return X, y


def raw(nu=0.5, **parameters):
    return NuSVC(nu, **{"standardize": False, "gamma": 0.6, "tol": 1e-7, **parameters})


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("nu", [0.05, 0.3, 0.8])
def test_decisions_are_those_of_libsvm(seed, nu):
    X, y = problem(seed)
    ours = raw(nu).fit(X, y)
    theirs = svm.NuSVC(nu=nu, gamma=0.6, tol=1e-9).fit(X, y)
    assert ours.converged_
    assert ours.kkt_violation_ <= ours.tol
    size = 1 + np.abs(theirs.decision_function(X)).max()
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-3 * size)


def test_weights_are_those_of_libsvm():
    X, y = problem(1)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    ours = raw(0.3).fit(X, y, weights)
    theirs = svm.NuSVC(nu=0.3, gamma=0.6, tol=1e-9)
    theirs.fit(np.repeat(X, weights.astype(int), 0), np.repeat(y, weights.astype(int)))
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("nu", [0.1, 0.4, 0.7])
def test_nu_is_between_the_shares_of_errors_and_of_support_vectors(seed, nu):
    X, y = problem(seed)
    model = raw(nu, tol=1e-5).fit(X, y)
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert np.mean(margins < 1 - 1e-4) <= nu + 1e-9
    assert len(model.support_) / len(y) >= nu - 1e-9


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_it_is_the_machine_of_the_c_that_it_shows(nu):
    X, y = problem(2)
    model = raw(nu).fit(X, y)
    same = SVC(float(model.C_[0]), gamma=0.6, standardize=False).fit(X, y)
    assert model.decision_function(X) == pytest.approx(same.decision_function(X), abs=1e-4)
    assert model.objective_ == pytest.approx(same.objective_, rel=1e-5)
    assert model.margin_ == pytest.approx(same.margin_, rel=1e-5)


@pytest.mark.parametrize("strategy", ["one_vs_one", "one_vs_rest"])
def test_several_classes(strategy):
    X, y = problem(3, 120, n_classes=3)
    model = raw(0.3, strategy=strategy).fit(X, y)
    assert model.C_.shape == (3,)
    assert model.score(X, y) > 0.8
    probabilities = model.predict_proba(X)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()
    if strategy == "one_vs_one":
        theirs = svm.NuSVC(nu=0.3, gamma=0.6, tol=1e-9).fit(X, y)
        assert np.mean(model.predict(X) == theirs.predict(X)) > 0.97


def test_a_nu_that_the_smaller_class_does_not_allow_is_refused():
    X, y = problem(0, 20)
    y[:] = 0
    y[:3] = 1
    with pytest.raises(ParameterError, match="infeasible") as caught:
        raw(0.5).fit(X, y)
    assert caught.value.code == "P182"
    raw(0.3).fit(X, y)  # twice 3 of 20, exactly


def test_weights_of_rows_move_what_nu_allows():
    X, y = problem(0, 20)
    y[:] = 0
    y[:3] = 1
    model = raw(0.9).fit(X, y, np.where(y == 1, 17.0, 3.0))
    assert model.converged_


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scales_do_not_matter_after_standardizing(scale):
    X, y = problem(1)
    plain = NuSVC(0.3).fit(X, y).decision_function(X)
    assert NuSVC(0.3).fit(X * scale, y).decision_function(X * scale) == pytest.approx(plain)


def test_a_tiny_nu_ends():
    X, y = problem(1)
    model = NuSVC(1e-4).fit(X, y)
    assert model.converged_
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.1, "half", None])
def test_what_is_no_share_is_refused(nu):
    with pytest.raises(ParameterError):
        NuSVC(nu).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(("n_rows", "n_columns"), [(120, 1), (120, 2), (300, 2), (400, 3)])
@pytest.mark.parametrize("seed", [1, 2, 4])
def test_noise_takes_no_longer_than_a_margin(n_rows, n_columns, seed):
    """Once, the margin was pursued through ten million steps while it shrank with the tolerance."""
    generator = np.random.default_rng(seed)
    X, y = generator.normal(size=(n_rows, n_columns)), generator.integers(0, 2, size=n_rows)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NuSVC().fit(X, y)
    assert model.n_iter_.max() < 2_000_000
    assert bool(model.converged_) == bool(model.kkt_violation_ <= model.tol)
    if model.converged_:  # in the units of the dual, where the peer's tolerance is absolute
        peer = svm.NuSVC(tol=1e-8).fit(X, y)
        theirs = peer.decision_function(X) / float(np.abs(peer.dual_coef_).max())
        assert model.decision_function(X) / model.C_[0] == pytest.approx(theirs, abs=1e-4)


def test_a_margin_that_vanishes_is_warned_of():
    generator = np.random.default_rng(1)
    X, y = generator.normal(size=(120, 1)), generator.integers(0, 2, size=120)
    with pytest.warns(BranchlineWarning, match="Raise nu"):
        model = NuSVC().fit(X, y)
    assert not model.converged_
    assert model.kkt_violation_ > model.tol
