"""Absolute error and Poisson deviance: tests are the best there are, against every test tried."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import tree as peer

from branchline import Table
from branchline.tree import DecisionTreeRegressor
from twins import number_criteria as twin

LOSSES = {"absolute_error": twin.absolute_loss, "poisson": twin.poisson_loss}
few = settings(max_examples=max(1, settings.default.max_examples // 2))


def problem(seed, n_rows, heaviest):
    """Return two numbers with missing values and ties, a category, counts and whole weights."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 9, (2, n_rows)).astype(float)
    numbers[rng.random((2, n_rows)) < 0.2] = np.nan
    category = rng.integers(0, 4, n_rows).astype(float)
    y = rng.integers(0, 12, n_rows).astype(float)
    y[0] += 1.0
    return [*numbers, category], y, rng.integers(1, heaviest + 1, n_rows).astype(float)


def table_of(columns):
    names = np.array(["a", "b", "c", "d"])
    return Table({"x": columns[0], "z": columns[1], "c": names[columns[2].astype(int)]})


def stump(criterion, **parameters):
    return DecisionTreeRegressor(
        criterion=criterion, prune=None, max_depth=1, correct_for_chance=False, **parameters
    )


def lost(model, y, w, nodes):
    loss = LOSSES[model.criterion]
    return sum(loss(y[nodes == node], w[nodes == node]) for node in np.unique(nodes))


@few
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.sampled_from([1, 3, 200]))
@pytest.mark.parametrize("criterion", LOSSES)
def test_the_root_has_the_best_of_all_tests(criterion, seed, n_rows, heaviest):
    # Weights up to 200 to 1 are counted by another structure than about equal ones.
    columns, y, w = problem(seed, n_rows, heaviest)
    table = table_of(columns)
    model = stump(criterion).fit(table, y, sample_weight=w)
    # The order of means holds the best subset unless zeros must not be alone in a branch.
    has_zeros = any(not y[columns[2] == value].any() for value in np.unique(columns[2]))
    of_counts = "means" if has_zeros else "subsets"
    of_category = "medians" if criterion == "absolute_error" else of_counts
    kinds = ["numbers", "numbers", of_category]
    best = twin.best_loss(columns, kinds, y, w, LOSSES[criterion])
    assert lost(model, y, w, model.apply(table)) == pytest.approx(best, rel=1e-9, abs=1e-9)


@few
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 200]))
def test_nodes_hold_the_weighted_median_and_its_loss(seed, heaviest):
    columns, y, w = problem(seed, 40, heaviest)
    model = DecisionTreeRegressor(criterion="absolute_error", prune=None, max_depth=4)
    tree = model.fit(table_of(columns), y, sample_weight=w).tree_
    nodes = model.apply(table_of(columns))
    for leaf in np.unique(nodes):
        here = nodes == leaf
        assert tree.value[leaf, 0] == twin.median(y[here], w[here])
        real = tree.lost[leaf] * 2.0**tree.scale.exponent
        assert real == pytest.approx(twin.absolute_loss(y[here], w[here]))
    assert tree.value[0, 0] == twin.median(y, w)
    assert tree.lost[0] * 2.0**tree.scale.exponent == pytest.approx(twin.absolute_loss(y, w))


@few
@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("missing", ["learned", "own", "node_mode", "fractional"])
@pytest.mark.parametrize("criterion", LOSSES)
def test_row_order_copies_and_threads_change_nothing(criterion, missing, seed, shuffle):
    columns, y, w = problem(seed, 40, 3)
    table = table_of(columns)
    model = DecisionTreeRegressor(criterion=criterion, missing=missing, prune="mdl", n_jobs=1)
    expected = model.fit(table, y, sample_weight=w).predict(table)
    rows = np.random.default_rng(shuffle).permutation(np.repeat(np.arange(len(y)), w.astype(int)))
    again = DecisionTreeRegressor(criterion=criterion, missing=missing, prune="mdl", n_jobs=3)
    assert np.array_equal(again.fit(table.rows(rows), y[rows]).predict(table), expected)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("criterion", LOSSES)
def test_splits_are_those_of_scikit_learn(criterion, seed):
    # Continuous columns and targets. Sums of distances to medians still tie now and then in small
    # nodes (two cuts around one row), where both are right: the first two levels are compared.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(501, 5))
    y = np.abs(3 * X[:, 0] + X[:, 1] ** 2 + rng.standard_t(3, size=501))
    ours = DecisionTreeRegressor(
        criterion=criterion, prune=None, max_depth=2, correct_for_chance=False
    ).fit(X, y)
    theirs = peer.DecisionTreeRegressor(criterion=criterion, max_depth=2).fit(X, y)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-12)


def test_large_nodes_give_what_small_ones_do():
    # 20 000 rows are looked at by all threads, column by column, and about equal weights are
    # scanned; one heavy row makes all sides be counted.
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(20_000, 3)), np.ones(20_000)
    y = X[:, 0] + rng.normal(size=20_000)
    parameters = {"criterion": "absolute_error", "prune": None, "max_depth": 3}
    one = DecisionTreeRegressor(**parameters, n_jobs=1).fit(X, y, sample_weight=w)
    two = DecisionTreeRegressor(**parameters, n_jobs=2).fit(X, y, sample_weight=w)
    assert np.array_equal(one.predict(X), two.predict(X))
    w[0] = 40.0
    heavy = DecisionTreeRegressor(**parameters, n_jobs=2).fit(X, y, sample_weight=w)
    copies = np.concatenate([np.arange(20_000), np.zeros(39, dtype=int)])
    copied = DecisionTreeRegressor(**parameters, n_jobs=1).fit(X[copies], y[copies])
    assert np.array_equal(heavy.predict(X), copied.predict(X))
