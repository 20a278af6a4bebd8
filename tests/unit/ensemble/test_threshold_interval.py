"""A chosen threshold has an interval: it holds the best one, and depends on rows alone."""

import io

import numpy as np
import pytest
from sklearn.base import clone

from branchline import Table, load, load_dataset
from branchline._saving._write import to_bytes
from branchline.assess._rows_to_split import rows_to_split
from branchline.ensemble import ThresholdClassifier
from branchline.ensemble._threshold_interval import interval_from_state, threshold_interval
from branchline.ensemble._threshold_sweep import sweep_thresholds
from branchline.errors import ModelFileError


def draw(seed, n_rows=200):
    """Return the interval where balanced accuracy is best at the share of positives, 2 / 7."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 2.5, n_rows)
    truth = rng.random(n_rows) < p
    units = np.ones(n_rows, dtype=np.int64)
    folds = rows_to_split(Table(p[:, None]), truth.astype(int), np.array([0, 1]))
    sweep = sweep_thresholds(p, truth, units, "balanced_accuracy")
    return threshold_interval(p, truth, units, folds, sweep, 0)


def test_it_holds_the_threshold_that_is_best_in_the_population():
    found = [draw(seed) for seed in range(80)]
    held = np.mean([one.low <= 2 / 7 <= one.high for one in found])
    assert 0.87 <= held <= 0.99
    narrow = [abs(one.estimate - 2 / 7) <= 0.5 * abs(one.high - one.low) / 2 for one in found]
    assert np.mean(narrow) < 0.87  # an interval of half the width would not do


def test_more_rows_make_it_narrower():
    widths = [
        np.mean([one.high - one.low for one in (draw(seed, n_rows) for seed in range(10))])
        for n_rows in (100, 2000)
    ]
    assert widths[1] < 0.6 * widths[0]


@pytest.fixture(scope="module")
def fitted():
    X, y = load_dataset("german-credit").split_target("class")
    return X, np.asarray(y), ThresholdClassifier(estimator="naive_bayes").fit(X, y)


def test_order_and_weights_of_rows_do_not_change_it(fitted):
    X, y, model = fitted
    order = np.random.default_rng(0).permutation(len(y))
    other = ThresholdClassifier(estimator="naive_bayes").fit(X.rows(order), y[order])
    assert other.threshold_interval_ == model.threshold_interval_
    few, both = np.arange(200), np.tile(np.arange(200), 2)
    learner = ThresholdClassifier(estimator="naive_bayes")
    weighted = clone(learner).fit(X.rows(few), y[few], np.full(200, 2))
    copied = learner.fit(X.rows(both), y[both])
    assert weighted.threshold_interval_ == copied.threshold_interval_
    interval = model.threshold_interval_
    assert interval.low < interval.estimate == model.threshold_ < interval.high


def test_it_is_saved_and_files_without_it_load(fitted):
    model = fitted[2]
    again = load(io.BytesIO(to_bytes(model)))
    assert again.threshold_interval_ == model.threshold_interval_
    assert again.to_text() == model.to_text()
    assert interval_from_state({}, None) is None
    ends = np.array([0.9, 1.0])
    sweep = sweep_thresholds(np.array([0.1, 0.4]), np.array([False, True]), np.ones(2, int), "f1")
    assert interval_from_state({}, sweep) is None
    with pytest.raises(ModelFileError):
        interval_from_state({"threshold_ends": ends}, sweep)


def test_without_a_choice_there_is_none():
    model = ThresholdClassifier(estimator="naive_bayes").fit(np.zeros((3, 1)), [0, 0, 1])
    assert model.threshold_interval_ is None
    assert "interval" not in model.to_text()
