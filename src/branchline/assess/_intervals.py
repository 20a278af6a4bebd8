"""Confidence intervals of cross-validated scores.

- The corrected resampled t of Nadeau and Bengio (2003). With k fold scores of standard deviation s,
  training sets of n_train and test sets of n_test rows, the standard error is
  s · √(1/k + n_test / n_train): folds share training rows, so 1/k alone is too narrow.
- For a share of rows (accuracy) also Wilson's interval on all out-of-fold rows, and the wider of
  the two: Wilson keeps its width when every fold has the same score, as the majority class has
  under stratification; t grows when the choice of the model itself is unstable.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from branchline._validation import Real, Whole, check_parameters
from branchline.errors import ParameterError

__all__ = ["Interval", "corrected_t_interval", "wilson_interval"]


@dataclass(frozen=True)
class Interval:
    """A score with the range it may lie in."""

    estimate: float
    low: float
    high: float

    def widened(self, other: "Interval") -> "Interval":
        """Return the interval that covers both."""
        return Interval(self.estimate, min(self.low, other.low), max(self.high, other.high))

    def within(self, lowest: float, highest: float) -> "Interval":
        """Return the part of the interval between the bounds that a score can have."""
        return Interval(self.estimate, max(self.low, lowest), min(self.high, highest))

    def __str__(self) -> str:
        ends = (self.estimate, self.low, self.high)
        largest = max(abs(end) for end in ends if math.isfinite(end))
        # Three decimals suit scores around one; others are given by their leading digits.
        style = ".3f" if largest == 0 or 0.05 <= largest < 1e5 else ".4g"
        estimate, low, high = (format(end, style) for end in ends)
        return f"{estimate} [{low}, {high}]"


def wilson_interval(n_hits: int, n_rows: int, confidence: float = 0.95) -> Interval:
    """Return the share of hits with Wilson's score interval.

    Examples
    --------
    >>> from branchline.assess import wilson_interval
    >>> str(wilson_interval(700, 1000))
    '0.700 [0.671, 0.728]'
    """
    check_parameters("wilson_interval", {"n_rows": n_rows}, {"n_rows": Whole(1)})
    check_parameters("wilson_interval", {"n_hits": n_hits}, {"n_hits": Whole(0, int(n_rows))})
    _check_confidence("wilson_interval", confidence)
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    share = n_hits / n_rows
    centre = (share + z * z / (2 * n_rows)) / (1 + z * z / n_rows)
    spread = math.sqrt(share * (1 - share) / n_rows + z * z / (4 * n_rows * n_rows))
    half = z * spread / (1 + z * z / n_rows)
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def corrected_t_interval(
    scores: Sequence[float], test_to_train: float, confidence: float = 0.95
) -> Interval:
    """Return the mean of fold scores with the corrected resampled t interval.

    Parameters
    ----------
    scores
        One score a fold, at least two.
    test_to_train
        Rows of a test set divided by rows of its training set: 1/(k − 1) for k folds.
    confidence
        The coverage wanted.

    Examples
    --------
    >>> from branchline.assess import corrected_t_interval
    >>> str(corrected_t_interval([0.8, 0.9, 1.0], test_to_train=0.5))
    '0.900 [0.507, 1.293]'
    """
    _check_confidence("corrected_t_interval", confidence)
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise ParameterError(
            f"The 'scores' parameter of corrected_t_interval must be at least two numbers, one a "
            f"fold. Got {scores!r} instead.",
            code="P001",
        )
    k = len(values)
    error = math.sqrt((1 / k + test_to_train) * float(values.var(ddof=1)))
    half = float(stats.t.ppf(0.5 + confidence / 2, k - 1)) * error
    mean = float(values.mean())
    return Interval(mean, mean - half, mean + half)


def _check_confidence(owner: str, confidence: float) -> None:
    between = Real(0.0, 0.9999999, low_open=True)
    check_parameters(owner, {"confidence": confidence}, {"confidence": between})
