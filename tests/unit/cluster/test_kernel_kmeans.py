"""Kernel k-means: all partitions as its twin, rings, texts, weights, bits, tiny tables, files."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchline
from branchline.cluster import KernelKMeans, KMeans, adjusted_rand
from branchline.cluster._kernel_clusters import find_kernel_clusters
from branchline.errors import ModelFileError, ParameterError
from branchline.kernels import Spectrum
from branchline.svm._kernel_product import ThinKernel, WholeKernel


def rings(n_rows=240, seed=0):
    """Two rings around one center: no straight border divides them."""
    rng = np.random.default_rng(seed)
    ring = np.arange(n_rows) % 2
    angle = rng.uniform(0, 2 * np.pi, n_rows)
    radius = np.where(ring == 0, 1.0, 4.0) + 0.15 * rng.normal(size=n_rows)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), ring


def within(gram, weights, labels):
    """W from its definition: Σ w K(x, x) less the squared length of each sum over its weight."""
    total = float(weights @ np.diag(gram))
    for cluster in np.unique(labels):
        held = weights * (labels == cluster)
        total -= held @ gram @ held / held.sum()
    return total


@given(st.integers(0, 10_000), st.integers(1, 3), st.booleans())
def test_the_best_of_all_partitions_is_found(seed, k, is_thin):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(7, 3))
    weights = rng.integers(1, 4, 7).astype(float)
    gram = factor @ factor.T
    kernel = ThinKernel(factor) if is_thin else WholeKernel(gram)
    found = find_kernel_clusters(kernel, weights, k, n_starts=20, max_iterations=100, seed=0)
    best = min(
        within(gram, weights, np.array(labels))
        for labels in product(range(k), repeat=7)
        if len(set(labels)) == k
    )
    assert found.within == pytest.approx(within(gram, weights, found.labels), abs=1e-9)
    assert found.within == pytest.approx(best, abs=1e-9)


def test_rings_are_divided_which_kmeans_cannot():
    X, ring = rings()
    assert adjusted_rand(KMeans(2).fit(X).labels_, ring).value < 0.1
    model = KernelKMeans(2).fit(X)
    assert adjusted_rand(model.labels_, ring).value == 1.0
    new, ring_of_new = rings(seed=1)
    assert adjusted_rand(model.predict(new), ring_of_new).value == 1.0


def test_the_linear_kernel_is_kmeans():
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[:150] += 5
    ours, plain = KernelKMeans(2, kernel="linear").fit(X), KMeans(2, tol=0).fit(X)
    assert ours.inertia_ == pytest.approx(plain.inertia_, rel=1e-9)
    np.testing.assert_array_equal(ours.labels_, plain.labels_)
    np.testing.assert_allclose(ours.transform(X), plain.transform(X), atol=1e-6)


def test_single_moves_lower_w():
    X = np.random.default_rng(0).normal(size=(400, 10))
    gram = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 10)
    found = find_kernel_clusters(
        WholeKernel(gram), np.ones(400), 8, n_starts=1, max_iterations=100, seed=0
    )
    apart = {
        (row, to): within(gram, np.ones(400), np.where(np.arange(400) == row, to, found.labels))
        for row in range(0, 400, 40)
        for to in range(8)
    }
    assert min(apart.values()) >= found.within - 1e-6  # no single row would lower it


def test_texts():
    texts = ["banana", "bananas", "bandana", "xylophone", "xylophones", "saxophone"]
    model = KernelKMeans(2, kernel=Spectrum(k=2)).fit(texts)
    assert adjusted_rand(model.labels_, [0, 0, 0, 1, 1, 1]).value == 1.0
    assert model.predict(["banana split"])[0] == model.labels_[0]


def test_a_given_matrix():
    X, ring = rings(60)
    square = ((X[:, None] - X) ** 2).sum(axis=2)
    gram = np.exp(-square / X.var() / 2)
    model = KernelKMeans(2, kernel="precomputed").fit(gram)
    assert adjusted_rand(model.labels_, ring).value == 1.0
    np.testing.assert_array_equal(model.predict(gram), model.labels_)


def test_threads_row_order_copies_and_weights():
    X, _ = rings(200)
    order = np.random.default_rng(1).permutation(len(X))
    one, two = KernelKMeans(3, n_jobs=1).fit(X), KernelKMeans(3, n_jobs=2).fit(X[order])
    assert one.inertia_ == two.inertia_
    np.testing.assert_array_equal(one.labels_[order], two.labels_)
    weights = np.arange(len(X)) % 3  # rows of weight 0 are placed, and do not count
    weighted = KernelKMeans(3).fit(X, sample_weight=weights)
    repeated = KernelKMeans(3).fit(np.repeat(X, weights, axis=0))
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    np.testing.assert_array_equal(weighted.labels_, repeated.predict(X))


def test_mixed_columns_and_missing_cells():
    table = branchline.load_dataset("heart").split_target("disease")[0]
    model = KernelKMeans(3).fit(table)
    assert len(np.unique(model.labels_)) == 3
    assert np.isfinite(model.transform(table)).all()


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_tiny_tables(n_rows):
    X = np.random.default_rng(n_rows).normal(size=(n_rows, 3))
    assert len(np.unique(KernelKMeans(8).fit(X).labels_)) == n_rows
    assert set(KernelKMeans(3).fit(np.ones((n_rows, 2))).labels_) == {0}


def test_rows_that_the_kernel_cannot_tell_apart_share_a_cluster():
    X = np.array([[1.0], [-1.0], [2.0], [-2.0]])
    model = KernelKMeans(4, kernel="poly", degree=2, standardize=False).fit(X)
    assert model.inertia_ == pytest.approx(0.0, abs=1e-9)
    assert model.labels_[0] == model.labels_[1]


def test_wrong_parameters():
    with pytest.raises(ParameterError):
        KernelKMeans(0).fit([[1.0], [2.0]])
    with pytest.raises(ParameterError):
        KernelKMeans(2, kernel="round").fit([[1.0], [2.0]])


def test_saved_and_damaged(tmp_path):
    X, _ = rings(80)
    model = KernelKMeans(3).fit(X)
    model.save(tmp_path / "model.bl")
    again = branchline.load(tmp_path / "model.bl")
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    state = dict(model._pack())
    n_rows = len(model.support_)
    for damage in (
        {"norms": np.zeros(0)},
        {"norms": np.zeros(n_rows + 1)},
        {"shares": np.zeros(3)},
        {"shares": np.zeros(3 * n_rows)},
        {"shares": np.full(3 * n_rows, 1 / n_rows)},
        {"n_iter": 0.0},
    ):
        with pytest.raises(ModelFileError):
            model._unpack({**state, **damage}, model.schema_)
