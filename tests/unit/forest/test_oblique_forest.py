"""Oblique forests: weights that are all the same change nothing, whatever they are."""

import numpy as np
import pytest

from branchline.forest import ObliqueForestClassifier, ObliqueForestRegressor


@pytest.mark.parametrize("weight", [0.5, 2.5])
@pytest.mark.parametrize("kind", [ObliqueForestClassifier, ObliqueForestRegressor])
def test_equal_weights_that_are_not_whole_change_nothing(kind, weight):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] > X[:, 1]).astype(int)
    plain = kind(n_estimators=4).fit(X, y)
    weighted = kind(n_estimators=4).fit(X, y, sample_weight=np.full(len(X), weight))
    np.testing.assert_array_equal(plain.predict(X), weighted.predict(X))
    np.testing.assert_array_equal(plain.apply(X), weighted.apply(X))
