"""Scaling by powers of two, which changes no digit: squares and sums cannot overflow."""

import math

import numpy as np

from branchline._arrays import Floats

__all__ = ["power_of_two_scale"]


def power_of_two_scale(values: Floats) -> int:
    """Return the exponent e for which every |value| / 2^e is at most 1.

    ``np.ldexp(values, -e)`` changes no digit, and squares and sums of it cannot overflow.
    """
    largest = float(np.abs(values).max(initial=0.0))
    return 0 if largest == 0 else math.frexp(largest)[1]
