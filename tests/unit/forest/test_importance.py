"""What columns contribute to a forest: against a tree's importances and a walk row by row."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from branchline._codes import fit_codes
from branchline._trees._tree_arrays import Scale
from branchline.forest._importance import corrected_importances, impurity_importances
from branchline.table import Table
from branchline.table._schema import float_schema
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.reading._importance import importances, impurities
from unit.forest.forests import (
    COLUMNS,
    bag_counts,
    forest_of_trees,
    grown_forest,
    held_by_leaves,
    random_forest,
)

N_COLUMNS = len(COLUMNS)


def classes_tree():
    return DecisionTreeClassifier(prune=None, correct_for_chance=False)


def numbers_tree():
    return DecisionTreeRegressor(prune=None, correct_for_chance=False)


def small_table(n_rows=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).round(1)
    X[:, 3] = X[:, 3] > 0
    return X, X[:, 0] + rng.normal(size=n_rows)


class TestImpurity:
    @pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "gain_ratio"])
    def test_is_the_mean_of_the_trees(self, criterion):
        forest = random_forest(1, n_trees=7, most_inner=20)
        total = np.zeros(N_COLUMNS)
        for tree in (forest.tree(number) for number in range(forest.n_trees)):
            amount = tree.weight * impurities(tree, criterion)
            for node in np.flatnonzero(~tree.is_leaf):
                first = tree.first_child[node]
                gain = max(amount[node] - amount[first] - amount[first + 1], 0)
                total[tree.feature[node]] += gain / tree.weight[0]
        found = impurity_importances(forest, N_COLUMNS, criterion)
        assert found == pytest.approx(total / total.sum())

    @pytest.mark.parametrize("n_classes", [3, None])
    def test_of_one_tree(self, n_classes):
        forest = random_forest(2, n_trees=1, n_classes=n_classes, n_outputs=2, most_inner=30)
        expected = importances(forest.tree(0), float_schema(N_COLUMNS, None), "gini")
        assert impurity_importances(forest, N_COLUMNS, "gini") == pytest.approx(expected)

    def test_leaves_only(self):
        forest = random_forest(3, most_inner=0)
        assert (impurity_importances(forest, N_COLUMNS, "gini") == 0).all()

    def test_agrees_with_scikit_learn(self):
        """Both grow by the same rule on samples of their own: shares agree within chance."""
        X, y = small_table(300)
        forest = grown_forest(numbers_tree, X, y, bag_counts(0, 300, 30))
        theirs = RandomForestRegressor(30, random_state=0).fit(X, y).feature_importances_
        ours = impurity_importances(forest, 4, "variance")
        assert ours == pytest.approx(theirs, abs=0.05)


def row_by_row(forest, X, y, counts):
    """Return the formula of Li and others row by row, targets less their mean in the node."""
    names, total, n_trees = np.unique(y), np.zeros(X.shape[1]), 0
    for number, count in enumerate(counts):
        tree, unseen = forest.tree(number), np.flatnonzero(count == 0)
        if not len(unseen):
            continue
        n_trees += 1
        targets = {
            row: y[row] - tree.value[0] if names.dtype == float else (names == y[row]) * 1.0
            for row in unseen
        }
        rows_of = [(0, list(unseen))]
        while rows_of:
            node, rows = rows_of.pop()
            if tree.is_leaf[node] or not rows:
                continue
            mean = np.mean([targets[row] for row in rows], axis=0)
            went = {0: [], 1: []}
            for row in rows:
                right = int(X[row, tree.feature[node]] > tree.threshold[node])
                child = tree.first_child[node] + right
                gain = (tree.value[child] - tree.value[node]) @ (targets[row] - mean)
                total[tree.feature[node]] += gain / len(unseen)
                went[right].append(row)
            rows_of += [(tree.first_child[node] + branch, went[branch]) for branch in (0, 1)]
    return total / max(n_trees, 1)


class TestCorrected:
    @pytest.mark.parametrize("task", ["classes", "numbers"])
    def test_is_the_sum_over_rows(self, task):
        X, y = small_table()
        counts = bag_counts(1, len(y), 8)
        counts[3] = 1  # a tree that has seen every row
        if task == "classes":
            y = np.digitize(y, [-0.5, 0.5])
            forest = grown_forest(classes_tree, X, y, counts)
        else:
            forest = grown_forest(numbers_tree, X, y, counts)
        raw, shares = corrected_importances(
            forest, held_by_leaves(forest, X, y, counts == 0), X.shape[1]
        )
        assert raw == pytest.approx(row_by_row(forest, X, y, counts), rel=1e-6, abs=1e-9)
        assert shares.sum() == pytest.approx(1)
        assert (shares >= 0).all()

    def test_on_the_trees_own_samples_it_is_the_gini_decrease(self):
        forest = random_forest(4, n_trees=5, most_inner=20)
        _, shares = corrected_importances(forest, forest.content, N_COLUMNS)
        assert shares == pytest.approx(impurity_importances(forest, N_COLUMNS, "gini"))

    def test_a_column_that_tells_nothing_is_worth_nothing(self):
        """Noise of many values beside noise of two, and a target that depends on neither."""
        rng, found, biased = np.random.default_rng(5), [], []
        for seed in range(12):
            X = np.column_stack([rng.normal(size=100), rng.integers(2, size=100)])
            y, counts = rng.integers(2, size=100), bag_counts(seed, 100, 10)
            forest = grown_forest(classes_tree, X, y, counts)
            unseen = held_by_leaves(forest, X, y, counts == 0)
            found.append(corrected_importances(forest, unseen, 2)[0])
            biased.append(impurity_importances(forest, 2, "gini"))
        error = np.std(found, axis=0) / np.sqrt(len(found))
        assert (np.abs(np.mean(found, axis=0)) < 3.5 * error).all()
        assert np.mean(biased, axis=0)[0] > 0.9

    def test_no_unseen_rows(self):
        forest = random_forest(6)
        raw, shares = corrected_importances(forest, np.zeros_like(forest.content), N_COLUMNS)
        assert (raw == 0).all()
        assert (shares == 0).all()

    def test_targets_of_any_size(self):
        X, y = small_table()
        tree = numbers_tree().fit(X, y).tree_
        forest = forest_of_trees([tree], fit_codes(Table(X)))
        small = corrected_importances(forest, forest.content, 4)
        scale = forest.scale
        shift = 700 - scale.exponent
        large = replace(forest, scale=Scale(1.0, (0.0,), scale.bits - shift, 700))
        raw, shares = corrected_importances(large, forest.content, 4)
        assert shares == pytest.approx(small[1])
        assert np.isfinite(raw).all()
