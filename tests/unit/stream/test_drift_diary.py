"""The diary: when errors rose, which columns had changed, which branches were rebuilt."""

import json

import numpy as np

from branchline.stream import (
    AdaptiveHoeffdingTreeClassifier,
    HoeffdingTreeClassifier,
    evaluate_stream,
)


def stream(shift, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12_000, 3))
    y = (X[:, 0] > 0).astype(int)
    if shift == "classes":
        y[6000:] = 1 - y[6000:]
    if shift == "column":
        X[6000:, 0] += 3.0  # and the rule is about what was before
    return X, y


def test_changed_classes_are_told_from_changed_columns():
    result = evaluate_stream(AdaptiveHoeffdingTreeClassifier(), *stream("classes"))
    assert len(result.diary) == 1
    entry = result.diary[0]
    assert 6000 <= entry.found < 6200
    assert 5700 <= entry.since <= 6100
    assert entry.error_after > entry.error_before + 0.3
    assert entry.columns == ()
    assert any(branch.what == "replaced" for branch in entry.branches)
    assert "no column changed" in str(entry)
    json.dumps(result.to_dict(), allow_nan=False)


def test_changed_columns_are_named():
    result = evaluate_stream(HoeffdingTreeClassifier(), *stream("column"))
    assert result.diary
    assert [change.column for change in result.diary[0].columns] == ["x0"]
    assert "changed: x0" in result.to_text()


def test_nothing_is_written_where_nothing_changes():
    for seed in range(5):
        result = evaluate_stream(HoeffdingTreeClassifier(), *stream("", seed))
        assert result.diary == ()
    assert "never rose" in str(result)
