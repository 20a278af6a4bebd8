"""Sums of floats that are rounded once: the number of ``math.fsum``, but many floats at a time.

1. σ is a power of two so large that n floats below it cannot add up to it. (x + σ) − σ is then the
   part of x in whole units of σ · 2^−53; the sum of all such parts is exact in any order.
2. What is left of each x is exact, too, and far smaller: the same again, until nothing is left.
3. The few sums of parts are added by ``math.fsum``, which rounds once.

S. M. Rump, T. Ogita, S. Oishi, Accurate floating-point summation, part I, 2008.
"""

import math

import numpy as np
import numpy.typing as npt

__all__ = ["exact_mean", "exact_sum", "exact_weighted_sum"]

# Fewer are added faster one by one.
_FEW = 600
# With so large a number σ could be beyond the range of floats.
_LARGE = 2.0**960


def exact_sum(values: npt.NDArray[np.float64]) -> float:
    """Return the sum of an array's numbers, rounded once; it does not depend on their order."""
    if values.size < _FEW:
        return _one_by_one(values)
    largest = float(np.abs(values).max())
    if not largest < _LARGE:  # also false where one is NaN
        return _one_by_one(values)
    sums, rest, bits = [], values, (values.size + 1).bit_length()
    while largest > 0:
        sigma = math.ldexp(1.0, math.frexp(largest)[1] + bits)
        part = (rest + sigma) - sigma
        sums.append(float(part.sum()))
        rest = rest - part
        largest = float(np.abs(rest).max())
    return math.fsum(sums)


def exact_mean(values: npt.NDArray[np.float64]) -> float:
    """Return the mean of an array's numbers; it does not depend on their order. NaN of nothing."""
    if not values.size:
        return math.nan
    total = exact_sum(values)
    if math.isinf(total) and np.isfinite(values).all():  # the mean has room, though not the sum
        return exact_sum(values / values.size)
    return total / values.size


def exact_weighted_sum(values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> float:
    """Return Σ weight · value, rounded once: a weight of k adds exactly what k rows would.

    Each product is a float and what it was rounded by, which is a float, too (Dekker, 1971).
    """
    product = values * weights
    (high, low), (high_weight, low_weight) = _halves(values), _halves(weights)
    rounded = high * high_weight - product
    left = low * low_weight + ((rounded + high * low_weight) + low * high_weight)
    if not np.isfinite(left).all():  # halves of very large numbers are beyond all floats
        return exact_sum(product)
    return exact_sum(np.concatenate([product, left]))


def _halves(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], ...]:
    """Return two numbers of at most 26 bits for each, which add up to it."""
    with np.errstate(over="ignore", invalid="ignore"):
        wide = values * (2.0**27 + 1)
        high = wide - (wide - values)
    return high, values - high


def _one_by_one(values: npt.NDArray[np.float64]) -> float:
    try:
        return math.fsum(values.tolist())
    except OverflowError:  # a part of the sum is beyond the range of floats, perhaps all of it
        total = math.fsum((values / 2.0**64).tolist())
        return total * 2.0**64
