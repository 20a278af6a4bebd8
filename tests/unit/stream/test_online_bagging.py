"""Online bagging: draws depend on the seed and the row, and the average beats a tree."""

import numpy as np

from branchline.stream import HoeffdingTreeClassifier, OnlineBaggingClassifier
from stream_generators import random_rbf


def test_more_accurate_than_a_tree():
    X, y = random_rbf(20_000, 4)
    found = [
        (model.predict_then_learn(X, y, classes=np.unique(y)).argmax(axis=1) == y).mean()
        for model in (HoeffdingTreeClassifier(), OnlineBaggingClassifier())
    ]
    assert found[1] > found[0]


def test_seeds_differ():
    X, y = random_rbf(3000, 4)
    one, other = (OnlineBaggingClassifier(random_state=seed).fit(X, y) for seed in (0, 1))
    assert (one.predict_proba(X) != other.predict_proba(X)).any()
