"""Naive Bayes with many more columns than rows: normal densities, tallies when asked for."""

import time

import numpy as np
import pandas as pd
import pytest

from branchline import load
from branchline.bayes import NaiveBayes
from branchline.bayes._deferred_tally import DeferredColumns


def wide(n_rows=30, n_columns=1_200, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns)) * np.exp(random.normal(size=n_columns) * 5)
    y = np.arange(n_rows) % 3
    X[:, :30] += y[:, None]
    X[random.random(X.shape) < 0.01] = np.nan
    X[:, 7], X[:, 8] = 3.25, np.nan
    X[:, 9] = np.where(y == 1, np.nan, X[:, 9])
    X[:, 10] *= 10.0 ** random.integers(-150, 150, n_rows)  # beyond the words of the kernel
    return X, y


def test_wide_tables_take_gaussian_curves():
    X, y = wide()
    model = NaiveBayes().fit(X, y)
    kinds = [term.kind for term in model.terms_]
    assert set(kinds) == {"gaussian", "silent"}
    assert [place for place, kind in enumerate(kinds) if kind == "silent"] == [7, 8]
    assert NaiveBayes().fit(X[:, :900], y).terms_[0].kind == "kernel"
    assert NaiveBayes().fit(np.tile(X, (5, 1)), np.tile(y, 5)).terms_[0].kind == "kernel"
    assert NaiveBayes(numeric="kernel").fit(X[:9], y[:9]).terms_[0].kind == "kernel"


@pytest.mark.parametrize("weighted", [False, True])
def test_deferred_tallies_give_the_same_model(weighted):
    X, y = wide()
    weight = np.random.default_rng(1).integers(1, 9, len(y)) / 4 if weighted else None
    model = NaiveBayes().fit(X, y, sample_weight=weight)
    assert isinstance(model._tally.columns, DeferredColumns)
    # Several batches are counted column by column.
    counted = NaiveBayes().partial_fit(X[:12], y[:12], sample_weight=_part(weight, slice(0, 12)))
    counted.partial_fit(X[12:], y[12:], sample_weight=_part(weight, slice(12, None)))
    assert not isinstance(counted._tally.columns, DeferredColumns)
    if weighted:  # the first batch chooses the unit of the weights
        np.testing.assert_allclose(model.predict_proba(X), counted.predict_proba(X), atol=1e-9)
    else:
        np.testing.assert_array_equal(model.predict_proba(X), counted.predict_proba(X))
        np.testing.assert_array_equal(model.terms_[10].sd, counted.terms_[10].sd)


def _part(weight, rows):
    return None if weight is None else weight[rows]


def test_frames_matrices_and_other_orders_of_memory_give_the_same_bits():
    X, y = wide()
    expected = NaiveBayes().fit(X, y).predict_proba(X)
    for same in (np.asfortranarray(X), pd.DataFrame(X), X[::-1][::-1]):
        np.testing.assert_array_equal(NaiveBayes().fit(same, y).predict_proba(same), expected)
    narrow = np.delete(X, 10, axis=1).astype(np.float32)
    single = NaiveBayes().fit(narrow, y).predict_proba(narrow)
    double = narrow.astype(np.float64)
    np.testing.assert_array_equal(single, NaiveBayes().fit(double, y).predict_proba(double))


def test_categories_beside_many_numbers():
    X, y = wide()
    frame = pd.DataFrame(X)
    frame.columns = [f"x{k}" for k in frame.columns]
    frame.insert(600, "town", np.array(["a", "b", "c"])[y])
    model = NaiveBayes().fit(frame, y)
    assert model.terms_[600].kind == "category"
    assert model.terms_[-1].kind == "gaussian"
    assert model.score(frame, y) > 0.9


def test_later_changes_of_the_array_do_not_reach_the_model():
    X, y = wide()
    model, other = NaiveBayes().fit(X, y), NaiveBayes().fit(X.copy(), y)
    new, _ = wide(seed=2)
    X[:] = 0.0
    np.testing.assert_array_equal(model.predict_proba(new), other.predict_proba(new))
    assert model.to_text() == other.to_text()


def test_wide_models_are_saved_and_loaded(tmp_path):
    X, y = wide()
    model = NaiveBayes().fit(X, y)
    model.save(tmp_path / "wide.branchline")
    again = load(tmp_path / "wide.branchline")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.partial_fit(X, y).class_count_, 2 * model.class_count_)


def test_wide_fits_are_fast():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 10_000)), np.arange(60) % 2
    NaiveBayes().fit(X[:, :1_000], y)
    begin = time.process_time()
    NaiveBayes().fit(X, y).predict(X)
    assert time.process_time() - begin < 0.5  # 0.02 where nothing else runs; 3 before
