"""k-means of large tables: the clusters of the matrix where all rows are drawn.

The same bits however rows come; where few are drawn, a fixed point of Lloyd's iteration on all
rows.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchline._exact_products import ROWS_AT_ONCE
from branchline._prepared_blocks import prepare_in_blocks
from branchline._prepared_table import fit_preparation
from branchline._validation import check_training_inputs
from branchline.cluster import KMeans, MiniBatchKMeans, _kmeans
from branchline.cluster._kmeans_blocks import pass_of_clusters
from large_tables import WEIGHTS, mapped, mixed_table, taken_for_large


def groups(n_rows, seed=0):
    random = np.random.default_rng(seed)
    centers = np.array([[0.0, 0, 0], [8, 0, 0], [0, 8, 4]])
    X = centers[random.integers(0, 3, n_rows)] + random.standard_normal((n_rows, 3))
    X[random.random(X.shape) < 0.05] = np.nan
    return X


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("n_rows", [1, 2, 60, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1])
def test_where_all_rows_are_drawn_the_clusters_are_those_of_the_matrix(n_rows, standardize, kind):
    X, weights = groups(n_rows), WEIGHTS[kind](n_rows)
    whole = KMeans(3, standardize=standardize, tol=0).fit(X, sample_weight=weights)
    with taken_for_large():
        blocks = KMeans(3, standardize=standardize, tol=0).fit(X, sample_weight=weights)
    assert blocks.inertia_ == pytest.approx(whole.inertia_, rel=1e-10, abs=1e-20)
    np.testing.assert_allclose(blocks.cluster_centers_, whole.cluster_centers_, atol=1e-10)
    np.testing.assert_array_equal(blocks.labels_, whole.labels_)


@pytest.mark.parametrize("kind", ["none", "whole", "fractions"])
def test_the_preparation_is_that_of_the_matrix(kind):
    X, _ = mixed_table(700)
    data = check_training_inputs(X, WEIGHTS[kind](700))
    weights = data.weights.of_rows(700)
    for standardize in (True, False):
        whole, matrix = fit_preparation(data, weights, standardize=standardize)
        blocks = prepare_in_blocks(data, standardize=standardize)
        found = np.hstack([points.copy() for _, points in blocks.blocks()]).T
        np.testing.assert_allclose(found, matrix, atol=1e-10)
        np.testing.assert_array_equal(blocks.largest, np.nanmax(np.abs(found), axis=0))
        assert blocks.preparation.names == whole.names
        squares = weights @ np.nan_to_num(matrix) ** 2
        assert blocks.variance == pytest.approx(squares.mean() / weights.sum(), rel=1e-10)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(20, 400), st.sampled_from(sorted(WEIGHTS)))
def test_the_order_of_rows_and_files_change_no_bit(tmp_path_factory, seed, n_rows, kind):
    X, _ = mixed_table(n_rows, seed)
    weights = WEIGHTS[kind](n_rows)
    order = np.random.default_rng(seed).permutation(n_rows)
    files = mapped(X.rows(order), tmp_path_factory.mktemp("files"))
    mixed = None if weights is None else weights[order]
    with taken_for_large():
        for model in (KMeans(3), MiniBatchKMeans(3, batch_size=10)):
            one = type(model)(**model.get_params()).fit(X, sample_weight=weights)
            other = type(model)(**model.get_params()).fit(files, sample_weight=mixed)
            np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)
            assert one.inertia_ == other.inertia_
            np.testing.assert_array_equal(one.labels_[order], other.labels_)


def test_where_few_rows_are_drawn_the_centers_are_means_of_all_rows(monkeypatch):
    monkeypatch.setattr(_kmeans, "MOST_DRAWN", 50)
    X = groups(3000)
    with taken_for_large():
        model = KMeans(3, tol=0).fit(X)
        numbers = np.vstack(list(model._numbers(X)))
    means = [np.nanmean(numbers[model.labels_ == at], axis=0) for at in range(3)]
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-12)
    whole = KMeans(3, tol=0).fit(X)
    assert model.inertia_ <= 1.01 * whole.inertia_  # another local optimum, perhaps
    assert np.bincount(model.labels_).tolist() == sorted(np.bincount(model.labels_))[::-1]


def test_a_pass_adds_what_it_says():
    X = groups(500)
    data = check_training_inputs(X, np.random.default_rng(1).integers(1, 4, 500))
    blocks = prepare_in_blocks(data, standardize=True)
    points = np.hstack([some.copy() for _, some in blocks.blocks()]).T
    centers = points[[3, 77, 200, 301]]
    centers[np.isnan(centers)] = 0.0
    apart = np.nansum((points[:, None] - centers) ** 2, axis=2)
    found, weights = pass_of_clusters(blocks, centers, 1), blocks.weights
    labels = apart.argmin(axis=1)
    assert found.inertia == pytest.approx(weights @ apart.min(axis=1), rel=1e-12)
    for cluster in range(4):
        own = weights * (labels == cluster)
        assert found.weight[cluster] == own.sum()
        np.testing.assert_array_equal(found.known[cluster], own @ np.isfinite(points))
        np.testing.assert_allclose(found.sums[cluster], own @ np.nan_to_num(points), atol=1e-10)


def test_a_growing_batch_ends_near_the_best_clusters():
    X = groups(4000)
    whole = KMeans(3).fit(X)
    with taken_for_large():
        model = MiniBatchKMeans(3, batch_size=100).fit(X)
    assert model.n_rows_used_ < 4000
    assert model.inertia_ <= 1.03 * whole.inertia_
    again = model.partial_fit(groups(200, 5))
    assert again.inertia_ > whole.inertia_


def test_the_number_of_clusters_is_found_on_the_rows_drawn():
    with taken_for_large():
        model = KMeans("auto").fit(groups(600))
    assert len(model.cluster_centers_) == 3
    assert model.counts_.n_groups == 3


def test_distances_of_a_large_table_are_those_of_its_pieces():
    X = groups(2**16 + 100)
    model = KMeans(3).fit(X[:500])
    whole = model.transform(X)
    labels = model.predict(X)
    with taken_for_large():
        np.testing.assert_array_equal(model.transform(X), whole)
        np.testing.assert_array_equal(model.predict(X), labels)
