"""What the SVM workloads score: dual objectives, chosen cells, counted windows."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as TheirSVC  # noqa: N811

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from benchmarks._data import Data
from benchmarks._svm_problems import SvmProblem, first_rows
from benchmarks.workloads import svm, svm_grid, svm_strings

from branchline.kernels import Spectrum
from branchline.svm import SVC, SVCGrid

PROBLEM = SvmProblem("drawn", lambda: None, C=2.0, gamma=0.5)


def drawn(n_classes):
    """Return rows of several classes, a few of them twice."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=60)
    X = rng.normal(size=(60, 2)) + y[:, None]
    return Data(np.vstack([X, X[:10]]), np.concatenate([y, y[:10]]), X, y)


def primal_objective(model, data):
    """Return ½‖w‖² + C Σ slack of a machine of two classes, from its scores."""
    signs = np.where(data.y == model.classes_[1], 1, -1)
    squared = np.exp(-PROBLEM.gamma * ((data.X[:, None] - data.X[None]) ** 2).sum(axis=2))
    beta = np.zeros(len(data.y))
    beta[model.support_] = model.dual_coef_[0]
    slack = np.maximum(0, 1 - signs * model.decision_function(data.X))
    return beta @ squared @ beta / 2 + PROBLEM.C * slack.sum()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_both_libraries_have_the_same_dual_objective(n_classes):
    data = drawn(n_classes)
    settings = {"gamma": PROBLEM.gamma, "tol": 1e-6}
    ours = SVC(PROBLEM.C, standardize=False, **settings).fit(data.X, data.y)
    theirs = TheirSVC(C=PROBLEM.C, **settings).fit(data.X, data.y)
    logarithms = [svm.log_dual_objective(model, PROBLEM, data) for model in (ours, theirs)]
    assert logarithms[0] == pytest.approx(logarithms[1], abs=1e-6)
    assert np.exp(logarithms[0]) == pytest.approx(np.sum(ours.objective_), rel=1e-5)


def test_the_dual_objective_meets_the_primal_one():
    data = drawn(2)
    model = TheirSVC(C=PROBLEM.C, gamma=PROBLEM.gamma, tol=1e-8).fit(data.X, data.y)
    dual = np.exp(svm.log_dual_objective(model, PROBLEM, data))
    assert dual == pytest.approx(primal_objective(model, data), rel=1e-5)


def test_copies_share_a_number():
    groups, n_copies = svm._copies(drawn(3))
    assert groups[:10].tolist() == groups[60:].tolist()
    assert sorted(n_copies.tolist()) == [1] * 50 + [2] * 10


@pytest.mark.parametrize("beta", [[3.0, -3.0], [1.0, -0.5]], ids=["above C", "sum not 0"])
def test_coefficients_out_of_bounds_are_refused(beta):
    with pytest.raises(ValueError, match=r"times C|not 0"):
        svm._check_bounds(np.array(beta), np.array([0, 1]), np.array([2.0, 2.0]))


def test_a_merged_row_may_have_twice_the_coefficient():
    beta, bounds = np.array([4.0, -2.0, -2.0]), np.array([2.0, 2.0, 2.0])
    with pytest.raises(ValueError, match="times C"):
        svm._check_bounds(beta, np.arange(3), bounds)
    svm._check_bounds(beta, np.arange(3), bounds * [2.0, 1.0, 1.0])


def test_first_rows_keep_the_test_rows():
    data = first_rows(drawn(2), 20)
    assert (len(data.X), len(data.y), len(data.X_test)) == (20, 20, 60)


def test_the_chosen_cells_are_told_by_both_folds():
    data, strengths, gammas = drawn(2), np.array([0.1, 10.0]), np.array([0.1, 1.0])
    ours = SVCGrid(strengths, gammas, relative_gamma=False, standardize=False)
    ours.fit(data.X, data.y)
    theirs = GridSearchCV(TheirSVC(), {"C": strengths, "gamma": gammas}, cv=svm_grid.FOLDS)
    theirs.fit(data.X, data.y)
    lines = svm_grid.chosen(ours, theirs)
    assert lines[0].startswith(f"branchline chose C = {ours.best_params_['C']:.4g}, gamma = ")
    assert f": {ours.best_score_:.4f} ± " in lines[0]
    assert f", {theirs.best_score_:.4f} ± " in lines[1]


def test_counted_windows_are_the_spectrum_kernel():
    texts = svm_strings.sequences(20)
    assert {len(text) for text in texts} == {60}
    assert np.array_equal(svm_strings.counts(texts, 3)(), Spectrum(k=3).gram(texts))
