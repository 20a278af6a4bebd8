"""Sums of floats that are rounded once: the number of ``math.fsum``, but many floats at a time.

1. σ is a power of two so large that n floats below it cannot add up to it. (x + σ) − σ is then the
   part of x in whole units of σ · 2^−53; the sum of all such parts is exact in any order.
2. What is left of each x is exact, too, and far smaller: the same again, until nothing is left.
3. The few sums of parts are added by ``math.fsum``, which rounds once.
4. Many floats are taken some at a time, which changes nothing: every sum of parts is exact.

S. M. Rump, T. Ogita, S. Oishi, Accurate floating-point summation, part I, 2008.
"""

import math

import numpy as np
import numpy.typing as npt

__all__ = [
    "exact_mean",
    "exact_sum",
    "exact_weighted_sum",
    "parts_of_sum",
    "parts_of_weighted_sum",
    "rounded_once",
]

# Fewer are added faster one by one.
_FEW = 600
# With so large a number σ could be beyond the range of floats.
_LARGE = 2.0**960
# Floats that are worked on at a time: they stay in the cache.
_AT_ONCE = 2**14


def exact_sum(values: npt.NDArray[np.float64]) -> float:
    """Return the sum of an array's numbers, rounded once; it does not depend on their order."""
    return rounded_once(parts_of_sum(values))


def parts_of_sum(values: npt.NDArray[np.float64]) -> list[float]:
    """Return few floats with the same sum; the lists of several arrays may be joined."""
    flat, parts = values.reshape(-1), list[float]()
    for first in range(0, flat.size, _AT_ONCE):
        parts += _parts_of_few(flat[first : first + _AT_ONCE])
    return parts


def _parts_of_few(values: npt.NDArray[np.float64]) -> list[float]:
    largest = float(np.abs(values).max())
    if values.size < _FEW or not largest < _LARGE:  # also where one is NaN
        return values.tolist()  # type: ignore[no-any-return]
    sums, rest, bits = [], values, (values.size + 1).bit_length()
    while largest > 0:
        sigma = math.ldexp(1.0, math.frexp(largest)[1] + bits)
        part = (rest + sigma) - sigma
        sums.append(float(part.sum()))
        rest = rest - part
        largest = max(float(rest.max()), -float(rest.min()))
    return sums


def exact_mean(values: npt.NDArray[np.float64]) -> float:
    """Return the mean of an array's numbers; it does not depend on their order. NaN of nothing."""
    if not values.size:
        return math.nan
    total = exact_sum(values)
    if math.isinf(total) and np.isfinite(values).all():  # the mean has room, though not the sum
        return exact_sum(values / values.size)
    return total / values.size


def exact_weighted_sum(values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> float:
    """Return Σ weight · value, rounded once: a weight of k adds exactly what k rows would."""
    return rounded_once(parts_of_weighted_sum(values, weights))


def parts_of_weighted_sum(
    values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> list[float]:
    """Return few floats that add up to Σ weight · value.

    Each product is a float and what it was rounded by, which is a float, too (Dekker, 1971).
    """
    parts: list[float] = []
    for first in range(0, values.size, _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        value, weight = values[some], weights[some]
        product = value * weight
        (high, low), (high_weight, low_weight) = _halves(value), _halves(weight)
        rounded = high * high_weight - product
        left = low * low_weight + ((rounded + high * low_weight) + low * high_weight)
        if not np.isfinite(left).all():  # halves of very large numbers are beyond all floats
            return parts_of_sum(values * weights)
        parts += _parts_of_few(product) + _parts_of_few(left)
    return parts


def _halves(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], ...]:
    """Return two numbers of at most 26 bits for each, which add up to it."""
    with np.errstate(over="ignore", invalid="ignore"):
        wide = values * (2.0**27 + 1)
        high = wide - (wide - values)
    return high, values - high


def rounded_once(parts: list[float]) -> float:
    """Return the sum of floats, rounded once."""
    try:
        return math.fsum(parts)
    except OverflowError:  # a part of the sum is beyond the range of floats, perhaps all of it
        total = math.fsum(part / 2.0**64 for part in parts)
        return total * 2.0**64
