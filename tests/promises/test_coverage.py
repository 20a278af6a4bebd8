"""Intervals and tests hold what they promise, on problems whose truth is known.

The full tables are those of ``python -m benchmarks.reproductions.coverage_grid`` and
``equal_learners``.
"""

from functools import cache

import numpy as np
import pytest
from benchmarks.reproductions._coverage_cells import (
    LEARNERS,
    PROBLEM_NAMES,
    ROWS,
    WAYS,
    Cell,
    cells,
    pairs_of,
)
from benchmarks.reproductions._coverage_draws import metrics_of, one_draw
from benchmarks.reproductions.coverage_grid import intervals_of
from benchmarks.reproductions.equal_learners import (
    Population,
    Setting,
    baseline,
    baseline_advised,
    best_ten,
    discriminant,
    equal_pairs,
    false_alarms,
    stump,
)

from branchline import load_dataset
from branchline.assess import compare

N_DRAWS = 60


CELLS = (
    Cell("naive_bayes", "smooth", 150, "10 folds"),
    Cell("logistic", "xor", 150, "5 folds"),
    Cell("stump", "look_alike", 50, "5 folds"),
    Cell("least_squares", "numbers", 50, "5 folds"),
    Cell("logistic", "smooth", 50, "groups"),
    Cell("naive_bayes", "look_alike", 150, "time"),
)


@cache
def _intervals():
    """Return the estimate, both ends and the truth of every score, over all cells."""
    found = []
    for cell in CELLS:
        draws = [one_draw(cell, seed) for seed in range(N_DRAWS)]
        for metric in metrics_of(cell):
            truth = np.nanmean([draw.truths[metric] for draw in draws])
            for draw in draws:
                one = intervals_of(draw, metric)
                found.append((one.estimate, one.low, one.high, truth))
    return np.array(found).T


def _held(factor):
    """Return how often intervals, made narrower or wider, hold the truth."""
    estimate, low, high, truth = _intervals()
    low, high = (estimate + factor * (end - estimate) for end in (low, high))
    return float(np.mean((low <= truth) & (truth <= high)))


@pytest.mark.parametrize(("factor", "is_right"), [(1.0, True), (0.8, False), (1.2, False)])
def test_intervals_are_neither_a_fifth_too_narrow_nor_too_wide(factor, is_right):
    assert (0.94 <= _held(factor) <= 0.975) == is_right


def test_every_pair_of_values_is_in_the_grid():
    grid = [cell for cell in cells() if cell.learner in LEARNERS and cell.way in WAYS]
    values = dict(enumerate((LEARNERS, PROBLEM_NAMES, ROWS, WAYS)))
    seen = set().union(*map(pairs_of, grid))
    wanted = {
        ((one, first), (other, second))
        for one in values
        for other in values
        if one < other
        for first in values[one]
        for second in values[other]
    }
    assert len(grid) >= 120
    assert wanted <= seen


@pytest.mark.parametrize(("learner", "metric"), [(discriminant, "auc"), (stump, "accuracy")])
def test_two_equally_good_learners_are_seldom_called_different(learner, metric):
    population = Population("classes", 10, 2.0, n_telling=10)
    chosen = {"chooses_one_column": learner is stump}
    setting = Setting(population, equal_pairs(learner), 60, n_folds=5, **chosen)
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
