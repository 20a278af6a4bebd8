"""Rows are dealt to folds by what they hold: neither their order nor copies matter."""

import numpy as np
import pytest

from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.growing._dealing import deal_folds, deal_validation


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
    deals = deal_folds(growth(X, y), n_folds, 0)
    assert len(deals) == n_folds
    assert sorted(np.concatenate([deal.held_out for deal in deals]).tolist()) == list(range(60))
    for deal in deals:
        assert set(deal.grown.rows.tolist()) | set(deal.held_out.tolist()) == set(range(60))
        assert not set(deal.grown.rows.tolist()) & set(deal.held_out.tolist())
        assert deal.weight.tolist() == [1.0] * len(deal.held_out)


@pytest.mark.parametrize("n_folds", [2, 5, 10])
def test_classes_are_spread_evenly(n_folds):
    X, y = data(300)
    deals = deal_folds(growth(X, y), n_folds, 0)
    for label in (0, 1, 2):
        counts = [int((y[deal.held_out] == label).sum()) for deal in deals]
        assert max(counts) - min(counts) <= 1
    sizes = [len(deal.held_out) for deal in deals]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("fraction", [0.05, 0.25, 0.5, 0.9])
def test_a_validation_set_holds_its_share_of_each_class(fraction):
    X, y = data(1000)
    deal = deal_validation(growth(X, y), fraction, 0)
    assert len(deal.held_out) == pytest.approx(1000 * fraction, abs=10)
    for label in (0, 1, 2):
        here = (y[deal.held_out] == label).sum()
        assert here == pytest.approx(fraction * (y == label).sum(), abs=4)


@pytest.mark.parametrize("n_rows", [2, 3, 5, 11])
def test_few_rows_leave_something_on_both_sides(n_rows):
    X, _ = data(n_rows)
    y = np.arange(n_rows) % 2
    for fraction in (0.01, 0.25, 0.9):
        deal = deal_validation(growth(X, y), fraction, 0)
        assert len(deal.held_out) >= 1
        assert len(deal.grown.rows) >= 1
    assert len(deal_folds(growth(X, y), 10, 0)) == min(10, n_rows)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_order_of_rows_does_not_matter(kind):
    X, y = data()
    y = y if kind == "classes" else X[:, 0] * 3
    order = np.random.default_rng(1).permutation(60)
    first = deal_folds(growth(X, y), 5, 3)
    second = deal_folds(growth(X[order], y[order]), 5, 3)
    for one, other in zip(first, second, strict=True):
        assert contents(X, one.held_out) == contents(X[order], other.held_out)
    one, other = (deal_validation(growth(*rows), 0.3, 3) for rows in ((X, y), (X[order], y[order])))
    assert contents(X, one.held_out) == contents(X[order], other.held_out)


def test_the_seed_matters():
    X, y = data()
    held = {
        seed: tuple(contents(X, deal_folds(growth(X, y), 5, seed)[0].held_out)) for seed in range(4)
    }
    assert len(set(held.values())) == 4


@pytest.mark.parametrize("missing", ["learned", "fractional"])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_row_of_weight_k_is_k_copies(missing, kind):
    X, y = data(40)
    y = y if kind == "classes" else X[:, 0] * 3
    weight = np.random.default_rng(2).integers(1, 4, 40)
    weighed = growth(X, y, weight, missing)
    copied = growth(np.repeat(X, weight, axis=0), np.repeat(y, weight), None, missing)
    source = np.repeat(np.arange(40), weight)
    for one, other in zip(deal_folds(weighed, 5, 0), deal_folds(copied, 5, 0), strict=True):
        count = np.zeros(40)
        count[one.held_out] = one.weight
        assert count.tolist() == np.bincount(source[other.held_out], minlength=40).tolist()
        left = weight - count
        assert sorted(one.grown.rows.tolist()) == np.flatnonzero(left).tolist()
        tree, peer = (
            part.to_arrays(part.grow(deal.grown))
            for part, deal in ((weighed, one), (copied, other))
        )
        assert tree.value.tolist() == peer.value.tolist()
        assert tree.threshold.tolist() == peer.threshold.tolist()


def test_other_weights_are_not_copies():
    X, y = data(40)
    weight = np.random.default_rng(2).uniform(0.5, 3, 40)
    grown = growth(X, y, weight)
    deals = deal_folds(grown, 5, 0)
    assert sorted(np.concatenate([deal.held_out for deal in deals]).tolist()) == list(range(40))
    scaled = weight / weight.mean()
    for deal in deals:
        assert deal.weight == pytest.approx(scaled[deal.held_out])
        assert not set(deal.grown.rows.tolist()) & set(deal.held_out.tolist())


def test_equal_rows_can_be_told_apart_by_no_fold():
    """Copies of one row are dealt round the folds as if they were one row of that weight."""
    X, y = np.ones((20, 1)), np.array([0, 1] * 10)
    for deal in deal_folds(growth(X, y), 5, 0):
        assert np.bincount(y[deal.held_out]).tolist() == [2, 2]
