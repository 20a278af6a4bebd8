"""Stumps against scikit-learn's trees of depth one.

Where the best gain is unique the two must choose the same column, the same cut and give the same
probabilities. Continuous random inputs make ties impossible in practice; scikit-learn casts inputs
to float32, so they are drawn as float32 here.
"""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from branchline.tree import StumpClassifier, StumpRegressor


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_classifier_equals_a_tree_of_depth_one(seed: int, criterion: str, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 5)).astype(np.float32)
    y = rng.integers(0, n_classes, 150) * (X[:, 0] + rng.normal(size=150) > 0)
    weight = rng.integers(1, 4, 150)
    ours = StumpClassifier(criterion=criterion, min_samples_leaf=3).fit(X, y, weight)
    theirs = DecisionTreeClassifier(max_depth=1, criterion=criterion, min_weight_fraction_leaf=0)
    theirs = theirs.fit(X, y, weight)
    if theirs.tree_.weighted_n_node_samples[1:].min() < 3:
        pytest.skip("scikit-learn counts rows, not weights, in a leaf")
    assert ours.tree_.feature[0] == theirs.tree_.feature[0]
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_regressor_equals_a_tree_of_depth_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 5)).astype(np.float32)
    y = X[:, 1] * 3 + rng.normal(size=150) + 1e6
    ours = StumpRegressor().fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=1).fit(X, y)
    assert ours.tree_.feature[0] == theirs.tree_.feature[0]
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
