"""Fixed-point sums: exact in any order, close to the numbers, never overflowing."""

import math

import numpy as np
import pytest

from branchline._fixed_point import fixed_point
from branchline._validation import RowWeights
from branchline._validation._weights import check_weights

MOST = np.finfo(np.float64).max
LEAST = np.nextafter(0, 1)


def mean_of(values, weights=None):
    values = np.asarray(values, dtype=np.float64)
    row_weights, keep = check_weights(weights, len(values))
    assert keep is None
    numbers = fixed_point(values[:, None], row_weights)
    assert numbers.sums.dtype == np.int64
    total = row_weights.total_units(len(values)) * row_weights.unit
    return float(numbers.mean(numbers.sums.sum(axis=0), total)[0])


@pytest.mark.parametrize("n_rows", [1, 2, 3, 1000])
def test_means_are_close_to_those_of_floats(n_rows):
    values = np.random.default_rng(n_rows).normal(5, 1000, n_rows)
    assert mean_of(values) == pytest.approx(math.fsum(values) / n_rows, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    "values",
    [
        [0.0],
        [-0.0, 0.0],
        [7.25, 7.25],
        [LEAST, 3 * LEAST],
        [-LEAST, LEAST],
        [1e300, 2e300],
        [-MOST, MOST],
        [MOST, MOST],
        [1e-300, 1e300],
        [1e16, 1e16 + 2],
    ],
    ids=str,
)
def test_extreme_numbers_neither_overflow_nor_vanish(values):
    seen = mean_of(values)
    middle = values[0] / 2 + values[-1] / 2
    assert seen == pytest.approx(middle, rel=1e-15, abs=LEAST)


def test_the_order_of_rows_changes_no_bit():
    generator = np.random.default_rng(0)
    values, weights = generator.normal(size=999), generator.random(999)
    order = generator.permutation(999)
    assert mean_of(values) == mean_of(values[order])
    assert mean_of(values, weights) == mean_of(values[order], weights[order])


def test_weight_k_is_k_copies_to_the_last_bit():
    generator = np.random.default_rng(1)
    values, copies = generator.normal(size=200), generator.integers(1, 9, 200)
    assert mean_of(values, copies) == mean_of(np.repeat(values, copies))


def test_fractions_weigh_what_they_say():
    values, weights = [1.0, 2.0, 4.0], [0.5, 0.25, 2.5]
    expected = np.average(values, weights=weights)
    assert mean_of(values, weights) == pytest.approx(expected, rel=1e-12)


def test_sums_stay_below_two_to_the_62_whatever_the_weights():
    generator = np.random.default_rng(2)
    for units in (None, generator.integers(1, 2**40, 500), np.full(500, 2**42)):
        weights = RowWeights(units)
        for scale in (LEAST, 1.0, 1e300):
            numbers = fixed_point(generator.uniform(-1, 1, (500, 1)) * scale, weights)
            total = sum(abs(int(part)) for part in numbers.sums)
            assert total <= 2**62 + 2**52
            assert total >= 2**48 or scale == LEAST


def test_constant_numbers_are_their_own_mean():
    numbers = fixed_point(np.full((5, 1), 1 / 3), RowWeights())
    assert not numbers.sums.any()
    assert numbers.mean(0, 5.0) == 1 / 3
