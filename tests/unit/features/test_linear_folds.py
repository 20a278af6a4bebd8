"""Linear learners fitted on many sets of columns at once: the learners' own errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import _core, load_dataset
from branchline._validation import Owner, check_training_data
from branchline.features import SequentialSelector
from branchline.features._inner_folds import InnerFolds
from branchline.features._linear_folds import linear_folds
from branchline.linear import LinearRegression, LogisticRegression


def folds_of(name, target, task, learner, *, weighted=False):
    X, y = load_dataset(name).split_target(target)
    weight = np.random.default_rng(0).integers(1, 4, X.n_rows) if weighted else None
    data = check_training_data(X, y, weight, task=task, owner=Owner("test", None))
    return InnerFolds(data, learner, 4, 0)


CASES = {
    "classes": ("heart", "disease", "classification", LogisticRegression(C=1.0)),
    "weak penalty": ("titanic", "survived", "classification", LogisticRegression(C=100.0)),
    "numbers": ("auto-mpg", "mpg", "regression", LinearRegression()),
}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("case", CASES)
def test_errors_are_those_of_the_learner_on_mixed_columns_with_missing_values(case, weighted):
    folds = folds_of(*CASES[case], weighted=weighted)
    names = [name for name in folds.data.table.names if name not in {"name", "ticket", "cabin"}]
    draws = np.random.default_rng(1)
    sets = [list(draws.choice(names, size, replace=False)) for size in (1, 2, 3, 4)]
    folds.announce(sets)
    for one in sets:
        assert frozenset(one) in folds._known
        own = folds.errors_of_folds([one] * len(folds.parts)).folds
        assert folds.errors(one).folds == pytest.approx(own, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),  # chooses C by folds of its own
        LogisticRegression(C=1.0, penalty="l1"),
        LogisticRegression(C=1.0, class_weight="balanced"),
        LogisticRegression(C=1.0, basis="polynomial"),
    ],
    ids=repr,
)
def test_other_problems_are_left_to_the_learner(learner):
    folds = folds_of("heart", "disease", "classification", learner)
    assert linear_folds(folds.parts, learner) is None


def test_three_classes_are_left_to_the_learner():
    learner = LogisticRegression(C=1.0)
    folds = folds_of("iris", "species", "classification", learner)
    assert linear_folds(folds.parts, learner) is None
    assert folds.errors(["petal_width"]).mean < 0.1


def test_searches_choose_what_they_chose_one_by_one(monkeypatch):
    X, y = load_dataset("heart").split_target("disease")
    for direction in ("forward", "floating", "backward"):
        search = SequentialSelector(direction=direction, n_columns=4)
        quick = search.fit(X, y).get_support().tolist()
        with monkeypatch.context() as patch:
            patch.setattr("branchline.features._inner_folds.linear_folds", lambda *_: None)
            assert search.fit(X, y).get_support().tolist() == quick


def slow_logistic(X, y, weights, strength):
    """Newton's method in a few lines."""
    terms = np.column_stack([X, np.ones(len(X))])
    penalty = np.append(np.full(X.shape[1], 1 / strength), 0.0)
    found = np.zeros(terms.shape[1])
    for _ in range(200):
        share = 1 / (1 + np.exp(-terms @ found))
        slope = terms.T @ (weights * (share - y)) + penalty * found
        curvature = (terms.T * (weights * share * (1 - share))) @ terms + np.diag(penalty)
        # Steps are damped, which ends more slowly and never goes astray.
        found = found - np.linalg.solve(curvature, slope) * min(1, 0.3 + 0.01 * _)
    return found


@given(st.integers(0, 10**6), st.integers(1, 4), st.floats(0.05, 50))
def test_the_kernel_solves_what_a_twin_solves(seed, n_terms, strength):
    draws = np.random.default_rng(seed)
    X, y = draws.normal(size=(30, n_terms)), np.arange(30.0) % 2
    X += y[:, None] * draws.normal()
    weights = draws.integers(1, 4, 30).astype(float)
    new = draws.normal(size=(50, n_terms))
    found = slow_logistic(X, y, weights, strength)
    scores = new @ found[:-1] + found[-1]
    new = new[np.abs(scores) > 1e-6]
    truth = draws.integers(0, 2, len(new)).astype(float)
    wrong = np.mean((new @ found[:-1] + found[-1] > 0) != (truth > 0))
    errors = _core.linear_set_errors(
        (X.ravel(order="F"), y, weights),
        (new.ravel(order="F"), truth, np.ones(len(new))),
        np.array([0, n_terms]),
        np.arange(n_terms),
        strength,
        1,
    )
    assert errors[0] == pytest.approx(wrong)
