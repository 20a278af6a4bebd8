"""The distance: what is 1 apart, what a missing cell costs, which columns count."""

import numpy as np
import pandas as pd
import pytest

from branchline import Table
from branchline._validation import ClassTarget, NumberTarget
from branchline.errors import ParameterError
from branchline.neighbors import NearestNeighborsClassifier, NearestNeighborsRegressor
from branchline.neighbors._column_weights import relevance_weights
from branchline.neighbors._responses import explained_share, responses_of
from branchline.neighbors._space import MOST_LEVELS, learn_space

CLASSES = ClassTarget(np.array(["a", "b"]), np.array([0, 0, 1, 1, 1, 0], dtype=np.uint32))


def apart(table, *, target=CLASSES, weights=None, metric="euclidean", **options):
    """Return the distances between all rows of a table."""
    options = {"distance": "overlap", "scale": "sd"} | options
    weights = np.ones(table.n_columns) if weights is None else np.array(weights)
    space = learn_space(table, target, weights, metric=metric, **options)
    points = space.of(table)
    order = 1 if metric == "manhattan" else 2
    return np.ldexp(np.linalg.norm(points[:, None] - points, ord=order, axis=2), space.unit)


def test_numbers_are_measured_in_deviations_ranges_or_as_they_are():
    table = Table({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0]})
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 9.0])
    for scale, unit in (("sd", x.std()), ("range", 8.0), ("none", 1.0)):
        np.testing.assert_allclose(apart(table, scale=scale), abs(x[:, None] - x) / unit)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("names", ["ababab", "abcabc", "abcdef"])
def test_unequal_categories_are_1_apart_by_overlap(metric, names):
    found = apart(Table({"x": list(names)}), scale="none", metric=metric)
    np.testing.assert_allclose(found, np.array([[a != b for a in names] for b in names]))


def test_categories_are_as_far_apart_as_their_class_frequencies():
    table = Table({"x": ["p", "p", "q", "q", "q", "p"]})
    # One row of the average (half a, half b) is added to each: p is 3.5 : 0.5, q is 0.5 : 3.5.
    found = apart(table, scale="none", distance="value_difference")
    expected = np.sqrt(2 * (3.5 / 4 - 0.5 / 4) ** 2)
    np.testing.assert_allclose(found[0], np.array([0, 0, 1, 1, 1, 0]) * expected)


def test_categories_are_as_far_apart_as_their_mean_targets():
    table = Table({"x": ["p", "p", "q", "q"]})
    y = np.array([0.0, 2.0, 6.0, 8.0])
    found = apart(table, scale="none", distance="value_difference", target=NumberTarget(y))
    np.testing.assert_allclose(found[0], np.array([0, 0, 1, 1]) * (4 / 3 * 3) / y.std())


@pytest.mark.parametrize("distance", ["overlap", "value_difference"])
@pytest.mark.parametrize("cells", [[1.0, 4.0, 2.0, 7.0, 7.0], list("abcaa")])
def test_a_missing_cell_is_as_far_as_a_value_drawn_from_the_column(cells, distance):
    found = apart(Table({"x": [*cells, None]}), distance=distance)
    mean_square = (found[:5, :5] ** 2).mean(axis=1)
    np.testing.assert_allclose(found[5, :5] ** 2, mean_square)


def test_two_missing_cells_are_not_apart_and_a_lone_value_is_told_from_them():
    found = apart(Table({"x": [1.0, None, None, 1.0]}), target=_first(4))
    np.testing.assert_allclose(found[0], [0, 2, 2, 0])  # 1 / √(½ · ½)
    found = apart(Table({"x": ["yes", None, None, "yes"]}), target=_first(4))
    np.testing.assert_allclose(found[0], [0, 2, 2, 0])


def _first(n_rows):
    return ClassTarget(CLASSES.classes, CLASSES.class_of_row[:n_rows])


def test_levels_beyond_the_commonest_count_as_one():
    names = [f"n{number:03}" for number in range(MOST_LEVELS + 8)]
    column = ["n000", "n000", *names]
    target = ClassTarget(CLASSES.classes, np.arange(len(column), dtype=np.uint32) % 2)
    found = apart(Table({"x": column}), scale="none", target=target)
    assert found[0, 1] == 0
    np.testing.assert_allclose(found[0, 3:], 1)
    assert (found[-1, -9:] == 0).all()
    np.testing.assert_allclose(found[-1, :-10], 1)


def test_a_weight_multiplies_and_0_removes():
    table = Table({"x": [0.0, 3.0], "y": [0.0, 4.0]})
    assert apart(table, scale="none", target=_first(2))[0, 1] == pytest.approx(5)
    found = apart(table, scale="none", target=_first(2), weights=[1.0, 0.0])
    assert found[0, 1] == pytest.approx(3)
    found = apart(table, scale="none", target=_first(2), weights=[2.0, 1.0])
    assert found[0, 1] == pytest.approx(np.hypot(6, 4))


def test_huge_and_tiny_numbers_keep_their_distances():
    for factor in (1e-300, 1e300):
        table = Table({"x": np.array([1.0, 2.0, 4.0]) * factor})
        np.testing.assert_allclose(
            apart(table, target=_first(3))[0, 1:], np.array([1, 3]) / 1.2472, rtol=1e-4
        )
        found = apart(table, target=_first(3), scale="none")[0, 1:]
        np.testing.assert_allclose(found, np.array([1, 3]) * factor)


def test_a_far_query_is_not_infinitely_far():
    X = pd.DataFrame({"x": [1e-300, 2e-300, 3e-300]})
    model = NearestNeighborsRegressor(n_neighbors=1, weights="uniform").fit(X, [1.0, 2.0, 3.0])
    assert np.isfinite(model.kneighbors({"x": [1e308]}, 1)[0]).all()
    np.testing.assert_array_equal(model.predict({"x": [1e308, -1e308]}), [3.0, 1.0])


# -- weights of columns -------------------------------------------------------------------------


def test_the_explained_share_is_that_of_the_variance_less_chance():
    responses = np.array([[0.0], [0.0], [1.0], [1.0]])
    assert explained_share(np.array([0, 0, 1, 1]), 2, responses) == 1.0
    assert explained_share(np.array([0, 1, 0, 1]), 2, responses) == 0.0
    assert explained_share(np.array([0, 1, 2, 3]), 4, responses) == 0.0  # chance explains all
    three = explained_share(np.array([0, 0, 1, 1, 1, 1]), 2, np.array([[0.0]] * 3 + [[1.0]] * 3))
    assert three == pytest.approx((0.5 - 0.2) / 0.8)  # B / T = ½, c = 1/5


def test_the_relevant_column_weighs_most():
    random = np.random.default_rng(2)
    y = random.integers(0, 2, 200)
    columns = {"noise": random.normal(size=200), "signal": y + random.normal(0, 0.3, 200)}
    columns["level"] = np.where(random.random(200) < 0.8, y, 1 - y).astype(str)
    target = ClassTarget(np.array([0, 1]), y.astype(np.uint32))
    weights = relevance_weights(Table(columns), responses_of(target))
    assert weights[1] == 1.0
    assert weights[0] < 0.3 < weights[2] < 1.0


def test_tuning_silences_a_column_of_noise():
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 3))
    y = np.sign(X[:, 0] * X[:, 1])  # neither column tells anything by itself
    model = NearestNeighborsClassifier(column_weights="tuned", n_neighbors=5).fit(X, y)
    plain = NearestNeighborsClassifier(n_neighbors=5).fit(X, y)
    fresh = random.normal(size=(500, 3))
    truth = np.sign(fresh[:, 0] * fresh[:, 1])
    assert model.score(fresh, truth) > plain.score(fresh, truth) + 0.03
    assert model.column_weights_[2] < 0.3 * model.column_weights_[:2].min()


def test_given_weights_are_used_by_name():
    X = pd.DataFrame({"x": [0.0, 10.0], "y": [10.0, 0.0]})
    options = {"n_neighbors": 1, "scale": "none", "weights": "uniform"}
    for weights, expected in (({"x": 2.0}, "b"), ({"y": 2}, "a"), ({"x": 0}, "a")):
        model = NearestNeighborsClassifier(column_weights=weights, **options).fit(X, ["a", "b"])
        assert model.predict({"x": [9.0], "y": [9.5]})[0] == expected


@pytest.mark.parametrize(
    "weights", [{"z": 1.0}, {"x": -1.0}, {"x": np.inf}, {"x": "1"}, {"x": 1e9}]
)
def test_weights_that_do_not_fit_are_refused(weights):
    X = pd.DataFrame({"x": [0.0, 1.0]})
    with pytest.raises(ParameterError, match="column_weights") as caught:
        NearestNeighborsClassifier(column_weights=weights).fit(X, ["a", "b"])
    assert caught.value.code == "P040"
