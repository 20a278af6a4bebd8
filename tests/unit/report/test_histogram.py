"""Histograms of the target: round bins, nothing lost, far-out values in bins of their own."""

import numpy as np
import pytest

from branchline.report._histogram import histogram


def test_a_few_far_out_values_do_not_empty_the_bins():
    values = np.append(np.random.default_rng(0).normal(0, 10, 394), [99999] * 5 + [-4000])
    bins = histogram(values)
    assert sum(count for _, count in bins) == 400
    assert sum(count == 0 for _, count in bins) <= 2
    assert bins[0] == ("−4,000 to −40 (far out)", 1)
    assert bins[-1] == ("40 to 99,999 (far out)", 5)


@pytest.mark.parametrize("seed", range(5))
def test_every_value_is_counted_once(seed):
    draws = np.random.default_rng(seed)
    values = draws.choice([draws.normal(size=200), draws.exponential(size=200) ** 3])
    assert sum(count for _, count in histogram(values)) == 200


def test_values_that_reach_evenly_have_no_bins_far_out():
    bins = histogram(np.linspace(3.0, 97.0, 300))
    assert not any("far out" in words for words, _ in bins)
    assert bins[0][0].startswith("0 to")


def test_few_values_have_a_bin_each():
    assert histogram(np.array([1.0, 2.0, 2.0])) == [("1", 1), ("2", 2)]


@pytest.mark.parametrize("values", [[1e308, -1e308], [0.0, 5e-324], [1.0]])
def test_extreme_values(values):
    many = np.array([*values, *np.linspace(-1, 1, 50)])
    assert sum(count for _, count in histogram(many)) == len(many)
