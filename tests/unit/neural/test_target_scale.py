"""Targets of any size are learned in one unit and come back in their own."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from branchline.errors import ModelFileError
from branchline.neural._target_scale import TargetScale, fit_target_scale

NUMBERS = st.floats(-1.7e308, 1.7e308, allow_subnormal=True)


@given(arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 3)), elements=NUMBERS))
def test_any_target_comes_back(targets: np.ndarray) -> None:
    scale = fit_target_scale(targets)
    scaled = scale.shrink(targets)
    assert np.isfinite(scaled).all()
    size = np.maximum(np.abs(targets).max(axis=0), 1e-300)
    assert (np.abs(scale.restore(scaled) / size - targets / size) < 1e-12).all()


def test_mean_and_spread_by_hand() -> None:
    scale = fit_target_scale(np.array([[2.0], [4.0]]))
    assert scale.exponent.tolist() == [3]  # 4 = 0.5 · 2³
    assert (scale.center.tolist(), scale.spread.tolist()) == ([0.375], [0.125])
    assert scale.shrink(np.array([[2.0], [4.0]])).tolist() == [[-1.0], [1.0]]
    assert scale.restore(np.array([[0.0]])).tolist() == [[3.0]]


def test_a_constant_output_stays_exactly_what_it_is() -> None:
    scale = fit_target_scale(np.array([[0.1, 5.0], [0.1, 7.0]]))
    assert scale.restore(np.zeros((1, 2))).tolist() == [[0.1, 6.0]]


def test_beyond_the_largest_float_is_the_largest_float() -> None:
    scale = fit_target_scale(np.array([[1e308], [-1e308]]))
    assert scale.restore(np.array([[1e100], [-1e100]]))[:, 0].tolist() == [
        np.finfo(float).max,
        -np.finfo(float).max,
    ]


FORGERIES: dict[str, Any] = {
    "no outputs": {"exponent": np.zeros(0, np.int64), "centre": np.zeros(0), "spread": np.zeros(0)},
    "exponent": {"exponent": np.array([5000])},
    "kind of exponent": {"exponent": np.array([3.0])},
    "center": {"centre": np.array([2.0])},
    "no spread": {"spread": np.array([0.0])},
    "not a number": {"spread": np.array([np.nan])},
    "two spreads": {"spread": np.array([0.5, 0.5])},
    "too much": {"more": 1},
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_scales_are_refused(name: str) -> None:
    sound = fit_target_scale(np.array([[2.0], [4.0]])).pack()
    assert TargetScale.unpack(sound).center.tolist() == [0.375]
    with pytest.raises(ModelFileError):
        TargetScale.unpack(sound | FORGERIES[name])
    with pytest.raises(ModelFileError):
        TargetScale.unpack(None)
