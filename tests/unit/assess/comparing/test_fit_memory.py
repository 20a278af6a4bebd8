"""Memory of a fit and size of the saved model."""

import pickle

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as PeerTree

from branchline import load_dataset
from branchline._plain_numbers import data_size
from branchline.assess import compare
from branchline.assess.comparing import _fit_memory
from branchline.assess.comparing._fit_memory import PeakMemory, memory_of, saved_bytes
from branchline.assess.comparing._memory_words import memory_words
from branchline.assess.comparing._results import FoldResult
from branchline.tree import DecisionTreeClassifier


def test_a_peak_is_seen_although_it_is_over():
    peak = PeakMemory()
    np.ones(20_000_000).sum()
    found = peak.bytes()
    if found is None:
        pytest.skip("this system tells no peak")
    assert 140e6 < found < 400e6


def test_a_second_peak_does_not_hold_the_first():
    if not _fit_memory._reset_mark():
        pytest.skip("the mark cannot be reset here")
    np.ones(20_000_000).sum()
    peak = PeakMemory()
    np.ones(2_000_000).sum()
    assert peak.bytes() < 60e6


def test_where_the_mark_cannot_be_reset_only_a_new_height_is_known(monkeypatch):
    marks = iter([100, 100, 100, 250])
    monkeypatch.setattr(_fit_memory, "_reset_mark", lambda: False)
    monkeypatch.setattr(_fit_memory, "_highest", lambda: next(marks))
    assert PeakMemory().bytes() is None
    assert PeakMemory().bytes() == 150
    monkeypatch.setattr(_fit_memory, "_highest", lambda: None)
    assert PeakMemory().bytes() is None


def test_the_size_is_that_of_the_file(tmp_path):
    X, y = load_dataset("iris").split_target("species")
    model = DecisionTreeClassifier().fit(X, y)
    model.save(tmp_path / "tree.branchline")
    assert saved_bytes(model) == (tmp_path / "tree.branchline").stat().st_size
    peer = PeerTree().fit(np.asarray(X), y)
    assert saved_bytes(peer) == len(pickle.dumps(peer))
    assert saved_bytes(lambda: None) is None


def test_a_comparison_has_both():
    found = compare(load_dataset("iris"), "species", learners="tree", n_folds=3)
    standing = found.standings[0]
    assert standing.model_bytes > 500
    frame = found.to_frame()
    assert {"fit_bytes", "model_bytes", "predict_seconds", "accuracy_low"} <= set(frame.columns)
    assert list(found.to_frame("polars")["learner"]) == list(frame["learner"])
    assert found.to_dict()["standings"][0]["model_bytes"] == standing.model_bytes


def test_the_median_leaves_out_what_loading_took():
    def result(n_bytes):
        return FoldResult("a", 0, np.zeros(1), None, 0.0, 0.0, 0, "", {}, fit_bytes=n_bytes)

    assert memory_of([result(900), result(10), result(12)]) == (12, None)
    assert memory_of([result(None)]) == (None, None)


def test_words():
    assert [memory_words(None), memory_words(5000), memory_words(3_200_000)] == [
        "–",
        "< 1 MB",
        "3.2 MB",
    ]
    assert data_size(999_900) == "1 MB"
