"""Every score that has an interval, against a twin: plain sums, and the ends of Wilson by roots."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor

from branchline import Table
from branchline.assess import compare, cross_validate
from branchline.assess.curves import learning_curve
from branchline.bayes import NaiveBayes
from branchline.ensemble import BaggingClassifier, BaggingRegressor
from branchline.forest import RandomForestClassifier, RandomForestRegressor
from branchline.svm import SVC, KernelRidge, NearestCenter, SVCGrid

pytestmark = pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
N_ROWS = 40


def problem(n_rows=N_ROWS, *, is_class=True):
    random = np.random.default_rng(3)
    X = random.normal(size=(n_rows, 2))
    y = X[:, 0] + random.normal(size=n_rows)
    return Table(X), np.where(y > 0, "yes", "no") if is_class else y


def twin(values, n_train, *, is_share=True, estimate=None, least=0.0):
    """Return the low and the high end for the mean of what rows add."""
    n, estimate = len(values), float(np.mean(values)) if estimate is None else estimate
    weight = max(0.15, (1 - abs(n / n_train - 1)) ** 3)
    deviation = math.sqrt(sum((value - np.mean(values)) ** 2 for value in values) / (n - 1))
    error = deviation * math.sqrt(1 / n + weight / n_train)
    reach = stats.t.ppf(0.975, n - 1)
    if not is_share:
        return max(least, estimate - reach * error), estimate + reach * error
    coins = min(n / (1 + weight * n / n_train), estimate * (1 - estimate) / error**2)
    # All p with (estimate − p)² = reach² p (1 − p) / coins.
    square = reach**2 / coins
    return tuple(sorted(np.roots([1 + square, -2 * estimate - square, estimate**2])))


def ends(interval):
    return pytest.approx((interval.low, interval.high), rel=1e-9)


# -- out of bag -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [RandomForestClassifier, BaggingClassifier])
def test_the_out_of_bag_accuracy(kind):
    X, y = problem()
    model = kind(n_estimators=60, random_state=1).fit(X, y)
    votes = getattr(model, "oob_decision_function_", None)
    votes = model.oob_prediction_ if votes is None else votes
    hits = model.classes_[np.argmax(votes, axis=1)] == y
    assert model.oob_interval_.estimate == pytest.approx(hits.mean())
    assert twin(hits.astype(float), N_ROWS) == ends(model.oob_interval_)


@pytest.mark.parametrize("kind", [RandomForestRegressor, BaggingRegressor])
def test_the_out_of_bag_r2(kind):
    X, y = problem(is_class=False)
    model = kind(n_estimators=60, random_state=1).fit(X, y)
    squares, around = (y - model.oob_prediction_) ** 2, (y - y.mean()) ** 2
    r2 = 1 - squares.sum() / around.sum()
    added = -(squares - (1 - r2) * around) / around.mean()
    assert model.oob_interval_.estimate == pytest.approx(r2)
    low, high = twin(added, N_ROWS, is_share=False, estimate=r2, least=-math.inf)
    assert (low, min(1.0, high)) == ends(model.oob_interval_)


# -- leaving one out --------------------------------------------------------------------------


def without_each(model, X, y):
    for row in range(N_ROWS):
        kept = np.delete(np.arange(N_ROWS), row)
        yield model.fit(X.rows(kept), y[kept]).predict(X.rows([row]))[0]


@pytest.mark.parametrize(
    ("model", "interval"),
    [
        (SVC(standardize=False, gamma=0.5), lambda model: model.loo_interval()),
        (
            NearestCenter(kernel="rbf", gamma=0.5, standardize=False),
            lambda model: model.loo_interval_,
        ),
    ],
)
def test_the_error_of_leaving_one_out_is_that_of_refits(model, interval):
    X, y = problem()
    found = interval(model.fit(X, y))
    wrong = np.array(list(without_each(model, X, y))) != y
    assert found.estimate == pytest.approx(wrong.mean())
    assert twin(wrong.astype(float), N_ROWS) == ends(found)


def test_the_squared_error_of_leaving_one_out():
    X, y = problem(is_class=False)
    model = KernelRidge(kernel="rbf", gamma=0.5, alpha=0.7, standardize=False).fit(X, y)
    found = model.loo_interval_
    squares = model.press_**2
    assert found.estimate == pytest.approx(squares.mean())
    assert twin(squares, N_ROWS, is_share=False) == ends(found)


@pytest.mark.parametrize("way", ["leave_one_out", "resubstitution", "hold_out"])
def test_other_ways_of_testing_than_folds(way):
    X, y = problem()
    found = cross_validate(NaiveBayes(), X, y, resampling=way)
    tested = np.array([name is not None for name in found.predictions])
    n_train = {"leave_one_out": N_ROWS - 1, "resubstitution": N_ROWS}.get(way, (~tested).sum())
    if way == "leave_one_out":
        predicted = np.array(list(without_each(NaiveBayes(), X, y)))
    else:
        rows = np.flatnonzero(~tested) if way == "hold_out" else np.arange(N_ROWS)
        predicted = NaiveBayes().fit(X.rows(rows), y[rows]).predict(X.rows(np.flatnonzero(tested)))
    hits = predicted == y[tested]
    assert 0 < hits.sum() < len(hits)
    assert found.score.estimate == pytest.approx(hits.mean())
    assert twin(hits.astype(float), n_train) == ends(found.score)


# -- the bootstrap ----------------------------------------------------------------------------


@pytest.mark.parametrize("is_class", [True, False])
def test_the_632_estimates(is_class):
    X, y = problem(is_class=is_class)
    found = compare(X, y, learners="tree", resampling="bootstrap", n_repeats=25)
    error = found.bootstrap_error("tree")
    outside, inside, n_train = [[] for _ in y], [[] for _ in y], []
    for result in found.results_of("tree").values():
        split = found.splits[result.split]
        held = np.unique(split.train)
        n_train.append(len(held))
        truth = found.problem.places if is_class else y
        for lists, rows, said in (
            (outside, split.test, result.predicted),
            (inside, held, result.fitted_said),
        ):
            for row, one in zip(rows, said, strict=True):
                lists[row].append(float(one != truth[row] if is_class else (one - truth[row]) ** 2))
    left_out, own = (np.array([np.mean(each) for each in lists]) for lists in (outside, inside))
    assert error.out_of_bag == pytest.approx(left_out.mean())
    for weight, estimate, interval in (
        (1.0, error.out_of_bag, error.interval_out_of_bag),
        (0.632, error.error_632, error.interval_632),
        (error.weight, error.error_632_plus, error.interval_632_plus),
    ):
        values = (1 - weight) * own + weight * left_out
        assert interval.estimate == estimate
        wanted = twin(values, np.mean(n_train), is_share=is_class, estimate=estimate)
        assert wanted == ends(interval)


# -- a grid of machines, and curves -----------------------------------------------------------


def test_the_best_cell_of_a_grid_has_the_corrected_interval_of_its_folds():
    X, y = problem(90)
    model = SVCGrid([0.1, 1.0], [0.1, 1.0], n_folds=4, relative_gamma=False).fit(X, y)
    at = np.unravel_index(np.argmax(model.scores_), model.scores_.shape)
    scores = model.fold_scores_[at]
    half = stats.t.ppf(0.975, 3) * np.std(scores, ddof=1) * math.sqrt(1 / 4 + 1 / 3)
    wanted = max(0.0, scores.mean() - half), min(1.0, scores.mean() + half)
    assert wanted == ends(model.best_interval_)
    assert model.best_interval_.estimate == model.best_score_


def test_the_training_score_of_a_curve_counts_each_row_once():
    X, y = problem(is_class=False)
    model = DummyRegressor(strategy="constant", constant=0.3)
    (point,) = learning_curve(model, X, y, sizes=[1.0], metric="mae", n_folds=4).points
    lost = np.abs(y - 0.3)  # each row is in three of four training sets, with the same loss
    assert point.train_interval.estimate == pytest.approx(lost.mean())
    assert twin(lost, 30, is_share=False) == ends(point.train_interval)
