"""Paired comparisons against formulas worked by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from branchline.assess import paired_difference
from branchline.errors import ParameterError


def test_corrected_t_equals_the_published_formula_by_hand():
    # Differences 0.1, 0.1, 0.05: mean 0.08333, variance 0.000833; k = 3, n_test / n_train = 1/2.
    found = paired_difference([0.80, 0.85, 0.90], [0.70, 0.75, 0.85], 0.5)
    by_hand = 0.25 / 3 / math.sqrt((1 / 3 + 1 / 2) * 0.0025 / 3)
    assert found.t == pytest.approx(by_hand) == pytest.approx(3.16228, abs=1e-5)
    assert found.p_value == pytest.approx(2 * stats.t.sf(by_hand, 2))
    half = stats.t.ppf(0.975, 2) * math.sqrt((1 / 3 + 1 / 2) * 0.0025 / 3)
    assert found.mean.high - found.mean.estimate == pytest.approx(half)


def test_ten_by_ten_folds_use_the_ratio_of_one_to_nine():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.80, 0.04, 100), rng.normal(0.78, 0.04, 100)
    d = first - second
    expected = d.mean() / math.sqrt((1 / 100 + 1 / 9) * d.var(ddof=1))
    assert paired_difference(first, second, 1 / 9).t == pytest.approx(expected)


def test_the_posterior_is_the_correlated_t_of_corani_and_benavoli():
    d = np.array([0.02, 0.01, 0.03, 0.00, 0.02])
    rho = 0.2  # n_test / (n_train + n_test) of five folds
    scale = math.sqrt((1 / 5 + rho / (1 - rho)) * d.var(ddof=1))
    posterior = stats.t(4, d.mean(), scale)
    found = paired_difference(d, np.zeros(5), 0.25, negligible=0.01)
    assert found.p_higher == pytest.approx(posterior.sf(0.01))
    assert found.p_lower == pytest.approx(posterior.cdf(-0.01))
    assert found.p_higher + found.p_equal + found.p_lower == pytest.approx(1)


@pytest.mark.parametrize(
    ("gap", "expected"), [(0.05, (1, 0, 0)), (0.0, (0, 1, 0)), (-0.05, (0, 0, 1))]
)
def test_equal_differences_leave_no_doubt(gap, expected):
    found = paired_difference([0.5 + gap] * 4, [0.5] * 4, 1 / 3)
    assert (found.p_higher, found.p_equal, found.p_lower) == expected


def test_swapping_the_two_swaps_the_answer():
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=10), rng.normal(size=10)
    one, other = paired_difference(first, second, 0.1), paired_difference(second, first, 0.1)
    assert one.t == -other.t
    assert one.p_higher == pytest.approx(other.p_lower)


def test_pairs_without_a_score_are_left_out():
    found = paired_difference([1.0, math.nan, 3.0, 2.0], [0.0, 1.0, 1.0, math.nan], 0.5)
    assert found.n_scores == 2
    with pytest.raises(ParameterError) as caught:
        paired_difference([1.0, math.nan], [0.0, 1.0], 0.5)
    assert caught.value.code == "P100"


def test_under_the_hypothesis_of_no_difference_the_test_keeps_its_level():
    """Two equal learners on overlapping training sets: five in a hundred are called different."""
    rng = np.random.default_rng(2)
    n_rejected = 0
    for _ in range(400):
        # Differences of ten folds share a part, as scores of overlapping training sets do.
        shared = rng.normal(0, math.sqrt(0.1))
        d = shared + rng.normal(0, math.sqrt(0.9), 10)
        n_rejected += paired_difference(d, np.zeros(10), 1 / 9).p_value < 0.05
    assert 5 <= n_rejected <= 32


def test_two_that_never_differ_are_told_in_words():
    found = paired_difference([0.8, 0.7, 0.9], [0.8, 0.7, 0.9], 0.5)
    assert found.is_same
    assert str(found) == "no difference: both score the same wherever they were tested"
    assert not paired_difference([0.8, 0.7, 0.9], [0.7, 0.6, 0.8], 0.5).is_same
