"""Nearest neighbors against their twin, and the search against trying all pairs.

Tables are small and full of ties: few values, equal rows, missing cells, levels never seen.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline import Table
from branchline.errors import BranchlineWarning
from branchline.neighbors import NearestNeighborsClassifier, NearestNeighborsRegressor
from branchline.neighbors import _search as searching
from branchline.neighbors._search import Search
from branchline.neighbors._votes import class_votes, number_means, sums_for_each_k
from twins import neighbors as twin

seeds = st.integers(0, 2**32 - 1)


def draw_rows(random, n_rows):
    """Return rows with two numbers and two categories."""
    numbers = random.integers(0, 4, (n_rows, 2)) * random.choice([1.0, 0.25, 1000.0], 2)
    levels = random.choice(["a", "b", "c", "d"], (n_rows, 2))
    holes = random.random((n_rows, 4)) < random.choice([0.0, 0.2])
    cells = np.column_stack([numbers.astype(object), levels.astype(object)])
    cells[holes] = None
    return [dict(zip("wxyz", row, strict=True)) for row in cells.tolist()]


def as_table(rows):
    kinds = {"w": "numeric", "x": "numeric", "y": "category", "z": "category"}
    return Table(
        {name: [row[name] for row in rows] for name in "wxyz"},
        kinds=kinds,
    )


def fitted(model, rows, target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchlineWarning)
        return model.fit(as_table(rows), target)


@given(seeds, st.integers(1, 6), st.sampled_from(["uniform", "distance"]))
def test_predictions_are_those_of_the_twin(seed, k, weights):
    random = np.random.default_rng(seed)
    rows = draw_rows(random, int(random.integers(2, 14)))
    asked = draw_rows(random, 4)
    options = {"n_neighbors": k, "weights": weights, "distance": "overlap", "column_weights": None}
    classes = random.choice(["no", "yes"], len(rows)).tolist()
    numbers = random.normal(size=len(rows)).round(2).tolist()
    shares = fitted(NearestNeighborsClassifier(**options), rows, classes).predict_proba(
        as_table(asked)
    )
    means = fitted(NearestNeighborsRegressor(**options), rows, numbers).predict(as_table(asked))
    for at, query in enumerate(asked):
        found = twin.distances(rows, query)
        counts = twin.shares_of_neighbors(found, k, by_distance=weights == "distance")
        np.testing.assert_allclose(shares[at], twin.class_shares(counts, classes), atol=1e-7)
        np.testing.assert_allclose(means[at], twin.mean_target(counts, numbers), atol=1e-7)


@given(seeds, st.integers(1, 6))
def test_neighbors_are_those_of_the_twin_in_the_users_numbering(seed, k):
    random = np.random.default_rng(seed)
    rows = draw_rows(random, int(random.integers(k, 14)))
    query = draw_rows(random, 1)
    options = {"n_neighbors": 1, "distance": "overlap", "column_weights": None}
    model = fitted(NearestNeighborsRegressor(**options), rows, np.arange(len(rows)))
    distances, numbers = model.kneighbors(as_table(query), k)
    found = np.array(twin.distances(rows, query[0]))
    np.testing.assert_allclose(distances[0], np.sort(found)[:k], atol=1e-7)
    np.testing.assert_allclose(found[numbers[0]], distances[0], atol=1e-7)
    assert len(set(numbers[0].tolist())) == k


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("engine", ["products", "wide products", "tree"])
@given(seeds)
def test_every_search_finds_all_nearest_and_their_ties(metric, engine, seed):
    random = np.random.default_rng(seed)
    width = int(random.integers(1, 4))
    points = random.integers(-2, 3, (int(random.integers(1, 40)), width)) * 0.125
    points += random.choice([0.0, 3e6])  # far from 0, products in 32 bits lose every digit
    queries = points[random.integers(0, len(points), 5)] + random.choice([0.0, 0.0625])
    k = int(random.integers(1, len(points) + 1))
    with pytest.MonkeyPatch.context() as patch:
        if engine == "tree":
            patch.setattr(searching, "_TREE_POINTS", 1)
        elif engine == "wide products":
            patch.setattr(searching, "_LARGEST_NARROW", 0.0)
        search = Search.build(points, metric)
        found = search.nearest(queries, k)
    order = 1 if metric == "manhattan" else 2
    apart = np.linalg.norm(queries[:, None] - points[None], ord=order, axis=2)
    for at in range(len(queries)):
        part = slice(found.first[at], found.first[at + 1])
        farthest = np.sort(apart[at])[k - 1]
        near = np.flatnonzero(apart[at] <= farthest * (1 + 1e-9))
        assert sorted(found.point[part].tolist()) == near.tolist()
        assert (np.diff(found.distance[part]) >= 0).all()


@given(seeds, st.integers(1, 9), st.sampled_from(["uniform", "distance"]))
def test_running_sums_are_the_votes_of_each_k(seed, k, weights):
    random = np.random.default_rng(seed)
    points = random.integers(0, 3, (12, 2)).astype(float)
    classes = random.integers(0, 3, 12)
    found = Search.build(points, "euclidean").nearest(points[:4] + 0.5, 9)
    means = sums_for_each_k(found, [k], weights, np.eye(3)[classes][found.point])[0]
    votes = class_votes(found, k, weights, classes.astype(np.uint32), 3)
    np.testing.assert_allclose(means, votes / votes.sum(axis=1, keepdims=True), atol=1e-8)


@given(seeds, st.integers(1, 9), st.sampled_from(["euclidean", "manhattan"]), st.integers(1, 20))
def test_one_query_has_the_bits_it_has_among_others(seed, k, metric, width):
    random = np.random.default_rng(seed)
    points = random.integers(0, 3, (40, width)) + random.choice([0.0, 1e-12, 0.5], (40, width))
    queries = np.concatenate([points[:3], random.normal(size=(3, width))])
    search = Search.build(points, metric)
    together = search.nearest(queries, k)
    alone = [search.nearest(query[None], k) for query in queries]
    np.testing.assert_array_equal(np.concatenate([one.point for one in alone]), together.point)
    distance = np.concatenate([one.distance for one in alone])
    assert distance.tobytes() == together.distance.tobytes()
    begins = np.repeat(together.first[:-1], np.diff(together.first))
    for name in ("tie_first", "tie_end"):
        ties = np.concatenate([getattr(one, name) for one in alone]) + begins
        np.testing.assert_array_equal(ties, getattr(together, name))


@given(seeds, st.integers(1, 9), st.sampled_from(["uniform", "distance"]))
def test_votes_and_means_are_those_of_a_plain_loop(seed, k, weights):
    random = np.random.default_rng(seed)
    points = random.integers(0, 3, (12, 2)).astype(float)
    classes, numbers = random.integers(0, 3, 12), random.normal(size=12)
    found = Search.build(points, "euclidean").nearest(points[:4] + random.choice([0, 0.5]), k)
    votes = class_votes(found, k, weights, classes.astype(np.uint32), 3)
    means = number_means(found, k, weights, numbers)
    for query in range(4):
        here = slice(found.first[query], found.first[query + 1])
        distance, point = found.distance[here], found.point[here]
        nearer = distance < distance[k - 1]
        count = np.where(nearer, 1.0, (k - nearer.sum()) / (~nearer).sum())
        if weights == "distance":
            count *= distance == 0 if distance[0] == 0 else distance[0] / distance
        expected = np.bincount(classes[point], count, minlength=3)
        np.testing.assert_allclose(votes[query], expected, atol=1e-9)
        assert means[query] == pytest.approx((numbers[point] * count).sum() / count.sum())
