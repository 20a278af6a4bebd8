"""Columns of many categories in boosting: identifiers gain nothing, real effects are learned."""

from typing import Any

import numpy as np
import pytest

from branchline import load_dataset
from branchline._codes import fit_codes
from branchline.boosting import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ResidualBooster,
)
from branchline.boosting._rare_categories import with_rare_as_missing
from branchline.table import Table, as_table, dataset_info


def heart() -> tuple[Table, Any]:
    """Return the inputs and classes of the heart patients."""
    X, y = load_dataset("heart").split_target(str(dataset_info("heart").target))
    return X, np.array([str(label) for label in y])


def with_identifiers(X: Table, n_rows_each: int, n_columns: int) -> Table:
    """Return the table with columns of texts that tell nothing."""
    rng = np.random.default_rng(5)
    frame = X.to_pandas()
    for place in range(n_columns):
        numbers = rng.permutation(len(frame)) // n_rows_each
        frame[f"id{place}"] = [f"P{number:04d}" for number in numbers]
    return as_table(frame)


@pytest.mark.parametrize("growth", ["leaf_wise", "depth_wise", "symmetric"])
@pytest.mark.parametrize(("n_rows_each", "n_columns"), [(1, 1), (1, 10), (3, 3)])
def test_identifiers_cost_little(growth: str, n_rows_each: int, n_columns: int) -> None:
    X, y = heart()
    fold = np.random.default_rng(0).integers(0, 5, len(y))
    wide = with_identifiers(X, n_rows_each, n_columns)

    def accuracy(table: Table) -> float:
        model = GradientBoostingClassifier(n_estimators=50, learning_rate=0.1, growth=growth)
        right = [
            model.fit(table.rows(fold != k), y[fold != k]).predict(table.rows(fold == k))
            == y[fold == k]
            for k in range(5)
        ]
        return float(np.concatenate(right).mean())

    assert accuracy(wide) > accuracy(X) - 0.025  # a standard error is 0.022


def test_categories_of_one_row_gain_nothing_without_pooling() -> None:
    rng = np.random.default_rng(0)
    X = as_table({"id": [f"P{number}" for number in range(400)]})
    for model in (GradientBoostingRegressor, GradientBoostingClassifier):
        y = rng.normal(size=400) if model is GradientBoostingRegressor else rng.integers(0, 2, 400)
        boosted = model(n_estimators=5, category_penalty=1.0, min_samples_category=1).fit(X, y)
        assert boosted.trees_.n_leaves.max() <= 2  # the two degrees of freedom that stay
        pooled = model(n_estimators=5, category_penalty=0.0, min_samples_category=2).fit(X, y)
        assert pooled.trees_.n_leaves.max() == 1


def test_rare_categories_go_where_missing_values_go() -> None:
    rng = np.random.default_rng(1)
    names = np.array(
        ["a"] * 100 + ["b"] * 100 + [f"r{number}" for number in range(50)] + [None] * 50
    )
    y = np.where(names == "a", 0.0, 1.0) + 2.0 * np.isin(names, ["a", "b"], invert=True)
    X = as_table({"name": names.tolist(), "x": rng.normal(size=300)})
    model = GradientBoostingRegressor(n_estimators=50, learning_rate=0.3).fit(X, y)
    asked = as_table({"name": ["a", "b", "r7", None, "never"], "x": [0.0] * 5})
    found = model.predict(asked)
    np.testing.assert_allclose(found[:3], [0.0, 1.0, 3.0], atol=0.1)
    assert found[2] == found[3] == found[4]


def test_many_categories_with_real_effects_are_used() -> None:
    rng = np.random.default_rng(2)
    effect, level = rng.normal(size=300), rng.integers(0, 300, 3000)
    noise = [f"N{number}" for number in rng.integers(0, 300, 3000)]
    X = as_table({"level": [f"L{number}" for number in level], "noise": noise})
    y = effect[level] + 0.5 * rng.normal(size=3000)
    model = GradientBoostingRegressor().fit(X.rows(range(2000)), y[:2000])
    assert model.score(X.rows(range(2000, 3000)), y[2000:]) > 0.6
    assert model.feature_importances_[0] > 0.95


def test_two_categories_are_like_a_number_of_two_values() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + np.sin(X[:, 1]) + 0.3 * rng.normal(size=300)
    is_high = X[:, 0] > 0
    settings: dict[str, Any] = {"n_estimators": 20, "max_features": None}
    as_number = GradientBoostingRegressor(**settings).fit({"a": is_high * 1.0, "b": X[:, 1]}, y)
    texts = np.where(is_high, "yes", "no")
    as_text = GradientBoostingRegressor(**settings).fit({"a": texts, "b": X[:, 1]}, y)
    np.testing.assert_array_equal(as_number.trees_.n_leaves, as_text.trees_.n_leaves)


# -- AdaBoost and residual fitting -----------------------------------------------------------------


@pytest.mark.parametrize(("n_rows_each", "n_columns"), [(1, 1), (1, 10), (2, 2)])
def test_identifiers_cost_adaboost_little(n_rows_each: int, n_columns: int) -> None:
    X, y = heart()
    known = np.random.default_rng(0).random(len(y)) < 0.7
    wide = with_identifiers(X, n_rows_each, n_columns)
    plain, more = (
        AdaBoostClassifier().fit(table.rows(known), y[known]).score(table.rows(~known), y[~known])
        for table in (X, wide)
    )
    assert more > plain - 0.04  # a standard error of 90 rows


@pytest.mark.parametrize("model", [AdaBoostRegressor, ResidualBooster])
def test_identifiers_cost_regressors_little(model: Any) -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    y = np.asarray(y, dtype=float)
    known = np.random.default_rng(0).random(len(y)) < 0.7
    wide = with_identifiers(X, 1, 3)
    plain, more = (
        model().fit(table.rows(known), y[known]).score(table.rows(~known), y[~known])
        for table in (X, wide)
    )
    assert more > plain - 0.03


def test_rare_categories_of_sequences_are_missing() -> None:
    names = ["a"] * 60 + ["b"] * 36 + ["c"] * 3 + ["d"]
    codes = fit_codes(as_table({"name": names}))
    left, n_categories = with_rare_as_missing(codes, np.ones(100))
    assert n_categories == 2
    assert np.bincount(left.columns[0]).tolist() == [4, 60, 36]
    weighed, n_categories = with_rare_as_missing(codes, np.where(np.arange(100) == 99, 5.0, 1.0))
    assert n_categories == 3
    assert weighed.columns[0][-1] > 0
