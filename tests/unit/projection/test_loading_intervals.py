"""Intervals of the weights of axes: coverage, order of rows, copies, axes of equal variance."""

import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.errors import ParameterError
from branchline.projection import PCA


def two_factors(n_rows, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, n_rows))
    noise = rng.normal(size=(n_rows, 6))
    return np.column_stack([first, first, first, second, second, noise[:, 5]]) + 0.7 * noise


def test_intervals_hold_the_weights_of_all_rows_as_often_as_they_say():
    truth = PCA(1).fit(two_factors(200_000, 0)).components_[0]
    inside = []
    for seed in range(1, 61):
        X = two_factors(150, seed)
        found = PCA(1).fit(X).loading_intervals(X, n_bootstraps=100)
        sign = np.sign(found.weights[0] @ truth)
        inside.append((found.low[0] <= sign * truth) & (sign * truth <= found.high[0]))
    assert 0.85 <= np.mean(inside) <= 0.99  # 0.80 for the middle of the samples' weights
    assert np.mean(np.array(inside)[:, :3]) >= 0.9  # 0.71


def test_columns_that_do_not_belong_to_an_axis_have_intervals_around_0():
    X = two_factors(300, 1)
    found = PCA(2).fit(X).loading_intervals(X)
    assert found.is_clear[0, :3].all()
    assert found.is_clear[1].tolist()[:5] == [False, False, False, True, True]
    assert (found.agreement > 0.97).all()


def test_axes_of_equal_variance_are_not_told_apart():
    X = np.random.default_rng(0).normal(size=(300, 6))
    found = PCA(2).fit(X).loading_intervals(X)
    assert (found.agreement < 0.9).all()
    assert not found.is_clear.all(axis=1).any()


def test_neither_order_nor_copies_matter():
    X = two_factors(80, 3)
    model = PCA(2).fit(np.repeat(X, 2, axis=0))
    once = model.loading_intervals(np.repeat(X, 2, axis=0), n_bootstraps=30)
    order = np.random.default_rng(0).permutation(160)
    again = model.loading_intervals(np.repeat(X, 2, axis=0)[order], n_bootstraps=30)
    np.testing.assert_array_equal(once.low, again.low)
    np.testing.assert_array_equal(once.high, again.high)


def test_missing_cells_and_categories(tmp_path):
    table = load_dataset("titanic").select(["age", "sex", "pclass", "fare"])
    model = PCA(2).fit(table)
    found = model.loading_intervals(table, n_bootstraps=20)
    frame = found.to_frame()
    assert len(frame) == 2 * len(model.terms_)
    assert (frame["low"] <= frame["high"]).all()
    assert "found again with agreement" in str(found)
    for axis in (0, 1):
        found.draw(axis=axis).save(tmp_path / f"{axis}.svg")
        assert f"What axis {axis + 1} is made of" in (tmp_path / f"{axis}.svg").read_text()


def test_what_cannot_be_asked():
    X = two_factors(30, 0)
    with pytest.raises(ParameterError, match="n_bootstraps"):
        PCA(1).fit(X).loading_intervals(X, n_bootstraps=2)
    tiny = PCA(1).fit(Table({"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 2.0]}))
    rows = Table({"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 2.0]})
    assert np.isfinite(tiny.loading_intervals(rows).low).all()
