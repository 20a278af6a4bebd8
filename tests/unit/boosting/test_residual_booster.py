"""Residual fitting: against a slow twin, shrinkage, early stopping, learners, warm starts."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline import load, load_dataset
from branchline.boosting import ResidualBooster
from branchline.errors import ModelFileError, ParameterError
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor


def waves(n_rows: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 10, size=(n_rows, 2))
    return X, np.sin(X[:, 0]) + np.sin(2 * X[:, 0]) + rng.normal(0, 0.5, n_rows)


def slow_residuals(X: Any, y: np.ndarray, n_rounds: int, rate: float, **tree: Any) -> np.ndarray:
    """Return the predictions of trees that are fitted on residuals one after another."""
    model = np.full(len(y), y.mean())
    for _ in range(n_rounds):
        one = DecisionTreeRegressor(prune=None, correct_for_chance=False, **tree)
        model = model + rate * one.fit(X, y - model).predict(X)
    return model


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    rate=st.sampled_from([1.0, 0.3]),
    leaves=st.integers(2, 8),
    n_rounds=st.integers(1, 8),
)
def test_trees_fit_what_is_left(seed: int, rate: float, leaves: int, n_rounds: int) -> None:
    X, y = waves(80, seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    model = ResidualBooster(
        n_estimators=n_rounds, learning_rate=rate, max_leaf_nodes=leaves, max_bins=None
    ).fit(X, y)
    expected = slow_residuals(X, y, n_rounds, rate, max_leaf_nodes=leaves)
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-9)
    loss = np.mean((y - expected) ** 2)
    np.testing.assert_allclose(model.train_loss_[-1], loss, rtol=1e-9)
    assert (np.diff(model.train_loss_) < 0).all()


def test_the_first_member_is_the_learner_itself() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = ResidualBooster(n_estimators=1, max_leaf_nodes=4, max_bins=None).fit(X, y)
    # The model years are 13 categories: more than eight are corrected for chance. Few cars have
    # three or five cylinders: categories of fewer than five rows count as missing.
    tree = DecisionTreeRegressor(max_leaf_nodes=4, prune=None, correct_for_chance=True)
    frame = X.to_pandas()
    frame.loc[frame["cylinders"].astype(str).isin(["3", "5"]), "cylinders"] = None
    np.testing.assert_allclose(model.predict(X), tree.fit(frame, y).predict(frame))


def test_stages_and_importances() -> None:
    X, y = waves()
    model = ResidualBooster(n_estimators=7).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 7
    assert np.array_equal(stages[-1], model.predict(X))
    losses = [np.mean((y - stage) ** 2) for stage in stages]
    np.testing.assert_allclose(losses, model.train_loss_)
    assert model.validation_loss_ is None
    assert model.feature_importances_[0] > 0.7
    members = sum(tree.predict(X) for tree in model.estimators_)
    np.testing.assert_allclose(model.start_ + members, model.predict(X))


def test_early_stopping_keeps_the_best_round() -> None:
    X, y = waves(300)
    whole = ResidualBooster(n_estimators=200, max_leaf_nodes=8).fit(X, y)
    model = ResidualBooster(
        n_estimators=200, max_leaf_nodes=8, validation_fraction=0.25, patience=5
    ).fit(X, y)
    assert model.n_estimators_ < whole.n_estimators_ == 200
    assert model.validation_loss_ is not None
    assert len(model.validation_loss_) == len(model.train_loss_) == model.n_estimators_
    assert np.argmin(model.validation_loss_) == model.n_estimators_ - 1
    new_X, new_y = waves(2000, seed=1)
    assert model.score(new_X, new_y) > whole.score(new_X, new_y)


@pytest.mark.parametrize("fraction", [None, 0.3])
@pytest.mark.parametrize("estimator", [None, "tree", "neighbors"])
def test_row_order_and_copies_do_not_matter(estimator: Any, fraction: float | None) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=50).round(1), "word": rng.choice(["a", "b"], 50)})
    y = frame["x"].to_numpy() + (frame["word"] == "b") + rng.normal(size=50)
    copies = rng.integers(0, 3, 50)
    rows = rng.permutation(np.repeat(np.arange(50), copies))
    model = ResidualBooster(
        estimator, n_estimators=4, learning_rate=0.5, validation_fraction=fraction
    )
    weighted = model.fit(frame, y, sample_weight=copies).predict(frame)
    assert np.array_equal(weighted, model.fit(frame.iloc[rows], y[rows]).predict(frame))


def test_too_few_rows_to_hold_any_out() -> None:
    model = ResidualBooster(validation_fraction=0.1).fit([[1.0]], [2.0])
    assert model.predict([[5.0]]).tolist() == [2.0]


def test_it_ends_when_nothing_changes() -> None:
    X, y = waves()
    line = ResidualBooster("linear", n_estimators=9).fit(X, y)
    assert line.n_estimators_ == 1  # a line through the residuals of a line is flat
    assert (
        ResidualBooster().fit(np.arange(6.0)[:, None], np.repeat([1.0, 2.0], 3)).n_estimators_ == 1
    )
    assert ResidualBooster().fit(np.zeros((4, 1)), np.arange(4.0)).predict([[0.0]]).tolist() == [
        1.5
    ]


def test_any_regressor_can_be_boosted(tmp_path: Path) -> None:
    X, y = waves()
    for estimator in ("neighbors", DecisionTreeRegressor(max_depth=2, prune=None), "ridge"):
        model = ResidualBooster(estimator, n_estimators=3, learning_rate=0.5).fit(X, y)
        model.save(tmp_path / "model.branchline")
        loaded = load(tmp_path / "model.branchline")
        assert np.array_equal(loaded.predict(X), model.predict(X))
        assert np.array_equal(loaded.train_loss_, model.train_loss_)


def test_learners_that_cannot_be_used_are_refused() -> None:
    X, y = waves(30)
    with pytest.raises(ParameterError, match="must be a regressor") as caught:
        ResidualBooster(DecisionTreeClassifier()).fit(X, y)
    assert caught.value.code == "P151"
    weight = np.random.default_rng(0).uniform(0.5, 2, 30)
    with pytest.raises(ParameterError, match="takes no sample_weight") as caught:
        ResidualBooster("neighbors").fit(X, y, sample_weight=weight)
    assert caught.value.code == "P151"


@pytest.mark.parametrize("estimator", [None, "neighbors"])
def test_a_warm_start_is_a_longer_fit(estimator: Any) -> None:
    X, y = waves()
    whole = ResidualBooster(estimator, n_estimators=6, learning_rate=0.5).fit(X, y)
    grown = ResidualBooster(estimator, n_estimators=2, learning_rate=0.5, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=6).fit(X, y)
    assert np.array_equal(grown.train_loss_, whole.train_loss_)
    assert np.array_equal(grown.predict(X), whole.predict(X))
    with pytest.raises(ParameterError) as caught:
        grown.set_params(n_estimators=8).fit(X, y + 1)
    assert caught.value.code == "P152"


def test_shares_of_an_explanation_add_up() -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    model = ResidualBooster(n_estimators=20, max_leaf_nodes=5, learning_rate=0.4).fit(X, y)
    found = model.explain(X.rows([3]))
    assert found.is_sum
    np.testing.assert_allclose(found.total, model.predict(X.rows([3]))[0])


def test_damaged_values_are_refused() -> None:
    model = ResidualBooster(n_estimators=3).fit(*waves(40))
    packed = dict(model._pack())
    for name, wrong in (
        ("start", "0"),
        ("train_loss", np.array([1.0])),
        ("validation_loss", np.array([-1.0, 0.0, 0.0])),
        ("members", []),
    ):
        with pytest.raises(ModelFileError):
            model._unpack({**packed, name: wrong}, model.schema_)


@pytest.mark.parametrize("n_rows", [1, 2, 40])
def test_predictions_have_the_bits_of_the_last_stage(n_rows):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    model = ResidualBooster(n_estimators=60).fit(X, X[:, 0] ** 2 + random.normal(size=200))
    *_, last = model.staged_predict(X[:n_rows])
    assert model.predict(X[:n_rows]).tobytes() == last.tobytes()
