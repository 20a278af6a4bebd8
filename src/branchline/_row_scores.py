"""A score, what each row adds to it, and the 95 % interval that follows: for every score there is.

n rows were tested by models fitted on n_train rows. The standard error of a score is

    √(s̄² / n + w s² / n_train),    w = max(0.15, (1 − |n / n_train − 1|)³),

s being the standard deviation of what a prediction adds to it, s̄ that of what a row adds on average
over its repeats; without repeats both are the same. With w = 1 it is the corrected resampled error
of Nadeau and Bengio (2003), √(1/k + n_test / n_train) times the standard deviation of a test set's
score, estimated from n rows (s / √n_test) in place of k scores: k scores say little of their own
spread, and under stratification too little (those of a majority class do not differ at all).

The first part is due to which rows are tested; the second to which rows were learned from, which
test sets share and repeats do not reduce. How large that is depends on the learner and cannot be
learned from one cross-validation (Bengio and Grandvalet, 2004). It grows with the share of rows
that two training sets have in common: in k folds (k − 2) / (k − 1), which is 1 − |n / n_train − 1|.
Its cube was chosen by simulation: w is 0.42 for 5 folds, 0.70 for 10, 1 for leaving one out, and
the floor of 0.15 where training sets share little (hold-out, stretches of time, bootstrap).

1. A score between 0 and 1: Wilson's interval of as many coin tosses as have this standard error,
   never more than there are rows (``scaled_wilson``); it stays in bounds and has a width at 0 and
   at 1.
2. Any other: t of n − 1 degrees of freedom.
3. Predictions of the same row (in repeats), of copies of a row or of the same group count as one,
   n and n_train then being numbers of different rows or groups.
4. Rows that all add the same do not show that a score is certain. The spread is at least that of
   one row that differs (``RowValues.unit``, ``assess._unseen_row``): ± about 2 unit / n.
5. Where the past predicts the future, errors that follow each other may be alike. s̄² / n is then
   the mean of z_j² / n over j = 1 … v, z_j = √(2 / n) Σ_i cos(π j (i − ½) / n) d_i being a wave of
   j half turns through the deviations d in the order of time. v is 0.4 n^(2/3), at least 8, and t
   has v degrees of freedom (Lazarus, Lewis, Stock and Watson, 2018). The interval is at least that
   of rows that are not alike: scores made fold by fold (AUC) have no slow waves.

docs/coverage.md says how often such intervals hold the truth, and where they do not.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.fft import dct

from branchline._exact_sum import exact_mean, exact_sum
from branchline._intervals import Interval, scaled_wilson

__all__ = [
    "Origin",
    "RowValues",
    "corrected_error",
    "count_different",
    "explained_of_rows",
    "interval_of_means",
    "interval_of_rows",
    "ratio_of_rows",
]

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
# The least of the published correction for shared training rows that an interval takes.
_LEAST_SHARED = 0.15
# Waves through errors in the order of time; fewer would make t too wide for small tables.
_FEWEST_WAVES = 8


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
    unit
        What one row may add that has not been seen yet: the score counts as at least so uncertain
        as if a single row differed by this, and no other did.
    """

    score: float
    deviations: Floats
    n_counted: float
    unit: float = 0.0

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
        sums = _sums_of_owners(owners[exist], self.deviations[exist])
        n_owners = len(sums)
        if n_owners < 2:
            return math.inf, 1
        # In units of the largest: squares of sums of huge or tiny targets have no room otherwise.
        unit = float(np.abs(sums).max()) or 1.0
        sums = sums / unit
        spread = unit * math.sqrt(exact_sum((sums - exact_mean(sums)) ** 2))
        spread = max(spread, self.unit * len(owners) / n_owners)
        return spread * math.sqrt(n_owners / (n_owners - 1)) / len(owners), n_owners - 1


def _sums_of_owners(owners: npt.NDArray[np.intp], values: Floats) -> Floats:
    """Return the sum of each owner's values; their order does not change the last digit."""
    counts = np.bincount(owners)
    if counts.max(initial=0) > 1:
        order = np.lexsort((values, owners))
        owners, values = owners[order], values[order]
    sums: Floats = np.bincount(owners, weights=values).astype(np.float64)
    return sums[counts > 0]


def count_different(places: npt.NDArray[np.intp]) -> int:
    """Return how many different numbers there are; they count from 0 on, so none are sorted."""
    return int(np.count_nonzero(np.bincount(places)))


def ratio_of_rows(above: Floats, below: Floats) -> RowValues | None:
    """Return Σ above / Σ below with what each row adds to it; None where nothing is below."""
    total = exact_sum(below)
    if total == 0:
        return None
    score = exact_sum(above) / total
    deviations = (above - score * below) / (total / len(below))
    return RowValues(score, deviations, float(np.count_nonzero(below)))


def explained_of_rows(truth: Floats, predicted: Floats, weights: Floats) -> RowValues | None:
    """Return R² of numbers with what each row adds to it; None where the truth does not vary."""
    around = truth - float(np.average(truth, weights=weights))
    found = ratio_of_rows(weights * (truth - predicted) ** 2, weights * around**2)
    return None if found is None else RowValues(1 - found.score, -found.deviations, len(truth))


def interval_of_means(values: Floats, weights: Floats, highest: float = 1.0) -> Interval:
    """Return the mean of what rows lost when each was left out, with its 95 % interval.

    Parameters
    ----------
    values
        The loss of each different row, predicted without it.
    weights
        How many times it counts.
    highest
        The largest loss there can be; the smallest is 0.
    """
    found = ratio_of_rows(weights * values, weights)
    if found is None:
        return Interval(math.nan, math.nan, math.nan)
    return interval_of_rows(found, Origin.once(len(values), len(values)), highest=highest)


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
    times
        When each predicted row happened, as numbers; None where the past does not predict.
    """

    owners: npt.NDArray[np.intp]
    n_train: float
    repeats: float = 1.0
    copies: float = 1.0
    times: npt.NDArray[Any] | None = None

    @staticmethod
    def once(n_rows: int, n_train: float) -> "Origin":
        """Return the origin of predictions each of which is of a row of its own."""
        return Origin(np.arange(n_rows), n_train)

    @cached_property
    def in_training(self) -> float:
        """All rows, or groups, that were tested, divided by those of a training set."""
        return count_different(self.owners) / self.n_train

    @property
    def shared(self) -> float:
        """How much of the published correction for shared training rows an interval takes."""
        in_common = max(0.0, 1 - abs(self.in_training - 1))
        return max(_LEAST_SHARED, in_common**3)

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
    error, degrees = corrected_error(values, origin, origin.shared)
    quantile = _quantile(degrees)
    if (lowest, highest) == (0.0, 1.0):
        n_rows = values.n_counted / (origin.repeats * origin.copies)
        most = n_rows / (1 + origin.shared * origin.in_training)
        return scaled_wilson(values.score, error, most, quantile)
    half = quantile * error
    found = Interval(values.score, values.score - half, values.score + half)
    return found.within(lowest, highest)


def corrected_error(values: RowValues, origin: Origin, weight: float = 1.0) -> tuple[float, int]:
    """Return the standard error that allows for shared training rows, and degrees of freedom.

    ``weight`` is how much of the published correction is taken.
    """
    error, degrees = values.standard_error(origin.owners)
    if origin.times is not None and degrees > 1:
        error, degrees = _in_time(values, origin, (error, degrees))
    apart, _ = values.standard_error(np.arange(len(origin.owners)))
    once = max(error, apart * math.sqrt(origin.repeats))
    return math.hypot(error, once * math.sqrt(weight * origin.in_training)), degrees


def _in_time(values: RowValues, origin: Origin, usual: tuple[float, int]) -> tuple[float, int]:
    """Return the standard error and degrees of freedom where neighbors in time may err alike.

    ``usual`` are those of independent rows or groups: they stand where their interval is wider.
    """
    assert origin.times is not None
    deviations = np.nan_to_num(values.deviations[np.argsort(origin.times, kind="stable")])
    unit = float(np.abs(deviations).max()) or 1.0
    n = len(deviations)
    degrees = max(2, min(n // 3, max(_FEWEST_WAVES, int(0.4 * n ** (2 / 3)))))
    waves = dct(deviations / unit)[1 : degrees + 1] / math.sqrt(2 * n)
    found = unit * math.sqrt(exact_mean(waves**2) / n), degrees
    return max(usual, found, key=lambda one: one[0] * _quantile(one[1]))


def _quantile(degrees: int) -> float:
    return float(stats.t.ppf(0.5 + CONFIDENCE / 2, degrees))
