"""How stable a tree's questions are."""

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.errors import DataError, ParameterError
from branchline.tree import C45, DecisionTreeClassifier, DecisionTreeRegressor, Stump


def step(n_rows=300, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    y = (X[:, 0] > 0.3).astype(int) ^ (rng.random(n_rows) < noise)
    return X, y


def test_a_clear_step_is_stable_and_its_threshold_is_inside_the_interval():
    X, y = step()
    stability = DecisionTreeClassifier(max_depth=1).fit(X, y).stability(n_trees=60)
    root = stability[0]
    assert root.share_column == 1.0
    assert root.verdict == "stable"
    assert root.threshold_low <= 0.3 <= root.threshold_high
    assert root.threshold_low <= root.threshold <= root.threshold_high
    assert root.interval[0] > 0.9
    assert "More than half" in stability.summary


def test_noise_is_called_noise():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 8)), rng.integers(0, 2, 200)
    model = DecisionTreeClassifier(prune=None, max_depth=3, correct_for_chance=False).fit(X, y)
    stability = model.stability(n_trees=40)
    assert "Not stable: node 0" in str(stability)
    assert stability[0].rival is not None


def test_shares_fall_along_each_path():
    X, y = load_dataset("german-credit").split_target("class")
    model = DecisionTreeClassifier().fit(X, y)
    stability = model.stability(n_trees=30)
    for each in stability.nodes:
        assert each.n_same_question <= each.n_same_column <= each.n_there <= each.n_trees
        if each.node:
            parent = stability[int(model.tree_.parent[each.node])]
            assert each.n_there <= parent.n_same_column
    frame = stability.to_frame()
    assert len(frame) == len(stability.nodes)
    assert stability.to_dict()["nodes"][0]["node"] == 0
    drawing = stability.draw()
    assert "agree" in drawing.svg


def test_row_order_and_threads_do_not_matter():
    X, y = load_dataset("german-credit").split_target("class")
    frame, names = X.to_pandas(), np.asarray(y)
    order = np.random.default_rng(0).permutation(len(names))
    one = DecisionTreeClassifier(n_jobs=1).fit(frame, names).stability(n_trees=10)
    shuffled = frame.iloc[order].reset_index(drop=True)
    two = DecisionTreeClassifier(n_jobs=2).fit(shuffled, names[order]).stability(n_trees=10)
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    "make",
    [
        lambda: C45(),
        lambda: Stump(),
        lambda: DecisionTreeClassifier(missing="surrogate"),
        lambda: DecisionTreeClassifier(prune="reduced_error"),
        lambda: DecisionTreeClassifier(prune="mdl", missing="own"),
    ],
)
def test_every_kind_of_tree(make):
    X, y = load_dataset("german-credit").split_target("class")
    gaps = X.to_pandas()
    gaps = gaps.mask(np.random.default_rng(0).random(gaps.shape) < 0.1)
    stability = make().fit(gaps, y).stability(n_trees=5)
    assert stability.n_trees == 5
    assert str(stability)


def test_numbers_weights_and_given_rows():
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = DecisionTreeRegressor(max_leaf_nodes=4).fit(X, y)
    assert model.stability(n_trees=5).to_dict() == model.stability(X, y, n_trees=5).to_dict()
    weight = np.linspace(0.5, 1.5, X.n_rows)
    weighted = DecisionTreeRegressor(max_leaf_nodes=4).fit(X, y, sample_weight=weight)
    assert weighted.stability(n_trees=5)[0].n_trees == 5


def test_a_single_leaf_and_wrong_parameters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    leaf = DecisionTreeClassifier().fit(X, y)
    assert "single leaf" in str(leaf.stability(n_trees=3))
    with pytest.raises(ParameterError):
        leaf.stability(n_trees=0)
    with pytest.raises(DataError) as caught:
        leaf.stability(X, rng.integers(0, 3, 100))
    assert caught.value.code == "D561"


def test_names_of_few_rows_do_not_take_the_place_of_a_true_question():
    rng = np.random.default_rng(3)
    group, ticket = rng.integers(0, 2, 300), rng.integers(0, 220, 300)
    y = np.where(rng.random(300) < 0.8, group, 1 - group)
    X = Table({"ticket": [f"t{each}" for each in ticket], "group": ["ab"[each] for each in group]})
    stability = DecisionTreeClassifier().fit(X, y).stability(n_trees=20)
    assert stability[0].column == "group"
    assert stability[0].share_column > 0.9
