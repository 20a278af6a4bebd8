"""Held-out rows tell how far a tree may grow, node by node."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree.growing._depth_curve import curve_by_depth, nodes_at_depth
from branchline.tree.growing._held_out import hold_out
from branchline.tree.growing._node_by_node import best_first, leaves_to_grow
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
    """Return the held-out loss of T(0), T(1), …: each tree walked on its own, a slow twin."""
    fold = hold_out(make(**parameters).fit(X, y)._remembered.growth, 0.25, 0)
    rows, held = fold.grown.rows, fold.rows
    full = make(**parameters).fit(X[rows], y[rows])
    tree, ends, is_open = full.tree_, full.apply(X[held]), set()
    found, sizes = [], []
    for node in [None, *best_first(tree, full.criterion, full._remembered.growth.class_factor)]:
        is_open |= set() if node is None else {node}
        nodes = np.array([stop_at(tree, end, is_open) for end in ends])
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
        sizes.append(len(is_open) + 1)
    return np.array(found), sizes


def stop_at(tree, end, is_open):
    """Return the first node on the way to ``end`` that is not split yet."""
    path = [int(end)]
    while path[-1] > 0:
        path.append(int(tree.parent[path[-1]]))
    for node in reversed(path):
        if node not in is_open:
            return node
    return path[0]


def leaves_by_hand(curve, sizes, least=0.0):
    best = 0
    for step in range(len(curve)):
        if curve[best] - curve[step] > max(least, 1e-12):
            best = step
    return sizes[best]


@pytest.mark.parametrize("measure", ["entropy", "accuracy"])
@pytest.mark.parametrize("least", [0.0, 0.03])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("costs", [None, COSTS], ids=["errors", "costs"])
def test_classes(measure, least, seed, costs):
    X, y = data(seed=seed)
    extra = {} if costs is None else {"costs": costs}
    expected = leaves_by_hand(*losses(classifier, measure, X, y, **extra), least)
    model = classifier(stop_by=measure, min_improvement=least, **extra).fit(X, y)
    assert model.tree_.n_leaves == expected
    assert model.tree_.weight[0] == len(y)  # the tree itself is grown on all rows
    if expected > 1:
        assert model.to_text() == classifier(max_leaf_nodes=expected, **extra).fit(X, y).to_text()


@pytest.mark.parametrize("seed", range(3))
def test_numbers(seed):
    X, _ = data(seed=seed)
    y = X[:, 0] + X[:, 1] ** 2 + np.random.default_rng(seed).normal(0, 0.5, len(X))
    expected = leaves_by_hand(*losses(regressor, "squared_error", X, y))
    model = regressor(stop_by="squared_error").fit(X, y)
    assert model.tree_.n_leaves == expected


def test_a_larger_improvement_is_asked_for():
    X, y = data()
    sizes = [
        classifier(stop_by="entropy", min_improvement=least).fit(X, y).tree_.n_leaves
        for least in (0.0, 0.05, 0.5, 10.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_max_leaf_nodes_still_holds():
    X, y = data()
    assert classifier(stop_by="entropy", max_leaf_nodes=3).fit(X, y).tree_.n_leaves <= 3


def test_max_depth_still_holds():
    X, y = data()
    assert classifier(stop_by="entropy", max_depth=1).fit(X, y).get_depth() <= 1


def test_noise_grows_no_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = classifier(stop_by="entropy").fit(X, y)
    assert model.get_depth() == 0
    assert "early stopping" in model.why(0).verdict


def test_one_leaf_means_that_not_even_one_test_helps():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    growth = classifier().fit(X, y)._remembered.growth
    settings = TreeSettings(stop_by="entropy", criterion="gini")
    assert leaves_to_grow(growth, settings, None, 0) == 1


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


@pytest.mark.parametrize("seed", range(8))
def test_copies_are_weights_where_centers_are_learned(seed):
    # How many codes a made column has is part of how chance is corrected for.
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 9, 30).astype(float), rng.normal(size=30)])
    X[rng.random(30) < 0.9, 1] = np.nan
    y = 4e7 * X[:, 0] + rng.normal(0, 6e7, 30)
    weights = rng.choice([1, 1, 2, 3], 30)
    rows = np.repeat(np.arange(30), weights)
    weighted = DecisionTreeRegressor(tests="learned").fit(X, y, sample_weight=weights)
    repeated = DecisionTreeRegressor(tests="learned").fit(X[rows], y[rows])
    assert str(weighted.pruning_path_) == str(repeated.pruning_path_)
