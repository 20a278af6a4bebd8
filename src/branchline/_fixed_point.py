"""Sums of numbers that do not depend on their order: fixed-point integers.

1. The center of the values (half-way between least and greatest) is taken off.
2. Values are scaled by a power of two so that the weighted sum stays below 2^62, and rounded.
3. A whole weight k multiplies the rounded value, so weight k equals k copies exactly; other weights
   multiply before rounding.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline._validation import RowWeights

__all__ = ["FixedPoint", "fixed_point"]

_SUM_BITS = 62


@dataclass(frozen=True)
class FixedPoint:
    """Weighted values as integers: (value − center) · weight · 2^bits, one column per output.

    ``mean(sums, weight)`` turns sums of such integers back into means.
    """

    sums: npt.NDArray[np.int64]
    center: tuple[float, ...]  # words: ok
    bits: int
    exponent: int  # every |value − center| is below 2^exponent

    def mean(self, sums: npt.NDArray[np.int64], weight: float) -> npt.NDArray[np.float64]:
        """Return the means of rows whose integers sum to ``sums``, their weights to ``weight``."""
        return np.asarray(self.center) + np.ldexp(sums / weight, -self.bits)  # words: ok

    def of_values(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return values as integers, without weights."""
        return np.rint(_times_power(values - np.asarray(self.center), self.bits)).astype(UNITS)


def fixed_point(
    values: npt.NDArray[np.float64], weights: RowWeights, *, centered: bool = True
) -> FixedPoint:
    """Return weighted values (a row per case, one column per output) as integers with exact sums.

    All outputs are scaled alike, so that squared errors of different outputs can be added. Counts
    are not ``centered``: nothing is taken off.
    """
    center = values.min(axis=0) / 2 + values.max(axis=0) / 2  # halves first: a sum could overflow
    if not centered:
        center = np.zeros(values.shape[1])
    offset = values - center
    total = weights.total_units(len(values)) * weights.unit
    exponent = _exponent(float(np.abs(offset).max()))
    bits = _SUM_BITS - math.ceil(math.log2(total + 1)) - exponent
    scaled = _times_power(offset, bits)
    centers = tuple(center.tolist())
    if weights.units is None:
        return FixedPoint(np.rint(scaled).astype(UNITS), centers, bits, exponent)
    units = weights.units[:, None]
    if weights.unit == 1.0:
        return FixedPoint(np.rint(scaled).astype(UNITS) * units, centers, bits, exponent)
    return FixedPoint(np.rint(scaled * units * weights.unit).astype(UNITS), centers, bits, exponent)


def _times_power(values: npt.NDArray[np.float64], bits: int) -> npt.NDArray[np.float64]:
    """Return values times 2^bits, in two steps because 2^bits may be beyond the range of floats."""
    return np.ldexp(np.ldexp(values, bits // 2), bits - bits // 2)


def _exponent(largest: float) -> int:
    return 0 if largest == 0 else math.frexp(largest)[1]
