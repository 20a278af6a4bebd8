"""The majority class, against scikit-learn's dummy."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from branchline import load_dataset
from branchline.baseline import MajorityClassifier


@pytest.mark.parametrize("weighted", [False, True])
def test_majority_equals_the_dummy(weighted: bool) -> None:
    X, y = load_dataset("german-credit").split_target("class")
    weight = np.random.default_rng(0).uniform(0, 3, len(y)) if weighted else None
    ours = MajorityClassifier().fit(X, y, sample_weight=weight)
    theirs = DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), y, weight)
    np.testing.assert_allclose(ours.predict_proba(X[:5])[0], theirs.class_prior_, rtol=1e-9)
    assert set(ours.predict(X)) == {"good"}


def test_a_tie_goes_to_the_first_class() -> None:
    assert MajorityClassifier().fit([[1], [2]], ["b", "a"]).predict([[0]])[0] == "a"
