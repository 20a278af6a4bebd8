"""Quantiles of a forest: the targets in leaves, and their weighted quantiles."""

import numpy as np
import pytest

from branchline._trees._packing import to_planes
from branchline.errors import ModelFileError
from branchline.forest import _quantiles
from branchline.forest._quantiles import (
    leaf_targets,
    pack_leaf_targets,
    quantiles,
    unpack_leaf_targets,
)
from branchline.tree import DecisionTreeRegressor
from unit.forest.forests import bag_counts, grown_forest, leaves_in

PROBABILITIES = [0.0, 0.05, 0.25, 0.5, 0.9, 1.0]
N_ROWS, N_TREES = 120, 7


def deep():
    return DecisionTreeRegressor(prune=None, min_samples_leaf=5)


def shallow():
    return DecisionTreeRegressor(prune=None, max_depth=1)


def fitted(make=deep, *, decimals=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 2)).round(1)
    y = (X[:, 0] + rng.normal(size=N_ROWS)).round(decimals)
    counts = bag_counts(seed, N_ROWS, N_TREES)
    forest = grown_forest(make, X, y, counts)
    leaves = leaves_in(forest, list(X.T))
    return forest, leaves, counts, y


def targets_of(forest, leaves, counts, y, units=None):
    return leaf_targets(forest, leaves, lambda tree: counts[tree], y, units)


def slow_quantile(leaves, row, counts, y, probability):
    """Return the quantile by the definition, from the training rows themselves."""
    weight = np.zeros(len(y))
    for tree, count in enumerate(counts):
        held = count * (leaves[:, tree] == row[tree])
        weight += held / held.sum() / len(counts)
    order = np.argsort(y, kind="stable")
    order = order[weight[order] > 0]
    reached = np.cumsum(weight[order])
    enough = np.flatnonzero(reached >= min(probability - 1e-12, reached[-1]))
    return y[order[enough[0]]]


class TestLeafTargets:
    def test_hold_the_sample_of_their_tree(self):
        forest, leaves, counts, y = fitted()
        targets = targets_of(forest, leaves, counts, y)
        numbers = forest.leaf_numbers(leaves)
        for leaf in range(int(forest.first_leaf[-1])):
            tree = np.searchsorted(forest.first_leaf, leaf, side="right") - 1
            rows = np.flatnonzero(numbers[:, tree] == leaf)
            expected = np.sort(np.repeat(y[rows], counts[tree, rows]))
            mine = slice(targets.offset[leaf], targets.offset[leaf + 1])
            found = np.repeat(targets.values[targets.place[mine]], targets.times[mine])
            assert (found == expected).all()

    def test_are_narrow(self):
        targets = targets_of(*fitted())
        assert targets.place.dtype == np.uint8
        assert targets.times.dtype == np.uint8

    def test_units_count_as_copies(self):
        forest, leaves, counts, y = fitted()
        units = np.random.default_rng(1).integers(1, 4, N_ROWS)
        with_units = targets_of(forest, leaves, counts, y, units)
        copies = targets_of(forest, leaves, counts * units.astype(np.uint32), y)
        assert (with_units.times == copies.times).all()
        assert (with_units.place == copies.place).all()


class TestQuantiles:
    @pytest.mark.parametrize("make", [deep, shallow])
    @pytest.mark.parametrize("decimals", [0, 1, 9])
    def test_are_those_of_the_definition(self, make, decimals):
        forest, leaves, counts, y = fitted(make, decimals=decimals)
        targets = targets_of(forest, leaves, counts, y)
        found = quantiles(forest, targets, leaves, PROBABILITIES)
        expected = [
            [slow_quantile(leaves, row, counts, y, p) for p in PROBABILITIES] for row in leaves
        ]
        assert (found == np.array(expected)).all()

    @pytest.mark.parametrize("make", [deep, shallow])
    def test_of_one_row_are_those_in_a_batch(self, make, monkeypatch):
        forest, leaves, counts, y = fitted(make)
        targets = targets_of(forest, leaves, counts, y)
        whole = quantiles(forest, targets, leaves, PROBABILITIES)
        alone = [quantiles(forest, targets, row[None], PROBABILITIES)[0] for row in leaves]
        assert (whole == np.array(alone)).all()
        monkeypatch.setattr(_quantiles, "_BLOCK_ENTRIES", 500)
        assert (quantiles(forest, targets, leaves, PROBABILITIES) == whole).all()

    def test_rounding_does_not_decide(self):
        """Ten rows in one leaf: a tenth of the weight is reached by the first of them."""
        forest, leaves, _, _ = fitted(lambda: DecisionTreeRegressor(max_depth=1, min_gain=1e9))
        assert (forest.n_nodes == 1).all()
        counts = np.zeros((N_TREES, N_ROWS), dtype=np.uint32)
        counts[:, :10] = 1
        targets = targets_of(forest, leaves, counts, np.arange(float(N_ROWS)))
        steps = np.arange(1, 11) / 10
        assert quantiles(forest, targets, leaves[:1], steps).tolist() == [list(range(10))]

    def test_no_rows(self):
        forest, leaves, counts, y = fitted()
        targets = targets_of(forest, leaves, counts, y)
        assert quantiles(forest, targets, leaves[:0], [0.5]).shape == (0, 1)


class TestPacking:
    def test_the_same_bits(self):
        forest, leaves, counts, y = fitted()
        targets = targets_of(forest, leaves, counts, y)
        again = unpack_leaf_targets(pack_leaf_targets(targets), forest)
        for name in ("values", "offset", "place", "times"):
            before, after = getattr(targets, name), getattr(again, name)
            assert before.dtype == after.dtype
            assert (before == after).all()

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("target_values", lambda a: a[::-1].copy()),
            ("target_values", lambda a: np.full_like(a, 255)),
            ("target_values", lambda a: a[:-1]),
            ("targets_of_leaf", lambda a: np.zeros_like(a)),
            ("targets_of_leaf", lambda a: np.roll(a, 1)),
            ("target_place", lambda a: a[::-1].copy()),
            ("target_place", lambda a: np.full_like(a, 255)),
            ("target_times", lambda a: a + np.uint8(1)),
            ("target_times", lambda a: np.zeros_like(a)),
            ("target_times", lambda a: a[1:]),
        ],
    )
    def test_what_no_fit_could_have_produced_is_refused(self, name, change):
        forest, *rest = fitted()
        packed = pack_leaf_targets(targets_of(forest, *rest))
        with pytest.raises(ModelFileError):
            unpack_leaf_targets({**packed, name: change(packed[name])}, forest)

    def test_far_too_many_entries_are_refused(self):
        forest, *rest = fitted()
        packed = pack_leaf_targets(targets_of(forest, *rest))
        many = to_planes(np.full(int(forest.first_leaf[-1]), 2**60))
        with pytest.raises(ModelFileError, match="too many"):
            unpack_leaf_targets({**packed, "targets_of_leaf": many}, forest)
