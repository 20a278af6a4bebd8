"""Self-organizing maps: errors of quantization, neighbors, damaged files, odd tables."""

from typing import Any

import numpy as np
import pytest

from branchline.cluster import SelfOrganizingMap
from branchline.errors import DataError, ModelFileError, ParameterError
from common.tables import mixed_frame


def _rows() -> Any:
    return np.random.default_rng(0).normal(size=(300, 4))


@pytest.mark.parametrize("algorithm", ["batch", "online"])
@pytest.mark.parametrize("grid", ["hexagonal", "square"])
def test_error_is_the_mean_distance_from_the_nearest_code(algorithm: str, grid: str) -> None:
    rows = _rows()
    model = SelfOrganizingMap(5, 6, algorithm=algorithm, grid=grid).fit(rows)
    nearest = model.transform(rows)
    assert nearest.shape == (300, 30)
    np.testing.assert_allclose(nearest.min(axis=1).mean(), model.quantization_error_)
    np.testing.assert_array_equal(nearest.argmin(axis=1), model.predict(rows))
    np.testing.assert_array_equal(np.bincount(model.labels_, minlength=30), model.hits_)
    one = SelfOrganizingMap(1, 1, algorithm=algorithm, grid=grid).fit(rows)
    assert model.quantization_error_ < 0.8 * one.quantization_error_


def test_one_unit_is_the_mean_of_the_rows() -> None:
    rows = _rows()
    model = SelfOrganizingMap(1, 1, standardize=False).fit(rows)
    shown = model.codes_ * model._preparation.scale + model._preparation.center
    np.testing.assert_allclose(shown[0], rows.mean(axis=0), atol=1e-12)


def test_codes_of_neighbors_are_nearer_than_codes_of_others() -> None:
    model = SelfOrganizingMap(6, 6).fit(_rows())
    apart = np.sqrt(((model.codes_[:, None] - model.codes_[None]) ** 2).sum(axis=2))
    assert model.gaps().mean() < 0.6 * apart[np.triu_indices(36, 1)].mean()


@pytest.mark.parametrize("n_rows", [1, 2, 12])
def test_tiny_tables(n_rows: int) -> None:
    model = SelfOrganizingMap(3, 3).fit(mixed_frame(60)[:n_rows])
    assert model.hits_.sum() == n_rows
    assert "neighbors" in model.draw().text


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("size", lambda values: values + 1),
        ("size", lambda values: values * 0.5),
        ("codes", lambda values: values[1:]),
        ("hits", lambda values: values - 9),
        ("error", lambda value: -1.0),
    ],
)
def test_damaged_files_are_refused(name: str, change: Any) -> None:
    model = SelfOrganizingMap(2, 2).fit([[0.0], [1.0], [5.0]])
    state = model._pack()
    with pytest.raises(ModelFileError):
        model._unpack({**state, name: change(state[name])}, model.schema_)


def test_topographic_error_counts_rows_between_units_that_are_not_neighbors() -> None:
    rows = _rows()
    model = SelfOrganizingMap(5, 6, grid="square").fit(rows)
    first, second = np.argsort(model.transform(rows), axis=1)[:, :2].T
    steps = np.abs(first // 6 - second // 6) + np.abs(first % 6 - second % 6)
    assert model.topographic_error(rows) == np.mean(steps > 1)
    assert SelfOrganizingMap(1, 2).fit(rows).topographic_error(rows) == 0


def test_error_of_rows_with_missing_cells_is_that_of_transform() -> None:
    rows = np.where(np.random.default_rng(1).random((300, 4)) < 0.2, np.nan, _rows())
    model = SelfOrganizingMap(4, 4, standardize=False).fit(rows)
    np.testing.assert_allclose(model.transform(rows).min(axis=1).mean(), model.quantization_error_)


def test_planes_of_unknown_terms_and_maps_too_large_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = SelfOrganizingMap(2, 2).fit(_rows())
    with pytest.raises(ParameterError) as caught:
        model.draw(["height"])
    assert caught.value.code == "P672"
    monkeypatch.setenv("BRANCHLINE_MEMORY", "20M")
    with pytest.raises(DataError):
        SelfOrganizingMap(60, 60).fit(_rows())
