"""A forest's arrays: thresholds, single trees, sums, first trees, joining, rows going down."""

from dataclasses import replace

import numpy as np
import pytest

from branchline import Table
from branchline._codes import fit_codes
from branchline._trees._codes_in_use import codes_in_use, compacted, joined
from branchline._trees._tree_arrays import CATEGORIES, LEAF, Scale
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from unit.forest.forests import (
    COLUMNS,
    forest_of_trees,
    leaves_in,
    random_columns,
    random_forest,
    same_forest,
    slow_walker,
)

FORESTS = {
    "classes": {},
    "extra": {"midpoints": False},
    "two outputs": {"n_classes": None, "n_outputs": 2},
    "leaves": {"most_inner": 0},
    "one tree": {"n_trees": 1, "most_inner": 40},
}
EACH = pytest.mark.parametrize("name", FORESTS)


def numeric_table(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.nan_to_num(X[:, 0]) + rng.normal(size=n_rows)


class TestThresholds:
    def one_test(self, left, right, fraction):
        forest = random_forest(1, n_trees=1, most_inner=0)
        return replace(
            forest,
            n_nodes=np.array([3]),
            kind=np.array([1, 0, 0], np.uint8),
            feature=np.zeros(1, np.uint8),
            left_code=np.ones(1, np.uint8),
            right_code=np.array([2], np.uint8),
            fraction=np.array([fraction], np.uint8),
            missing_left=np.zeros(1, np.uint8),
            content=np.ones((2, 3), np.uint8),
            lowest=(np.array([left, right]), *forest.lowest[1:]),
            highest=(np.array([left, right]), *forest.highest[1:]),
            n_codes=np.array([2, *forest.n_codes[1:]]),
        ).thresholds()[0]

    def test_stand_between_values(self):
        assert self.one_test(1.0, 2.0, 128) == 1.5
        assert self.one_test(1.0, 2.0, 0) == 1.0
        assert self.one_test(1.0, 2.0, 64) == 1.25
        assert 1.99 < self.one_test(1.0, 2.0, 255) < 2.0

    @pytest.mark.parametrize("fraction", [0, 1, 128, 255])
    def test_never_reach_the_right_value(self, fraction):
        for left in (-1.0, 0.0, 1.0, 5e-324, -1e308):
            right = np.nextafter(left, np.inf)
            assert self.one_test(left, right, fraction) == left

    def test_do_not_overflow(self):
        most = np.finfo(float).max
        assert self.one_test(-most, most, 128) == 0
        assert np.isfinite(self.one_test(-most, most, 200))

    def test_the_midpoint_is_that_of_a_tree(self):
        X, y = numeric_table()
        tree = DecisionTreeRegressor(prune=None, max_depth=1).fit(X, y).tree_
        forest = forest_of_trees([tree], fit_codes(Table(X)))
        assert forest.thresholds()[0] == tree.threshold[0]

    def test_without_a_right_code_only_missing_values_go_right(self):
        forest = random_forest(4, most_inner=40)
        is_open = (forest.kind[forest.kind != LEAF] == 1) & (forest.right_code == 0)
        assert is_open.any()
        assert (forest.thresholds()[is_open] == np.inf).all()


class TestOneTree:
    @EACH
    def test_sends_rows_to_the_same_leaves(self, name):
        forest, columns = random_forest(2, **FORESTS[name]), random_columns(2)
        leaves = leaves_in(forest, columns)
        n_categories = np.array([names or -1 for names in COLUMNS], dtype=np.int32)
        for number in range(forest.n_trees):
            walker = forest.tree(number)._walker
            assert (walker.find_leaves(columns, n_categories, 1) == leaves[:, number]).all()

    @EACH
    def test_inner_nodes_are_the_sum_of_their_children(self, name):
        forest = random_forest(3, **FORESTS[name])
        for number in range(forest.n_trees):
            tree = forest.tree(number)
            for node in np.flatnonzero(~tree.is_leaf):
                first = tree.first_child[node]
                assert (tree.content[node] == tree.content[first : first + 2].sum(axis=0)).all()
            assert tree.max_depth == forest.depths()[number]
            assert tree.n_leaves == forest.n_leaves[number]

    def test_is_the_tree_it_was_made_of(self):
        X, y = numeric_table()
        grown = [
            DecisionTreeClassifier(prune=None).fit(X[rows], y[rows] > 0).tree_
            for rows in (slice(60), slice(60, None))
        ]
        forest = forest_of_trees(grown, fit_codes(Table(X)))
        for number, tree in enumerate(grown):
            again = forest.tree(number)
            for name in ("kind", "feature", "first_child", "n_children", "content", "value"):
                assert (getattr(again, name) == getattr(tree, name)).all(), name
            assert (again.find_leaves(Table(X), 1) == tree.find_leaves(Table(X), 1)).all()

    def test_spreads_are_those_between_leaves(self):
        X, y = numeric_table()
        tree = DecisionTreeRegressor(prune=None, max_depth=3).fit(X, y).tree_
        again = forest_of_trees([tree], fit_codes(Table(X))).tree(0)
        within = tree.spread[tree.is_leaf].sum()
        assert again.spread[0, 0] == pytest.approx(tree.spread[0, 0] - within)
        assert (again.spread[again.is_leaf] == 0).all()

    def test_pooled_names_have_the_branch_of_their_pool(self):
        forest = random_forest(6, n_trees=1, most_inner=60)
        pooling = np.array([0, 4, 1, 2, 4, 3, 4], dtype=np.int32)
        forest = replace(forest, pooling=(None, None, pooling, None, None))
        plain, tree = replace(forest, pooling=(None,) * 5).tree(0), forest.tree(0)
        nodes = np.flatnonzero((tree.kind == CATEGORIES) & (tree.feature == 2))
        assert len(nodes)
        for node in nodes:
            mine = tree.pool[tree.pool_offset[node] :][:7]
            assert (mine == plain.pool[plain.pool_offset[node] :][:5][pooling]).all()

    def test_there_is_no_other_tree(self):
        with pytest.raises(IndexError, match="trees 0 to 3; there is no tree 4"):
            random_forest().tree(4)


class TestSomeTrees:
    @EACH
    def test_the_first(self, name):
        forest = random_forest(6, **FORESTS[name])
        for count in range(1, forest.n_trees + 1):
            part = forest.first(count)
            assert part.n_trees == count
            for number in range(count):
                same_tree(part.tree(number), forest.tree(number))

    @EACH
    def test_joined(self, name):
        forest = random_forest(7, **FORESTS[name])
        both = joined(forest, forest)
        assert both.n_trees == 2 * forest.n_trees
        assert same_forest(both.first(forest.n_trees), forest)
        same_tree(both.tree(both.n_trees - 1), forest.tree(forest.n_trees - 1))

    def test_joined_with_codes_of_which_some_were_dropped(self):
        # The same seed: the same values of the columns.
        forest = random_forest(8, n_values=30, midpoints=False)
        other = random_forest(8, n_values=30, midpoints=False, n_trees=6)
        small = compacted(forest)
        assert small.n_codes.sum() < forest.n_codes.sum()
        for pair in ((small, other), (other, small), (small, compacted(other))):
            expected = np.concatenate([part.thresholds() for part in pair])
            assert joined(*pair).thresholds().tobytes() == expected.tobytes()

    def test_joined_is_as_narrow_as_it_can_be(self):
        forest = random_forest(9)
        wide = replace(forest, content=forest.content.astype(np.uint16) + 300)
        assert joined(forest, wide).content.dtype == np.uint16

    def test_forests_of_different_tables_are_not_joined(self):
        forest = random_forest(10)
        with pytest.raises(ValueError, match="one table only"):
            joined(forest, replace(forest, scale=Scale(0.5)))
        shifted = replace(forest, highest=tuple(high + 0.01 for high in forest.highest))
        with pytest.raises(ValueError, match="overlap"):
            joined(forest, shifted)


class TestCodesInUse:
    @EACH
    def test_thresholds_stay(self, name):
        for seed in range(20):
            forest = random_forest(seed, **FORESTS[name], n_values=15)
            small = compacted(forest)
            assert small.thresholds().tobytes() == forest.thresholds().tobytes()
            assert small.kind.tobytes() == forest.kind.tobytes()
            assert compacted(small) is small

    def test_every_code_is_used(self):
        in_use = codes_in_use(random_forest(1, n_values=40))
        feature = random_forest(1, n_values=40).feature
        for column, names in enumerate(COLUMNS):
            if names is None:
                here = feature == column
                codes = {*in_use.left_code[here].tolist(), *in_use.right_code[here].tolist()}
                assert codes - {0} == set(range(1, in_use.n_codes[column] + 1))


class TestRows:
    @EACH
    def test_average_and_leaves(self, name):
        forest, columns = random_forest(11, **FORESTS[name]), random_columns(11)
        n_categories = np.array([names or -1 for names in COLUMNS], dtype=np.int32)
        slow = slow_walker(forest)
        for first, count in ((0, -1), (0, 1), (forest.n_trees - 1, 1)):
            mean = forest.walker.average(columns, n_categories, 1, first, count)
            expected = slow.average(columns, None, 1, first, count)
            assert mean == pytest.approx(expected, rel=1e-13, abs=1e-300)
        leaves = forest.walker.find_leaves(columns, n_categories, 1)
        assert (leaves.reshape(60, -1) == leaves_in(forest, columns)).all()

    def test_leaf_numbers(self):
        forest, columns = random_forest(12), random_columns(12)
        numbers = forest.leaf_numbers(leaves_in(forest, columns))
        value = forest.leaf_value[numbers].mean(axis=1)
        assert np.ravel(value) == pytest.approx(slow_walker(forest).average(columns, None, 1))
        assert (numbers >= forest.first_leaf[:-1]).all()
        assert (numbers < forest.first_leaf[1:]).all()

    def test_tables_and_matrices(self):
        X, y = numeric_table()
        tree = DecisionTreeRegressor(prune=None).fit(X, y).tree_
        forest = forest_of_trees([tree, tree], fit_codes(Table(X)))
        expected = tree.value[tree.find_leaves(Table(X), 1)]
        assert (forest.average(Table(X), 1) == expected).all()
        assert (forest.average(Table(X), 1, first_tree=1, n_trees=1) == expected).all()
        assert (forest.average_of_few(X[:7]) == expected[:7]).all()
        assert (forest.find_leaves(Table(X), 1)[:, 1] == tree.find_leaves(Table(X), 1)).all()
        X[3, 1] = np.inf
        assert forest.average_of_few(X[:7]) is None


def same_tree(first, second):
    names = ("kind", "feature", "threshold", "first_child", "missing_branch", "pool_offset", "pool")
    for name in (*names, "content", "spread"):
        assert (getattr(first, name) == getattr(second, name)).all(), name
