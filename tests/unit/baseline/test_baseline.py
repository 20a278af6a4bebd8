"""The baselines, against scikit-learn's dummies."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from branchline import load_dataset
from branchline.baseline import MajorityClassifier, MeanRegressor


@pytest.mark.parametrize("weighted", [False, True])
def test_majority_equals_the_dummy(weighted: bool) -> None:
    X, y = load_dataset("german-credit").split_target("class")
    weight = np.random.default_rng(0).uniform(0, 3, len(y)) if weighted else None
    ours = MajorityClassifier().fit(X, y, sample_weight=weight)
    theirs = DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), y, weight)
    np.testing.assert_allclose(ours.predict_proba(X[:5])[0], theirs.class_prior_, rtol=1e-9)
    assert set(ours.predict(X)) == {"good"}


@pytest.mark.parametrize("weighted", [False, True])
def test_mean_equals_the_dummy(weighted: bool) -> None:
    X, y = load_dataset("auto-mpg").split_target("mpg")
    weight = np.random.default_rng(0).uniform(0, 3, len(y)) if weighted else None
    ours = MeanRegressor().fit(X, y, sample_weight=weight)
    theirs = DummyRegressor().fit(np.zeros((len(y), 1)), y, weight)
    assert ours.mean_ == pytest.approx(theirs.constant_[0, 0], rel=1e-12)
    assert ours.predict(X).shape == y.shape


def test_a_tie_goes_to_the_first_class() -> None:
    assert MajorityClassifier().fit([[1], [2]], ["b", "a"]).predict([[0]])[0] == "a"
