"""Evaluation on streams: counts, other learners, files, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from branchline import Table
from branchline.bayes import NaiveBayes
from branchline.errors import DataError, ParameterError
from branchline.stream import (
    AdaptiveForestClassifier,
    HoeffdingTreeClassifier,
    evaluate_stream,
    read_stream,
)
from branchline.tree import DecisionTreeClassifier
from stream_generators import agrawal


def test_hits_are_those_of_the_model():
    X, y = agrawal(0, 3000, 1)
    result = evaluate_stream(HoeffdingTreeClassifier(), X, y)
    found = HoeffdingTreeClassifier().predict_then_learn(X, y, [0, 1]).argmax(axis=1)
    assert result.accuracy.estimate == pytest.approx((found == y).mean())
    assert result.last_class == pytest.approx((y[1:] == y[:-1]).sum() / 3000)
    assert result.curve_rows[-1] == 2999
    hits = found == y
    weights = 0.999 ** np.arange(3000)[::-1]
    assert result.faded_accuracy == pytest.approx((weights * hits).sum() / weights.sum())


def test_other_learners_predict_some_rows_at_a_time():
    X, y = agrawal(0, 1000, 1)
    result = evaluate_stream(NaiveBayes(), X, y, step=50)
    assert result.n_rows == 950  # the first rows are learned from, not predicted
    assert result.accuracy.estimate > 0.6


def test_a_file_is_read_in_parts(tmp_path):
    X, y = agrawal(0, 3000, 1)
    whole = evaluate_stream(HoeffdingTreeClassifier(), X, np.array(["no", "yes"])[y])
    X.assign(granted=np.array(["no", "yes"])[y]).to_csv(tmp_path / "a.csv", index=False)
    stream = read_stream(tmp_path / "a.csv", chunk_rows=700)
    parts = evaluate_stream(HoeffdingTreeClassifier(), stream, target="granted")
    assert parts.accuracy == whole.accuracy
    assert parts.n_rows == 3000


def test_what_is_refused_can_be_repaired():
    X, y = agrawal(0, 50, 1)
    with pytest.raises(ParameterError) as caught:
        evaluate_stream(DecisionTreeClassifier(), X, y)
    assert caught.value.code == "P851"
    names: dict[str, object] = {}
    exec(caught.value.repair.python, names)
    assert isinstance(names["model"], AdaptiveForestClassifier)
    with pytest.raises(ParameterError) as caught:
        evaluate_stream(HoeffdingTreeClassifier(), X)
    assert caught.value.code == "P852"
    names = {"evaluate_stream": evaluate_stream, "model": HoeffdingTreeClassifier(), "X": X, "y": y}
    exec(caught.value.repair.python, names)
    with pytest.raises(DataError) as empty:
        evaluate_stream(HoeffdingTreeClassifier(), X[:0], y[:0])
    assert empty.value.code == "D637"
    with pytest.raises(ParameterError, match="fading"):
        evaluate_stream(HoeffdingTreeClassifier(), X, y, fading=2)


def test_a_dirty_table_and_a_tiny_one():
    rng = np.random.default_rng(0)
    n = 2000
    frame = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(n)],
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n), "h"),
            "x": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "rare": np.where(rng.random(n) < 0.01, "odd", "usual"),
        }
    )
    y = np.where(frame["x"].fillna(1) > 0, "up", "down")
    result = evaluate_stream(AdaptiveForestClassifier(n_estimators=3), Table(frame), y)
    assert result.accuracy.estimate > 0.85
    tiny = evaluate_stream(HoeffdingTreeClassifier(), frame[:10], y[:10])
    assert tiny.n_rows == 10
    assert tiny.to_dict()["accuracy"]["low"] <= tiny.accuracy.estimate
