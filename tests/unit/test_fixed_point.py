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
    checked = check_weights(weights, len(values))
    row_weights, keep = checked.weights, checked.kept
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


WEIGHTS = {
    "none": RowWeights(),
    "small": RowWeights(np.random.default_rng(3).integers(1, 2**40, 500)),
    "large": RowWeights(np.full(500, 2**42)),
    "fractions": check_weights(np.random.default_rng(4).random(500) + 1e-9, 500).weights,
}


@pytest.mark.parametrize("scale", [LEAST, 1e-300, 1.0, 1e300, MOST])
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_sums_stay_below_two_to_the_62_whatever_the_weights(n_outputs, kind, scale):
    values = np.random.default_rng(2).uniform(-1, 1, (500, n_outputs)) * scale
    numbers = fixed_point(values, WEIGHTS[kind])
    assert numbers.sums.shape == (500, n_outputs)
    assert numbers.sums.dtype == np.int64
    totals = [sum(abs(int(part)) for part in column) for column in numbers.sums.T]
    assert max(totals) <= 2**62  # what a tree in a model file may hold
    assert min(totals) >= 2**48 or scale == LEAST


@pytest.mark.parametrize("extreme", [MOST, 1.0, LEAST])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 7, 8, 1023, 1024])
def test_the_largest_sums_fit_too(n_rows, extreme):
    """Half of the rows at each end, so that every row is as far from the center as can be."""
    values = np.where(np.arange(n_rows) % 2, extreme, -extreme)[:, None]
    for weights in (RowWeights(), RowWeights(np.full(n_rows, 2**41))):
        numbers = fixed_point(values, weights)
        assert sum(abs(int(part)) for part in numbers.sums[:, 0]) <= 2**62


def test_constant_numbers_are_their_own_mean():
    numbers = fixed_point(np.full((5, 1), 1 / 3), RowWeights())
    assert not numbers.sums.any()
    assert numbers.mean(0, 5.0) == 1 / 3


def test_outputs_keep_their_own_center_and_share_a_scale():
    """Squared errors of different outputs can then be added as integers."""
    values = np.column_stack([np.arange(5.0), np.full(5, 1e6), 1000 * np.arange(5.0)])
    numbers = fixed_point(values, RowWeights())
    assert numbers.center == (2.0, 1e6, 2000.0)
    assert not numbers.sums[:, 1].any()
    np.testing.assert_array_equal(numbers.sums[:, 2], 1000 * numbers.sums[:, 0])
    mean = numbers.mean(numbers.sums.sum(axis=0), 5.0)
    np.testing.assert_array_equal(mean, values.mean(axis=0))


def test_one_output_of_several_has_the_bits_it_has_alone():
    generator = np.random.default_rng(5)
    values = generator.uniform(-1, 1, (300, 3))
    values[0], values[1] = 1.0, -1.0  # each output has the same range
    together = fixed_point(values, RowWeights())
    for place in range(3):
        alone = fixed_point(values[:, [place]], RowWeights())
        assert alone.bits == together.bits
        np.testing.assert_array_equal(alone.sums[:, 0], together.sums[:, place])
