"""Layers and decay by cross-validation."""

from typing import Any

import numpy as np
import pytest

from branchline.errors import ModelFileError
from branchline.neural import MLPClassifier, MLPRegressor
from branchline.neural._choosing import ALPHAS, LAYERS, Choice, choices_from_state

QUICK = {"tol": 1e-2, "max_iter": 200}


def noise(n_rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, 4)), rng.normal(size=n_rows)


def test_noise_gets_the_largest_decay() -> None:
    X, y = noise()
    model = MLPRegressor(alpha="auto", hidden_layer_sizes=(4,), **QUICK).fit(X, y)
    assert model.alpha_ == max(ALPHAS)
    assert [choice.alpha for choice in model.choices_] == list(ALPHAS)
    assert {choice.hidden_layer_sizes for choice in model.choices_} == {(4,)}
    assert model.choices_[0].loss == min(choice.loss for choice in model.choices_)
    assert "tried: 4 units, decay 30: loss" in model.to_text()


def test_a_clean_signal_gets_a_small_decay() -> None:
    X, _ = noise(100)
    model = MLPRegressor(alpha="auto", hidden_layer_sizes=(4,)).fit(X, np.tanh(2 * X[:, 0]))
    assert model.alpha_ <= 0.3


def test_layers_are_chosen_after_the_decay() -> None:
    X, y = noise(40)
    model = MLPClassifier(alpha="auto", hidden_layer_sizes="auto", **QUICK).fit(X, y > 0)
    assert model.hidden_layer_sizes_ in LAYERS
    tried = [choice for choice in model.choices_ if choice.alpha == model.alpha_]
    assert sorted(choice.hidden_layer_sizes for choice in tried) == sorted(LAYERS)
    assert len(model.choices_) == len(ALPHAS) + len(LAYERS) - 1
    best = min(model.choices_, key=lambda choice: choice.loss)
    assert (best.hidden_layer_sizes, best.alpha) == (model.hidden_layer_sizes_, model.alpha_)


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_few_rows_take_what_is_usual(kind: Any) -> None:
    X, _ = noise(6)
    model = kind(alpha="auto", hidden_layer_sizes="auto").fit(X, [0, 1, 0, 1, 1, 0])
    assert model.choices_ == ()
    assert model.hidden_layer_sizes_ == kind().hidden_layer_sizes
    assert model.alpha_ == kind().alpha


SOUND = Choice((10,), 1.0, 0.5).pack()
FORGERIES: dict[str, Any] = {
    "no list": SOUND,
    "no mapping": [[1, 2]],
    "part missing": [{"alpha": 1.0, "loss": 0.5}],
    "negative": [SOUND | {"alpha": -1.0}],
    "not a number": [SOUND | {"loss": float("nan")}],
    "whole": [SOUND | {"loss": 1}],
    "no units": [SOUND | {"hidden_layer_sizes": [0]}],
    "text": [SOUND | {"hidden_layer_sizes": "10"}],
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_candidates_are_refused(name: str) -> None:
    assert choices_from_state([SOUND]) == (Choice((10,), 1.0, 0.5),)
    with pytest.raises(ModelFileError):
        choices_from_state(FORGERIES[name])
