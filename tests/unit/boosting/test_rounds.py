"""Rounds: many in one native call, or one after another, are the same bits."""

import numpy as np
import pytest

from branchline._base import FittedState
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.boosting._rounds import Rounds
from branchline.errors import ParameterError


def table(n_rows=120):
    random = np.random.default_rng(3)
    X = random.normal(size=(n_rows, 5))
    X[random.random(X.shape) < 0.1] = np.nan
    return X, 2 * np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 + random.normal(size=n_rows)


X, Y = table()
COUNTS = np.floor(np.exp(Y / 3))
NUMBERS = {
    "squared": {},
    "without draws": {"subsample": 1.0},
    "without regularization": {"l2_regularization": 0.0, "min_hessian": 0.0},
    "monotone": {"monotonic_cst": [1, 0, 0, -1, 0]},
    "poisson": {"loss": "poisson"},
    "gamma": {"loss": "gamma"},
    "tweedie": {"loss": "tweedie"},
    "symmetric": {"growth": "symmetric"},
    "few rows drawn": {"subsample": 0.01},
}
CLASSES = {
    "two": (Y > 0, {}),
    "four": (np.digitize(Y, [-1, 0, 2]), {"class_weight": "balanced"}),
    "exponential": (Y > 1, {"loss": "exponential"}),
}


def as_bytes(state: FittedState) -> dict[str, bytes]:
    return {name: np.asarray(value).tobytes() for name, value in state.items()}


def one_by_one(monkeypatch, make):
    """Return what is fitted by single rounds, and what by many in a call."""
    many = make()
    with monkeypatch.context() as patch:
        patch.setattr(Rounds, "_has_native_rounds", lambda self: False)
        single = make()
    return as_bytes(single._pack()), as_bytes(many._pack())


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
def test_rounds_for_numbers(monkeypatch, name, weights):
    y = COUNTS + 0.5 if NUMBERS[name].get("loss") == "gamma" else COUNTS
    weight = None if weights is None else np.random.default_rng(1).integers(0, 4, len(y)) * 1.0
    weight = weight / 3 if weights == "fractions" else weight
    single, many = one_by_one(
        monkeypatch,
        lambda: GradientBoostingRegressor(n_estimators=12, **NUMBERS[name]).fit(X, y, weight),
    )
    assert single == many


@pytest.mark.parametrize("name", CLASSES)
def test_rounds_for_classes(monkeypatch, name):
    y, parameters = CLASSES[name]
    single, many = one_by_one(
        monkeypatch, lambda: GradientBoostingClassifier(n_estimators=12, **parameters).fit(X, y)
    )
    assert single == many


@pytest.mark.parametrize("n_rows", [60, 120])
@pytest.mark.parametrize("subsample", [0.8, 1.0])
def test_rounds_of_a_search(monkeypatch, n_rows, subsample):
    """Its folds are boosted side by side, and stop after the same round."""
    parameters = {"n_estimators": "auto", "patience": 5, "subsample": subsample}
    for y in (Y, np.digitize(Y, [-1, 0, 2])):
        kind = GradientBoostingRegressor if y is Y else GradientBoostingClassifier
        single, many = one_by_one(
            monkeypatch, lambda kind=kind, y=y: kind(**parameters).fit(X[:n_rows], y[:n_rows])
        )
        assert single == many


def test_rounds_of_a_warm_start(monkeypatch):
    def make():
        model = GradientBoostingRegressor(n_estimators=7, warm_start=True).fit(X, Y)
        return model.set_params(n_estimators=12).fit(X, Y)

    single, many = one_by_one(monkeypatch, make)
    assert single == many


def test_default_rounds_are_made_in_few_calls(monkeypatch):
    calls = []
    run = Rounds.run
    monkeypatch.setattr(
        Rounds,
        "run",
        lambda self, most, seconds: calls.append(run(self, most, seconds)) or calls[-1],
    )
    GradientBoostingRegressor(n_jobs=1).fit(X[:40], Y[:40])
    assert sum(calls) == 200
    assert len(calls) < 20  # one on an idle machine


def test_scores_that_grow_without_end():
    with pytest.raises(ParameterError, match="without end") as caught:
        GradientBoostingRegressor(learning_rate=1e6).fit(X, Y)
    assert caught.value.code == "P156"


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_first_rounds_are_counted_as_rounds_not_as_calls(monkeypatch, n_classes):
    """Native rounds come many in a call; the first n of them are those that n calls make."""
    seen = []
    run = Rounds.run

    def keep(self, *given):
        seen.append(self)
        return run(self, *given)

    monkeypatch.setattr(Rounds, "run", keep)
    table = {"x": X[:, 0], "c": np.where(X[:, 1] > 0, "a", "b"), "z": X[:, 2]}
    y = np.digitize(Y, np.quantile(Y, np.arange(1, n_classes) / n_classes))
    GradientBoostingClassifier(n_estimators=9).fit(table, y)
    rounds = seen[0]
    assert sum(some.n_rounds for some in rounds.grown) == 9
    assert len(rounds.grown) < 9  # else nothing was tested
    few = GradientBoostingClassifier(n_estimators=4).fit(table, y)
    first = rounds.trees(4)
    assert first.n_rounds == 4
    np.testing.assert_array_equal(first.value, few.trees_.value)
    np.testing.assert_array_equal(first.kind, few.trees_.kind)
    gains = rounds.gains(4)
    np.testing.assert_array_equal(gains / gains.sum(), few.feature_importances_)
    assert rounds.trees().n_rounds == 9
