"""Optimal trees against trying every tree, known functions, and promises about rows and weights."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchline as bl
from branchline.tree import DecisionTreeClassifier, OptimalTreeClassifier, OptimalTreeRegressor
from twins.optimal_tree import best_tree, class_cost, every_split, number_cost


def small_frame(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Return a table of numbers and categories, some of them missing."""
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 4, n_rows).astype(float),
            "z": rng.integers(0, 3, n_rows).astype(float),
            "c": rng.choice(["a", "b", "d"], n_rows),
        }
    )
    if rng.random() < 0.6:
        frame.loc[rng.random(n_rows) < 0.2, "x"] = np.nan
        frame.loc[rng.random(n_rows) < 0.2, "c"] = None
    if not frame["x"].notna().any():
        frame["x"] = 1.0
    return frame


@pytest.mark.parametrize("block", range(10))
def test_classes_equal_brute_force(block: int) -> None:
    for seed in range(25 * block, 25 * block + 25):
        rng = np.random.default_rng(seed)
        n_rows, depth = int(rng.integers(6, 13)), int(rng.integers(1, 4)) if seed % 5 == 0 else 2
        frame, n_classes = small_frame(rng, n_rows), int(rng.integers(2, 4))
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)]
        weight = rng.integers(1, 4, n_rows).astype(float) if seed % 2 else np.ones(n_rows)
        costs = 1.0 - np.eye(n_classes)
        if seed % 3 == 0:
            costs *= rng.integers(1, 5, (n_classes, n_classes))
        price = [0.0, 0.05, 0.013][seed % 3]
        model = OptimalTreeClassifier(
            max_depth=depth, leaf_penalty=price, costs=costs, max_thresholds=None
        )
        model.fit(frame, y, sample_weight=weight if seed % 2 else None)
        total = weight.sum()
        value, leaves = best_tree(
            np.ones(n_rows, dtype=bool),
            every_split(frame),
            depth,
            class_cost(y, weight, costs),
            price * total,
        )
        assert model.proved_
        assert model.bound_ == model.value_
        assert model.value_ == pytest.approx(value / total, abs=1e-12)
        assert model.get_n_leaves() == leaves
        predicted = model.predict(frame)
        paid = (weight * costs[y, predicted]).sum() / total + price * leaves
        assert paid == pytest.approx(model.value_, abs=1e-12)


@pytest.mark.parametrize("block", range(10))
def test_numbers_equal_brute_force(block: int) -> None:
    for seed in range(25 * block, 25 * block + 25):
        rng = np.random.default_rng(1000 + seed)
        n_rows = int(rng.integers(5, 12))
        frame = small_frame(rng, n_rows)
        y = np.round(rng.normal(size=n_rows), 1) * 10.0 ** rng.integers(-3, 4)
        weight = rng.integers(1, 4, n_rows).astype(float) if seed % 2 else np.ones(n_rows)
        price = 0.0 if seed % 3 else 0.1 * float(y.var())
        model = OptimalTreeRegressor(max_depth=2, leaf_penalty=price, max_thresholds=None)
        model.fit(frame, y, sample_weight=weight if seed % 2 else None)
        total = weight.sum()
        value, _ = best_tree(
            np.ones(n_rows, dtype=bool),
            every_split(frame),
            2,
            number_cost(y, weight),
            price * total,
        )
        scale = float(y.var()) + 1e-300
        assert model.proved_
        assert model.value_ / scale == pytest.approx(value / total / scale, abs=1e-9)
        mean = np.average((y - model.predict(frame)) ** 2, weights=weight)
        paid = mean + price * model.get_n_leaves()
        assert paid / scale == pytest.approx(model.value_ / scale, abs=1e-9)


def binary_table(n_inputs: int, function: Any) -> tuple[pd.DataFrame, Any]:
    grid = np.array(np.meshgrid(*[[0, 1]] * n_inputs, indexing="ij")).reshape(n_inputs, -1).T
    frame = pd.DataFrame(grid, columns=[f"x{k}" for k in range(n_inputs)])
    return frame, np.array([int(function(row)) for row in grid])


@pytest.mark.parametrize(
    ("n_inputs", "depth", "leaves", "function"),
    [
        (2, 2, 4, lambda x: x[0] ^ x[1]),
        (3, 3, 8, lambda x: x[0] ^ x[1] ^ x[2]),
        (6, 3, 8, lambda x: x[2 + 2 * x[0] + x[1]]),
    ],
)
def test_functions_that_greedy_trees_miss(
    n_inputs: int, depth: int, leaves: int, function: Any
) -> None:
    X, y = binary_table(n_inputs, function)
    model = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    assert (model.value_, model.bound_, model.proved_) == (0.0, 0.0, True)
    assert model.get_n_leaves() == leaves
    assert model.score(X, y) == 1.0


def test_never_worse_than_the_greedy_tree() -> None:
    X, y = bl.load_dataset("heart").split_target("disease")
    greedy = DecisionTreeClassifier(max_depth=3, prune=None).fit(X, y)
    best = OptimalTreeClassifier(max_depth=3, max_thresholds=None).fit(X, y)
    assert best.proved_
    assert best.proof_.is_exact
    assert best.score(X, y) >= greedy.score(X, y)
    assert best.value_ == pytest.approx(1 - best.score(X, y))


def test_thinned_thresholds_are_told() -> None:
    X, y = bl.load_dataset("iris").split_target("species")
    few = OptimalTreeClassifier(max_depth=2, max_thresholds=3).fit(X, y)
    assert few.proof_.n_left_out > 0
    assert not few.proof_.is_exact
    assert "left out" in str(few.proof_)
    assert few.value_ >= OptimalTreeClassifier(max_depth=2, max_thresholds=None).fit(X, y).value_


def test_time_that_runs_out_leaves_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 30))
    y = rng.integers(0, 2, 400)
    model = OptimalTreeClassifier(max_depth=4, time_budget=0.2, max_thresholds=100).fit(X, y)
    assert not model.proved_
    assert 0 <= model.bound_ < model.value_ <= 0.5
    assert model.value_ == pytest.approx(1 - model.score(X, y))
    assert "Not proved" in str(model.proof_)
    assert model.proof_.gap == model.value_ - model.bound_


def test_leaves_hold_enough_rows() -> None:
    X, y = bl.load_dataset("iris").split_target("species")
    model = OptimalTreeClassifier(max_depth=3, min_samples_leaf=10).fit(X, y)
    assert model.tree_.weight[model.tree_.is_leaf].min() >= 10
    free = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert free.value_ <= model.value_


@given(seed=st.integers(0, 10**6), is_regression=st.booleans())
def test_row_order_and_copies_do_not_matter(seed: int, is_regression: bool) -> None:
    rng = np.random.default_rng(seed)
    frame = small_frame(rng, 24)
    y = np.round(rng.normal(size=24), 1) if is_regression else np.r_[0, 1, rng.integers(0, 2, 22)]
    kind = OptimalTreeRegressor if is_regression else OptimalTreeClassifier
    weight = rng.integers(1, 4, 24)
    model = kind(max_depth=3).fit(frame, y, sample_weight=weight)
    order = rng.permutation(np.repeat(np.arange(24), weight))
    again = kind(max_depth=3).fit(frame.iloc[order], y[order])
    assert again.to_text() == model.to_text()
    assert again.value_ == model.value_


def test_reading_and_saving(tmp_path: Any) -> None:
    X, y = bl.load_dataset("titanic").split_target("survived")
    X = X.drop(["boat", "body", "name", "ticket", "home.dest"])
    model = OptimalTreeClassifier(max_depth=2, max_thresholds=8).fit(X, y)
    assert len(model.rules()) == model.get_n_leaves()
    assert str(model.path(X))
    assert "best with it" in str(model.why())
    assert "leaf" in str(model.why(int(np.flatnonzero(model.tree_.is_leaf)[0])))
    assert "<svg" in model.draw().svg
    assert model.rules(simplify=True)
    model.save(tmp_path / "tree.branchline")
    again = bl.load(tmp_path / "tree.branchline")
    assert again.proof_ == model.proof_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.proof_.to_frame()["value"][0] == model.value_
    assert model.proof_.to_dict()["gap"] == 0.0


def test_plain_data_and_back() -> None:
    X, y = bl.load_dataset("iris").split_target("species")
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    again = OptimalTreeClassifier.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.proof_ == model.proof_
    assert again.to_text() == model.to_text()
    plain = DecisionTreeClassifier.from_dict(model.to_dict())
    np.testing.assert_array_equal(plain.predict(X), model.predict(X))
    without = {name: part for name, part in model.to_dict().items() if name != "proof"}
    with pytest.raises(bl.errors.ModelFileError):
        OptimalTreeClassifier.from_dict(without)


@pytest.mark.parametrize("call", ["edit", "stability", "growing_curve", "pruning_sequence"])
@pytest.mark.parametrize("kind", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_what_grows_test_by_test_is_refused(kind: Any, call: str) -> None:
    X, y = binary_table(3, lambda x: x[0] & x[1])
    model = kind(max_depth=2).fit(X, y)
    with pytest.raises(bl.errors.ParameterError, match="not grown test by test") as caught:
        getattr(model, call)()
    assert caught.value.code == "P540"
    assert model.mean_depth_ == model.mean_test_cost_ == 1.5
    assert model.ask().question


@pytest.mark.parametrize(
    "wrong",
    [{"max_depth": 0}, {"max_depth": 7}, {"leaf_penalty": -1.0}, {"time_budget": 0.0}],
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(bl.errors.ParameterError):
        OptimalTreeClassifier(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("name", "value"),
    [("proof_bound", 2.0), ("proof_is_proved", 1), ("proof_n_tests", -1), ("proof_value", 9.0)],
)
def test_damaged_proofs_are_refused(name: str, value: Any) -> None:
    X, y = binary_table(2, lambda x: x[0] ^ x[1])
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    state = {**model._pack(), name: value}
    with pytest.raises(bl.errors.ModelFileError):
        model._unpack(state, model.schema_)
