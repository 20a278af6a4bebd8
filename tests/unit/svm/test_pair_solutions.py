"""All pairs in one call of the core: against the same pairs one by one, as Python ends them."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from branchline import load_dataset
from branchline.kernels import RBF
from branchline.svm import SVC, _svc
from branchline.svm._pair_solutions import PairSolutions
from branchline.svm._task_solution import TaskSolution


def drawn(n_classes=5, n_rows=120, seed=0):
    random = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    return random.normal(size=(n_classes, 3))[y] + random.normal(size=(n_rows, 3)), y


def one_by_one(monkeypatch, model, *given):
    """Fit with machines that Python ends."""
    with monkeypatch.context() as patched:
        patched.setattr(_svc, "can_be_paired", lambda rows: False)
        return model.fit(*given)


SETTINGS = [
    {},
    {"C": 100.0},
    {"C": 1e-3},
    {"loss": "squared_hinge", "C": 3.0},
    {"fit_intercept": False},
    {"kernel": "linear"},
    {"kernel": RBF() + 1.0},  # a formula: its whole matrix is given
    {"class_weight": "balanced", "penalty": "C/n", "C": 50.0},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_end_as_they_do_one_by_one(monkeypatch, settings, weighted):
    X, y = drawn()
    weights = np.random.default_rng(1).integers(1, 4, len(y)) if weighted else None
    found = SVC(**settings).fit(X, y, weights)
    expected = one_by_one(monkeypatch, SVC(**settings), X, y, weights)
    assert isinstance(found._machines.training.solved, PairSolutions)
    assert isinstance(expected._machines.training.solved[0], TaskSolution)
    assert found.support_.tolist() == expected.support_.tolist()
    for name in ("dual_coef_", "intercept_", "objective_", "margin_", "slack_"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9, abs=1e-9)
    assert found.gap_ == pytest.approx(expected.gap_, abs=1e-9)
    assert found.n_iter_.tolist() == expected.n_iter_.tolist()
    assert found.kkt_violation_.tolist() == expected.kkt_violation_.tolist()
    assert found._machines.train_error == expected._machines.train_error
    assert found.predict_proba(X) == pytest.approx(expected.predict_proba(X), abs=1e-8)
    assert found.loo_error() == expected.loo_error()


def test_probabilities_learn_from_the_first_thousand_rows(monkeypatch):
    X, y = drawn(3, 2400)
    found = SVC().fit(X, y)
    expected = one_by_one(monkeypatch, SVC(), X, y)
    assert found.predict_proba(X[:50]) == pytest.approx(expected.predict_proba(X[:50]), abs=1e-8)


def test_pairs_without_spans_get_their_probabilities_in_python(monkeypatch):
    X, y = drawn()
    with pytest.warns(ConvergenceWarning, match="stopped"):
        found = SVC(max_iter=3).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="stopped"):
        expected = one_by_one(monkeypatch, SVC(max_iter=3), X, y)
    assert found._machines.training.solved.found["lacks_spans"].any()
    assert not found.converged_
    assert found.predict_proba(X) == pytest.approx(expected.predict_proba(X), abs=1e-8)


def test_threads_and_row_order_do_not_change_a_bit():
    X, y = drawn(12, 240)
    one = SVC(n_jobs=1).fit(X, y)
    order = np.random.default_rng(2).permutation(len(y))
    two = SVC(n_jobs=2).fit(X[order], y[order])
    assert one.decision_function(X).tobytes() == two.decision_function(X).tobytes()
    assert one.predict_proba(X).tobytes() == two.predict_proba(X).tobytes()
    assert one.gap_.tobytes() == two.gap_.tobytes()


def test_rows_of_many_classes_are_predicted_alone_as_together():
    X, y = drawn(40, 400)
    model = SVC(n_jobs=2).fit(X, y)
    together = model.decision_function(X)
    alone = np.vstack([model.decision_function(row[None]) for row in X[:30]])
    assert alone.tobytes() == together[:30].tobytes()
    most_probable = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert (most_probable == model.predict(X)).all()


def test_votes_of_many_classes_are_those_of_few(monkeypatch):
    X, y = drawn(40, 400)
    model = SVC().fit(X, y)
    found = model.decision_function(X), model.predict_proba(X[:40])
    monkeypatch.setattr("branchline.svm._class_machines._FEW_CLASSES", 100)
    assert found[0] == pytest.approx(model.decision_function(X), abs=1e-9)
    assert found[1] == pytest.approx(model.predict_proba(X[:40]), abs=1e-9)


def test_a_kernel_that_is_not_positive_semidefinite_has_no_gaps():
    X, y = load_dataset("iris").split_target("species")
    with pytest.warns(UserWarning, match="not positive semidefinite"):
        model = SVC(kernel="sigmoid", gamma=1.0, coef0=1.0).fit(X, y)
    assert np.isnan(model.gap_).all()
