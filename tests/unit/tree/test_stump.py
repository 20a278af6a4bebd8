"""Stumps: the textbook's tests, missing values, unseen categories, reading, parameters."""

import numpy as np
import pandas as pd
import pytest

from branchline import load_dataset
from branchline.tree import OneRule, StumpClassifier, StumpRegressor


def test_tennis_root_is_outlook_with_three_branches() -> None:
    X, y = load_dataset("tennis").split_target("play")
    model = StumpClassifier(criterion="entropy", split="multiway").fit(X, y)
    assert model.to_text().splitlines() == [
        "outlook",
        "  overcast: yes 100 % of 4",
        "  rain: yes 60 % of 5",
        "  sunny: no 60 % of 5",
    ]


def test_numeric_temperature_is_cut_at_84() -> None:
    X, y = load_dataset("tennis-numeric").split_target("play")
    model = StumpClassifier(criterion="entropy").fit(X.select(["temperature"]), y)
    assert model.tree_.threshold[0] == 84.0


def test_equal_gains_go_to_fewer_branches_then_to_the_first_column() -> None:
    y = np.array(["a", "a", "b", "b"])
    three = pd.DataFrame({"three": ["p", "q", "r", "r"], "two": ["u", "u", "v", "v"]})
    model = StumpClassifier(criterion="entropy", split="multiway").fit(three, y)
    assert model.to_text().startswith("two")
    first = StumpClassifier().fit(pd.DataFrame({"x": [1, 1, 2, 2], "y": [1, 1, 2, 2]}), y)
    assert first.to_text().startswith("x ≤ 1.5")


def test_missing_values_go_where_they_help() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 8.0, 9.0, np.nan, np.nan]})
    left = StumpClassifier().fit(X, list("aabbaa"))
    right = StumpClassifier().fit(X, list("aabbbb"))
    hole = pd.DataFrame({"x": [np.nan]})
    assert (left.predict(hole)[0], right.predict(hole)[0]) == ("a", "b")


def test_being_present_can_be_the_test() -> None:
    X = pd.DataFrame({"boat": [1.0, 2.0, 3.0, np.nan, np.nan]})
    model = StumpClassifier().fit(X, ["yes", "yes", "yes", "no", "no"])
    assert model.to_text().splitlines()[0] == "boat is present"
    assert model.predict(pd.DataFrame({"boat": [99.0, np.nan]})).tolist() == ["yes", "no"]


def test_without_missing_values_in_training_they_follow_the_majority() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 9.0]})
    model = StumpClassifier().fit(X, list("aaab"))
    assert model.predict(pd.DataFrame({"x": [np.nan]}))[0] == "a"


def test_an_unseen_category_stays_at_the_root_of_a_multiway_test() -> None:
    X = pd.DataFrame({"town": ["Mons"] * 3 + ["Ath"] * 2})
    model = StumpClassifier(split="multiway").fit(X, list("aaabb"))
    assert model.apply(pd.DataFrame({"town": ["Paris", "Ath"]})).tolist() == [0, 1]
    assert model.predict(pd.DataFrame({"town": ["Paris"]}))[0] == "a"


def test_rare_categories_share_a_branch() -> None:
    X = pd.DataFrame({"town": ["Mons"] * 6 + ["Ath"] * 6 + ["Huy", "Spa", "Visé"]})
    model = OneRule().fit(X, ["a"] * 6 + ["b"] * 6 + ["a", "b", "b"])
    assert model.to_text().splitlines()[-1] == "  Huy, Spa, Visé: b 67 % of 3"


def test_identifiers_do_not_win_with_one_rule() -> None:
    X, y = load_dataset("titanic").split_target("survived")
    assert OneRule().fit(X, y).to_text().splitlines()[0] == "boat"


def test_no_gain_means_no_test() -> None:
    X = pd.DataFrame({"x": [1, 1, 2, 2]})
    model = StumpClassifier().fit(X, list("abab"))
    assert model.tree_.n_nodes == 1
    assert model.to_text() == "always: a 50 % of 4"


def test_min_samples_leaf_bounds_each_side() -> None:
    X = pd.DataFrame({"x": np.arange(20.0)})
    y = np.r_[[1.0], np.zeros(19)]
    assert StumpRegressor().fit(X, y).tree_.weight.tolist() == [20, 1, 19]
    assert StumpRegressor(min_samples_leaf=5).fit(X, y).tree_.weight[1:].min() >= 5


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_means_are_exact_at_any_scale(scale: float) -> None:
    X = pd.DataFrame({"x": [0, 0, 1, 1]})
    model = StumpRegressor().fit(X, np.array([1.0, 2.0, 5.0, 6.0]) * scale)
    np.testing.assert_allclose(
        model.predict(pd.DataFrame({"x": [0, 1]})), [1.5 * scale, 5.5 * scale], rtol=1e-12
    )


def test_more_categories_than_codes_are_pooled() -> None:
    names = np.array([f"n{number}" for number in range(70_000)])
    X = pd.DataFrame({"id": np.r_[names, ["a"] * 500, ["b"] * 500]})
    y = np.r_[np.tile(["x", "y"], 35_000), ["x"] * 500, ["y"] * 500]
    model = StumpClassifier(split="multiway", min_samples_leaf=100).fit(X, y)
    found = model.predict(pd.DataFrame({"id": ["a", "b"]}))
    assert found.tolist() == ["x", "y"]
