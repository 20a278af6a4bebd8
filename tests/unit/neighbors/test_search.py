"""The search: whatever way is taken, the same points at the same distances."""

import multiprocessing
from dataclasses import replace

import numpy as np
import pytest

from branchline.neighbors._search import Search


@pytest.mark.parametrize("kind", ["grid of ties", "clouds", "one far point", "copies"])
def test_tiles_find_what_looking_at_all_finds(kind):
    rng = np.random.default_rng(0)
    points = {
        "grid of ties": rng.integers(0, 3, (1500, 8)).astype(float),
        "clouds": rng.normal(size=(1500, 12)),
        "one far point": np.vstack([rng.normal(size=(1499, 8)), np.full((1, 8), 1e6)]),
        "copies": np.repeat(rng.normal(size=(150, 9)), 10, axis=0),
    }[kind]
    search = Search.build(points, "euclidean")
    assert search.tiles is not None
    plain = replace(search, tiles=None)
    queries = np.vstack([points[:60], rng.normal(size=(60, points.shape[1]))])
    for k in (1, 7, 20):
        expected = plain.nearest(queries, k)
        for found in (search.nearest(queries, k), search.nearest(queries, k, n_threads=3)):
            for name in ("first", "point", "distance", "tie_first", "tie_end"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def _ask(points):
    return Search.build(points, "euclidean").nearest(points[:50], 3).point.tolist()


def test_forked_workers_search_as_their_parent_did():
    points = np.random.default_rng(0).normal(size=(1500, 10))
    expected = _ask(points)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(_ask, [points] * 2).get(timeout=200)
    assert found == [expected] * 2


@pytest.mark.parametrize("kind", ["clouds", "near copies", "ties"])
def test_wide_points_are_found_as_narrow_ones(kind, monkeypatch):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(60, 400))
    if kind == "near copies":
        points[30:] = points[:30] + 1e-7 * rng.normal(size=(30, 400))
    if kind == "ties":
        points = rng.integers(0, 2, (60, 400)).astype(float)
    search = Search.build(points, "euclidean")
    assert search.is_wide
    queries = np.vstack([points[:20], rng.normal(size=(5, 400))])
    found = [search.nearest(queries, k) for k in (1, 5, 60)]
    others = search.nearest(points, 4, others_only=True)
    alone = [search.nearest(queries[at : at + 1], 5).distance for at in range(25)]
    np.testing.assert_array_equal(np.concatenate(alone), found[1].distance)
    monkeypatch.setattr(Search, "is_wide", False)
    for nearest, k in zip(found, (1, 5, 60), strict=True):
        expected = search.nearest(queries, k)
        np.testing.assert_array_equal(nearest.point, expected.point)
        np.testing.assert_allclose(nearest.distance, expected.distance, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(others.point, search.nearest(points, 4, others_only=True).point)
