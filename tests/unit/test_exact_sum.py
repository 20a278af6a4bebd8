"""The sum that is rounded once equals ``math.fsum``, whatever is added."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchline._exact_sum import exact_mean, exact_sum, exact_weighted_sum


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 1, 599, 600, 601, 5000]),
    st.sampled_from([0, 5, 60, 400, 1000]),
    st.booleans(),
)
def test_it_is_the_sum_of_fsum(seed, n, spread, signed):
    random = np.random.default_rng(seed)
    values = np.ldexp(random.random(n), random.integers(-spread, spread // 2 + 1, n))
    if signed:
        values = np.concatenate([values, -values[: n // 2], random.normal(size=n)])
        values = random.permutation(values)
    assert exact_sum(values) == math.fsum(values)
    assert exact_sum(random.permutation(values)) == math.fsum(values)


def test_tiny_numbers_are_not_lost():
    tiny = np.full(1000, 5e-324)
    assert exact_sum(tiny) == math.fsum(tiny) == 1000 * 5e-324
    assert exact_sum(np.append(tiny, [1.0, -1.0])) == 1000 * 5e-324


def test_numbers_near_the_largest_are_added():
    large = np.array([1e308, -1e308, 1e300] * 200)
    assert exact_sum(large) == math.fsum(large)


def test_what_is_not_a_number_is_handed_on():
    values = np.ones(1000)
    values[7] = np.nan
    assert math.isnan(exact_sum(values))
    values[7] = np.inf
    assert exact_sum(values) == math.inf
    assert exact_sum(np.full(1000, 1e308)) == math.inf


def test_a_part_of_an_array_is_added_as_it_lies():
    values = np.random.default_rng(0).random((1000, 4))
    assert exact_sum(values[::2, 1]) == math.fsum(values[::2, 1])


@pytest.mark.parametrize("n", [4, 700])
def test_a_mean_has_room_where_its_sum_has_none(n):
    assert exact_sum(np.full(n, 1.5e308)) == math.inf
    assert exact_sum(np.full(n, -1.5e308)) == -math.inf
    assert exact_mean(np.full(n, 1.5e308)) == pytest.approx(1.5e308)
    assert exact_sum(np.array([1.5e308, 1.5e308, -1.5e308])) == 1.5e308
    assert exact_mean(np.array([1.0, math.inf])) == math.inf
    assert math.isnan(exact_mean(np.array([])))


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 40, 700]))
def test_a_weight_of_k_adds_what_k_rows_add(seed, n):
    random = np.random.default_rng(seed)
    values, copies = (
        np.ldexp(random.normal(size=n), random.integers(-60, 60, n)),
        random.integers(1, 9, n),
    )
    expected = math.fsum(np.repeat(values, copies))
    assert exact_weighted_sum(values, copies.astype(np.float64)) == expected


def test_weighted_sums_of_very_large_numbers_are_not_lost():
    assert exact_weighted_sum(np.array([1e300, 1e305]), np.array([2.0, 1.0])) == 1e305 + 2e300
