"""The wave: four curves with error bars, and too many trees that overfit."""

import json

import numpy as np
import pytest

from branchline.assess.theory import sine_function
from branchline.boosting import GradientBoostingRegressor
from branchline.errors import ParameterError
from branchline.reproduce import SineExperiment, sine
from branchline.reproduce import _sine as module


@pytest.fixture(scope="module")
def found() -> SineExperiment:
    return sine(4)


def test_too_many_trees_overfit(found: SineExperiment) -> None:
    trees = found.curves[0]
    assert found.agrees
    assert 10 <= trees.best <= 100
    assert trees.mean[-1] > trees.mean.min() + 0.8
    # It first falls, then rises.
    least = int(trees.mean.argmin())
    assert (np.diff(trees.mean[: least + 1]) < 0).all()
    assert (np.diff(trees.mean[least:]) > 0).all()


def test_slow_learning_and_large_leaves_hold_it_back(found: SineExperiment) -> None:
    leaves, rates, shares = found.curves[1:]
    assert leaves.best > 5
    assert rates.best < 0.1
    # All three curves meet where the settings are those of the first one.
    meeting = [leaves.errors[:, 0], rates.errors[:, 3], shares.errors[:, -1]]
    trees = found.curves[0]
    for errors in meeting:
        assert errors == pytest.approx(trees.errors[:, trees.values.index(200)])
    assert len(found.notes) == 4


def test_a_point_by_hand(found: SineExperiment) -> None:
    problem = sine_function()
    cases, _ = problem.draw(2000, [0, 0])
    X, y = problem.draw(200, [0, 2])
    model = GradientBoostingRegressor(
        n_estimators=200, learning_rate=0.5, max_leaf_nodes=4, min_samples_leaf=1, subsample=1.0,
        l2_regularization=0.0, max_features=None, random_state=1,
    ).fit(X, y)  # fmt: skip
    error = 2 + ((model.predict(cases) - problem.truth(cases)) ** 2).mean()
    assert found.curves[2].errors[1, 1] == pytest.approx(error)


def test_it_can_be_read_and_sent(found: SineExperiment) -> None:
    text = found.to_text()
    assert "too many trees overfit" in text
    assert text.count("least") >= 4
    data = json.loads(json.dumps(found.to_dict()))
    assert [len(curve["mean"]) for curve in data["curves"]] == [11, 8, 7, 6]
    assert found.to_frame().shape == (32, 4)


def test_a_curve_that_does_not_rise_is_seen(found: SineExperiment) -> None:
    trees = found.curves[0]
    falling = module.ErrorCurve("n_estimators", trees.values, np.sort(trees.errors)[:, ::-1])
    assert not module._claim(falling).agrees


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError):
        sine(1)
