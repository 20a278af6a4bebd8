"""A score, what each row adds to it, and the 95 % interval that follows: for every score there is.

n rows were tested by models fitted on n_train rows.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._intervals import Interval, scaled_wilson

__all__ = [
    "Origin",
    "RowValues",
    "corrected_error",
    "count_different",
    "interval_of_rows",
    "ratio_of_rows",
]

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
# How much of the published correction for shared training rows an interval takes.
_SHARED = 0.6


@dataclass(frozen=True, eq=False)
class RowValues:
    """A score and what each prediction adds to it.

    Parameters
    ----------
    score
        The score of all predictions.
    deviations
        One a prediction, in the order of test sets; their mean is about 0.
    n_counted
        How many rows the score is a share of, where it is a share.
    """

    score: float
    deviations: Floats
    n_counted: float

    def minus(self, other: "RowValues") -> "RowValues":
        """Return the difference to another score of the same predictions' rows."""
        n_counted = min(self.n_counted, other.n_counted)
        return RowValues(self.score - other.score, self.deviations - other.deviations, n_counted)

    def standard_error(self, owners: npt.NDArray[np.intp]) -> tuple[float, int]:
        """Return the score's standard error and its degrees of freedom.

        ``owners`` says to which row, or group of rows, a prediction belongs (numbers from 0 on).
        Those of the same owner may err together: they count as one.
        """
        exist = np.isfinite(self.deviations)
        sums = np.bincount(owners[exist], weights=self.deviations[exist])
        sums = sums[np.bincount(owners[exist]) > 0]
        if len(sums) < 2:
            return math.inf, 1
        # In units of the largest: squares of sums of huge or tiny targets have no room otherwise.
        unit = float(np.abs(sums).max()) or 1.0
        spread = unit * float((sums / unit).std()) * math.sqrt(len(sums))
        n_owners = len(sums)
        return spread * math.sqrt(n_owners / (n_owners - 1)) / len(owners), n_owners - 1


def count_different(places: npt.NDArray[np.intp]) -> int:
    """Return how many different numbers there are; they count from 0 on, so none are sorted."""
    return int(np.count_nonzero(np.bincount(places)))


def ratio_of_rows(above: Floats, below: Floats) -> RowValues | None:
    """Return Σ above / Σ below with what each row adds to it; None where nothing is below."""
    total = float(below.sum())
    if total == 0:
        return None
    score = float(above.sum()) / total
    deviations = (above - score * below) / (total / len(below))
    return RowValues(score, deviations, float(np.count_nonzero(below)))


@dataclass(frozen=True, eq=False)
class Origin:
    """Where predictions come from.

    Parameters
    ----------
    owners
        Which row, or which group of rows, each prediction is of, in the order of test sets:
        numbers from 0 on.
    n_train
        Rows, or groups, of a training set, on average.
    repeats
        How often a row is predicted, on average.
    copies
        How many copies of a row there are, on average: they are right or wrong together.
    """

    owners: npt.NDArray[np.intp]
    n_train: float
    repeats: float = 1.0
    copies: float = 1.0

    @staticmethod
    def once(n_rows: int, n_train: float) -> "Origin":
        """Return the origin of predictions each of which is of a row of its own."""
        return Origin(np.arange(n_rows), n_train)

    @cached_property
    def in_training(self) -> float:
        """All rows, or groups, that were tested, divided by those of a training set."""
        return count_different(self.owners) / self.n_train

    def test_to_train(self, n_parts: int) -> float:
        """Return the rows of one of ``n_parts`` test sets, divided by those of its training set."""
        return self.in_training * self.repeats / n_parts


def interval_of_rows(
    values: RowValues, origin: Origin, lowest: float = 0.0, highest: float = 1.0
) -> Interval:
    """Return a score with its 95 % interval.

    Parameters
    ----------
    values
        The score and what each prediction adds to it.
    origin
        Where the predictions come from.
    lowest, highest
        The bounds between which such a score lies.
    """
    error, degrees = corrected_error(values, origin, _SHARED)
    quantile = float(stats.t.ppf(0.5 + CONFIDENCE / 2, degrees))
    if (lowest, highest) == (0.0, 1.0):
        n_rows = values.n_counted / (origin.repeats * origin.copies)
        most = n_rows / (1 + _SHARED * origin.in_training)
        return scaled_wilson(values.score, error, most, quantile)
    half = quantile * error
    found = Interval(values.score, values.score - half, values.score + half)
    return found.within(lowest, highest)


def corrected_error(values: RowValues, origin: Origin, weight: float = 1.0) -> tuple[float, int]:
    """Return the standard error that allows for shared training rows, and degrees of freedom.

    ``weight`` is how much of the published correction is taken.
    """
    error, degrees = values.standard_error(origin.owners)
    apart, _ = values.standard_error(np.arange(len(origin.owners)))
    once = max(error, apart * math.sqrt(origin.repeats))
    return math.hypot(error, once * math.sqrt(weight * origin.in_training)), degrees
