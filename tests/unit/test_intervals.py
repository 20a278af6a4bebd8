"""Intervals against published formulas, computed by hand."""

import math
from collections.abc import Callable

import pytest
from scipy import stats

from branchline.assess import Interval, corrected_t_interval, wilson_interval
from branchline.errors import ParameterError


def test_wilson_equals_its_definition() -> None:
    # 8 hits of 10 at 95 %: (0.8 + z²/20 ± z √(0.016 + z²/400)) / (1 + z²/10)
    z = 1.959963984540054
    found = wilson_interval(8, 10)
    center, half = (0.8 + z**2 / 20) / (1 + z**2 / 10), z * math.sqrt(0.016 + z**2 / 400)
    assert found.estimate == 0.8
    assert found.low == pytest.approx(center - half / (1 + z**2 / 10))
    assert found.high == pytest.approx(center + half / (1 + z**2 / 10))


@pytest.mark.parametrize("hits", [0, 20])
def test_wilson_stays_within_zero_and_one(hits: int) -> None:
    found = wilson_interval(hits, 20)
    assert 0 <= found.low <= found.high <= 1
    assert found.high - found.low > 0.1


def test_corrected_t_equals_the_published_formula() -> None:
    # Nadeau and Bengio: scores 1, 2, 3, 4 have mean 2.5 and variance 5/3; with k = 4 folds
    # n_test/n_train = 1/3, so the standard error is √((1/4 + 1/3) · 5/3).
    found = corrected_t_interval([1, 2, 3, 4], 1 / 3)
    half = float(stats.t.ppf(0.975, 3)) * math.sqrt((1 / 4 + 1 / 3) * 5 / 3)
    assert (found.estimate, found.low, found.high) == pytest.approx((2.5, 2.5 - half, 2.5 + half))


@pytest.mark.parametrize(
    "compute",
    [
        lambda: wilson_interval(0, 0),
        lambda: wilson_interval(3, 2),
        lambda: wilson_interval(1, 2, level=1.0),
        lambda: corrected_t_interval([0.5], 0.1),
        lambda: corrected_t_interval([0.5, 0.6], 0.1, level=95),
    ],
)
def test_what_has_no_interval_is_refused(compute: Callable[[], Interval]) -> None:
    with pytest.raises(ParameterError) as caught:
        compute()
    assert caught.value.code == "P001"
