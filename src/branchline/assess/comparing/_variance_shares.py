"""The share of a score's variance that one hyper-parameter explains; ``_ease`` says how."""

import math

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from branchline._intervals import Interval

__all__ = ["share_of_groups", "share_of_levels"]

Floats = npt.NDArray[np.float64]

_FEWEST, _FEWEST_WITHIN, _FEWEST_REPEATS = 8, 4, 3
_NOTHING, _NO_NOISE = 1e-24, 1e-15
_UNKNOWN = Interval(math.nan, math.nan, math.nan)


def share_of_groups(means: Floats, places: npt.NDArray[np.intp], k: int) -> tuple[Interval, float]:
    """Return ω² of k groups of configurations with its interval, and the p-value of F.

    ``means`` are the scores of configurations, ``places`` their groups. NaN: too few to tell.
    """
    n, within_degrees = len(means), len(means) - k
    if n < _FEWEST or within_degrees < _FEWEST_WITHIN:
        return _UNKNOWN, math.nan
    inner = [means[places == at] for at in range(k)]
    total = float(((means - means.mean()) ** 2).sum())
    within = sum(float(((one - one.mean()) ** 2).sum()) for one in inner)
    if total <= _NOTHING:
        return Interval(0.0, 0.0, 0.0), 1.0
    unit = within / within_degrees
    if unit <= _NO_NOISE * total:
        return Interval(1.0, 1.0, 1.0), 0.0
    share = max(0.0, (total - within - (k - 1) * unit) / (total + unit))
    ratio = (total - within) / (k - 1) / unit
    low, high = (_noncentral(ratio, k - 1, within_degrees, side) for side in (0.975, 0.025))
    found = Interval(share, min(share, low / (low + n)), max(share, high / (high + n)))
    return found, float(stats.f.sf(ratio, k - 1, within_degrees))


def _noncentral(ratio: float, first: int, second: int, level: float) -> float:
    """Return the noncentrality at which an F of ``ratio`` or less has probability ``level``."""

    def off(noncentral: float) -> float:
        return float(stats.ncf.cdf(ratio, first, second, noncentral)) - level

    if float(stats.f.cdf(ratio, first, second)) <= level:
        return 0.0
    high = 10.0 + 4.0 * ratio * first
    while off(high) > 0 and high < 1e9:
        high *= 2
    return float(optimize.brentq(off, 1e-9, high)) if off(high) <= 0 else high


def share_of_levels(levels: Floats, part: float, test_to_train: float) -> tuple[Interval, float]:
    """Return a share from the spread over training sets, where all else is balanced.

    Parameters
    ----------
    levels
        The mean score of each of k values in each of R training sets.
    part
        The sum of squares between values as a part of that between configurations.
    test_to_train
        Rows of a test set divided by those of its training set. Training sets overlap, so the
        variance of a mean over them is 1 + R r times what independent ones would give (Nadeau and
        Bengio, 2003).

    With F = R s²(means) / s²(rest) / (1 + R r), the part of the variance that is not noise is
    1 − 1 / F. NaN: too few training sets to tell.
    """
    k, repeats = levels.shape
    if repeats < _FEWEST_REPEATS:
        return _UNKNOWN, math.nan
    levels = levels - levels.mean(axis=0)
    means = levels.mean(axis=1, keepdims=True)
    noise = float(((levels - means) ** 2).sum()) / ((k - 1) * (repeats - 1))
    noise *= 1 + repeats * test_to_train
    between = float(means.var(ddof=1)) * repeats
    if between <= _NOTHING:
        return Interval(0.0, 0.0, 0.0), 1.0
    if noise <= _NO_NOISE * between:
        return Interval(part, part, part), 0.0
    first, second, ratio = k - 1, (k - 1) * (repeats - 1), between / noise
    low, high = (
        max(0.0, 1 - float(stats.f.ppf(side, first, second)) / ratio) for side in (0.975, 0.025)
    )
    share = max(0.0, 1 - 1 / ratio)
    found = Interval(part * share, part * min(low, share), part * max(high, share))
    return found, float(stats.f.sf(ratio, first, second))
