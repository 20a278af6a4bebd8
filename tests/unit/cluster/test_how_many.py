"""How many groups: the verdict on tables with and without groups."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.cluster import how_many
from branchline.cluster._reference_tables import (
    factor_of,
    fit_references,
    one_peak,
    rotated,
    row_radii,
)

_SHAPES = ((40, 2), (120, 5))
_QUICK = {"n_bootstraps": 2, "max_clusters": 5}


def _table(kind: str, n_rows: int, n_columns: int, seed: int) -> np.ndarray:
    draws = np.random.default_rng([seed, n_rows])
    if kind == "uniform":
        return draws.random((n_rows, n_columns))
    table = draws.standard_normal((n_rows, n_columns))
    return table if kind == "normal" else 0.6 * table + draws.standard_normal((n_rows, 1))


def _blobs(seed: int, n_rows: int = 150) -> np.ndarray:
    draws = np.random.default_rng(seed)
    centers = np.array([[0, 0, 0], [7, 0, 0], [0, 7, 0]])
    return centers[draws.integers(0, 3, n_rows)] + draws.standard_normal((n_rows, 3))


@pytest.mark.parametrize("kind", ["uniform", "normal", "correlated"])
def test_tables_without_groups_have_one(kind: str) -> None:
    found = [
        how_many(_table(kind, *shape, seed), **_QUICK).is_one
        for shape in _SHAPES
        for seed in range(5)
    ]
    # With a probability of 0.02 each, two or more of 10 come up in 16 of 1,000 runs.
    assert sum(found) >= 9


def test_references_keep_how_categories_and_numbers_hang_together() -> None:
    draws = np.random.default_rng(5)
    number = draws.standard_normal(400)
    behind = 0.9 * number + 0.44 * draws.standard_normal(400)
    level = np.searchsorted([-0.8, 0.1, 0.9], behind)
    held = np.eye(4)[[2, 0, 3, 1]][level]  # the order of levels is not that of their names
    shares = held.mean(axis=0)
    table = np.column_stack([number, (held - shares) / np.sqrt(shares)])

    def explained(rows: np.ndarray) -> float:
        groups = rows[:, 1:].argmax(axis=1)
        means = np.array([rows[groups == group, 0].mean() for group in range(4)])
        return float(means[groups].var() / rows[:, 0].var())

    made = fit_references(table, np.array([0, 1, 1, 1, 1]))
    found = np.mean([explained(made.draw(draws)) for _ in range(10)])
    assert found == pytest.approx(explained(table), abs=0.05)  # 0.2 with the levels in any order


def test_tails_of_references_are_as_long() -> None:
    values = np.exp(1.5 * np.random.default_rng(6).standard_normal(400))
    drawn = one_peak(values).quantiles((np.arange(4000) + 0.5) / 4000)
    assert drawn.std() == pytest.approx(values.std(), rel=0.1)
    np.testing.assert_allclose(np.quantile(drawn, 0.99), np.quantile(values, 0.99), rtol=0.15)


def test_far_rows_keep_their_distance() -> None:
    draws = np.random.default_rng(3)
    normal = draws.standard_normal((300, 4))
    assert len(row_radii(normal)) == 0
    far = normal / np.sqrt(draws.chisquare(3, (300, 1)) / 3)
    radii = row_radii(far)
    turned = rotated(factor_of(far), 300, draws, radii)
    np.testing.assert_allclose((radii**2).sum(), 4)
    assert np.linalg.norm(turned, axis=1).max() > 4 * np.median(np.linalg.norm(turned, axis=1))


def test_blobs_are_counted() -> None:
    assert [how_many(_blobs(seed), n_bootstraps=5).n_groups for seed in range(5)] == [3] * 5


def test_iris_golden() -> None:
    rows, _ = load_dataset("iris").split_target("species")
    found = how_many(rows)
    assert found.n_groups == 3
    assert found.test.p_value == pytest.approx(0.01)
    assert found.by_rule == {
        "knee": 3, "silhouette": 2, "gap": 3, "stability": 3, "BIC of a mixture": 2,
    }  # fmt: skip
    assert found.silhouette[1] == pytest.approx(0.580184463, abs=1e-8)  # scikit-learn: the same
    assert "3 groups" in str(found)
    assert len(found.to_frame()) == 8
    assert len(found.draw().charts) == 5
    assert all(low <= mean <= high for mean, low, high in found.jaccard[2])


def test_order_and_weights() -> None:
    table = _blobs(1, 60)
    shuffled = np.random.default_rng(0).permutation(len(table))
    plain = how_many(table, n_bootstraps=3).to_dict()
    assert how_many(table[shuffled], n_bootstraps=3).to_dict() == plain
    weights = 1.0 + (np.arange(len(table)) % 3)
    copies = how_many(np.repeat(table, weights.astype(int), axis=0), n_bootstraps=3).to_dict()
    assert how_many(table, weights, n_bootstraps=3).to_dict() == copies


@pytest.mark.parametrize("n_rows", [1, 2, 3, 5])
def test_tiny_tables_have_one_group(n_rows: int) -> None:
    found = how_many(np.arange(2.0 * n_rows).reshape(n_rows, 2), n_bootstraps=2)
    assert found.n_groups == 1
    assert str(found).startswith("One group")
    assert found.draw().to_svg()
    assert found.to_dict()["n_groups"] == 1


def test_mixed_table_with_missing_cells() -> None:
    blobs = _blobs(3)
    kind = np.where(blobs[:, 0] > 3.5, "a", "b").astype(object)
    kind[::7] = None
    blobs[::5, 1] = np.nan
    rows = {"x": blobs[:, 0], "y": blobs[:, 1], "kind": kind, "same": np.ones(len(blobs))}
    assert how_many(rows, n_bootstraps=3).n_groups == 3


def test_wide_table() -> None:
    table = np.random.default_rng(4).standard_normal((20, 300))
    assert how_many(table, n_bootstraps=2).is_one
    table[:10] += 3
    assert how_many(table, n_bootstraps=2).n_groups == 2


def test_one_peak_fills_the_gap_between_two() -> None:
    draws = np.random.default_rng(0)
    two = np.concatenate([draws.normal(-5, 1, 300), draws.normal(5, 1, 300)])
    peak = one_peak(two)
    middle = np.interp([-2.0, 2.0], peak.edges, peak.below)
    assert np.diff(middle)[0] > 0.15
    densities = np.diff(peak.below) / np.diff(peak.edges)
    top = int(densities.argmax())
    assert (np.diff(densities[: top + 1]) >= -1e-12).all()
    assert (np.diff(densities[top:]) <= 1e-12).all()


def test_rotations_keep_covariances() -> None:
    table = _blobs(2, 30)
    turned = rotated(factor_of(table), 30, np.random.default_rng(1))
    np.testing.assert_allclose(np.cov(turned.T), np.cov(table.T), atol=1e-10)
