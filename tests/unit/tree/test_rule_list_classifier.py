"""Optimal rule lists against trying every list, and their reading, saving and promises."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import branchline as bl
from branchline.tree import OptimalTreeClassifier, RuleListClassifier
from twins.optimal_tree import best_list, class_cost, every_split


def small_frame(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 3, n_rows).astype(float),
            "z": rng.integers(0, 2, n_rows).astype(float),
            "c": rng.choice(["a", "b", "d"], n_rows),
        }
    )
    if rng.random() < 0.5:
        frame.loc[rng.random(n_rows) < 0.2, "x"] = np.nan
    return frame.assign(x=frame["x"] if frame["x"].notna().any() else 0.0)


def all_captures(frame: pd.DataFrame, max_conditions: int) -> list[Any]:
    singles = [rows for split in every_split(frame) for rows in (split, ~split)]
    pairs = [a & b for a, b in combinations(singles, 2)] if max_conditions == 2 else []
    unique = {rows.tobytes(): rows for rows in [*singles, *pairs]}
    return list(unique.values())


@pytest.mark.parametrize("max_conditions", [1, 2])
@pytest.mark.parametrize("block", range(4))
def test_lists_equal_brute_force(block: int, max_conditions: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        rng = np.random.default_rng(seed)
        n_rows, n_rules = int(rng.integers(6, 11)), 3 if seed % 4 == 0 else 2
        frame, n_classes = small_frame(rng, n_rows), int(rng.integers(2, 4))
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)]
        weight = rng.integers(1, 4, n_rows).astype(float) if seed % 2 else np.ones(n_rows)
        costs = 1.0 - np.eye(n_classes)
        if seed % 3 == 0:
            costs *= rng.integers(1, 5, (n_classes, n_classes))
        price = [0.0, 0.05, 0.2][seed % 3]
        if n_rules == 3 and max_conditions == 2:
            n_rules = 2
        model = RuleListClassifier(
            max_rules=n_rules,
            rule_penalty=price,
            max_conditions=max_conditions,
            costs=costs,
            max_thresholds=None,
        ).fit(frame, y, sample_weight=weight if seed % 2 else None)
        total = weight.sum()
        # The search joins conditions of one column only to intervals of numbers.
        value = best_list(
            np.ones(n_rows, dtype=bool),
            all_captures(frame, max_conditions),
            n_rules,
            class_cost(y, weight, costs),
            price * total,
        )
        assert model.proved_
        assert model.value_ == pytest.approx(value / total, abs=1e-12)
        predicted = model.predict(frame)
        paid = (weight * costs[y, predicted]).sum() / total + price * len(model.rules_)
        assert paid == pytest.approx(model.value_, abs=1e-12)


def test_order_of_rows_copies_and_weights_do_not_matter() -> None:
    for seed in range(15):
        rng = np.random.default_rng(seed)
        frame, y = small_frame(rng, 30), np.r_[0, 1, rng.integers(0, 2, 28)]
        weight = rng.integers(1, 4, 30)
        model = RuleListClassifier(max_rules=3).fit(frame, y, sample_weight=weight)
        order = rng.permutation(np.repeat(np.arange(30), weight))
        again = RuleListClassifier(max_rules=3).fit(frame.iloc[order], y[order])
        assert again.to_text() == model.to_text()
        assert again.value_ == model.value_


def test_a_list_is_no_better_than_a_tree_of_its_depth() -> None:
    X, y = bl.load_dataset("heart").split_target("disease")
    rules = RuleListClassifier(max_rules=3, rule_penalty=0.0).fit(X, y)
    tree = OptimalTreeClassifier(max_depth=3, max_thresholds=20).fit(X, y)
    assert rules.proved_
    assert tree.proved_
    assert rules.value_ >= tree.value_
    two = RuleListClassifier(max_rules=1, max_conditions=2, max_thresholds=3).fit(X, y)
    one = RuleListClassifier(max_rules=1, max_conditions=1, max_thresholds=3).fit(X, y)
    assert two.value_ <= one.value_


def test_reading_and_saving(tmp_path: Any) -> None:
    X, y = bl.load_dataset("heart").split_target("disease")
    X = X.select(["age", "chest_pain", "vessels", "thallium_scan"])
    model = RuleListClassifier(max_rules=3, max_conditions=2, max_thresholds=3).fit(X, y)
    text = model.to_text()
    assert text.startswith("The first rule that holds decides.")
    assert "OTHERWISE" in text
    assert len(model.rules()) == len(model.to_frame()) - 1
    assert str(model._complexity()) == f"{len(model.rules_)} rules"
    np.testing.assert_array_equal(model.rules_.predict(X), model.predict(X))
    np.testing.assert_allclose(model.rules_.predict_proba(X), model.predict_proba(X))
    model.save(tmp_path / "list.branchline")
    again = bl.load(tmp_path / "list.branchline")
    assert again.to_text() == text
    assert again.proof_ == model.proof_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_missing_values_where_there_were_none_follow_most_rows() -> None:
    X = pd.DataFrame({"x": [0.0, 0.0, 0.0, 1.0]})
    model = RuleListClassifier(max_rules=1, rule_penalty=0.0).fit(X, ["a", "a", "a", "b"])
    assert model.predict(pd.DataFrame({"x": [np.nan]})).tolist() == ["a"]


def test_a_price_above_all_errors_leaves_the_default_alone() -> None:
    X, y = bl.load_dataset("iris").split_target("species")
    model = RuleListClassifier(rule_penalty=1.0).fit(X, y)
    assert len(model.rules_) == 0
    assert model.value_ == pytest.approx(2 / 3)
    assert model.proved_


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_conditions", np.array([3], dtype=np.int64)),
        ("column", np.array([99], dtype=np.int64)),
        ("bounds", np.array([np.nan, 1.0])),
        ("content", np.array([1, -1, 2, 2], dtype=np.int64)),
        ("takes_missing", np.array([2], dtype=np.int64)),
        ("codes", np.array([0], dtype=np.int64)),
        ("unit", 3.0),
    ],
)
def test_damaged_lists_are_refused(name: str, value: Any) -> None:
    X = pd.DataFrame({"x": [0.0, 0.0, 1.0, 1.0]})
    model = RuleListClassifier(max_rules=1).fit(X, ["a", "a", "b", "b"])
    assert len(model.rules_) == 1
    with pytest.raises(bl.errors.ModelFileError):
        model._unpack({**model._pack(), name: value}, model.schema_)


def test_a_search_that_ends_early_rules_out_the_shorter_lists_that_it_completed():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.integers(0, 2, (400, 40)).astype(str))
    y = random.integers(0, 2, 400).astype(str)
    model = RuleListClassifier(max_rules=4, max_conditions=2, time_budget=1.0).fit(X, y)
    assert not model.proved_
    # One rule is solved at once; so a better list has two rules at least.
    assert 0.02 - 1e-9 <= model.bound_ < model.value_
