"""Slope and intercept of calibration against scikit-learn, by simulation, and where none exist."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from branchline._row_scores import Origin
from branchline.assess import Outcome
from branchline.assess.curves import calibration_line


def classes(n_rows, seed, slope=1.0, level=0.0):
    rng = np.random.default_rng(seed)
    logits = rng.normal(-0.5, 1.5, n_rows)
    truth = (rng.random(n_rows) < 1 / (1 + np.exp(-(level + slope * logits)))).astype(int)
    chance = 1 / (1 + np.exp(-logits))
    return Outcome(truth, truth, np.c_[1 - chance, chance], ("n", "p"), 1), logits


def test_it_is_the_logistic_regression_on_logits():
    outcome, logits = classes(500, 0, slope=0.6, level=0.4)
    found = calibration_line(outcome)
    peer = LogisticRegression(C=1e10, tol=1e-10, max_iter=1000).fit(logits[:, None], outcome.truth)
    assert found.slope.estimate == pytest.approx(peer.coef_[0, 0], rel=1e-4)
    assert found.intercept.estimate == pytest.approx(peer.intercept_[0], rel=1e-3, abs=1e-4)
    expected = outcome.truth.sum() / outcome.probabilities[:, 1].sum()
    assert found.ratio.estimate == pytest.approx(expected)
    assert found.ratio.low < expected < found.ratio.high
    assert "too extreme" in found.verdict


def test_intervals_cover():
    held = np.zeros(4)
    for seed in range(200):
        found = calibration_line(classes(150, seed, slope=0.7, level=0.0)[0])
        held[0] += found.slope.low <= 0.7 <= found.slope.high
        held[1] += found.intercept.low <= 0.0 <= found.intercept.high
        right = calibration_line(classes(150, seed, slope=1.0, level=0.0)[0]).ratio
        held[3] += right.low <= 1 <= right.high
    rng = np.random.default_rng(7)
    for _ in range(200):
        predicted = rng.normal(size=60)
        truth = 2 * predicted + rng.normal(size=60) * (0.3 + np.abs(predicted))
        line = calibration_line(Outcome(truth, predicted)).slope
        held[2] += line.low <= 2 <= line.high
    assert (held / 200 > 0.90).all()
    assert (held / 200 < 0.995).all()


def test_in_the_large_balances_the_mean():
    outcome, _ = classes(400, 3, level=1.0)
    found = calibration_line(outcome)
    moved = np.log(outcome.probabilities[:, 1] / outcome.probabilities[:, 0])
    mean = 1 / (1 + np.exp(-(moved + found.in_the_large.estimate)))
    assert mean.sum() == pytest.approx(outcome.truth.sum())
    assert "more frequent" in found.verdict


def test_predictions_that_are_all_the_same_or_separate_have_no_slope():
    truth = np.array([0, 1] * 10)
    flat = Outcome(truth, truth, np.full((20, 2), 0.5), ("n", "p"), 1)
    found = calibration_line(flat)
    assert math.isnan(found.slope.estimate)
    assert found.in_the_large.estimate == pytest.approx(0.0)
    perfect = Outcome(truth, truth, np.eye(2)[truth], ("n", "p"), 1)
    assert math.isnan(calibration_line(perfect).slope.estimate)
    assert calibration_line(Outcome(np.ones(5), np.ones(5))).slope.estimate != 1


def test_copies_counted_as_one_leave_the_interval():
    outcome, _ = classes(80, 4)
    twice = outcome.rows(np.repeat(np.arange(80), 2))
    owners = np.repeat(np.arange(80), 2)
    once = calibration_line(outcome)
    both = calibration_line(twice, origin=Origin(owners, math.inf))
    # The clipping of probabilities depends on the number of rows; these are not clipped.
    assert both.slope.estimate == pytest.approx(once.slope.estimate)
    assert both.slope.low == pytest.approx(once.slope.low, rel=1e-6)


def test_numbers_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(5)
    predicted = 1e9 + rng.normal(size=50)
    found = calibration_line(Outcome(predicted + 0.5, predicted))
    assert found.slope.estimate == pytest.approx(1.0, abs=1e-6)
    assert found.in_the_large.estimate == pytest.approx(0.5, abs=1e-6)


def test_several_classes_are_put_together():
    rng = np.random.default_rng(6)
    probabilities = rng.dirichlet([1, 1, 1], 300)
    truth = np.array([rng.choice(3, p=row) for row in probabilities])
    found = calibration_line(Outcome(truth, truth, probabilities, ("a", "b", "c")))
    assert found.slope.low <= 1 <= found.slope.high
    assert found.ratio is None
    assert len(found.to_frame()) == 3
