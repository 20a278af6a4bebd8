"""Dealing rows: every row where it belongs, whatever the order of rows."""

import numpy as np
import pandas as pd
import pytest

from branchline import load_dataset
from branchline.assess import Resampling, make_problem
from branchline.errors import BranchlineError, DataError, ParameterError
from common.tables import mixed_frame, target


def problem(n_rows=103, task="classification", **options):
    frame = mixed_frame(n_rows)
    return make_problem(frame, target(frame, task), task=task, **options)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_folds_test_every_row_once_and_train_on_the_others(task):
    dealt = Resampling("folds", n_folds=7, n_repeats=3).splits(problem(task=task), seed=1)
    assert len(dealt) == 21
    for repeat in range(3):
        tests = [split.test for split in dealt if split.repeat == repeat]
        assert sorted(np.concatenate(tests).tolist()) == list(range(103))
        assert {len(test) for test in tests} <= {14, 15}
    for split in dealt:
        assert not set(split.train) & set(split.test)
        assert len(split.train) + len(split.test) == 103


def test_classes_are_spread_evenly():
    given = problem(200)
    share = np.bincount(given.places) / 200
    for split in Resampling("folds", n_folds=10).splits(given, seed=0):
        counts = np.bincount(given.places[split.test], minlength=3)
        assert (np.abs(counts - 20 * share) <= 1.0).all()


@pytest.mark.parametrize("kind", ["folds", "hold_out", "three_way", "bootstrap"])
def test_the_order_of_rows_does_not_matter(kind):
    frame = mixed_frame(90)
    y = target(frame, "classification")
    order = np.random.default_rng(0).permutation(90)
    one = Resampling(kind, n_folds=3).splits(make_problem(frame, y), seed=5)
    other = Resampling(kind, n_folds=3).splits(make_problem(frame.iloc[order], y[order]), seed=5)
    for first, second in zip(one, other, strict=True):
        assert sorted(first.test) == sorted(order[second.test])
        assert sorted(first.train) == sorted(order[second.train])


def test_another_seed_or_repeat_deals_anew():
    given = problem()
    tests = [
        tuple(split.test)
        for seed in (1, 2)
        for split in Resampling("folds", n_folds=4, n_repeats=2).splits(given, seed)
    ]
    assert len(set(tests)) == 16


def test_leave_one_out_leaves_each_row_out():
    dealt = Resampling("leave_one_out").splits(problem(20), seed=0)
    assert [split.test.tolist() for split in dealt] == [[row] for row in range(20)]


def test_three_way_chooses_on_a_quarter_and_tests_on_another():
    (split,) = Resampling("three_way").splits(problem(100), seed=0)
    assert len(split.test) == 25
    assert len(split.validation) == 25
    assert set(split.validation) < set(split.train)


def test_the_bootstrap_tests_what_it_did_not_draw():
    given = problem(400)
    sizes = []
    for split in Resampling("bootstrap", n_repeats=20).splits(given, seed=0):
        assert len(split.train) == 400
        assert set(split.test) == set(range(400)) - set(split.train)
        sizes.append(len(split.test) / 400)
    assert np.mean(sizes) == pytest.approx(np.exp(-1), abs=0.02)


def test_groups_are_never_parted():
    frame = mixed_frame(120).assign(patient=np.random.default_rng(0).integers(0, 17, 120))
    given = make_problem(frame, target(frame, "classification"), group="patient")
    assert "patient" not in given.table.names
    dealt = Resampling("group_folds", n_folds=5).splits(given, seed=0)
    for split in dealt:
        assert not set(given.groups[split.train]) & set(given.groups[split.test])
    assert sorted(np.concatenate([split.test for split in dealt])) == list(range(120))


def test_the_past_predicts_the_future_and_moments_are_not_parted():
    frame = pd.DataFrame({"x": np.arange(60.0) ** 1.5, "day": np.repeat(np.arange(20), 3)})
    given = make_problem(
        frame.iloc[::-1], np.arange(60.0)[::-1], time_column="day", task="regression"
    )
    dealt = Resampling("time_folds", n_folds=4).splits(given, seed=0)
    assert len(dealt) == Resampling("time_folds", n_folds=4).count(60) == 3
    for split in dealt:
        assert given.times[split.train].max() < given.times[split.test].min()


@pytest.mark.parametrize(
    ("way", "options", "kind"),
    [
        ({"kind": "magic"}, {}, ParameterError),
        ({"n_folds": 1}, {}, ParameterError),
        ({"kind": "hold_out", "fraction": 1.0}, {}, ParameterError),
        ({"kind": "group_folds"}, {}, ParameterError),
        ({"kind": "time_folds"}, {}, ParameterError),
        ({"n_folds": 2000}, {}, DataError),
    ],
)
def test_what_cannot_be_dealt_is_refused(way, options, kind):
    with pytest.raises(kind) as caught:
        Resampling(**way).splits(problem(**options), seed=0)
    assert isinstance(caught.value, BranchlineError)


def test_counts_agree_with_what_is_dealt():
    given = problem(40)
    for kind in ("folds", "leave_one_out", "hold_out", "three_way", "bootstrap"):
        way = Resampling(kind, n_folds=4, n_repeats=2)
        assert way.count(40) == len(way.splits(given, 0))


def test_the_task_follows_from_the_target():
    table = load_dataset("auto-mpg")
    assert make_problem(table, "mpg").task == "regression"
    assert make_problem(load_dataset("iris"), "species").task == "classification"
    assert make_problem([[1.0], [2.0], [3.0]], [0, 1, 0]).task == "classification"
    with pytest.warns(UserWarning, match="W008"):
        assert make_problem([[1.0]] * 9, [1, 2, 3] * 3).task == "regression"


def test_the_fingerprint_knows_rows_not_their_order():
    table = load_dataset("iris")
    order = np.random.default_rng(0).permutation(150)
    one, other = make_problem(table, "species"), make_problem(table.rows(order), "species")
    assert one.fingerprint == other.fingerprint
    assert one.fingerprint != make_problem(table.rows(order[1:]), "species").fingerprint


@pytest.mark.parametrize("kind", ["folds", "leave_one_out", "hold_out", "three_way"])
def test_splits_keep_the_rows_they_test_only(kind):
    given = problem(60)
    for split in Resampling(kind, n_folds=4).splits(given, 0):
        assert split.given is None  # n rows left out in turn would need n² places otherwise
        left_out = [] if split.left_out is None else split.left_out.tolist()
        assert len(left_out) == (2 if kind == "leave_one_out" else 0)  # a row of each other class
        assert sorted([*split.train, *split.test, *left_out]) == list(range(60))
        assert split.n_train == len(split.train)
        assert split.n_train == len(split.train)
