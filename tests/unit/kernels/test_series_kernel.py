"""Global alignment against the plain recursion: lengths, missing cells, long series, models."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchline
from branchline.errors import DataError, ParameterError
from branchline.kernels import GlobalAlignment
from branchline.svm import SVC

MOMENTS = st.lists(st.one_of(st.just(np.nan), st.floats(-3, 3, width=16)), min_size=4, max_size=4)


def alignments(x, z, sigma):
    """Return the sum over all alignments, one cell after the other."""
    x, z = ([one for one in series if not np.isnan(one)] for series in (x, z))
    sums = np.zeros((len(x) + 1, len(z) + 1))
    sums[0, 0] = 1.0
    for i, one in enumerate(x):
        for j, other in enumerate(z):
            alike = np.exp(-((one - other) ** 2) / (2 * sigma**2))
            before = sums[i, j] + sums[i, j + 1] + sums[i + 1, j]
            sums[i + 1, j + 1] = alike / (2 - alike) * before
    return sums[-1, -1] if x and z else 0.0


@given(st.lists(MOMENTS, min_size=1, max_size=5), st.sampled_from([0.3, 1.0, 4.0]))
def test_values_are_those_of_the_recursion(rows, sigma):
    X = np.array(rows)
    sums = np.array([[alignments(x, z, sigma) for z in X] for x in X])
    lengths = np.sqrt(np.outer(np.diag(sums), np.diag(sums)))
    expected = np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1.0), 0.0)
    kernel = GlobalAlignment(sigma=sigma)
    found = kernel.gram(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel.gram(X, X[:2]), expected[:, :2], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel.diag(X), np.diag(expected), rtol=1e-9)
    np.testing.assert_array_equal(found, found.T)
    verdict = kernel.is_psd(X)
    assert verdict.reason == "proved"
    assert verdict.least_eigenvalue > -1e-9


def test_long_series_have_more_digits_than_a_number():
    X = np.random.default_rng(0).normal(size=(4, 900))
    gram = GlobalAlignment().gram(X)
    assert np.isfinite(gram).all()
    assert np.diag(gram) == pytest.approx(np.ones(4))


def test_names_give_the_order_of_time():
    rows = {"b": [1.0, 0.0, 1.0], "a": [0.0, 1.0, 2.0], "c": [2.0, 2.0, 0.0]}
    named = GlobalAlignment("a", "b", "c", sigma=1.0).gram(rows)
    ordered = {name: rows[name] for name in "abc"}
    np.testing.assert_array_equal(named, GlobalAlignment(sigma=1.0).gram(ordered))
    assert not np.allclose(named, GlobalAlignment(sigma=1.0).gram(rows))


def test_a_classifier_of_shifted_waves(tmp_path):
    rng = np.random.default_rng(0)
    moments = np.arange(20)
    start = rng.integers(3, 13, 60)
    y = np.where(np.arange(60) % 2 == 0, "narrow", "wide")
    width = np.where(y == "wide", 5, 2)[:, None]
    inside = (moments >= start[:, None]) & (moments < start[:, None] + width)
    X = pd.DataFrame(inside + 0.1 * rng.normal(size=(60, 20)), columns=[f"t{t}" for t in moments])
    model = SVC(10, kernel=GlobalAlignment(sigma=0.5)).fit(X[:40], y[:40])
    assert model.score(X[40:], y[40:]) >= 0.9
    model.save(tmp_path / "model.branchline")
    loaded = branchline.load(tmp_path / "model.branchline")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_categories_and_bad_widths_are_refused():
    with pytest.raises(DataError, match="'word'") as caught:
        GlobalAlignment().gram({"t": [1.0, 2.0], "word": ["a", "b"]})
    assert caught.value.code == "D653"
    for sigma in (0.0, -1.0, "auto"):
        with pytest.raises(ParameterError):
            GlobalAlignment(sigma=sigma)
