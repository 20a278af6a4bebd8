"""Scores whose rows do not differ have an interval with a width all the same."""

import math

import numpy as np
import pytest
from benchmarks.reproductions._coverage_cells import Cell
from benchmarks.reproductions._coverage_draws import one_draw
from benchmarks.reproductions.coverage_grid import coverage

from branchline import Table
from branchline._row_scores import Origin
from branchline.assess import compare
from branchline.assess._metrics import METRICS
from branchline.assess._outcome import Outcome
from branchline.assess._row_values import row_values
from branchline.assess._scoring import score_interval
from branchline.svm import SVCGrid

N_ROWS = 60
CLASSES = [name for name, metric in METRICS.items() if metric.task == "classification"]
NUMBERS = [name for name, metric in METRICS.items() if metric.task == "regression"]


def parts_of(outcome, n_parts=5):
    return [outcome.rows(np.arange(place, N_ROWS, n_parts)) for place in range(n_parts)]


def constant(share=0.5):
    truth = np.arange(N_ROWS) % 2
    return Outcome(truth, np.ones(N_ROWS, int), np.tile([1 - share, share], (N_ROWS, 1)), (0, 1), 1)


def perfect():
    truth = np.arange(N_ROWS) % 2
    return Outcome(truth, truth, np.eye(2)[truth], (0, 1), 1)


@pytest.mark.parametrize("make", [constant, perfect])
@pytest.mark.parametrize("name", CLASSES)
def test_classes_that_all_rows_tell_alike(name, make):
    metric = METRICS[name]
    found = score_interval(metric, parts_of(make()), Origin.once(N_ROWS, 48))
    if math.isnan(found.estimate):
        return
    assert found.high - found.low > 0.5 / N_ROWS
    assert metric.lowest <= found.low <= found.estimate <= found.high <= metric.highest


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_without_an_error(name):
    truth = np.random.default_rng(0).normal(size=N_ROWS)
    found = score_interval(METRICS[name], parts_of(Outcome(truth, truth)), Origin.once(N_ROWS, 48))
    assert 0.01 < found.high - found.low < 0.5


@pytest.mark.parametrize(("name", "unit"), [("log_loss", math.log(2)), ("brier", 0.5)])
def test_the_width_of_a_constant_is_that_of_one_row_that_differs(name, unit):
    values = row_values(METRICS[name], parts_of(constant()))
    error, degrees = values.standard_error(np.arange(N_ROWS))
    assert degrees == N_ROWS - 1
    assert error == pytest.approx(unit / N_ROWS, rel=0.01)


def test_rows_that_differ_are_not_changed():
    truth = np.random.default_rng(1).normal(size=N_ROWS)
    near = Outcome(truth, truth + 1e-6 * np.arange(N_ROWS))
    found = score_interval(METRICS["mae"], parts_of(near), Origin.once(N_ROWS, 48))
    assert found.high - found.low < 1e-4


def test_the_loss_of_the_shares_of_two_equal_classes_is_held():
    cell = Cell("majority", "look_alike", 150, "5 folds")
    found = coverage([one_draw(cell, seed) for seed in range(100)], "log_loss")
    assert found["held"] >= 0.92  # 0.80 where rows alone decide


def test_the_auc_of_a_rule_that_often_finds_nothing_is_held():
    cell = Cell("stump", "rare", 50, "time")
    draws = [draw for seed in range(100) if (draw := one_draw(cell, seed)) is not None]
    assert coverage(draws, "auc")["held"] >= 0.9  # 0.68 where no spread means no width


def test_no_interval_of_a_comparison_is_without_width():
    rng = np.random.default_rng(2)
    table = Table({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    y = np.arange(40) % 2
    found = compare(table, y, learners="stump,naive_bayes", n_folds=5)
    for learner in found.labels:
        for metric in ("accuracy", "auc", "log_loss", "brier"):
            one = found.score(learner, metric)
            assert one.low < one.high, (learner, metric)


def test_a_grid_whose_folds_agree():
    X = np.repeat([[0.0], [9.0]], 20, axis=0) + np.tile(np.arange(20) / 100, 2)[:, None]
    y = np.repeat([0, 1], 20)
    found = SVCGrid(C=[1.0], gamma=[1.0], n_folds=5).fit(X, y).best_interval_
    assert found.estimate == found.high == 1
    assert 0.85 < found.low < 0.95
