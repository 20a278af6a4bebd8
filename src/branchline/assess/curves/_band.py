"""Intervals along a curve, as arrays."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval

__all__ = ["Band", "band_of"]

Floats = npt.NDArray[np.float64]
Band = tuple[Floats, Floats, Floats]


def band_of(intervals: Sequence[Interval]) -> Band:
    """Return the estimates and the ends of intervals."""
    rows = [(one.estimate, one.low, one.high) for one in intervals]
    estimate, low, high = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return estimate, low, high
