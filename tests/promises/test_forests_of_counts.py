"""Forests that are grown by the Poisson deviance of counts."""

import itertools

import numpy as np
import pytest

from branchline import Table, load
from branchline._trees._counts import deviance_terms, losses_between_leaves
from branchline.errors import DataError
from branchline.forest import (
    BaggedTreesRegressor,
    ExtraTreesRegressor,
    ObliqueForestRegressor,
    RandomForestRegressor,
)
from branchline.tree import DecisionTreeRegressor

N_ROWS = 400


def visits(n_rows=N_ROWS, seed=0):
    """Return a table of numbers, categories and missing cells, with counts that follow it."""
    rng = np.random.default_rng(seed)
    age, dose = rng.integers(20, 80, n_rows).astype(float), rng.normal(size=n_rows)
    ward = rng.choice(["east", "north", "south", "west"], n_rows)
    mean = np.exp(0.03 * (age - 60) + 0.6 * (ward == "south") + 0.3 * dose)
    y = rng.poisson(mean).astype(float)
    dose[rng.random(n_rows) < 0.1] = np.nan
    return Table({"age": age, "dose": dose, "ward": ward.tolist()}), y


def half_deviance(y, mean):
    """Return Σ y log(y / mean) − y + mean."""
    known = y > 0
    return (y[known] * np.log(y[known] / mean[known])).sum() - y.sum() + mean.sum()


@pytest.mark.parametrize("column", ["age", "dose", "ward"])
def test_one_tree_of_all_rows_is_the_tree_of_the_tree_room(column):
    X, y = visits()
    X = X.select([column])
    limits = {"criterion": "poisson", "min_samples_leaf": 5}
    forest = BaggedTreesRegressor(n_estimators=1, bootstrap=False, max_bins=None, **limits)
    settings = {"prune": None, "subset_search": "one_vs_rest", "correct_for_chance": False}
    tree = DecisionTreeRegressor(**settings, **limits).fit(X, y)
    assert forest.fit(X, y).tree(0).to_text() == tree.to_text()
    assert tree.get_n_leaves() > 2


def test_the_first_test_lowers_the_deviance_most():
    X, y = visits()
    numbers = X.to_pandas()[["age"]].to_numpy()
    model = RandomForestRegressor(
        n_estimators=1, bootstrap=False, max_depth=1, max_bins=None, criterion="poisson"
    ).fit(numbers, y)
    values = np.unique(numbers)
    lost = {}
    for low, high in itertools.pairwise(values):
        left = numbers[:, 0] <= low
        mean = np.where(left, y[left].mean(), y[~left].mean())
        if min(y[left].max(), y[~left].max()) > 0:
            lost[(low + high) / 2] = half_deviance(y, mean)
    assert model.tree(0).tree_.threshold[0] == min(lost, key=lost.get)


@pytest.mark.parametrize(
    "forest",
    [RandomForestRegressor, ExtraTreesRegressor, ObliqueForestRegressor, BaggedTreesRegressor],
)
def test_counts_are_predicted_above_0_and_better_than_by_the_mean(forest):
    X, y = visits()
    new, truth = visits(seed=1)
    settings = {"n_estimators": 20, "min_samples_leaf": 5}
    mean = forest(criterion="poisson", **settings).fit(X, y).predict(new)
    assert (mean > 0).all()
    assert half_deviance(truth, mean) < half_deviance(truth, np.full(len(truth), y.mean()))
    assert (mean != forest(**settings).fit(X, y).predict(new)).any()


def test_no_leaf_predicts_0_where_a_bag_has_counts():
    y = np.where(np.arange(200) < 190, 0.0, 3.0)
    model = RandomForestRegressor(n_estimators=20, criterion="poisson").fit(
        np.arange(200.0)[:, None], y
    )
    assert (model.forest_.leaf_value > 0).all()


def test_whole_weights_are_copies_and_rows_may_come_in_any_order():
    X, y = visits(150)
    weight = np.random.default_rng(2).integers(1, 4, 150)
    model = RandomForestRegressor(n_estimators=5, criterion="poisson")
    weighted = model.fit(X, y, weight).predict(X)
    copies = np.random.default_rng(3).permutation(np.repeat(np.arange(150), weight))
    assert (model.fit(X.rows(copies), y[copies]).predict(X) == weighted).all()


def test_a_monotone_column_keeps_its_direction():
    rng = np.random.default_rng(4)
    X = rng.random((300, 1))
    y = rng.poisson(2 + np.sin(8 * X[:, 0])).astype(float)
    model = RandomForestRegressor(n_estimators=10, criterion="poisson", monotonic_cst=[1])
    grid = np.linspace(0, 1, 50)[:, None]
    assert (np.diff(model.fit(X, y).predict(grid)) >= 0).all()


def test_several_counts_share_the_trees():
    X, y = visits()
    both = np.column_stack([y, y[::-1] + 1])
    model = RandomForestRegressor(n_estimators=5, criterion="poisson").fit(X, both)
    assert model.predict(X).shape == (N_ROWS, 2)
    assert (model.predict(X)[:, 1] >= 1).all()


def test_extra_trees_may_stop_at_the_first_good_test():
    X, y = visits()
    model = ExtraTreesRegressor(n_estimators=5, criterion="poisson", score_threshold=0.05)
    assert model.fit(X, y).predict(X).min() > 0


class TestReading:
    def test_importances_are_shares_of_the_deviance(self):
        X, y = visits()
        model = RandomForestRegressor(n_estimators=1, bootstrap=False, criterion="poisson")
        model.set_params(min_samples_leaf=20).fit(X, y)
        tree = model.forest_.tree(0)
        loss = losses_between_leaves(tree)[:, 0]
        total = np.zeros(3)
        for node in np.flatnonzero(~tree.is_leaf):
            first = tree.first_child[node]
            total[tree.feature[node]] += loss[node] - loss[first : first + 2].sum()
        np.testing.assert_allclose(model.impurity_importances_, total / total.sum())

    def test_a_tree_counts_losses_by_the_deviance(self, tmp_path):
        X, y = visits()
        model = RandomForestRegressor(n_estimators=2, bootstrap=False, criterion="poisson")
        model.set_params(min_samples_leaf=20).fit(X, y).save(tmp_path / "forest.branchline")
        for forest in (model, load(tmp_path / "forest.branchline")):
            tree = forest.tree(1)
            assert tree.tree_.measure == "poisson"
            leaf_mean = tree.predict(X)
            expected = half_deviance(leaf_mean, np.full(N_ROWS, y.mean()))
            loss = np.ldexp(tree.tree_.losses.loss[0, 0], tree.tree_.scale.exponent)
            assert loss == pytest.approx(expected)

    def test_a_node_without_counts_has_no_term(self):
        model = RandomForestRegressor(n_estimators=1, bootstrap=False, criterion="poisson")
        scale = model.fit(np.arange(4.0)[:, None], [0, 0, 1, 5]).forest_.scale
        content = np.array([[4, 0]])
        assert deviance_terms(content, scale).tolist() == [[0.0]]


@pytest.mark.parametrize(("y", "code"), [([0, 1, -1], "D610"), ([0, 0, 0], "D611")])
def test_targets_that_are_no_counts_are_refused(y, code):
    with pytest.raises(DataError) as caught:
        RandomForestRegressor(criterion="poisson").fit(np.arange(3.0)[:, None], y)
    assert caught.value.code == code
