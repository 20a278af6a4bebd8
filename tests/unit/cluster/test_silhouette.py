"""Silhouettes: parity, weights, missing cells, refusals."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples

from branchline.cluster import silhouette
from branchline.errors import ParameterError


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return (X - X.mean(axis=0)) / X.std(axis=0), rng.integers(0, 4, n)


def test_numbers_as_in_scikit_learn():
    X, labels = rows()
    labels[0] = 9  # alone in its cluster
    found = silhouette(X, labels)
    expected = silhouette_samples(X, labels)
    np.testing.assert_allclose(found.of_row, expected, atol=1e-12)
    assert found.mean == pytest.approx(expected.mean())
    assert found.of_cluster[2] == pytest.approx(expected[labels == 2].mean())


def test_blocks_of_rows_meet_once():
    X, labels = rows(900, seed=3)  # four blocks, and clusters across them
    found = silhouette(X, labels, standardize=False, n_jobs=1)
    np.testing.assert_allclose(found.of_row, silhouette_samples(X, labels), atol=1e-12)
    np.testing.assert_array_equal(found.of_row, silhouette(X, labels, standardize=False).of_row)


def test_weights_are_copies():
    X, labels = rows(60)
    weights = np.random.default_rng(1).integers(0, 4, 60)
    repeated = np.repeat(np.arange(60), weights)
    weighted = silhouette(X, labels, weights)
    copied = silhouette(X[repeated], labels[repeated])
    np.testing.assert_allclose(weighted.of_row[repeated], copied.of_row, atol=1e-12)
    assert weighted.mean == pytest.approx(copied.mean)
    assert np.isnan(weighted.of_row[weights == 0]).all()


def test_threads_and_missing_cells():
    X, labels = rows(300)
    X[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    one = silhouette(X, labels, standardize=False, n_jobs=1)
    np.testing.assert_array_equal(one.of_row, silhouette(X, labels, standardize=False).of_row)
    assert np.isfinite(one.of_row).all()


def test_refusals():
    X, labels = rows(20)
    with pytest.raises(ParameterError, match="19 entries"):
        silhouette(X, labels[1:])
    with pytest.raises(ParameterError, match="at least two"):
        silhouette(X, np.zeros(20))
