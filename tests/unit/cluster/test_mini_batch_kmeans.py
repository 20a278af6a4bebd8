"""k-means on batches: how good centers are, growing batches, batch by batch, bits, files."""

import numpy as np
import pytest
from sklearn import cluster

import branchline
from branchline import Table
from branchline.cluster import KMeans, MiniBatchKMeans, adjusted_rand
from branchline.errors import DataError, ModelFileError


def blobs(n_rows=6000, n_columns=5, n_groups=6, seed=0):
    rng = np.random.default_rng(seed)
    centers = 6 * rng.normal(size=(n_groups, n_columns))
    group = rng.integers(0, n_groups, n_rows)
    return centers[group] + rng.normal(size=(n_rows, n_columns)), group


def total(X, centers):
    return ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).sum()


def test_few_rows_find_nearly_what_all_rows_find():
    X, group = blobs(20_000)
    model, whole = MiniBatchKMeans(6).fit(X), KMeans(6).fit(X)
    assert model.n_rows_used_ < len(X) / 4
    assert model.inertia_ <= 1.01 * whole.inertia_
    assert adjusted_rand(model.labels_, group).value > 0.95
    assert model.inertia_ == pytest.approx((model.transform(X).min(axis=1) ** 2).sum())


def test_batches_grow_until_unseen_rows_are_as_near():
    X = np.random.default_rng(0).normal(size=(16_000, 4))
    used = [MiniBatchKMeans(12, batch_size=100, tol=tol).fit(X).n_rows_used_ for tol in (0.2, 0.02)]
    assert used[0] < used[1] < len(X)
    assert MiniBatchKMeans(12, tol=0).fit(X).n_rows_used_ == len(X)
    assert MiniBatchKMeans(3, batch_size=20_000).fit(X).n_rows_used_ == len(X)


def test_batch_by_batch_is_as_good_as_scikit_learn():
    X, group = blobs()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours, theirs = MiniBatchKMeans(6, standardize=False), cluster.MiniBatchKMeans(6, random_state=0)
    for first in range(0, len(X), 500):
        ours.partial_fit(X[first : first + 500])
        theirs.partial_fit(X[first : first + 500])
    assert ours.n_rows_used_ == len(X)
    assert adjusted_rand(ours.predict(X), group).value > 0.95
    centers = ours.cluster_centers_ * ours._preparation.scale + ours._preparation.center
    assert total(X, centers) <= 1.001 * total(X, theirs.cluster_centers_)


def test_centers_are_the_means_of_all_rows_that_they_were_given():
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(40, 3)) for _ in range(5)]
    for batch in batches[1:]:
        batch[rng.random(batch.shape) < 0.2] = np.nan
    model = MiniBatchKMeans(3, standardize=False).partial_fit(batches[0])
    prepared = model._preparation.matrix
    held = [prepared(Table(batches[0]))[model.labels_ == k] for k in range(3)]
    for batch in batches[1:]:
        points = prepared(Table(batch))
        nearest = np.nansum((points[:, None] - model.cluster_centers_) ** 2, axis=2).argmin(axis=1)
        held = [np.vstack([held[k], points[nearest == k]]) for k in range(3)]
        model.partial_fit(batch)
    for k in range(3):
        np.testing.assert_allclose(model.cluster_centers_[k], np.nanmean(held[k], axis=0))


def test_batches_go_on_after_fit_and_after_loading(tmp_path):
    X, _ = blobs(2000)
    model = MiniBatchKMeans(6).fit(X[:1500])
    model.save(tmp_path / "model.bl")
    again = branchline.load(tmp_path / "model.bl")
    for each in (model, again):
        each.partial_fit(X[1500:])
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    assert len(model.labels_) == 500
    assert not hasattr(branchline.load(tmp_path / "model.bl"), "labels_")


def test_row_order_in_a_batch_and_threads_change_no_bit():
    X, _ = blobs(3000)
    order = np.random.default_rng(1).permutation(1000)
    one, two = MiniBatchKMeans(4, n_jobs=1).fit(X), MiniBatchKMeans(4, n_jobs=2).fit(X[::-1])
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    one, two = MiniBatchKMeans(4), MiniBatchKMeans(4)
    for first in range(0, 3000, 1000):
        one.partial_fit(X[first : first + 1000])
        two.partial_fit(X[first : first + 1000][order])
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    np.testing.assert_array_equal(one.labels_[order], two.labels_)


def test_weights_count_as_copies_in_each_batch():
    X, _ = blobs(400)
    weights = np.random.default_rng(0).integers(0, 3, 400)
    one, two = MiniBatchKMeans(3), MiniBatchKMeans(3)
    for part in (slice(0, 200), slice(200, 400)):
        one.partial_fit(X[part], sample_weight=weights[part])
        two.partial_fit(np.repeat(X[part], weights[part], axis=0))
    np.testing.assert_allclose(one.cluster_centers_, two.cluster_centers_, atol=1e-12)


def test_mixed_columns_by_name_and_new_categories():
    first = Table({"x": [0.0, 0.1, 9.0, 9.1, None], "color": ["red", "red", "blue", "blue", "red"]})
    model = MiniBatchKMeans(2).partial_fit(first)
    model.partial_fit(Table({"color": ["green", None], "x": [0.05, 9.05]}))
    assert model.labels_.tolist() == model.predict(Table({"x": [0.0, 9.0]} | {
        "color": ["green", None]
    })).tolist()  # fmt: skip
    assert len(set(model.labels_.tolist())) == 2


def test_a_first_batch_needs_a_row_for_each_cluster():
    with pytest.raises(DataError) as caught:
        MiniBatchKMeans(8).partial_fit(np.arange(5.0)[:, None])
    assert caught.value.code == "D660"
    model = MiniBatchKMeans(8)
    exec(caught.value.repair.python, {"model": model})
    model.partial_fit(np.arange(5.0)[:, None])
    assert len(MiniBatchKMeans(8).fit(np.arange(5.0)[:, None]).cluster_centers_) == 5


def test_damaged():
    X, _ = blobs(100)
    model = MiniBatchKMeans(3).fit(X)
    state = dict(model._pack())
    for damage in ({"n_rows_used": 0.0}, {"weights": np.zeros(2)}, {"weights": -np.ones(15)}):
        with pytest.raises(ModelFileError):
            model._unpack({**state, **damage}, model.schema_)
