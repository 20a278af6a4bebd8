"""Learners that choose something by themselves do not choose it on copies of their training rows.

A learner whose inner folds put copies of a row on both sides believes that it predicts noise well,
and learns it by heart: on new rows it is then far worse than the mean.
"""

import inspect

import numpy as np
import pytest

from branchline import catalog

CHOOSERS = [
    ("tree", {}),
    ("cart", {}),
    ("nearest_neighbors", {}),
    ("parzen", {}),
    ("ridge", {}),
    ("lasso", {}),
    ("stagewise", {}),
    ("subset", {}),
    ("pls", {}),
    ("kernel_ridge", {"alpha": "auto"}),
    ("mlp", {"alpha": "auto"}),
    ("gradient_boosting", {"n_estimators": "auto"}),
    ("residual_booster", {}),
    ("stacking", {}),
    ("voting", {"weights": "stacked"}),
]
_WORSE = 0.2


def noise(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, 5)), rng.normal(size=n_rows)


@pytest.mark.parametrize(("name", "parameters"), CHOOSERS)
def test_noise_given_twice_is_not_learned_by_heart(name, parameters):
    X, y = noise(80, 0)
    new_X, new_y = noise(1000, 1)
    model = catalog.make(name, task="regression", **parameters)
    once = model.fit(X, y).score(new_X, new_y)
    twice = model.fit(np.repeat(X, 2, axis=0), np.repeat(y, 2)).score(new_X, new_y)
    assert twice > once - _WORSE
    if "sample_weight" in inspect.signature(model.fit).parameters:
        weighted = model.fit(X, y, sample_weight=np.full(80, 2.0)).score(new_X, new_y)
        assert weighted > once - _WORSE
