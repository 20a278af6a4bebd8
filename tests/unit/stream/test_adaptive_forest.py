"""Adaptive forests: trees that went wrong are replaced; threads and columns of leaves."""

import numpy as np
import pandas as pd
import pytest

from branchline.stream import AdaptiveForestClassifier, HoeffdingTreeClassifier
from stream_generators import agrawal, random_rbf


def hits(model, X, y):
    return model.predict_then_learn(X, y, classes=np.unique(y)).argmax(axis=1) == y


def test_more_accurate_than_a_tree():
    X, y = random_rbf(15_000, 3)
    tree, forest = HoeffdingTreeClassifier(), AdaptiveForestClassifier()
    assert hits(forest, X, y).mean() > hits(tree, X, y).mean() + 0.02


def test_trees_are_replaced_after_a_change():
    parts = [agrawal(function, 6000, 7) for function in (1, 2)]
    X = pd.concat([part[0] for part in parts])
    y = np.concatenate([part[1] for part in parts])
    model = AdaptiveForestClassifier(n_estimators=5)
    found = hits(model, X, y)
    replaced = [branch for branch in model.branches_ if branch.what == "tree replaced"]
    assert {branch.tree for branch in replaced} == set(range(5))
    assert found[-2000:].mean() > 0.8


@pytest.mark.parametrize("max_features", ["sqrt", None, 0.5, 2])
def test_columns_of_leaves(max_features):
    X, y = agrawal(0, 4000, 1)
    model = AdaptiveForestClassifier(n_estimators=3, max_features=max_features)
    assert hits(model, X, y).mean() > 0.7
