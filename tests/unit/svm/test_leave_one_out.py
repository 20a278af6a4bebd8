"""Leave-one-out: exact scores against literally fitting without each row, and near ones."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.errors import ParameterError
from branchline.svm import SVC, NuSVC
from branchline.svm._kernel_training import limits_of
from branchline.svm._leave_one_out import copies_of, exact_scores, span_scores

LOSSES = ["hinge", "squared_hinge"]


def training_of(model):
    """Return the training rows and the solved tasks that a fitted classifier holds."""
    training = model._machines.training
    return training.rows, training.solved


def problem(seed, n_rows=36, n_classes=2):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 2))
    score = X[:, 0] + X[:, 1] ** 2 + 0.7 * random.normal(size=n_rows)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return X, y


def raw(C=1.0, **parameters):
    return SVC(C, **{"standardize": False, "gamma": 0.8, "tol": 1e-6, **parameters})


def refitted(model, X, y, weights=None):
    """Return the decision on each row, and the class, by a machine that lacks one copy of it."""
    weights = np.ones(len(y)) if weights is None else weights
    decisions, classes = np.full(len(y), np.nan), []
    for row in range(len(y)):
        less = weights.copy()
        less[row] -= 1
        kept = less > 0
        other = type(model)(**model.get_params()).fit(X[kept], y[kept], less[kept])
        if len(other.classes_) == 2:
            decisions[row] = other.decision_function(X[[row]])[0]
        classes.append(other.predict(X[[row]])[0])
    return decisions, np.array(classes)


def left_out(model, at=0):
    """Return the exact scores of all training rows, in the order in which they were given."""
    rows, solved = training_of(model)
    one = solved[at]
    scores = exact_scores(
        rows, one.solution, one.bias, limits_of(model), has_sum=bool(model.fit_intercept)
    )
    return scores[rows.origins.canonical_of_row]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("C", [0.1, 3.0, 100.0])
def test_scores_are_those_of_fitting_again(loss, has_bias, C):
    X, y = problem(0)
    model = raw(C, loss=loss, fit_intercept=has_bias).fit(X, y)
    decisions, classes = refitted(model, X, y)
    assert left_out(model) == pytest.approx(decisions, abs=2e-4 * max(1, C))
    assert model.loo_error() == np.mean(classes != y)
    assert model.loo_error() <= model.loo_bound_


@pytest.mark.parametrize("kernel", ["linear", "poly", "laplacian"])
def test_other_kernels(kernel):
    X, y = problem(1)
    model = raw(2, kernel=kernel, degree=2, coef0=1.0).fit(X, y)
    _, classes = refitted(model, X, y)
    assert model.loo_error() == np.mean(classes != y)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_of_equal_rows_one_copy_is_left_out(seed, loss):
    X, y = problem(seed, 24)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    model = raw(0.5, loss=loss).fit(X, y, weights)
    decisions, classes = refitted(model, X, y, weights)
    assert left_out(model) == pytest.approx(decisions, abs=2e-4)
    expected = np.average(classes != y, weights=weights)
    assert model.loo_error() == pytest.approx(expected)
    assert model.loo_error() <= model.loo_bound_
    copies = raw(0.5, loss=loss).fit(
        np.repeat(X, weights.astype(int), 0), np.repeat(y, weights.astype(int))
    )
    assert copies.loo_error() == pytest.approx(expected)
    assert copies.loo_bound_ == pytest.approx(model.loo_bound_)


@pytest.mark.parametrize("seed", range(60))
def test_the_share_of_support_vectors_bounds_the_error(seed):
    random = np.random.default_rng(seed)
    X = 3 * random.normal(size=(12, 1))
    y = (X[:, 0] > 0) ^ (np.arange(12) < 2)
    y[2:4] = [False, True]
    weights = np.where(np.arange(12) < 2, 6.0, 3.0)
    model = raw(10.0 ** random.integers(-1, 3), gamma=0.5).fit(X, y, weights)
    assert model.loo_error() <= model.loo_bound_ + 1e-12


@pytest.mark.parametrize("strategy", ["one_vs_one", "one_vs_rest"])
def test_several_classes(strategy):
    X, y = problem(2, 45, n_classes=3)
    model = raw(2, strategy=strategy).fit(X, y)
    _, classes = refitted(model, X, y)
    assert model.loo_error() == pytest.approx(np.mean(classes != y))


@pytest.mark.filterwarnings("ignore:.*only one class:UserWarning")
def test_a_class_of_one_row_is_lost_when_that_row_is_left_out():
    X = np.array([[0.0], [0.5], [1.0], [1.5], [9.0]])
    y = np.array([0, 0, 0, 0, 1])
    model = raw(5, gamma=0.1).fit(X, y)
    _, classes = refitted(model, X, y)
    assert model.loo_error() == np.mean(classes != y) == 0.2
    assert not left_out(model)[4] > 0  # NaN, or the other class


def test_without_support_vectors_nothing_is_solved_again():
    X = np.array([[-3.0], [-2.0], [2.0], [3.0]])
    model = raw(1e3, kernel="linear").fit(X, [0, 0, 1, 1])
    assert sorted(model.support_) == [1, 2]
    assert model.loo_bound_ == 0.5
    assert model.loo_error() == 0.0


def test_threads_do_not_matter():
    X, y = problem(3, 200)
    errors = {raw(1, n_jobs=threads).fit(X, y).loo_error() for threads in (1, 2, 3)}
    assert len(errors) == 1


@pytest.mark.parametrize("loss", LOSSES)
def test_near_scores_are_near(loss):
    X, y = problem(4, 60)
    model = raw(1, loss=loss).fit(X, y)
    rows, (one,) = training_of(model)
    near = span_scores(rows, one.solution, one.bias, np.arange(len(rows)))
    exact = exact_scores(rows, one.solution, one.bias, limits_of(model), has_sum=True)
    assert np.corrcoef(near, exact)[0, 1] > 0.98
    assert np.mean(np.sign(near) == np.sign(exact)) > 0.95
    others = one.solution.beta == 0
    assert near[others] == pytest.approx(exact[others])


def test_near_scores_are_exact_as_long_as_the_same_rows_stay_support_vectors():
    random = np.random.default_rng(5)
    X = random.normal(size=(30, 4))
    y = (X[:, 0] > 0).astype(int)
    model = raw(1.0, kernel="linear", loss="squared_hinge").fit(X, y)
    rows, (one,) = training_of(model)
    exact = exact_scores(rows, one.solution, one.bias, limits_of(model), has_sum=True)
    near = span_scores(rows, one.solution, one.bias, np.arange(len(rows)))
    support = one.solution.beta != 0
    assert np.median(np.abs(near - exact)[support]) < 0.05


def test_how_many_copies_a_row_stands_for():
    X, y = problem(0, 10)
    plain = training_of(raw().fit(X, y))[0]
    whole = training_of(raw().fit(X, y, np.arange(1, 11)))[0]
    shares = training_of(raw().fit(X, y, np.linspace(0.1, 1.0, 10)))[0]
    assert copies_of(plain).tolist() == [1] * 10
    assert sorted(copies_of(whole)) == list(range(1, 11))
    assert copies_of(shares).tolist() == [1] * 10


def test_a_saved_model_has_no_rows_to_leave_out(tmp_path):
    X, y = problem(0)
    raw().fit(X, y).save(tmp_path / "model.branchline")
    from branchline import load

    with pytest.raises(ParameterError) as caught:
        load(tmp_path / "model.branchline").loo_error()
    assert caught.value.code == "P180"


def test_a_nu_machine_is_left_out_at_the_c_that_it_found():
    X, y = problem(1, 40)
    nu = NuSVC(0.4, gamma=0.8, standardize=False, tol=1e-7).fit(X, y)
    same = raw(float(nu.C_[0])).fit(X, y)
    assert nu.loo_error() == same.loo_error()


def test_iris_is_easy():
    X, y = load_dataset("iris").split_target("species")
    assert SVC(10).fit(X, y).loo_error() <= 0.06
