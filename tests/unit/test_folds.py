"""The owner of folds: copies, groups, times, classes, weights; nothing depends on row order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline._folds import FoldRows, fold_rows
from branchline._validation import Owner, check_training_data
from branchline.table import Table

seeds = st.integers(0, 2**32 - 1)


def rows_of(X, y, weight=None, groups=None, times=None) -> FoldRows:
    task = "classification" if np.asarray(y).dtype.kind in "iUO" else "regression"
    table = Table(np.asarray(X, dtype=float)).with_groups(groups).with_times(times)
    return fold_rows(check_training_data(table, y, weight, task=task, owner=Owner("x", None)))


def draw(seed, n_rows=60, n_values=None, n_classes=3):
    rng = np.random.default_rng(seed)
    shape = (n_rows, 3)
    X = rng.normal(size=shape) if n_values is None else rng.integers(0, n_values, shape) + 0.0
    return X, rng.integers(0, n_classes, n_rows)


def contents(X, fold):
    return sorted(map(tuple, X[fold.test_rows].tolist()))


@given(seeds, st.integers(2, 12), st.sampled_from([None, 2, 4, 9]))
def test_folds_share_out_all_rows(seed, n_folds, n_values):
    X, y = draw(seed, n_values=n_values)
    rows = rows_of(X, y)
    folds = rows.split(n_folds, seed)
    assert (sum(fold.test for fold in folds) == rows.units).all()
    for fold in folds:
        assert (fold.learn + fold.test == rows.units).all()
        assert fold.test.any()
        assert fold.learn.any()


@given(seeds, st.sampled_from([None, 2, 4]), st.booleans())
def test_neither_row_order_nor_column_order_matters(seed, n_values, is_class):
    X, y = draw(seed, n_values=n_values)
    y = y if is_class else y + 0.5
    order = np.random.default_rng(seed).permutation(len(X))
    first, second = rows_of(X, y), rows_of(X[order][:, [2, 0, 1]], y[order])
    moved = X[order]
    for one, other in zip(first.split(5, 3), second.split(5, 3), strict=True):
        assert contents(X, one) == contents(moved, other)
    one, other = (rows.hold_out(0.3, 3) for rows in (first, second))
    assert contents(X, one) == contents(moved, other)


@given(seeds, st.sampled_from([None, 2, 6]), st.booleans())
def test_weight_k_is_k_copies(seed, n_values, is_class):
    X, y = draw(seed, n_values=n_values)
    y = y if is_class else y + 0.5
    weight = np.random.default_rng(seed).integers(1, 5, len(X))
    source = np.repeat(np.arange(len(X)), weight)
    weighed, copied = rows_of(X, y, weight), rows_of(X[source], y[source])
    for one, other in zip(weighed.split(5, 1), copied.split(5, 1), strict=True):
        count = np.bincount(source, other.test, minlength=len(X))
        content = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)[1].ravel()
        assert np.bincount(content, one.test).tolist() == np.bincount(content, count).tolist()


@given(seeds, st.integers(2, 10))
def test_copies_of_a_row_are_never_on_both_sides(seed, n_folds):
    X = draw(seed)[0]
    rng = np.random.default_rng(seed)
    source = rng.integers(0, 60, 200)
    labels = rng.integers(0, 3, 200)  # equal inputs, whatever their class
    rows = rows_of(X[source], labels)
    for fold in [*rows.split(n_folds, seed), rows.hold_out(0.3, seed), *rows.leave_one_out()]:
        assert not set(source[fold.test_rows]) & set(source[fold.learn_rows])
    drawn, left_out = rows.bootstrap(rng)
    assert not set(source[drawn]) & set(source[left_out])


def test_measurements_at_the_same_inputs_are_rows_of_their_own():
    """A third of the rows has no known input: they are no copies of each other."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 1)), rng.normal(size=300)
    x[::3] = np.nan
    rows = rows_of(x, y)
    unknown = [int(np.isnan(x[fold.test_rows]).sum()) for fold in rows.split(5)]
    assert max(unknown) < 40
    assert len(np.unique(rows.owner_of_row)) == 300
    classes = rows_of(x, rng.integers(0, 2, 300))
    assert len(np.unique(classes.block_of_row)) == 201
    assert len(np.unique(classes.owner_of_row)) == 202


def test_a_table_of_few_possible_rows_repeats_rows_by_nature():
    """Four cells seen 60 times: no fold may lose a cell, or hold out one class of it only."""
    X, y = draw(0, 240, n_values=2, n_classes=2)
    X[:, 2] = X[:, 0]  # a copy of a column makes no new rows possible
    rows = rows_of(X, y)
    assert rows.is_saturated
    cells = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    for fold in rows.split(5):
        assert set(cells[fold.learn_rows]) == set(cells)
    assert not rows_of(np.arange(240.0)[:, None], y).is_saturated


@pytest.mark.parametrize("n_times", [2, 3, 10])
def test_numbers_and_tables_given_several_times_are_copies(n_times):
    X, y = draw(0, 30, n_values=2)
    for inputs in (np.arange(30.0)[:, None], X + np.arange(30)[:, None]):
        assert not rows_of(np.tile(inputs, (n_times, 1)), np.tile(y, n_times)).is_saturated
        assert not rows_of(inputs, y, np.full(30, n_times)).is_saturated
    uneven = np.random.default_rng(0).integers(1, 2 * n_times, 30)
    assert not rows_of(np.arange(30.0)[:, None], y, uneven).is_saturated


def test_a_full_factorial_table_given_twice_is_copies():
    grid = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T + 0.0
    rows = rows_of(np.tile(grid, (2, 1)), np.arange(54) % 2)
    assert not rows.is_saturated
    for fold in rows.split(9):
        assert not set(fold.test_rows % 27) & set(fold.learn_rows % 27)


@given(seeds, st.integers(2, 8))
def test_classes_and_sizes_are_even(seed, n_folds):
    X, y = draw(seed, 120)
    folds = rows_of(X, y).split(n_folds, seed)
    for label in range(3):
        counts = [int((y[fold.test_rows] == label).sum()) for fold in folds]
        assert max(counts) - min(counts) <= 1
    sizes = [len(fold.test_rows) for fold in folds]
    assert max(sizes) - min(sizes) <= 1


@given(seeds)
def test_uneven_copies_make_folds_of_about_even_weight(seed):
    X, y = draw(seed, 200)
    weight = np.random.default_rng(seed).integers(1, 9, 200)
    sizes = [fold.test.sum() for fold in rows_of(X, y, weight).split(5, seed)]
    assert max(sizes) - min(sizes) <= 0.35 * np.mean(sizes)


@given(seeds, st.floats(0.01, 0.9), st.integers(0, 12))
def test_a_held_out_part_leaves_every_class(seed, fraction, turn):
    X, y = draw(seed, 40, n_classes=6)
    fold = rows_of(X, y).hold_out(fraction, seed, turn)
    if fold is not None:
        assert fold.test.any()
        assert set(y[fold.learn_rows]) == set(y)
    for kept in rows_of(X, y).split(5, keep_classes=True):
        assert set(y[kept.learn_rows]) == set(y)


def test_turns_hold_out_other_rows():
    X, y = draw(0, 100)
    rows = rows_of(X, y)
    turns = {tuple(rows.hold_out(0.2, turn=turn).test_rows) for turn in range(5)}
    assert len(turns) == 5


@given(seeds, st.integers(2, 6))
def test_groups_are_never_split(seed, n_folds):
    X, y = draw(seed)
    groups = np.array([f"g{number}" for number in np.random.default_rng(seed).integers(0, 9, 60)])
    rows = rows_of(X, y, groups=groups)
    order = np.random.default_rng(seed).permutation(60)
    again = rows_of(X[order], y[order], groups=groups[order])
    for one, other in zip(rows.split(n_folds), again.split(n_folds), strict=True):
        assert not set(groups[one.test_rows]) & set(groups[one.learn_rows])
        assert contents(X, one) == contents(X[order], other)


def test_one_group_is_no_group():
    X, y = draw(0)
    assert len(rows_of(X, y, groups=["a"] * 60).split(5)) == 5


@given(seeds, st.integers(2, 6))
def test_the_past_predicts_the_future(seed, n_folds):
    X, y = draw(seed)
    times = np.random.default_rng(seed).integers(0, 20, 60)
    rows = rows_of(X, y, times=times)
    for fold in [*rows.split(n_folds), rows.hold_out(0.25)]:
        assert times[fold.learn_rows].max() < times[fold.test_rows].min()


def test_fractional_weights_are_relative():
    X, y = draw(0)
    weight = np.random.default_rng(1).uniform(0.1, 3, 60)
    one, other = (rows_of(X, y, scale * weight).split(5) for scale in (1.0, 7.3))
    for mine, theirs in zip(one, other, strict=True):
        assert mine.test_rows.tolist() == theirs.test_rows.tolist()


@pytest.mark.parametrize("weight", [1.0, 2.0, 0.37])
def test_how_many_rows_weights_are_worth(weight):
    X, y = draw(0)
    rows = rows_of(X, y, np.full(60, weight))
    total = rows.units.sum() * rows.unit
    assert rows.effective_rows(total) == pytest.approx(60)
    uneven = rows_of(X, y, np.r_[np.full(59, 1), 1000])
    assert uneven.effective_rows(1059) == pytest.approx(1059**2 / (59 + 1000**2))


def test_a_single_row_cannot_be_split():
    rows = rows_of([[1.0]], [2.5])
    assert rows.split(5) == []
    assert rows.hold_out(0.5) is None


def test_weights_of_a_few_rows_are_copies():
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 1, 0])
    weight = np.array([3, 9, 2, 5, 7, 30])
    assert rows_of(X, y, weight).is_saturated
    assert rows_of(np.repeat(X, weight, axis=0), np.repeat(y, weight)).is_saturated


def test_a_class_that_comes_late_is_not_expected_of_early_folds():
    y = np.repeat([0, 1, 2], [100, 85, 15])
    rows = rows_of(draw(0, 200)[0], y, times=np.arange(200))
    for fold in rows.split(5, keep_classes=True):
        assert set(y[fold.learn_rows]) == {0, 1, 2}
