"""The mean, against scikit-learn's dummy."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from branchline import load_dataset
from branchline.baseline import MeanRegressor


@pytest.mark.parametrize("weighted", [False, True])
def test_mean_equals_the_dummy(weighted: bool) -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    weight = np.random.default_rng(0).uniform(0, 3, len(y)) if weighted else None
    ours = MeanRegressor().fit(X, y, sample_weight=weight)
    theirs = DummyRegressor().fit(np.zeros((len(y), 1)), y, weight)
    assert ours.mean_ == pytest.approx(theirs.constant_[0, 0], rel=1e-12)
    assert ours.predict(X).shape == y.shape
