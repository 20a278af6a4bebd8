"""Forests against slow twins: one tree on all rows is the tree room's, bagged ones brute force's.

``forest.hpp`` promises that with all columns allowed a tree is the one that ``grow_tree.hpp``
grows, categories taken in one order a class (or output). Exact ties are part of that: the first
column, the first cut, missing values right before left. Forests look at columns in an order of
their own (``column_keys.hpp``), so the twins get them in that order.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from branchline.forest import BaggedTreesClassifier, BaggedTreesRegressor
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from twins import forest as twin

seeds = st.integers(0, 2**32 - 1)
many = settings(max_examples=3 * settings.default.max_examples)
some = settings(max_examples=max(1, settings.default.max_examples // 2))
ONE_TREE = {"n_estimators": 1, "bootstrap": False, "max_bins": None, "n_jobs": 1}
limits = st.fixed_dictionaries(
    {},
    optional={
        "max_depth": st.integers(1, 4),
        "max_leaf_nodes": st.integers(2, 9),
        "min_samples_leaf": st.integers(1, 6),
        "min_samples_split": st.integers(2, 12),
        "min_gain": st.sampled_from([0.01, 0.05]),
    },
)


class Rows:
    """A small table with ties, categories and missing values; its score and whole weights."""

    def __init__(self, seed, *, n_rows=None, weighted=False):
        random = np.random.default_rng(seed)
        n_rows = int(random.integers(3, 150)) if n_rows is None else n_rows
        self.random, self.n_rows = random, n_rows
        self.X = pd.DataFrame(
            {
                "few": random.integers(0, random.integers(2, 6), n_rows).astype(float),
                "many": random.normal(size=n_rows).round(2),
                "letters": random.choice(list("uvwxyz"), n_rows),
                "names": random.choice(["p", "q", "r"], n_rows),
            }
        )
        self.X = self.X[random.permutation(self.X.columns)[: random.integers(1, 5)].tolist()]
        self.score = random.normal(size=n_rows)
        for name in self.X:
            is_number = self.X[name].dtype.kind == "f"
            self.score += self.X[name] if is_number else (self.X[name] < "w").astype(float)
            if random.random() < 0.5:
                self.X.loc[np.flatnonzero(random.random(n_rows) < 0.2)[1:], name] = None
        self.score = np.asarray(self.score)
        self.weight = random.integers(1, 4, n_rows).astype(float) if weighted else None

    def classes(self, n_classes):
        cuts = np.quantile(self.score, np.linspace(0, 1, n_classes + 1)[1:-1])
        classes = np.digitize(self.score, cuts)
        classes[:2] = [0, 1]
        return classes


def subset_search(n_targets):
    """Return how the tree is to search categories, given its classes less one, or outputs."""
    return "auto" if n_targets == 1 else "one_vs_rest"


def columns_in_order(forest):
    """Return the places of columns in the order in which the forest looks at them."""
    growth = forest._training("columns").growth
    constant = set(range(forest.n_features_in_)) - set(growth.columns.places.tolist())
    return [*growth.columns.places.tolist(), *sorted(constant)]


def fit_in_order(tree, forest, X, *given):
    """Fit a tree to the columns in the order in which the forest looks at them."""
    return tree.fit(X.iloc[:, columns_in_order(forest)], *given)


def assert_same_tree(forest, tree, X):
    single = forest.tree(0).tree_
    assert int(forest.forest_.n_leaves[0]) == tree.tree_.n_leaves == single.n_leaves
    said, expected = (
        (forest.predict_proba(X), tree.predict_proba(X))
        if hasattr(tree, "predict_proba")
        else (forest.predict(X), tree.predict(X))
    )
    # Means are of fixed-point sums in two scales; frequencies are the same numbers.
    np.testing.assert_allclose(said, expected, rtol=1e-9, atol=1e-9)


@many
@given(
    seeds,
    limits,
    st.sampled_from(["gini", "entropy", "misclassification", "gain_ratio", "mdl"]),
    st.integers(2, 4),
    st.booleans(),
)
def test_one_tree_of_classes_is_the_decision_tree(seed, limit, criterion, n_classes, weighted):
    rows = Rows(seed, weighted=weighted)
    y = rows.classes(n_classes)
    limit = {**limit, "criterion": criterion, "correct_for_chance": False}
    forest = BaggedTreesClassifier(**ONE_TREE, **limit).fit(rows.X, y, rows.weight)
    search = subset_search(len(np.unique(y)) - 1)
    tree = DecisionTreeClassifier(prune=None, subset_search=search, **limit)
    assert_same_tree(forest, fit_in_order(tree, forest, rows.X, y, rows.weight), rows.X)


@many
@given(seeds, limits, st.integers(1, 2), st.booleans())
@example(seed=1974, limit={"min_samples_leaf": 2}, n_outputs=2, weighted=False)  # an exact tie
def test_one_tree_of_numbers_is_the_decision_tree(seed, limit, n_outputs, weighted):
    rows = Rows(seed, weighted=weighted)
    # Whole numbers tie exactly in any fixed point; others hardly ever tie.
    n_digits = int(rows.random.choice([0, 9]))
    y = rows.score.round(n_digits)
    if n_outputs == 2:
        y = np.column_stack([y, rows.random.normal(size=rows.n_rows).round(n_digits)])
    limit = {**limit, "correct_for_chance": False}
    forest = BaggedTreesRegressor(**ONE_TREE, **limit).fit(rows.X, y, rows.weight)
    tree = DecisionTreeRegressor(prune=None, subset_search=subset_search(n_outputs), **limit)
    assert_same_tree(forest, fit_in_order(tree, forest, rows.X, y, rows.weight), rows.X)


@some
@given(seeds, limits, st.integers(2, 3))
def test_one_tree_corrected_for_chance_is_the_decision_tree(seed, limit, n_classes):
    rows = Rows(seed)
    limit = {**limit, "correct_for_chance": True}
    y = rows.classes(n_classes)
    forest = BaggedTreesClassifier(**ONE_TREE, **limit).fit(rows.X, y)
    tree = DecisionTreeClassifier(prune=None, n_jobs=1, **limit)
    assert_same_tree(forest, fit_in_order(tree, forest, rows.X, y), rows.X)


@some
@given(seeds, st.sampled_from(["gini", "entropy"]), st.sampled_from([None, 3, 6]))
def test_one_tree_with_costs_is_the_decision_tree(seed, criterion, max_leaf_nodes):
    rows = Rows(seed)
    limit = {"costs": [[0, 4], [1, 0]], "criterion": criterion, "correct_for_chance": False}
    limit["max_leaf_nodes"] = max_leaf_nodes
    y = rows.classes(2)
    forest = BaggedTreesClassifier(**ONE_TREE, **limit).fit(rows.X, y)
    tree = DecisionTreeClassifier(prune=None, n_jobs=1, **limit)
    assert_same_tree(forest, fit_in_order(tree, forest, rows.X, y), rows.X)
    np.testing.assert_array_equal(forest.predict(rows.X), tree.predict(rows.X))


def test_the_first_of_equal_cuts_is_taken():
    """Both cuts leave 2 · 26/5 of badness, which floats add up differently."""
    x = [4, 4, 0, 2, 1, 6, 6, 1, 6, 7, 7, 5, 0, 2, 0]
    y = [0, 1, 2, 0, 2, 0, 0, 0, 1, 1, 0, 2, 1, 0, 0]
    X = np.array(x, dtype=float)[:, None]
    forest = BaggedTreesClassifier(**ONE_TREE, max_depth=1).fit(X, y)
    tree = DecisionTreeClassifier(prune=None, max_depth=1).fit(X, y)
    assert forest.forest_.thresholds().tolist() == [tree.tree_.threshold[0]] == [1.5]


def test_columns_without_a_good_test_count_in_description_lengths():
    """A description of a test names its column among all that vary."""
    X = [[2, 2], [0, 2], [1, 1], [1, 0], [2, 0], [0, 1], [1, 1], [0, 0], [0, 0], [0, 2], [0, 1]]
    X, y = np.array([*X, [2, 0]], dtype=float), [0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0]
    forest = BaggedTreesClassifier(**ONE_TREE, criterion="mdl", min_gain=0.1).fit(X, y)
    tree = DecisionTreeClassifier(prune=None, criterion="mdl", min_gain=0.1).fit(X, y)
    assert forest.forest_.n_leaves.tolist() == [tree.tree_.n_leaves] == [1]


@pytest.mark.parametrize("n_rows", [64, 65, 66, 300])
def test_one_large_tree_is_the_decision_tree(n_rows):
    """Nodes of up to 64 rows are looked at by kernels of their own."""
    for seed in range(20):
        rows = Rows(seed, n_rows=n_rows)
        y = rows.classes(2)
        forest = BaggedTreesClassifier(**ONE_TREE).fit(rows.X, y)
        tree = DecisionTreeClassifier(prune=None, correct_for_chance=False)
        assert_same_tree(forest, fit_in_order(tree, forest, rows.X, y), rows.X)


# -- brute force --------------------------------------------------------------------------------


def numbers(seed):
    """Return a few columns of numbers with ties and holes, and some more rows."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(int(random.integers(3, 40)), int(random.integers(1, 4))))
    X = X.round(int(random.integers(0, 2))) + 0.0
    X[random.random(X.shape) < 0.1] = np.nan
    X[0] = 0.0
    return random, X, random.normal(size=(30, X.shape[1]))


def counts_of_tree(model, tree):
    return model._training("counts").growth.counts_of_tree(tree)


@some
@given(seeds, st.integers(1, 3), st.sampled_from([1, 2, 3, None]))
def test_bagged_trees_of_two_classes_are_those_of_brute_force(seed, min_leaf, max_depth):
    random, X, fresh = numbers(seed)
    y = random.integers(0, 2, len(X))
    y[:2] = [0, 1]
    limit = {"min_samples_leaf": min_leaf, "max_depth": max_depth}
    model = BaggedTreesClassifier(n_estimators=1, max_bins=None, random_state=seed, **limit)
    model.fit(X, y)
    for tree in range(1):  # later trees break ties between columns at random
        counts = counts_of_tree(model, tree)
        order, deepest = columns_in_order(model), max_depth or 99
        root = twin.grow(X[:, order], np.eye(2)[y], counts, min_leaf=min_leaf, max_depth=deepest)
        assert twin.n_leaves(root) == model.forest_.n_leaves[tree]
        for rows in (X, fresh):
            said = model.tree(tree).predict_proba(rows)
            np.testing.assert_allclose(said, twin.predict(root, rows[:, order]), rtol=1e-12)


@some
@given(seeds, st.integers(1, 3), st.sampled_from([1, 2, 3, None]))
def test_bagged_trees_of_numbers_are_those_of_brute_force(seed, min_leaf, max_depth):
    random, X, fresh = numbers(seed)
    # Whole numbers with many digits are exact in fixed point, and their sums do not tie by chance.
    y = random.integers(-(2**20), 2**20, len(X)).astype(float)
    limit = {"min_samples_leaf": min_leaf, "max_depth": max_depth}
    model = BaggedTreesRegressor(n_estimators=1, max_bins=None, random_state=seed, **limit)
    model.fit(X, y)
    for tree in range(1):  # later trees break ties between columns at random
        counts = counts_of_tree(model, tree)
        order, deepest = columns_in_order(model), max_depth or 99
        root = twin.grow(X[:, order], y[:, None], counts, min_leaf=min_leaf, max_depth=deepest)
        assert twin.n_leaves(root) == model.forest_.n_leaves[tree]
        for rows in (X, fresh):
            said = model.tree(tree).predict(rows)
            np.testing.assert_allclose(
                said, twin.predict(root, rows[:, order])[:, 0], rtol=1e-9, atol=1e-6
            )


def test_the_mean_of_the_trees_is_the_prediction():
    random, X, fresh = numbers(5)
    model = BaggedTreesRegressor(n_estimators=7).fit(X, random.normal(size=len(X)))
    mean = np.mean([model.tree(i).predict(fresh) for i in range(7)], axis=0)
    np.testing.assert_allclose(model.predict(fresh), mean, rtol=1e-12)
