"""Mean and standard deviation of a numeric column in each class, from exact sums.

With N = Σ w, S = Σ w x and Q = Σ w x² as whole numbers, mean = S / N and variance =
(N Q − S²) / N². Nothing is rounded before the end, so that no digits cancel out: a column of
1 000 000 000, 1 000 000 001, … has the variance of 0, 1, …
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline.bayes._class_sums import moments_of
from branchline.bayes._tally import NumberTally

__all__ = ["LEAST_SD", "Summary", "summarize"]

# A column that varies by less says nothing: parts of such a deviation have few digits, or none.
LEAST_SD = 2.0**-1000


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


def summarize(tally: NumberTally, weight_of_unit: float) -> Summary | None:
    """Return the summary of a column; None when it does not vary, or by less than 2^−1000."""
    units = [int(unit) for unit in tally.units]
    overall_mean, overall_sd = moments_of(sum(units), sum(tally.firsts), sum(tally.seconds))
    if overall_sd < LEAST_SD:
        return None
    found = [
        moments_of(*sums) if sums[0] else (overall_mean, overall_sd)
        for sums in zip(units, tally.firsts, tally.seconds, strict=True)
    ]
    mean, sd = np.array(found).T
    weight = np.array(units, dtype=np.float64) * weight_of_unit
    return Summary(weight, mean.copy(), sd.copy(), overall_mean, overall_sd)
