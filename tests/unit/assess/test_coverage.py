"""Intervals and tests hold what they promise, on problems whose truth is known.

The full tables are those of ``python -m benchmarks.reproductions.interval_coverage``.
"""

import numpy as np
import pytest
from benchmarks.reproductions.interval_coverage import (
    Population,
    Setting,
    baseline,
    baseline_advised,
    best_ten,
    coverage,
    discriminant,
    equal_pairs,
    false_alarms,
    least_squares,
    stump,
)

from branchline import load_dataset
from branchline.assess import compare

N_DRAWS = 60


@pytest.mark.parametrize(
    ("population", "learners", "n_rows"),
    [
        (Population("classes"), {"stable": discriminant, "unstable": stump}, 50),
        (Population("classes", 100, 0.0), {"choosing": best_ten}, 50),
        (Population("heavy", strength=1.0), {"stable": least_squares}, 60),
    ],
)
def test_intervals_cover_the_truth_in_five_folds(population, learners, n_rows):
    for (learner, metric), (expected, _) in coverage(
        Setting(population, learners, n_rows, n_folds=5), N_DRAWS
    ).items():
        assert expected >= 0.9, (learner, metric)


@pytest.mark.parametrize(("learner", "metric"), [(discriminant, "auc"), (stump, "accuracy")])
def test_two_equally_good_learners_are_seldom_called_different(learner, metric):
    population = Population("classes", 10, 2.0, n_telling=10)
    setting = Setting(population, equal_pairs(learner), 60, n_folds=5)
    assert false_alarms(setting, metric, N_DRAWS) <= 0.09


def test_the_baseline_is_advised_on_noise():
    learners = {"baseline": baseline, "stump": stump, "best ten": best_ten}
    setting = Setting(Population("classes", 100, 0.0), learners, 50, n_folds=5)
    assert baseline_advised(setting, N_DRAWS) >= 0.95


def test_and_not_where_something_is_to_be_learned():
    learners = {"baseline": baseline, "discriminant": discriminant}
    setting = Setting(Population("classes", strength=1.5), learners, 200, n_folds=5)
    assert baseline_advised(setting, 20) <= 0.05


@pytest.mark.parametrize("folds", [5, 10])
def test_on_german_credit_learners_are_shown_to_beat_the_baseline(folds):
    table = load_dataset("german-credit")
    found = compare(table, "class", learners="naive_bayes,one_rule,stump", n_folds=folds)
    assert found.recommendation.beats_baseline
    assert found.recommendation.learner == "naive_bayes"
    against = found.difference("naive_bayes", "baseline")
    assert against.p_above > 0.99
    assert against.mean.low > 0


# -- the same through comparisons ---------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_rows_of_a_group_do_not_make_an_interval_narrow():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(20), 20)
    X = np.c_[who, np.repeat(rng.normal(size=(20, 2)), 20, axis=0)]
    y = np.repeat(rng.integers(0, 2, 20), 20)
    table = {"who": who, "a": X[:, 1], "b": X[:, 2]}
    grouped = compare(table, y, learners="stump", group="who", n_folds=5).score("stump")
    assert grouped.high - grouped.low > 0.3


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_one_test_set_is_enough_for_an_interval_and_a_difference():
    table = load_dataset("votes84")
    found = compare(table, "party", learners="one_rule", resampling="hold_out")
    assert found.score("one_rule").low < found.score("one_rule").estimate
    assert found.difference("one_rule", "baseline").p_higher > 0.99
    found = compare(
        table.rows(np.arange(60)), "party", learners="one_rule", resampling="leave_one_out"
    )
    for metric in ("accuracy", "auc"):
        assert found.difference("one_rule", "baseline", metric).p_higher > 0.95


def test_repeats_narrow_an_interval_less_than_more_rows_would():
    table = load_dataset("heart")
    one, five = (
        compare(table, "disease", learners="tree", n_folds=5, n_repeats=repeats).score("tree")
        for repeats in (1, 5)
    )
    assert 0.6 < (five.high - five.low) / (one.high - one.low) < 1.05
