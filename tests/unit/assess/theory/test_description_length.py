"""The bits of a fitted tree and of the rows it leaves open."""

import math
from typing import Any

import numpy as np
import pytest

from branchline import load_dataset
from branchline.assess.theory import description_length
from branchline.errors import NotFittedError, ParameterError
from branchline.tree import ID3, DecisionTreeClassifier, DecisionTreeRegressor


def entropy(*counts: int) -> float:
    shares = np.array([count for count in counts if count]) / sum(counts)
    return float(-(shares * np.log2(shares)).sum())


def test_iris_by_hand() -> None:
    X, y = load_dataset("iris").split_target("species")
    found = description_length(DecisionTreeClassifier().fit(X, y))
    # Leaves of 50, 54 (49 + 5) and 46 (45 + 1) rows; two frequencies a leaf; one column is used.
    per_leaf = 2 * math.log2(150) / 2 + 1
    assert found.n_leaves == 3
    assert found.tree_bits == pytest.approx(3 * per_leaf)
    assert found.rows_bits == pytest.approx(54 * entropy(49, 5) + 46 * entropy(45, 1))
    assert found.without_tree == pytest.approx(150 * math.log2(3) + per_leaf)
    assert found.saved == pytest.approx(found.without_tree - found.total)


def test_several_columns_are_named_in_the_tree_but_not_without_it() -> None:
    X, y = load_dataset("tennis").split_target("play")
    found = description_length(ID3().fit(X, y))
    per_leaf = math.log2(14) / 2 + math.log2(3) + 1  # outlook, humidity, wind
    assert found.tree_bits == pytest.approx(5 * per_leaf)
    assert found.rows_bits == pytest.approx(0.0)
    assert found.without_tree == pytest.approx(14 * entropy(9, 5) + math.log2(14) / 2 + 1)


def test_a_leaf_saves_nothing() -> None:
    model = DecisionTreeClassifier(max_leaf_nodes=1 + 1, min_gain=5.0).fit([[1.0], [2.0]], [0, 1])
    assert description_length(model).n_leaves == 1
    assert description_length(model).saved == pytest.approx(0.0)


def test_a_tree_on_noise_is_not_worth_its_size() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(2, size=200)
    assert description_length(DecisionTreeClassifier(prune=None).fit(X, y)).saved < 0
    signal = description_length(DecisionTreeClassifier(prune=None).fit(X, X[:, 0] > 0))
    assert signal.saved > 100


def test_numbers() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = 5.0 * (X[:, 0] > 0.5) + rng.normal(size=300)
    two = description_length(DecisionTreeRegressor(max_depth=1, prune=None).fit(X, y))
    full = description_length(DecisionTreeRegressor(prune=None).fit(X, y))
    assert two.n_leaves == 2
    assert two.saved > 0
    assert two.total < full.total


def test_leaves_without_deviation_do_not_warn() -> None:
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    found = description_length(DecisionTreeRegressor(prune=None).fit(X, X[:, 0] * 1e10))
    assert found.rows_bits == 0.0
    assert found.saved > 1e100


@pytest.mark.parametrize("model", [None, "tree", np.zeros(3)])
def test_only_trees(model: Any) -> None:
    with pytest.raises(ParameterError, match="a decision tree"):
        description_length(model)


def test_only_fitted_trees() -> None:
    with pytest.raises(NotFittedError):
        description_length(DecisionTreeClassifier())


def test_it_can_be_read() -> None:
    X, y = load_dataset("iris").split_target("species")
    found = description_length(DecisionTreeClassifier().fit(X, y))
    assert str(found).startswith("55.7 bits = 24.7 for a tree of 3 leaves")
    assert found.to_dict()["saved"] == found.saved
