"""Forests as kernels: shares of trees, and predictions as weighted sums of targets."""

import numpy as np
import pytest

from branchline.errors import DataError
from branchline.forest import _kernel
from branchline.forest._kernel import forest_kernel, proximity
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from unit.forest.forests import (
    bag_counts,
    grown_forest,
    leaves_in,
    random_columns,
    random_forest,
    slow_walker,
)


def grown(task, counts, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(counts.shape[1], 3)).round(1)
    y = X[:, 0] + rng.normal(size=len(X))
    if task == "numbers":
        return grown_forest(numbers_tree, X, y, counts), (X, y[:, None])
    labels = np.digitize(y, [-0.5, 0.5])
    return grown_forest(classes_tree, X, labels, counts), (X, np.eye(3)[labels])


def numbers_tree():
    return DecisionTreeRegressor(prune=None, max_depth=4)


def classes_tree():
    return DecisionTreeClassifier(prune=None, max_depth=4)


class TestProximity:
    def test_is_the_share_of_trees(self):
        forest = random_forest(1, n_trees=6)
        mine = leaves_in(forest, random_columns(1, 20))
        others = leaves_in(forest, random_columns(2, 30))
        expected = (mine[:, None, :] == others[None, :, :]).mean(axis=2)
        assert (proximity(mine, others, forest.n_nodes) == expected).all()

    def test_of_a_row_and_itself_is_one(self):
        forest = random_forest(2, n_trees=7)
        leaves = leaves_in(forest, random_columns(2))
        alike = proximity(leaves, leaves, forest.n_nodes)
        assert (np.diag(alike) == 1).all()
        assert (alike == alike.T).all()

    def test_blocks_change_nothing(self, monkeypatch):
        forest = random_forest(3)
        leaves = leaves_in(forest, random_columns(3))
        whole = proximity(leaves, leaves, forest.n_nodes)
        monkeypatch.setattr(_kernel, "_BLOCK_BYTES", 1)
        assert (proximity(leaves, leaves, forest.n_nodes) == whole).all()

    def test_no_rows(self):
        forest = random_forest(4)
        leaves = leaves_in(forest, random_columns(4))
        assert proximity(leaves[:0], leaves, forest.n_nodes).shape == (0, 60)
        assert proximity(leaves, leaves[:0], forest.n_nodes).shape == (60, 0)

    def test_more_than_the_budget_is_refused(self, monkeypatch):
        monkeypatch.setenv("BRANCHLINE_MEMORY", "1000")
        forest = random_forest(5)
        leaves = leaves_in(forest, random_columns(5))
        with pytest.raises(DataError, match="each pair of rows"):
            proximity(leaves, leaves, forest.n_nodes)


class TestKernel:
    @pytest.mark.parametrize("task", ["classes", "numbers"])
    def test_times_targets_is_the_prediction(self, task):
        counts = bag_counts(0, 80, 6)
        forest, (X, y) = grown(task, counts)
        new = np.random.default_rng(1).normal(size=(30, 3))
        kernel = forest_kernel(
            forest,
            leaves_in(forest, list(new.T)),
            leaves_in(forest, list(X.T)),
            lambda tree: counts[tree].astype(np.float64),
        )
        predicted = slow_walker(forest).average(list(new.T), None, 1).reshape(30, -1)
        assert kernel @ y == pytest.approx(predicted, abs=1e-8)
        assert kernel.sum(axis=1) == pytest.approx(1)

    def test_without_weights_where_trees_have_seen_every_row_once(self):
        counts = np.ones((4, 60), dtype=np.uint32)
        forest, (X, y) = grown("numbers", counts)
        leaves = leaves_in(forest, list(X.T))
        predicted = slow_walker(forest).average(list(X.T), None, 1)
        kernel = forest_kernel(forest, leaves, leaves)
        assert (kernel @ y)[:, 0] == pytest.approx(predicted, abs=1e-8)
        assert kernel == pytest.approx(kernel.T)

    def test_of_one_tree_is_one_over_the_weight_of_the_leaf(self):
        forest = random_forest(6, n_trees=1)
        leaves = leaves_in(forest, random_columns(6))
        tree = forest.tree(0)
        same = leaves == leaves.T
        expected = np.where(same, 1 / tree.weight[leaves], 0)
        assert forest_kernel(forest, leaves, leaves) == pytest.approx(expected)
