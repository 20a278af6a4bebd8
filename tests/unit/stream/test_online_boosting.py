"""Online boosting: better than a tree where classes follow a rule."""

import numpy as np

from branchline.stream import HoeffdingTreeClassifier, OnlineBoostingClassifier
from stream_generators import agrawal


def test_more_accurate_than_a_tree():
    X, y = agrawal(4, 20_000, 4)
    found = [
        (model.predict_then_learn(X, y, classes=[0, 1]).argmax(axis=1) == y)[5000:].mean()
        for model in (HoeffdingTreeClassifier(), OnlineBoostingClassifier())
    ]
    assert found[1] > found[0] - 0.002


def test_probabilities_sum_to_one():
    X, y = agrawal(1, 3000, 4)
    model = OnlineBoostingClassifier(n_estimators=4).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
