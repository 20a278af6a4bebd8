"""SVC: LIBSVM's solutions, degenerate problems, honest probabilities, reasons."""

import re

import numpy as np
import pytest
from sklearn import svm
from sklearn.metrics import log_loss

from branchline import Table, load_dataset
from branchline.svm import (
    SVC,
    SVR,
    KernelPCA,
    KernelRidge,
    LinearSVC,
    LinearSVR,
    NuSVC,
    OneClassSVM,
)
from branchline.svm._class_tasks import class_scores, tasks_of
from twins.svm import kernel_values

KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.6},
    "poly": {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 1.0},
    "laplacian": {"kernel": "laplacian", "gamma": 0.3},
}


def problem(seed, n_rows=80, n_classes=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3)) * random.uniform(0.5, 2, 3) + random.normal(size=3)
    score = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return X, y, random


def raw(C=1.0, **parameters):
    return SVC(C, **{"standardize": False, "gamma": 0.6, **parameters})


def libsvm(C, X, y, kernel, weights=None, tol=1e-9):
    """Return LIBSVM's machine on a kernel matrix, its dual objective and its decisions."""
    parameters = dict(kernel)
    K = kernel_values(parameters.pop("kernel"), X, X, **parameters)
    theirs = svm.SVC(C=C, tol=tol, kernel="precomputed").fit(K, y, weights)
    beta, support = theirs.dual_coef_[0], theirs.support_
    best = np.abs(beta).sum() - 0.5 * beta @ K[np.ix_(support, support)] @ beta
    return theirs, best, theirs.decision_function(K)


# -- the same machine as LIBSVM's ---------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_objective_and_decisions_are_those_of_libsvm(kernel, C, weighted):
    for seed in range(3):
        X, y, random = problem(seed)
        weights = random.uniform(0.2, 3, len(y)) if weighted else None
        ours = raw(C, **KERNELS[kernel]).fit(X, y, weights)
        if weighted:  # fractional weights are taken with mean 1
            weights = weights / weights.mean()
        theirs, best, decision = libsvm(C, X, y, KERNELS[kernel], weights)
        assert ours.converged_
        assert ours.objective_ == pytest.approx(best, rel=1e-6)
        assert ours.gap_ <= 1e-7 * best
        # LIBSVM keeps kernel values in single precision.
        size = np.abs(theirs.dual_coef_).max()
        assert ours.decision_function(X) == pytest.approx(decision, rel=1e-3, abs=1e-4 * size)
        clear = np.abs(decision) > 1e-4 * size
        assert ((ours.predict(X) == 1) == (decision > 0))[clear].all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("tol", "rel"), [(1e-3, 1e-4), (1e-8, 1e-7)])
def test_objectives_agree_at_equal_tolerance(kernel, tol, rel):
    for seed in range(4):
        X, y, _ = problem(seed)
        ours = raw(1.0, tol=tol, **KERNELS[kernel]).fit(X, y)
        _, best, _ = libsvm(1.0, X, y, KERNELS[kernel], tol=tol)
        assert ours.kkt_violation_ <= tol
        assert ours.objective_ == pytest.approx(best, rel=rel)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.3, 1: 4.0}])
def test_class_weights_are_those_of_libsvm(class_weight):
    X, y, _ = problem(5)
    y[:20] = 0
    ours = raw(2, class_weight=class_weight).fit(X, y)
    theirs = svm.SVC(C=2, gamma=0.6, class_weight=class_weight, tol=1e-9).fit(X, y)
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_several_classes_are_told_apart_as_by_libsvm(seed):
    X, y, _ = problem(seed, 120, n_classes=4)
    theirs = svm.SVC(C=3, gamma=0.6, tol=1e-9, decision_function_shape="ovo").fit(X, y)
    ours = raw(3).fit(X, y)
    assert ours.dual_coef_.shape == (6, len(ours.support_))
    assert sorted(ours.support_) == sorted(theirs.support_)
    assert (ours.n_support_ == theirs.n_support_).all()
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
    # Ties of votes are ours to break, so that predictions may differ where they occur.
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.97
    assert (ours.predict(X) == ours.classes_[np.argmax(ours.decision_function(X), axis=1)]).all()


def test_one_against_the_rest_takes_the_largest_score():
    X, y, _ = problem(1, 90, n_classes=3)
    ours = raw(3, strategy="one_vs_rest").fit(X, y)
    scores = np.column_stack(
        [
            svm.SVC(C=3, gamma=0.6, tol=1e-9).fit(X, y == one).decision_function(X)
            for one in range(3)
        ]
    )
    assert ours.decision_function(X) == pytest.approx(scores, abs=1e-5)
    assert (ours.predict(X) == np.argmax(scores, axis=1)).all()


def test_more_rows_than_fit_in_double_precision_have_the_objective_of_libsvm():
    X, y, _ = problem(2, 4300)
    ours = raw(1, gamma=0.3).fit(X, y)
    _, best, decision = libsvm(1, X, y, {"kernel": "rbf", "gamma": 0.3}, tol=1e-4)
    assert ours.converged_
    assert ours.objective_ == pytest.approx(best, rel=1e-4)
    assert 0 <= ours.gap_ < 1e-3 * best
    assert np.mean(ours.predict(X) == (decision > 0)) > 0.998


def test_what_c_means():
    X, y, _ = problem(3)
    n = len(y)
    one = raw(0.5).fit(X, y).decision_function(X)
    of_mean = raw(0.5 * n, penalty="C/n").fit(X, y).decision_function(X)
    of_lambda = raw(1 / (2 * n * 0.5), penalty="lambda").fit(X, y).decision_function(X)
    assert of_mean == pytest.approx(one, abs=1e-8)
    assert of_lambda == pytest.approx(one, abs=1e-8)


def test_a_linear_machine_shows_its_plane():
    X, y, _ = problem(4)
    model = raw(1, kernel="linear").fit(X, y)
    assert X @ model.coef_[0] + model.intercept_[0] == pytest.approx(model.decision_function(X))
    assert model.margin_ == pytest.approx(2 / np.linalg.norm(model.coef_))
    slack = np.maximum(0, 1 - np.where(y, 1, -1) * model.decision_function(X))
    assert model.slack_ == pytest.approx(slack, abs=1e-9)
    with pytest.raises(AttributeError, match="linear"):
        _ = raw().fit(X, y).coef_


# -- degenerate problems ------------------------------------------------------------------------


def test_two_rows():
    model = raw(10, kernel="linear").fit([[0.0], [4.0]], ["a", "b"])
    assert model.decision_function([[0.0], [2.0], [4.0]]) == pytest.approx([-1, 0, 1])
    assert model.margin_ == pytest.approx(4.0)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_equal_rows_with_opposite_labels(kernel):
    X = [[1.0, 2.0]] * 4 + [[3.0, 0.0]] * 2
    y = [0, 1, 0, 1, 0, 1]
    model = raw(5, kernel=kernel).fit(X, y)
    assert model.converged_
    assert model.objective_ == pytest.approx(30.0)  # w = 0, and all slack is 1
    assert model.gap_ == pytest.approx(0.0, abs=1e-9)
    assert len(set(model.predict(X).tolist())) == 1
    assert np.isfinite(model.predict_proba(X)).all()


def test_columns_that_do_not_vary_change_nothing():
    X, y, _ = problem(0, 40)
    with_constant = np.column_stack([X, np.full(40, 7.0)])
    for standardize in (True, False):
        a = SVC(2, gamma=0.5, standardize=standardize).fit(X, y).decision_function(X)
        b = SVC(2, gamma=0.5, standardize=standardize).fit(with_constant, y)
        assert b.decision_function(with_constant) == pytest.approx(a, abs=1e-8)
    alone = SVC().fit(np.ones((6, 2)), [0, 0, 0, 0, 1, 1])
    assert alone.predict([[1.0, 1.0]]).tolist() == [0]


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e150])
def test_huge_and_tiny_columns_are_standardized(scale):
    X, y, _ = problem(1, 50)
    plain = SVC(2).fit(X, y).decision_function(X)
    scaled = SVC(2).fit(X * scale, y)
    assert scaled.converged_
    assert scaled.decision_function(X * scale) == pytest.approx(plain, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("scale", "rel"), [(1e-8, 1e-6), (1e3, 1e-6), (1e5, 1e-4)])
def test_huge_and_tiny_raw_rows_end(scale, rel):
    X, y, _ = problem(1, 40)
    model = SVC(1, kernel="linear", standardize=False, time_budget=5).fit(X * scale, y)
    assert model.converged_
    assert 0 <= model.gap_ <= rel * model.objective_ + 1e-9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_raw_rows_beyond_all_digits_end_and_say_how_far_they_came():
    X, y, _ = problem(1, 40)
    model = SVC(1, kernel="linear", standardize=False, time_budget=20).fit(X * 1e8, y)
    assert model.converged_ == (model.kkt_violation_ <= model.tol)
    assert np.isfinite(model.predict_proba(X * 1e8)).all()
    assert model.objective_ - model.gap_ <= SVC(1, kernel="linear").fit(X, y).objective_


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1e5, 1e9])
def test_a_very_large_c_ends(kernel, C):
    X, y, _ = problem(2, 50)
    model = raw(C, kernel=kernel, time_budget=10).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-4 * model.objective_  # C times a violation within the tolerance


def test_one_class_is_always_predicted():
    with pytest.warns(UserWarning, match="only one class"):
        model = SVC().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[0.0]]).tolist() == ["a"]
    assert model.predict_proba([[0.0]]).tolist() == [[1.0]]
    assert model.loo_error() == 0.0
    assert model.converged_
    assert model.vc_bound().bound >= 0


# -- probabilities and reasons ------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("strategy", ["one_vs_one", "one_vs_rest"])
def test_the_most_probable_class_is_the_one_predicted(n_classes, strategy):
    for seed in range(3):
        X, y, random = problem(seed, 100, n_classes)
        model = SVC(10.0 ** (seed - 1), strategy=strategy).fit(X, y)
        new = np.vstack([X, 3 * random.normal(size=(300, 3))])
        probabilities = model.predict_proba(new)
        assert probabilities.sum(axis=1) == pytest.approx(1.0)
        assert probabilities.min() >= 0
        assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(new)).all()


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_probabilities_tell_more_than_shares_of_classes(C):
    X, y, _ = problem(7, 900, n_classes=3)
    model = SVC(C).fit(X[:300], y[:300])
    constant = log_loss(y[300:], np.tile(np.bincount(y[:300]) / 300, (600, 1)))
    assert log_loss(y[300:], model.predict_proba(X[300:])) < 0.95 * constant


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_of_support_vectors_add_up_to_the_score(n_classes):
    X, y, _ = problem(2, 60, n_classes)
    model = SVC(2).fit(X, y)
    first, *lines = model.explain(X[:1]).notes
    total = float(re.search(r": ([-−\d.e]+), of which", first).group(1).replace("−", "-"))
    shares = [float(line.rsplit(": ", 1)[1].replace("−", "-")) for line in lines]
    assert sum(shares) == pytest.approx(total, rel=2e-3, abs=5e-3)
    if n_classes == 2:
        sign = 1 if repr("1") in first.split(" against")[0] else -1
        assert sign * model.decision_function(X[:1])[0] == pytest.approx(total, rel=1e-3)
    rows = [int(row) for row in re.findall(r"row (\d+)", " ".join(lines))]
    assert set(rows) <= set(model.support_.tolist())


def test_the_vc_bound_says_when_it_says_nothing():
    X, y = load_dataset("iris").split_target("species")
    bound = SVC().fit(X, y).vc_bound()
    assert bound.bound >= 0
    assert SVC(kernel="linear").fit(Table({"x": [0.0, 1.0]}), [0, 1]).vc_bound() is not None


@pytest.mark.parametrize("strategy", ["one_vs_one", "one_vs_rest"])
def test_many_classes_are_scored_in_parts_and_class_by_class(monkeypatch, strategy):
    random = np.random.default_rng(0)
    y = np.arange(48) % 12
    X = 3 * random.normal(size=(12, 3))[y] + random.normal(size=(48, 3))
    model = SVC(strategy=strategy).fit(X, y)
    expected = model.decision_function(X), model.predict_proba(X)
    monkeypatch.setattr("branchline.svm._class_machines._FEW_CLASSES", 50)
    monkeypatch.setattr("branchline.svm._class_machines._SCORES_AT_ONCE", 100)
    assert model.decision_function(X) == pytest.approx(expected[0], abs=1e-9)
    assert model.predict_proba(X) == pytest.approx(expected[1], abs=1e-9)
    assert (model.predict(X) == model.classes_[expected[0].argmax(axis=1)]).all()


def test_support_vector_machines_have_four_ancestors_of_ours_at_most():
    for kind in (SVC, NuSVC, SVR, OneClassSVM, KernelRidge, KernelPCA, LinearSVC, LinearSVR):
        ours = [one for one in kind.__mro__[1:] if one.__module__.startswith("branchline")]
        assert len(ours) <= 4, kind


def test_scores_of_a_row_have_the_bits_of_those_of_many():
    rng = np.random.default_rng(0)
    tasks = tasks_of(5, "ovo")
    scores = rng.normal(size=(60, len(tasks))) * 10.0 ** rng.integers(-9, 9, (60, 1))
    scores[::7, :3] = 0.0
    many = class_scores(scores, tasks, 5)
    for row, expected in zip(scores, many, strict=True):
        assert class_scores(row[None, :], tasks, 5)[0].tobytes() == expected.tobytes()
