"""Metrics against printed numbers and against scikit-learn."""

import math

import numpy as np
import pytest
from sklearn import metrics as peer

from branchline import load_dataset
from branchline._row_scores import Origin
from branchline.assess import METRICS, Outcome
from branchline.assess._find_metric import check_positive, find_metric
from branchline.assess._row_values import row_values
from branchline.assess._scoring import score_interval
from branchline.errors import ParameterError


def from_confusion(hits, misses, alarms, rejections):
    """Return an outcome with these counts; the positive class is 1."""
    truth = np.repeat([1, 1, 0, 0], [hits, misses, alarms, rejections])
    said = np.repeat([1, 0, 1, 0], [hits, misses, alarms, rejections])
    return Outcome(truth, said, None, ("n", "p"), 1)


def score(name, outcome):
    return METRICS[name].score(outcome)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((5, 1, 3, 6), {"error": 4 / 15, "sensitivity": 5 / 6, "specificity": 6 / 9}),
        ((3, 3, 2, 7), {"error": 5 / 15, "sensitivity": 3 / 6, "specificity": 7 / 9}),
        ((10, 0, 50, 950), {"precision": 0.167, "f1": 0.29}),
        ((10, 0, 10, 990), {"precision": 0.5, "f1": 0.667}),
        ((0, 10, 0, 90), {"error": 0.1, "sensitivity": 0.0, "specificity": 1.0}),
        ((10, 0, 10, 80), {"error": 0.1, "sensitivity": 1.0, "specificity": 0.889}),
    ],
)
def test_printed_confusions(cells, expected):
    outcome = from_confusion(*cells)
    for name, value in expected.items():
        assert score(name, outcome) == pytest.approx(value, abs=6e-3)


def test_a_precision_that_does_not_exist_is_not_a_number():
    assert math.isnan(score("precision", from_confusion(0, 10, 0, 90)))
    assert math.isnan(score("recall", from_confusion(0, 0, 5, 5)))


def test_the_printed_roc_example():
    table = load_dataset("roc")
    names = table.names
    scores = np.asarray(table[names[0]].numbers())
    truth = (np.asarray(table[names[1]].to_numpy()) == "p").astype(int)
    probabilities = np.column_stack([1 - scores, scores])
    assert score("auc", Outcome(truth, truth, probabilities, ("n", "p"), 1)) == pytest.approx(0.68)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (1, {"mse": 9.514, "mae": 2.815, "pearson": 0.9992, "spearman": 0.9929}),
        (2, {"mse": 249.66, "mae": 14.618, "pearson": 0.9815, "spearman": 0.9786}),
    ],
)
def test_the_printed_regression_example(model, expected):
    table = load_dataset("regression")
    columns = [np.asarray(table[name].numbers(), dtype=float) for name in table.names]
    outcome = Outcome(columns[0], columns[model])
    for name, value in expected.items():
        digits = 4 if value < 1 else 2 if value > 100 else 3
        assert round(score(name, outcome), digits) == pytest.approx(value)
    assert score("rmse", outcome) == pytest.approx(math.sqrt(score("mse", outcome)))


def test_agreement_with_scikit_learn():
    rng = np.random.default_rng(0)
    truth, said = rng.integers(0, 3, 200), rng.integers(0, 3, 200)
    probabilities = rng.dirichlet([1, 1, 1], 200)
    outcome = Outcome(truth, said, probabilities, ("a", "b", "c"), 2)
    expected = {
        "accuracy": peer.accuracy_score(truth, said),
        "balanced_accuracy": peer.balanced_accuracy_score(truth, said),
        "precision": peer.precision_score(truth, said, labels=[2], average="macro"),
        "f1": peer.f1_score(truth, said, labels=[2], average="macro"),
        "auc": peer.roc_auc_score(truth, probabilities, multi_class="ovr", average="weighted"),
        "log_loss": peer.log_loss(truth, probabilities),
        "average_precision": peer.average_precision_score(truth == 2, probabilities[:, 2]),
    }
    for name, value in expected.items():
        assert score(name, outcome) == pytest.approx(value)
    brier = np.mean(((probabilities - np.eye(3)[truth]) ** 2).sum(axis=1))
    assert score("brier", outcome) == pytest.approx(brier)


def test_costs_weigh_errors():
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])
    truth, said = np.array([0, 0, 1, 1]), np.array([1, 0, 0, 0])
    outcome = Outcome(truth, said, None, ("a", "b"), None, costs)
    assert score("cost", outcome) == pytest.approx((5 + 0 + 1 + 1) / 4)


def test_every_metric_says_which_way_is_better_and_stays_within_its_bounds():
    rng = np.random.default_rng(1)
    for metric in METRICS.values():
        if metric.task == "regression":
            outcome = Outcome(rng.normal(size=30), rng.normal(size=30))
            perfect, wrong = Outcome(outcome.truth, outcome.truth), outcome
        else:
            truth = np.arange(30) % 2
            probabilities = rng.dirichlet([1, 1], 30)
            outcome = Outcome(truth, rng.integers(0, 2, 30), probabilities, ("n", "p"), 1)
            perfect = Outcome(truth, truth, np.eye(2)[truth], ("n", "p"), 1)
            wrong = Outcome(truth, 1 - truth, np.eye(2)[1 - truth], ("n", "p"), 1)
        found, best, worst = (metric.score(each) for each in (outcome, perfect, wrong))
        assert metric.lowest <= found <= metric.highest
        assert not metric.is_better(found, best), metric.name
        assert not metric.is_better(worst, best), metric.name
        assert metric.is_better(best, worst) or math.isnan(worst), metric.name


def test_the_positive_class_may_come_as_text():
    metric = find_metric("f1", "classification")
    assert check_positive(metric, "2", [1, 2]) == 1
    assert check_positive(metric, None, [0, 1]) == 1
    with pytest.raises(ParameterError) as caught:
        check_positive(metric, "no", ["a", "b"])
    assert caught.value.code == "P010"
    assert "--positive" in str(caught.value)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_the_order_of_rows_does_not_change_the_last_digit(name):
    rng = np.random.default_rng(2)
    metric, order = METRICS[name], rng.permutation(700)
    if metric.task == "regression":
        truth = rng.normal(size=700)
        outcome = Outcome(truth, truth + rng.normal(size=700))
    else:
        costs = rng.random((3, 3))
        probabilities = rng.dirichlet([1, 1, 1], 700).round(2)
        outcome = Outcome(
            rng.integers(0, 3, 700), rng.integers(0, 3, 700), probabilities, tuple("abc"), 1, costs
        )
    moved, owners = outcome.rows(order), rng.integers(0, 200, 700)
    assert metric.score(moved) == metric.score(outcome)
    one, other = (row_values(metric, [each]) for each in (outcome, moved))
    if one is not None:
        assert one.score == other.score
        assert one.standard_error(owners) == other.standard_error(owners[order])


def test_no_interval_of_a_cost_is_above_the_most_expensive_decision():
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])
    outcome = Outcome(np.array([0, 0, 1]), np.array([1, 0, 0]), classes=(0, 1), costs=costs)
    found = score_interval(METRICS["cost"], [outcome], Origin.once(3, 27))
    assert found.estimate == 2
    assert found.high == 5
