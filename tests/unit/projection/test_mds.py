"""Multidimensional scaling: perfect places, scikit-learn as the reference, weights, new rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.base import clone

import branchline
from branchline import load_dataset
from branchline.cluster import distances
from branchline.errors import DataError, ModelFileError
from branchline.projection import MDS
from common.tables import mixed_frame

KINDS = ("metric", "ordinal", "classical")


def _rows(n_rows: int = 60, n_columns: int = 2, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


def _stress(places: Any, square: Any) -> float:
    apart = cdist(places, places)
    return float(np.sqrt(((apart - square) ** 2).sum() / (apart**2).sum()))


@pytest.mark.parametrize("kind", KINDS)
def test_distances_of_a_plane_are_matched_exactly(kind: str) -> None:
    rows = _rows()
    model = MDS(2, kind=kind, metric="euclidean").fit(rows)
    assert model.stress_ < 1e-6
    places = model.embedding_
    np.testing.assert_allclose(cdist(places, places), cdist(rows, rows), atol=1e-5)
    np.testing.assert_allclose(places.mean(axis=0), 0, atol=1e-6)
    spread = places.T @ places
    assert abs(spread[0, 1]) < 1e-6 * spread[0, 0]
    assert spread[0, 0] >= spread[1, 1]


def test_stress_is_that_of_its_places_and_a_minimum() -> None:
    rows = _rows(25, 5)
    square = cdist(rows, rows)
    model = MDS(2, metric="precomputed", max_iter=5000).fit(square)
    np.testing.assert_allclose(model.stress_, _stress(model.embedding_, square), rtol=1e-9)

    def lost(flat: Any) -> float:
        return float(((cdist(flat.reshape(-1, 2), flat.reshape(-1, 2)) - square) ** 2).sum())

    better = minimize(lost, model.embedding_.ravel(), method="L-BFGS-B")
    assert better.fun > lost(model.embedding_.ravel()) * (1 - 1e-4)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 12))
def test_a_step_is_the_guttman_transform(seed: int, n_rows: int) -> None:
    rng = np.random.default_rng(seed)
    square, places = cdist(*[rng.normal(size=(n_rows, 4))] * 2), rng.normal(size=(n_rows, 2))
    share = rng.integers(1, 4, n_rows).astype(float)
    share /= share.sum()
    from branchline.projection._smacof import _apart, _guttman

    apart = _apart(places)
    expected = np.zeros_like(places)
    for i in range(n_rows):
        for j in range(n_rows):
            if i != j:
                expected[i] += share[j] * square[i, j] / apart[i, j] * (places[i] - places[j])
    np.testing.assert_allclose(_guttman(square, apart, share, places), expected, atol=1e-12)


def test_only_the_order_counts() -> None:
    square = distances(load_dataset("iris").split_target("species")[0])
    plain = MDS(2, kind="ordinal", metric="precomputed").fit(square)
    metric = MDS(2, metric="precomputed").fit(square)
    assert plain.stress_ < metric.stress_
    bent = MDS(2, kind="ordinal", metric="precomputed", max_iter=2000).fit(square**2)
    assert bent.stress_ < 1.1 * plain.stress_
    assert bent.stress_ < 0.5 * MDS(2, metric="precomputed").fit(square**2).stress_


@pytest.mark.parametrize("kind", KINDS)
def test_neither_order_nor_copies_matter(kind: str) -> None:
    frame, model = mixed_frame(), MDS(2, kind=kind, max_iter=100)
    rng = np.random.default_rng(1)
    places = model.fit(frame).embedding_
    order = rng.permutation(len(frame))
    np.testing.assert_array_equal(places[order], model.fit(frame.iloc[order]).embedding_)
    weights = rng.integers(0, 3, len(frame))
    rows = np.repeat(np.arange(len(frame)), weights)
    weighted = clone(model).fit(frame, sample_weight=weights)
    copied = clone(model).fit(frame.iloc[rows])
    np.testing.assert_array_equal(weighted.embedding_[rows], copied.embedding_)
    assert weighted.stress_ == copied.stress_


@pytest.mark.parametrize("kind", KINDS)
def test_new_rows_lie_where_they_belong(kind: str) -> None:
    rows, new = _rows(80), _rows(20, seed=1)
    model = MDS(2, kind=kind, metric="euclidean").fit(rows)
    np.testing.assert_array_equal(model.transform(rows), model.embedding_)
    apart = cdist(model.transform(new), model.embedding_)
    np.testing.assert_allclose(apart, cdist(new, rows), atol=0.15 if kind == "ordinal" else 1e-4)
    given = MDS(2, kind=kind, metric="precomputed").fit(cdist(rows, rows))
    far = given.transform(cdist(new, rows))
    np.testing.assert_allclose(cdist(far, given.embedding_), apart, atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_rows", [1, 2, 3, 12])
def test_tiny_and_constant_tables(kind: str, n_rows: int) -> None:
    model = MDS(3, kind=kind).fit(mixed_frame(60)[:n_rows])
    assert model.embedding_.shape == (n_rows, 3)
    assert "Stress" in model.draw().text
    assert "Stress" in model.shepard().text
    constant = MDS(kind=kind).fit(np.ones((n_rows, 2)))
    assert constant.stress_ == 0
    assert not constant.transform([[5.0, 1.0]]).any()


def test_huge_numbers() -> None:
    rows = np.array([[1.0, 1e300], [2.0, -1e300], [3.0, np.nan], [5.0, 0.0]])
    model = MDS(metric="euclidean").fit(rows)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform([[1e308, 0.0]])).all()


def test_saved_model_and_its_pictures(tmp_path: Any) -> None:
    frame = mixed_frame()
    model = MDS(2, kind="ordinal", max_iter=30).fit(frame)
    model.save(tmp_path / "places.branchline")
    again = branchline.load(tmp_path / "places.branchline")
    np.testing.assert_array_equal(again.transform(frame), model.embedding_)
    assert again.shepard().to_svg() == model.shepard().to_svg()
    named = model.draw(color=["a"] * len(frame), labels=range(len(frame)))
    assert again.draw(frame).x.ends == named.x.ends
    with pytest.raises(ValueError, match="2 labels"):
        model.draw(labels=["a", "b"])


def test_a_matrix_that_is_not_one_of_distances() -> None:
    with pytest.raises(DataError) as caught:
        MDS(metric="precomputed").fit([[0.0, 1.0], [2.0, 0.0]])
    assert caught.value.code == "D670"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("places", lambda values: values[1:]),
        ("places", lambda values: values * 1e9),
        ("share", lambda values: -values),
        ("unit", lambda value: 0.0),
        ("given", lambda values: values[::-1].copy()),
        ("aimed", lambda values: values[1:]),
        ("shown", lambda values: values[1:]),
        ("stress", lambda value: -1.0),
        ("steps", lambda value: 0.5),
    ],
)
def test_damaged_files_are_refused(name: str, change: Any) -> None:
    model = MDS(2, kind="ordinal").fit(_rows(12, 4))
    state = model._pack()
    with pytest.raises(ModelFileError):
        model._unpack({**state, name: change(state[name])}, model.schema_)
