"""Ranges of tuning spaces."""

import math

import numpy as np
import pytest

from branchline.catalog import Between
from branchline.catalog._entry import Cost
from branchline.catalog._spaces import count_candidates, is_endless


def test_grids_include_both_ends() -> None:
    assert Between(0.0, 1.0).grid(5) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert Between(1e-3, 1e3, log=True).grid(7) == [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3]
    assert Between(1, 3, whole=True).grid(9) == [1, 2, 3]
    assert Between(4.0, 16.0, log=True).grid(1) == [8.0]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_draws_lie_within_and_follow_the_seed(log: bool, whole: bool) -> None:
    space = Between(1, 1000, log=log, whole=whole)
    draws = space.rvs(size=400, random_state=3)
    assert draws == space.rvs(size=400, random_state=np.random.RandomState(3))
    assert draws != space.rvs(size=400, random_state=4)
    assert min(draws) >= 1
    assert max(draws) <= 1000
    assert all(isinstance(draw, int if whole else float) for draw in draws)
    middle = math.sqrt(1000) if log else 500.5
    assert 150 < sum(draw <= middle for draw in draws) < 250


def test_a_range_that_holds_nothing_is_refused() -> None:
    for low, high, log in [(2, 1, False), (0, 1, True), (0, math.inf, False), (math.nan, 1, False)]:
        with pytest.raises(ValueError, match="no numbers lie"):
            Between(low, high, log=log)


def test_candidates_are_counted_over_blocks() -> None:
    space = ({"a": [1, 2], "b": [3, 4, 5]}, {"c": [6]})
    assert count_candidates(space) == 7
    assert count_candidates(({},)) == 1
    assert not is_endless(space)
    assert is_endless((*space, {"d": Between(0, 1)}))


def test_a_cost_is_a_product_of_powers() -> None:
    cost = Cost(0.5, 1e-6, 1.5, 1.0, 0.5)
    assert math.isclose(cost.estimate(10_000, 20, 4), 0.5 + 1e-6 * 1e6 * 20 * 2)
    assert Cost(0.5, 1e-6, 3.0, 3.0).estimate(10**200, 10**200) < math.inf
