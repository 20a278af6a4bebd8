"""Leave-one-out with the same shares of classes in every training set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline._even_shares import keeps_shares, leave_one_out
from branchline._folds import FoldRows
from branchline.assess import compare
from branchline.assess._rows_to_split import rows_to_split
from branchline.table import as_table


def rows_of(X: np.ndarray, y: np.ndarray) -> FoldRows:
    classes = np.unique(y)
    return rows_to_split(as_table(X), y, classes)


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_every_training_set_lacks_as_many_rows_of_each_class(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.r_[np.repeat(np.arange(n_classes), 4), rng.integers(0, n_classes, 30)]
    rows = rows_of(rng.normal(size=(len(y), 3)), y)
    counts, times = np.bincount(y), np.zeros(len(y), dtype=int)
    folds = list(leave_one_out(rows))
    assert len(folds) == len(y)
    for fold in folds:
        assert (np.bincount(y[fold.learn_rows], minlength=n_classes) == counts - 1).all()
        assert not set(fold.test_rows) & set(fold.learn_rows)
        times[fold.learn == 0] += 1
    for k in range(n_classes):  # rows of a class take turns
        assert np.ptp(times[y == k]) <= n_classes - 1


def test_copies_leave_together_and_the_shares_still_stay() -> None:
    rng = np.random.default_rng(1)
    source = np.r_[np.arange(30), [0, 0, 1, 16]]
    X, y = rng.normal(size=(30, 2))[source], (np.arange(30) % 2)[source]
    for fold in leave_one_out(rows_of(X, y)):
        left = np.bincount(y, minlength=2) - np.bincount(y[fold.learn_rows], minlength=2)
        assert left[0] == left[1] == len(fold.test_rows)
        assert not set(source[fold.test_rows]) & set(source[fold.learn_rows])


def test_the_order_of_the_table_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(24, 2)), rng.integers(0, 2, 24)
    order = rng.permutation(24)
    one = {int(f.test_rows[0]): set(f.learn_rows.tolist()) for f in leave_one_out(rows_of(X, y))}
    for fold in leave_one_out(rows_of(X[order], y[order])):
        assert set(order[fold.learn_rows].tolist()) == one[int(order[fold.test_rows[0]])]


def test_a_class_keeps_a_row() -> None:
    X, y = np.arange(12.0)[:, None], np.r_[np.zeros(11, dtype=int), 1]
    for fold in leave_one_out(rows_of(X, y)):
        assert len(fold.test_rows) == 1
        assert 11 in fold.learn_rows or 11 in fold.test_rows


def test_few_rows_and_numbers_are_left_out_alone() -> None:
    X = np.arange(6.0)[:, None]
    few = rows_of(X, np.arange(6) % 2)
    assert not keeps_shares(few)
    assert all(len(fold.learn_rows) == 5 for fold in leave_one_out(few))
    numbers = rows_to_split(as_table(X), np.arange(6.0), None)
    assert all(len(fold.learn_rows) == 5 for fold in leave_one_out(numbers))


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
def test_the_baseline_is_recommended_where_columns_tell_nothing() -> None:
    """Other shares in each training set made a learner of noise "better" in 28 of 40 tables."""
    y = np.arange(20) % 2
    for seed in range(8):
        X = np.random.default_rng(seed).normal(size=(20, 4))
        found = compare(X, y, learners="one_rule,naive_bayes", resampling="leave_one_out")
        assert found.score("baseline").estimate == 0.5
        assert found.recommendation.learner == "baseline"
