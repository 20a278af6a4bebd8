"""Mean and standard deviation of a numeric column in each class, from exact sums.

With N = Σ w, S = Σ w x and Q = Σ w x² as whole numbers, mean = S / N and variance =
(N Q − S²) / N². Nothing is rounded before the end, so that no digits cancel out: a column of
1 000 000 000, 1 000 000 001, … has the variance of 0, 1, …
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline.bayes._exact_sums import SMALLEST
from branchline.bayes._tally import NumberTally

__all__ = ["Summary", "summarise"]

_ROOT_BITS = 64
# A column that varies by less says nothing: parts of such a deviation have few digits, or none.
_LEAST_SD = 2.0**-1000


@dataclass(frozen=True)
class Summary:
    """A column's weight, mean and standard deviation in each class, and those of all rows.

    A class without any value has the mean and the deviation of all rows.
    """

    weight: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]
    sd: npt.NDArray[np.float64]
    overall_mean: float
    overall_sd: float

    @property
    def relative_sd(self) -> npt.NDArray[np.float64]:
        """The deviations of the classes divided by that of all rows."""
        return self.sd / self.overall_sd

    @property
    def within(self) -> float:
        """The deviation around the means of classes, with one more row of the overall one."""
        squares = float((self.weight * self.relative_sd**2).sum())
        share = (squares + 1.0) / (float(self.weight.sum()) + 1.0)
        return self.overall_sd * math.sqrt(share)


def summarise(tally: NumberTally, weight_of_unit: float) -> Summary | None:
    """Return the summary of a column; None when it does not vary, or by less than 2^−1000."""
    units = [int(unit) for unit in tally.units]
    overall_mean, overall_sd = _moments(sum(units), sum(tally.firsts), sum(tally.seconds))
    if overall_sd < _LEAST_SD:
        return None
    found = [
        _moments(*sums) if sums[0] else (overall_mean, overall_sd)
        for sums in zip(units, tally.firsts, tally.seconds, strict=True)
    ]
    mean, sd = np.array(found).T
    weight = np.array(units, dtype=np.float64) * weight_of_unit
    return Summary(weight, mean.copy(), sd.copy(), overall_mean, overall_sd)


def _moments(units: int, first: int, second: int) -> tuple[float, float]:
    """Return mean and standard deviation."""
    if units == 0:
        return 0.0, 0.0
    mean = first / (units << SMALLEST)
    spread = units * second - first * first  # (units · sd)², in units of 2^−2·SMALLEST
    if spread <= 0:
        return mean, 0.0
    # The root of so many bits is right to the last bit of a float but for one in thousands.
    half = (2 * _ROOT_BITS - spread.bit_length() + 1) // 2
    root = math.isqrt(spread << (2 * half) if half >= 0 else spread >> (-2 * half))
    # root / units · 2^−(half + SMALLEST), by whole numbers, so that nothing overflows on the way
    down = half + SMALLEST
    return mean, root / (units << down) if down >= 0 else (root << -down) / units
