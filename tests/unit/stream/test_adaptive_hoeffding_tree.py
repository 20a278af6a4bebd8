"""Adaptive Hoeffding trees rebuild what has become wrong, and nothing where nothing changes."""

import numpy as np
import pandas as pd

from branchline.stream import (
    AdaptiveHoeffdingTreeClassifier,
    HoeffdingTreeClassifier,
    evaluate_stream,
)
from stream_generators import agrawal


def changed_stream():
    parts = [agrawal(function, 10_000, 7 + function) for function in (1, 2)]
    return pd.concat([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def test_a_change_is_followed():
    X, y = changed_stream()
    plain = evaluate_stream(HoeffdingTreeClassifier(), X, y)
    adaptive = evaluate_stream(AdaptiveHoeffdingTreeClassifier(), X, y)
    assert adaptive.accuracy.estimate > plain.accuracy.estimate + 0.03
    assert adaptive.faded_accuracy > 0.95


def test_branches_are_told():
    X, y = changed_stream()
    model = AdaptiveHoeffdingTreeClassifier().fit(X, y)
    rebuilt = [branch for branch in model.branches_ if branch.what == "replaced"]
    assert rebuilt
    assert all(10_000 <= branch.row < 13_000 for branch in rebuilt)
    assert all(branch.error_after < branch.error_before for branch in rebuilt)
    assert "rebuilt" in str(rebuilt[0])


def test_without_change_it_is_the_plain_tree():
    X, y = agrawal(4, 30_000, 5)
    plain, adaptive = HoeffdingTreeClassifier(), AdaptiveHoeffdingTreeClassifier()
    found = [m.predict_then_learn(X, y, classes=[0, 1]) for m in (plain, adaptive)]
    assert abs((found[0].argmax(1) == y).mean() - (found[1].argmax(1) == y).mean()) < 0.005
