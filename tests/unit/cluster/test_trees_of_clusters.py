"""Trees of clusters: printed heights, SciPy as the reference, weights and row order."""

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist
from sklearn.base import clone

import branchline
from branchline.cluster import AgglomerativeClustering, DivisiveClustering, KMeans, KMedoids
from branchline.errors import ModelFileError, ParameterError
from common.tables import mixed_frame

SERIES = [[2, 4, 5, 6], [0.5, 1, 1.25, 1.5], [1.5, 1, 0.75, 0.5], [2.5, 3.5, 4.5, 1]]
HEIGHTS = {
    ("euclidean", "single"): [1.5, 4.589, 5.074],
    ("euclidean", "complete"): [1.5, 4.644, 7.587],
    ("euclidean", "average"): [1.5, 4.616, 6.470],
    ("manhattan", "single"): [2.5, 6.5, 7.75],
    ("manhattan", "complete"): [2.5, 6.5, 13.25],
    ("manhattan", "average"): [2.5, 6.5, 10.5],
    ("correlation", "single"): [0.0, 0.820, 1.180],
    ("correlation", "complete"): [0.0, 0.820, 2.0],
    ("correlation", "average"): [0.0, 0.820, 1.590],
}
MODELS = [
    *(AgglomerativeClustering(4, linkage=kind) for kind in ("single", "complete", "average")),
    AgglomerativeClustering(4, linkage="ward"),
    DivisiveClustering(4),
]


@pytest.mark.parametrize(("metric", "kind"), HEIGHTS)
def test_printed_heights(metric: str, kind: str) -> None:
    model = AgglomerativeClustering(2, linkage=kind, metric=metric).fit(SERIES)
    np.testing.assert_array_equal(model.merges_[:, 2].round(3), HEIGHTS[metric, kind])


@pytest.mark.parametrize("kind", ["single", "complete", "average", "ward"])
def test_heights_of_scipy(kind: str) -> None:
    rows = np.random.default_rng(0).normal(size=(400, 3))
    model = AgglomerativeClustering(3, linkage=kind, metric="euclidean").fit(rows)
    np.testing.assert_allclose(model.merges_[:, 2], linkage(rows, kind)[:, 2], rtol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_neither_order_nor_copies_matter(model: AgglomerativeClustering) -> None:
    frame = mixed_frame()
    rng = np.random.default_rng(1)
    labels = model.fit(frame).labels_
    order = rng.permutation(len(frame))
    np.testing.assert_array_equal(labels[order], model.fit(frame.iloc[order]).labels_)
    weights = rng.integers(0, 3, len(frame))
    rows = np.repeat(np.arange(len(frame)), weights)
    weighted = model.fit(frame, sample_weight=weights)
    labels, heights = weighted.labels_, weighted.merges_[:, 2]
    copied = model.fit(frame.iloc[rows])
    np.testing.assert_array_equal(labels[rows], copied.labels_)
    tall = copied.merges_[:, 2]
    np.testing.assert_array_equal(heights[heights > 0], tall[tall > 0])


@pytest.mark.parametrize("model", MODELS)
def test_saved_tree(model: AgglomerativeClustering, tmp_path: object) -> None:
    path = f"{tmp_path}/tree.branchline"
    model.fit(mixed_frame()).save(path)
    np.testing.assert_array_equal(branchline.load(path).merges_, model.merges_)


MEASURES = {
    "single": lambda d, w: d.min(axis=1),
    "complete": lambda d, w: d.max(axis=1),
    "average": lambda d, w: d @ w / w.sum(),
}


@pytest.mark.parametrize("kind", MEASURES)
def test_new_rows_go_to_the_nearest_cluster_of_the_linkage(kind: str) -> None:
    rng = np.random.default_rng(3)
    rows, new = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    weights = rng.integers(1, 4, 60)
    model = AgglomerativeClustering(4, linkage=kind, metric="euclidean")
    labels = model.fit(rows, sample_weight=weights).labels_
    apart = cdist(new, rows)
    measure = MEASURES[kind]
    expected = np.argmin(
        [measure(apart[:, labels == k], weights[labels == k]) for k in range(4)], axis=0
    )
    np.testing.assert_array_equal(model.predict(new), expected)
    np.testing.assert_array_equal(model.predict(rows), labels)


def test_ward_places_new_rows_where_the_squares_grow_least() -> None:
    rng = np.random.default_rng(4)
    rows, new = rng.normal(size=(60, 3)), rng.normal(size=(40, 3))
    model = AgglomerativeClustering(4, linkage="ward", metric="euclidean").fit(rows)

    def squares(some: np.ndarray) -> float:
        return float(((some - some.mean(axis=0)) ** 2).sum())

    members = [rows[model.labels_ == k] for k in range(4)]
    grown = [[squares(np.vstack([some, row])) - squares(some) for some in members] for row in new]
    np.testing.assert_array_equal(model.predict(new), np.argmin(grown, axis=1))


@pytest.mark.parametrize("model", MODELS)
def test_a_matrix_of_distances_places_rows_as_the_table_does(model: Any) -> None:
    rng = np.random.default_rng(5)
    rows, new = rng.normal(size=(50, 2)), rng.normal(size=(20, 2))
    table = clone(model).set_params(metric="euclidean").fit(rows)
    given = clone(model).set_params(metric="precomputed").fit(cdist(rows, rows))
    # Clusters of one weight may be numbered differently, so pairs of numbers are counted.
    by_table = [*table.labels_, *table.predict(new)]
    by_matrix = [*given.labels_, *given.predict(cdist(new, rows))]
    assert len(set(zip(by_table, by_matrix, strict=True))) == 4


@pytest.mark.parametrize("model", [*MODELS, KMedoids(4), KMeans(4)])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_rows_of_weight_0_are_placed_as_new_rows(model: Any, metric: str) -> None:
    rng = np.random.default_rng(6)
    rows, weights = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    if not isinstance(model, KMeans):
        model = clone(model).set_params(metric=metric)
        rows = cdist(rows, rows) if metric == "precomputed" else rows
    labels = model.fit(rows, sample_weight=weights).labels_
    unseen = weights == 0
    np.testing.assert_array_equal(labels[unseen], model.predict(rows[unseen]))
    assert labels.min() == 0


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("merges", lambda values: values[:-1]),
        ("merges", lambda values: np.where(np.arange(len(values)) == 3, 7.0, values)),
        ("merges", lambda values: np.where(np.arange(len(values)) == 2, 1e9, values)),
        ("merges", lambda values: values * 0),
        ("clusters", lambda values: values[::-1].copy()),
        ("weights", lambda values: values - 1),
        ("spreads", lambda values: values - 1),
        ("points", lambda values: values[1:]),
        ("n_points", lambda value: value + 0.5),
    ],
)
def test_damaged_files_are_refused(name: str, change: Any) -> None:
    model = AgglomerativeClustering(2, linkage="ward").fit(SERIES)
    state = model._pack()
    with pytest.raises(ModelFileError):
        model._unpack({**state, name: change(state[name])}, model.schema_)


def test_ward_needs_euclidean_distances() -> None:
    with pytest.raises(ParameterError) as caught:
        AgglomerativeClustering(2, linkage="ward", metric="gower").fit(SERIES)
    assert caught.value.code == "P671"


def test_ward_standardizes_by_default() -> None:
    draws = np.random.default_rng(8)
    small, large = np.repeat([0.0, 9.0], 20), 1000 * draws.standard_normal(40)
    table = np.column_stack([small + draws.standard_normal(40), large])
    labels = AgglomerativeClustering(2, linkage="ward").fit(table).labels_
    assert len(set(labels[:20])) == len(set(labels[20:])) == 1


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "correlation", "gower"])
def test_a_table_in_which_nothing_varies_is_saved(metric: str, tmp_path: Any) -> None:
    model = AgglomerativeClustering(1, metric=metric).fit(np.zeros((8, 1)))
    model.save(tmp_path / "m")
    assert branchline.load(tmp_path / "m").predict(np.zeros((2, 1))).tolist() == [0, 0]


def test_weights_of_any_size_give_the_same_tree() -> None:
    table = branchline.Table({"x": [1.0, 2.0, np.nan, 9.0], "c": ["a", "b", "a", None]})
    weight = np.array([1.0, 2.0, 1.0, 3.0])
    trees = [
        AgglomerativeClustering(2, metric="gower").fit(table, sample_weight=weight * unit)
        for unit in (1.0, 2.0**600, 2.0**-600)
    ]
    assert trees[1].merges_.tolist() == trees[2].merges_.tolist() == trees[0].merges_.tolist()
