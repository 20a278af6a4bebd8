"""What folds mean for a tree: neither the order of rows nor copies matter."""

import numpy as np
import pytest

from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.growing._held_out import hold_out, split_folds


def growth(X, y, sample_weight=None, missing="learned"):
    is_class = np.asarray(y).dtype.kind in "iU"
    tree = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    return tree(prune=None, missing=missing).fit(X, y, sample_weight)._remembered.growth


def data(n_rows=60, seed=0, shares=(0.6, 0.3, 0.1)):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, 2)), rng.choice(len(shares), n_rows, p=shares)


def contents(X, rows):
    return sorted(map(tuple, X[rows].tolist()))


@pytest.mark.parametrize("n_folds", [2, 5, 10])
def test_each_row_is_held_out_once(n_folds):
    X, y = data()
    folds = split_folds(growth(X, y), n_folds, 0)
    assert len(folds) == n_folds
    assert sorted(np.concatenate([held.rows for held in folds]).tolist()) == list(range(60))
    for held in folds:
        assert set(held.grown.rows.tolist()) | set(held.rows.tolist()) == set(range(60))
        assert not set(held.grown.rows.tolist()) & set(held.rows.tolist())
        assert held.weight.tolist() == [1.0] * len(held.rows)


@pytest.mark.parametrize("n_folds", [2, 5, 10])
def test_classes_are_spread_evenly(n_folds):
    X, y = data(300)
    folds = split_folds(growth(X, y), n_folds, 0)
    for label in (0, 1, 2):
        counts = [int((y[held.rows] == label).sum()) for held in folds]
        assert max(counts) - min(counts) <= 1
    sizes = [len(held.rows) for held in folds]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("fraction", [0.05, 0.25, 0.5, 0.9])
def test_a_validation_set_holds_its_share_of_each_class(fraction):
    X, y = data(1000)
    held = hold_out(growth(X, y), fraction, 0)
    assert len(held.rows) == pytest.approx(1000 * fraction, abs=10)
    for label in (0, 1, 2):
        here = (y[held.rows] == label).sum()
        assert here == pytest.approx(fraction * (y == label).sum(), abs=4)


@pytest.mark.parametrize("n_rows", [2, 3, 5, 11])
def test_few_rows_leave_something_on_both_sides(n_rows):
    X, _ = data(n_rows)
    y = np.arange(n_rows) % 2
    for fraction in (0.01, 0.25, 0.9):
        held = hold_out(growth(X, y), fraction, 0)
        if held is None:  # the rows of a class are never all held out
            assert n_rows <= 3 or fraction == 0.9
            continue
        assert len(held.rows) >= 1
        assert set(y[held.grown.rows]) == set(y)
    assert len(split_folds(growth(X, y), 10, 0)) == min(10, n_rows)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_order_of_rows_does_not_matter(kind):
    X, y = data()
    y = y if kind == "classes" else X[:, 0] * 3
    order = np.random.default_rng(1).permutation(60)
    first = split_folds(growth(X, y), 5, 3)
    second = split_folds(growth(X[order], y[order]), 5, 3)
    for one, other in zip(first, second, strict=True):
        assert contents(X, one.rows) == contents(X[order], other.rows)
    one, other = (hold_out(growth(*rows), 0.3, 3) for rows in ((X, y), (X[order], y[order])))
    assert contents(X, one.rows) == contents(X[order], other.rows)


def test_the_seed_matters():
    X, y = data()
    found = {
        seed: tuple(contents(X, split_folds(growth(X, y), 5, seed)[0].rows)) for seed in range(4)
    }
    assert len(set(found.values())) == 4


@pytest.mark.parametrize("missing", ["learned", "fractional"])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_row_of_weight_k_is_k_copies(missing, kind):
    X, y = data(40)
    y = y if kind == "classes" else X[:, 0] * 3
    weight = np.random.default_rng(2).integers(1, 4, 40)
    weighed = growth(X, y, weight, missing)
    copied = growth(np.repeat(X, weight, axis=0), np.repeat(y, weight), None, missing)
    source = np.repeat(np.arange(40), weight)
    for one, other in zip(split_folds(weighed, 5, 0), split_folds(copied, 5, 0), strict=True):
        count = np.zeros(40)
        count[one.rows] = one.weight
        assert count.tolist() == np.bincount(source[other.rows], minlength=40).tolist()
        left = weight - count
        assert sorted(one.grown.rows.tolist()) == np.flatnonzero(left).tolist()
        tree, peer = (
            part.to_arrays(part.grow(held.grown))
            for part, held in ((weighed, one), (copied, other))
        )
        assert tree.value.tolist() == peer.value.tolist()
        assert tree.threshold.tolist() == peer.threshold.tolist()


def test_other_weights_are_not_copies():
    X, y = data(40)
    weight = np.random.default_rng(2).uniform(0.5, 3, 40)
    grown = growth(X, y, weight)
    folds = split_folds(grown, 5, 0)
    assert sorted(np.concatenate([held.rows for held in folds]).tolist()) == list(range(40))
    scaled = weight / weight.mean()
    for held in folds:
        assert held.weight == pytest.approx(scaled[held.rows])
        assert not set(held.grown.rows.tolist()) & set(held.rows.tolist())


def test_copies_of_a_row_are_held_out_together():
    X, y = data(60)
    source = np.repeat(np.arange(60), 3)
    for held in split_folds(growth(X[source], y[source]), 5, 0):
        assert not set(source[held.rows]) & set(source[held.grown.rows])


def test_copies_are_rows_where_few_rows_are_possible():
    X, y = np.ones((20, 1)), np.array([0, 1] * 10)
    for held in split_folds(growth(X, y), 5, 0):
        assert np.bincount(y[held.rows]).tolist() == [2, 2]
