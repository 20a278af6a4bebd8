"""k-means: the twin in NumPy, parity, bits, missing cells, mixed tables, tiny tables, files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import cluster

import branchline
from branchline import Table, _core, load_dataset
from branchline.cluster import KMeans, adjusted_rand
from branchline.errors import ModelFileError


def blobs(n_rows=300, n_columns=4, n_groups=3, seed=0):
    rng = np.random.default_rng(seed)
    centers = 8 * rng.normal(size=(n_groups, n_columns))
    group = np.arange(n_rows) % n_groups
    return centers[group] + rng.normal(size=(n_rows, n_columns)), group


def twin(X, weights, centers, n_steps):
    """Lloyd's iteration with all distances; missing cells are left out."""
    for _ in range(n_steps):
        apart = X[:, None] - centers
        labels = np.nansum(apart**2, axis=2).argmin(axis=1)
        for at in range(len(centers)):
            rows, weight = X[labels == at], weights[labels == at, None]
            known = (weight * np.isfinite(rows)).sum(axis=0)
            mean = np.nansum(weight * rows, axis=0) / np.where(known > 0, known, 1)
            centers[at] = np.where(known > 0, mean, centers[at])
    return centers, np.nansum((X[:, None] - centers) ** 2, axis=2)


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 7), st.booleans())
def test_bounds_change_nothing(seed, n_clusters, n_columns, some_missing):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(700, n_columns))
    if some_missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    weights = rng.integers(1, 4, len(X)).astype(float)
    start = rng.normal(size=(n_clusters, n_columns))
    # Few steps and clusters near the middle: no cluster loses its last row.
    start *= 0.5
    found = _core.fit_kmeans(X, weights, (n_clusters, 1, 5, 0.0), start, 0, 2)
    if found[3] < 5 or len(np.unique(found[1])) < n_clusters:
        return
    centers, squares = twin(X, weights, start.copy(), 5)
    np.testing.assert_allclose(found[0].reshape(n_clusters, -1), centers, atol=1e-9)
    np.testing.assert_array_equal(found[1], squares.argmin(axis=1))
    assert found[2] == pytest.approx(float(weights @ squares.min(axis=1)))


def test_as_good_as_scikit_learn():
    X, _ = blobs(2000, 6, 9, seed=3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = cluster.KMeans(9, n_init=10, random_state=0).fit(X)
    ours = KMeans(9).fit(X)
    assert ours.inertia_ <= theirs.inertia_ * 1.001
    np.testing.assert_allclose(
        np.sort(np.bincount(ours.labels_)), np.sort(np.bincount(theirs.labels_))
    )
    np.testing.assert_array_equal(ours.predict(X), ours.transform(X).argmin(axis=1))


@pytest.mark.parametrize("init", ["k-means++", "random_assignment"])
def test_threads_and_row_order_change_no_bit(init):
    X = np.random.default_rng(0).normal(size=(3000, 5))
    order = np.random.default_rng(1).permutation(len(X))
    one = KMeans(7, init=init, n_init=3, n_jobs=1).fit(X)
    two = KMeans(7, init=init, n_init=3, n_jobs=2).fit(X[order])
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    np.testing.assert_array_equal(one.labels_[order], two.labels_)
    assert one.inertia_ == two.inertia_


def test_groups_are_found_with_missing_cells():
    X, group = blobs()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    X[0] = np.nan
    model = KMeans(3).fit(X)
    assert adjusted_rand(model.labels_[1:], group[1:]).value > 0.95
    assert model.labels_[0] == 0  # nothing is known of it: the heaviest cluster
    assert np.isfinite(model.transform(X)).all()


def test_centers_in_the_units_of_the_table():
    X, _ = load_dataset("iris").split_target("species")
    frame = KMeans(2).fit(X).centers()
    assert frame["sepal_length"].round(2).tolist() == [6.26, 5.01]
    table = Table({"x": [0.0, 0.1, 9.0, 9.1], "color": ["red", "red", "blue", "blue"]})
    centers = KMeans(2).fit(table).centers()
    assert sorted(centers["x"].round(2)) == [0.05, 9.05]
    shares = [name for name in centers.columns if "red" in name or "blue" in name]
    assert np.isin(centers[shares].to_numpy().round(6), (0, 1)).all()


@pytest.mark.parametrize("n_rows", [1, 2, 5, 12])
def test_tiny_tables(n_rows):
    X = np.random.default_rng(n_rows).normal(size=(n_rows, 3))
    model = KMeans(8).fit(X)
    assert len(model.cluster_centers_) == min(8, n_rows)
    assert set(KMeans(3).fit(np.ones((n_rows, 2))).labels_) == {0}


def test_weight_zero_rows_are_placed_and_do_not_count():
    X, _ = blobs()
    weights = np.r_[np.zeros(100), np.ones(200)]
    model = KMeans(3).fit(X, sample_weight=weights)
    assert len(model.labels_) == 300
    np.testing.assert_array_equal(model.cluster_centers_, KMeans(3).fit(X[100:]).cluster_centers_)


def test_saved_and_damaged(tmp_path):
    X, _ = blobs()
    model = KMeans(3).fit(X)
    model.save(tmp_path / "model.bl")
    again = branchline.load(tmp_path / "model.bl")
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    assert not hasattr(again, "labels_")
    state = dict(model._pack())
    for damage in ({"n_centers": 4.0}, {"inertia": -1.0}, {"centers": np.zeros(3)}):
        with pytest.raises(ModelFileError):
            model._unpack({**state, **damage}, model.schema_)
