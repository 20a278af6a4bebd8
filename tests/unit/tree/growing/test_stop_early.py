"""Held-out rows tell how deep a tree may grow."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.growing._held_out import hold_out
from branchline.tree.growing._stop_early import curve_by_depth, depth_to_grow, nodes_at_depth
from branchline.tree.growing._tree_settings import TreeSettings

COSTS = np.array([[0.0, 1.0], [6.0, 0.0]])


def data(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 0.5, n_rows) > 0).astype(int)
    return X, y


def classifier(**parameters):
    return DecisionTreeClassifier(**{"prune": None, "correct_for_chance": False, **parameters})


def regressor(**parameters):
    return DecisionTreeRegressor(**{"prune": None, "correct_for_chance": False, **parameters})


def losses(make, measure, X, y, **parameters):
    """Return the held-out loss of trees cut at depth 0, 1, 2, …, each grown on the other rows."""
    fold = hold_out(make(**parameters).fit(X, y)._remembered.growth, 0.25, 0)
    rows, held = fold.grown.rows, fold.rows
    full = make(**parameters).fit(X[rows], y[rows])
    found = []
    for depth in range(full.get_depth() + 1):
        tree, nodes = full.tree_, full.apply(X[held])
        while (tree.depth[nodes] > depth).any():
            nodes = np.where(tree.depth[nodes] > depth, tree.parent[nodes], nodes)
        if measure == "entropy":
            count = tree.content[nodes] + 1.0
            p = count[np.arange(len(held)), y[held]] / count.sum(axis=1)
            found.append(float(-np.log2(p).mean()))
        elif measure == "accuracy":
            costs = parameters.get("costs", 1 - np.eye(2))
            guess = (tree.value[nodes] @ costs).argmin(axis=1)
            found.append(float(costs[y[held], guess].mean()))
        else:
            found.append(float(((tree.value[nodes, 0] - y[held]) ** 2).mean()))
    return np.array(found)


def depth_by_hand(curve, least=0.0):
    for depth in range(len(curve) - 1):
        if curve[depth] - curve[depth + 1] <= least + 1e-12:
            return depth
    return None


@pytest.mark.parametrize("measure", ["entropy", "accuracy"])
@pytest.mark.parametrize("least", [0.0, 0.03])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("costs", [None, COSTS], ids=["errors", "costs"])
def test_classes(measure, least, seed, costs):
    X, y = data(seed=seed)
    extra = {} if costs is None else {"costs": costs}
    expected = depth_by_hand(losses(classifier, measure, X, y, **extra), least)
    model = classifier(stop_by=measure, min_improvement=least, **extra).fit(X, y)
    assert expected is not None
    assert model.get_depth() == expected
    assert model.tree_.weight[0] == len(y)  # the tree itself is grown on all rows
    if expected:
        assert model.to_text() == classifier(max_depth=expected, **extra).fit(X, y).to_text()


@pytest.mark.parametrize("seed", range(3))
def test_numbers(seed):
    X, _ = data(seed=seed)
    y = X[:, 0] + X[:, 1] ** 2 + np.random.default_rng(seed).normal(0, 0.5, len(X))
    expected = depth_by_hand(losses(regressor, "squared_error", X, y))
    model = regressor(stop_by="squared_error").fit(X, y)
    assert model.get_depth() == expected


def test_a_larger_improvement_is_asked_for():
    X, y = data()
    depths = [
        classifier(stop_by="entropy", min_improvement=least).fit(X, y).get_depth()
        for least in (0.0, 0.05, 0.5, 10.0)
    ]
    assert depths == sorted(depths, reverse=True)
    assert depths[-1] == 0


def test_max_depth_still_holds():
    X, y = data()
    assert classifier(stop_by="entropy", max_depth=1).fit(X, y).get_depth() <= 1


def test_noise_grows_no_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = classifier(stop_by="entropy").fit(X, y)
    assert model.get_depth() == 0
    assert "early stopping" in model.why(0).verdict


def test_a_depth_of_0_means_that_not_even_one_test_helps():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    growth = classifier().fit(X, y)._remembered.growth
    assert depth_to_grow(growth, TreeSettings(stop_by="entropy"), None, 0) == 0


def test_nodes_at_each_depth():
    X, y = load_dataset("iris").split_target("species")
    model = classifier().fit(X, y)
    leaves = model.apply(X)
    cut = nodes_at_depth(model.tree_, leaves)
    assert len(cut) == model.get_depth() + 1
    assert set(cut[0].tolist()) == {0}
    assert (cut[-1] == leaves).all()
    for depth, nodes in enumerate(cut):
        assert model.tree_.depth[nodes].max() == depth


def test_the_curve_of_the_entropy_of_test_rows():
    X, y = load_dataset("iris").split_target("species")
    model = classifier(criterion="entropy").fit(X, y)
    classes = np.searchsorted(model.classes_, np.asarray(y))
    curve = curve_by_depth(model.tree_, model.apply(X), classes, 3)
    assert curve[0] == pytest.approx(np.log2(3))
    assert curve[1] == pytest.approx(2 / 3)
    assert curve[-1] == pytest.approx(model.entropy_)
    assert (np.diff(curve) <= 1e-12).all()
