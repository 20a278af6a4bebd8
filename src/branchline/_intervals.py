"""Formulas of confidence intervals; ``_scoring`` says which is taken when.

- The corrected resampled t of Nadeau and Bengio (2003). With k fold scores of standard deviation s,
  training sets of n_train and test sets of n_test rows, the standard error is
  s · √(1/k + n_test / n_train): folds share training rows, so 1/k alone is too narrow.
- Wilson's interval (1927) of a share p of n rows: all p' with |p − p'| ≤ z √(p' (1 − p') / n). It
  stays between 0 and 1 and has a width when all rows are hits.
- The same for a score between 0 and 1 that is known with standard error e: it tells as much as
  n = p (1 − p) / e² coins, but never as more coins than there are rows. So a score that did not
  differ at all, as the AUC of a constant, has a width, too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from branchline._plain_numbers import alike
from branchline._validation import Real, Whole, check_parameters
from branchline.errors import ParameterError

__all__ = [
    "Interval",
    "between_ends",
    "corrected_t_interval",
    "equal_scores_interval",
    "scaled_wilson",
    "wilson_interval",
]


@dataclass(frozen=True)
class Interval:
    """A score with the range it may lie in.

    See Also
    --------
    corrected_t_interval : return the mean of fold scores with the corrected resampled t interval.
    wilson_interval : return the share of hits with Wilson's score interval.

    Examples
    --------
    >>> from branchline.assess import Interval
    >>> round(Interval(0.8, 0.75, 0.84).high - 0.8, 2)
    0.04
    """

    estimate: float
    low: float
    high: float

    def within(self, lowest: float, highest: float) -> "Interval":
        """Return the part of the interval between the bounds that a score can have."""
        return Interval(self.estimate, max(self.low, lowest), min(self.high, highest))

    def __str__(self) -> str:
        return " ".join(self.texts())

    def texts(self, between: str | None = None) -> tuple[str, str]:
        """Return the estimate and the interval as people read them: "0.850", "[0.812, 0.882]".

        ``between`` stands between the ends; by default what suits these two.
        """
        estimate, low, high = alike([self.estimate, self.low, self.high])
        return estimate, f"[{low}{between or between_ends([self])}{high}]"


def between_ends(intervals: Sequence[Interval]) -> str:
    """Return what stands between the ends of intervals that stand together.

    A comma groups thousands, too; where an end has one, all intervals are written with "to".
    """
    ends = [end for one in intervals for end in alike([one.estimate, one.low, one.high])]
    return " to " if any("," in end for end in ends) else ", "


def wilson_interval(n_hits: int, n_rows: int, level: float = 0.95) -> Interval:
    """Return the share of hits with Wilson's score interval.

    See Also
    --------
    Interval : a score with the range it may lie in.

    Examples
    --------
    >>> from branchline.assess import wilson_interval
    >>> str(wilson_interval(700, 1000))
    '0.700 [0.671, 0.728]'
    """
    check_parameters("wilson_interval", {"n_rows": n_rows}, {"n_rows": Whole(1)})
    check_parameters("wilson_interval", {"n_hits": n_hits}, {"n_hits": Whole(0, int(n_rows))})
    _check_level("wilson_interval", level)
    return _wilson(n_hits / n_rows, n_rows, float(stats.norm.ppf(0.5 + level / 2)))


def scaled_wilson(score: float, error: float, most: float, quantile: float) -> Interval:
    """Return Wilson's interval of a score between 0 and 1 with a known standard error.

    Parameters
    ----------
    score, error
        The score and its standard error.
    most
        How many coins it can tell as much as, at most: near 0 and 1 the error is itself ill known.
    quantile
        How many standard errors the interval reaches, of a normal or a t distribution.
    """
    if not math.isfinite(error):
        return Interval(score, 0.0, 1.0)
    n_coins = min(most, score * (1 - score) / error**2) if error > 0 and 0 < score < 1 else most
    return _wilson(score, n_coins, quantile)


def equal_scores_interval(
    score: float, n_rows: float, lowest: float = 0.0, highest: float = 1.0
) -> Interval:
    """Return an interval where all test sets have the same score, so that their spread is 0.

    The score's place between its bounds is taken for a share of ``n_rows`` (Wilson's interval).
    Without bounds, nothing is known.
    """
    if not math.isfinite(highest - lowest):
        return Interval(score, lowest, highest)
    share = min(1.0, max(0.0, (score - lowest) / (highest - lowest)))
    found = _wilson(share, n_rows, float(stats.norm.ppf(0.975)))
    ends = (lowest + end * (highest - lowest) for end in (found.low, found.high))
    return Interval(score, *ends)


def _wilson(share: float, n: float, z: float) -> Interval:
    center = (share + z * z / (2 * n)) / (1 + z * z / n)
    spread = math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    half = z * spread / (1 + z * z / n)
    # Rounding must not leave the share itself outside, as it could at 0 and at 1.
    low, high = min(share, center - half), max(share, center + half)
    return Interval(share, max(0.0, low), min(1.0, high))


def corrected_t_interval(
    scores: Sequence[float], test_to_train: float, level: float = 0.95
) -> Interval:
    """Return the mean of fold scores with the corrected resampled t interval.

    Parameters
    ----------
    scores
        One score per fold, at least two.
    test_to_train
        Rows of a test set divided by rows of its training set: 1/(k − 1) for k folds.
    level
        The confidence level of the interval. Default 0.95.

    See Also
    --------
    Interval : a score with the range it may lie in.

    Examples
    --------
    >>> from branchline.assess import corrected_t_interval
    >>> str(corrected_t_interval([0.8, 0.9, 1.0], test_to_train=0.5))
    '0.900 [0.507, 1.293]'
    """
    _check_level("corrected_t_interval", level)
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise ParameterError(
            f"The 'scores' parameter of corrected_t_interval must be at least two numbers, one a "
            f"fold. Got {scores!r} instead.",
            code="P001",
        )
    k = len(values)
    # Exact sums: the order of folds and rows does not change the last bit.
    mean = math.fsum(values) / k
    variance = math.fsum((values - mean) ** 2) / (k - 1)
    half = float(stats.t.ppf(0.5 + level / 2, k - 1)) * math.sqrt(
        (1 / k + test_to_train) * variance
    )
    return Interval(mean, mean - half, mean + half)


def _check_level(owner: str, level: float) -> None:
    between = Real(0.0, 0.9999999, low_open=True)
    check_parameters(owner, {"level": level}, {"level": between})
