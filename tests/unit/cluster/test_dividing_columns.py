"""Groups that are combinations of categories, and more groups than are tried at first."""

from dataclasses import replace

import numpy as np
import pytest

from branchline import Table
from branchline.cluster import find_groups, how_many
from branchline.cluster._dividing_columns import dividing_columns


def crossed(n_rows=240, seed=0):
    """Rows of three species, with a place and a sex that divide them further."""
    rng = np.random.default_rng(seed)
    species, sex = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)
    place = np.where(species == 0, rng.integers(0, 3, n_rows), species)
    centers = np.array([[0.0, 0.0], [14.0, 0.0], [0.0, 14.0]])[species]
    numbers = centers + 4 * sex[:, None] + rng.normal(size=(n_rows, 2))
    return Table(
        {
            "x": numbers[:, 0],
            "y": numbers[:, 1],
            "site": np.array(["north", "south", "west"])[place].tolist(),
            "sex": np.array(["f", "m"])[sex].tolist(),
        }
    )


def test_columns_of_which_each_group_has_one_value():
    labels = np.repeat([0, 1, 2, 3], 25)
    table = Table(
        {
            "pair": np.repeat(["a", "b"], 50).tolist(),
            "nearly": [*("a" * 48), None, "b", *("b" * 50)],
            "mixed": ["a", "b"] * 50,
            "two": np.repeat([0.0, 7.0], 50),
            "number": np.arange(100.0),
            "constant": ["a"] * 100,
            "mostly": ["a"] * 95 + ["b"] * 5,
            "unknown": [None] * 100,
        }
    )
    assert dividing_columns(table, labels) == ("pair", "nearly", "two")


def test_the_verdict_says_what_divides_and_what_is_left():
    found = how_many(crossed())
    assert found.n_groups == 10  # three species, one of them in three places, and two sexes
    assert found.divided_by == ("site", "sex")
    assert found.without is not None
    assert found.without.n_groups == 3
    assert "one value of site and sex in nearly all of its rows" in found.verdict()
    assert found.verdict().endswith("The other columns alone have 3 groups.")
    plain = found.to_dict()
    assert plain["divided_by"] == ["site", "sex"]
    assert plain["without"]["n_groups"] == 3
    one = replace(found.without, test=replace(found.without.test, p_value=1.0))
    assert replace(found, without=one).verdict().endswith("alone have one group.")


def test_groups_that_no_category_makes_are_not_counted_again():
    rng = np.random.default_rng(0)
    group = np.arange(150) % 3
    rows = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[group] + rng.normal(size=(150, 2))
    found = how_many(rows)
    assert found.n_groups == 3
    assert found.divided_by == ()
    assert found.without is None


def test_only_categories():
    rng = np.random.default_rng(0)
    table = Table({name: rng.choice(list("abc"), 200).tolist() for name in ("one", "other")})
    found = how_many(table)
    if not found.is_one:
        assert found.without is None
        assert "other columns" not in found.verdict()


def test_more_are_tried_where_the_most_are_found():
    rng = np.random.default_rng(1)
    places = np.array([(x, y) for x in range(4) for y in range(3)], dtype=float)
    rows = 20 * places[np.arange(360) % 12] + rng.normal(size=(360, 2))
    found = how_many(rows)
    assert found.n_groups == 12
    assert len(found.sizes) == 20
    assert not found.is_largest_tried
    assert found.test.p_value == 0.01
    assert found.test.n_references == 99
    eight = how_many(rows, max_clusters=8)
    assert eight.is_largest_tried
    assert "8 or more groups" in eight.verdict()
    assert eight.test.p_value == found.test.p_value


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_threads_change_nothing(n_jobs):
    found = how_many(crossed(120), n_bootstraps=5, n_references=19, n_jobs=n_jobs).to_dict()
    assert found == how_many(crossed(120), n_bootstraps=5, n_references=19).to_dict()


def test_groups_tell_of_it_and_all_bars_have_one_scale():
    found = find_groups(crossed())
    assert "The other columns alone have 3 groups." in str(found)
    ends = {chart.x.ends for chart in found.draw().charts}
    assert len(ends) == 1
    low, high = ends.pop()
    assert all(
        low <= one.low <= one.high <= high for each in found.clusters for one in each.effects
    )
