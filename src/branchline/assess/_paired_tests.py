"""Whether one model is better than another, by their predictions of the same test sets.

1. Over rows (``difference_over_rows``): d_i is what row i adds to the first score less what it adds
   to the second (``_row_values``), m the difference of the scores. The standard error is
   s √(1/n + 1/n_train), s the standard deviation of d, with n − 1 degrees of freedom: the corrected
   resampled t below, with the spread learned from n rows in place of k test sets (``_scoring``,
   where repeats and groups are allowed for as well). Learners that choose one column (stumps,
   one-rule) take 2.4 c³ ≥ 1 in place of the 1 before 1/n_train, c being the share of rows that two
   training sets have in common: all folds choose the column that happens to suit all rows.
2. Over test sets (``paired_difference``), for scores that rows do not add up to: with differences
   d_1 … d_k, r the rows of a test set divided by those of its training set, the corrected resampled
   t (Nadeau and Bengio, 2003) is t = m / (s √(1/k + r)) with k − 1 degrees of freedom.
3. Bayesian correlated t (Corani and Benavoli, 2015): the posterior of the true mean difference is a
   Student t around m with that scale (s √(1/k + ρ/(1 − ρ)) with ρ = r / (1 + r) is the same). Its
   mass beyond ± ``negligible`` says how probable it is that the first is better, that the two are
   practically equal, or that the second is better.

Of two learners that are equally good (the same on other columns, 10 folds, 50 or 200 rows, 1,000 to
4,000 tables each; ``benchmarks/reproductions/equal_learners.py``) the first form calls at most 5 %
different at p < 0.05 (docs/coverage.md). The price of safety with unstable learners is that stable
ones (0 to 1 %) are told apart with more rows than they would need.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._intervals import Interval
from branchline._plain_numbers import number, probability
from branchline._row_scores import Origin, RowValues, corrected_error
from branchline.errors import ParameterError

__all__ = ["Difference", "difference_over_rows", "paired_difference"]

# How many times the correction of an interval the difference of two stumps takes: measured.
_OF_CHOICE = 2.4


@dataclass(frozen=True)
class Difference:
    """The difference of two models' scores; positive: the first scores higher.

    Parameters
    ----------
    mean
        The mean difference with its interval.
    t, p_value
        The corrected resampled t and its two-sided p-value.
    p_higher, p_equal, p_lower
        The probabilities that the first truly scores higher, practically the same, or lower.
    negligible
        A difference that is too small to matter. Default 0.01.
    n_scores
        The number of differences: of test sets, or of rows.
    degrees
        The degrees of freedom of t.

    See Also
    --------
    Comparison : ``difference`` returns it.
    paired_difference : compare two models by their scores on the same test sets.

    Examples
    --------
    >>> from branchline.assess import paired_difference
    >>> round(paired_difference([0.80, 0.85, 0.90], [0.70, 0.75, 0.85], 0.5).mean.estimate, 4)
    0.0833
    """

    mean: Interval
    t: float
    p_value: float
    p_higher: float
    p_equal: float
    p_lower: float
    negligible: float
    n_scores: int
    degrees: int

    @property
    def p_above(self) -> float:
        """How probable it is that the first truly scores higher, by however little."""
        return 1 - self.p_value / 2 if self.t > 0 else self.p_value / 2

    @property
    def is_same(self) -> bool:
        """Whether the two did not differ anywhere: then nothing is known of a difference."""
        return self.mean.estimate == self.mean.low == self.mean.high == 0

    def __str__(self) -> str:
        if self.is_same:
            return "no difference: both score the same wherever they were tested"
        return (
            f"{self.mean}; higher {probability(self.p_higher)}, equal within "
            f"{number(self.negligible)} {probability(self.p_equal)}, "
            f"lower {probability(self.p_lower)}"
        )


def paired_difference(
    first: Sequence[float] | npt.NDArray[np.float64],
    second: Sequence[float] | npt.NDArray[np.float64],
    test_to_train: float,
    negligible: float = 0.01,
    level: float = 0.95,
) -> Difference:
    """Compare two models by their scores on the same test sets.

    Parameters
    ----------
    first, second
        One score per test set, in the same order. Test sets on which one of the two has no score
        are left out.
    test_to_train
        Rows of a test set divided by rows of its training set: 1/(k − 1) for k folds.
    negligible
        A difference that is too small to matter. Default 0.01.
    level
        The confidence level of the interval. Default 0.95.

    See Also
    --------
    Difference : the difference of two models' scores.

    Examples
    --------
    >>> from branchline.assess import paired_difference
    >>> found = paired_difference([0.80, 0.85, 0.90], [0.70, 0.75, 0.85], 0.5)
    >>> round(found.t, 3), round(found.p_higher, 3)
    (3.162, 0.946)
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    differences = differences[np.isfinite(differences)]
    if len(differences) < 2:
        raise ParameterError(
            f"A comparison needs scores of at least two test sets; there are {len(differences)}.",
            code="P100",
        )
    k, mean = len(differences), float(differences.mean())
    scale = math.sqrt((1 / k + test_to_train) * float(differences.var(ddof=1)))
    return _difference(mean, scale, k - 1, k, negligible, level)


def difference_over_rows(
    first: RowValues,
    second: RowValues,
    origin: Origin,
    negligible: float = 0.01,
    level: float = 0.95,
    chooses_one_column: bool = False,
) -> Difference:
    """Compare two models by what each row adds to their scores.

    Parameters
    ----------
    first, second
        What each prediction adds to the scores, of the same predicted rows in the same order.
    origin
        Where the predictions come from.
    negligible
        A difference that is too small to matter. Default 0.01.
    level
        The confidence level of the interval. Default 0.95.
    chooses_one_column
        Whether both predict by a single column that they choose (``comparing._learners``).
    """
    between = first.minus(second)
    weight = max(1.0, _OF_CHOICE * origin.shared) if chooses_one_column else 1.0
    scale, degrees = corrected_error(between, origin, weight)
    return _difference(between.score, scale, degrees, degrees + 1, negligible, level)


def _difference(
    mean: float, scale: float, degrees: int, n_scores: int, negligible: float, level: float
) -> Difference:
    if scale == 0:
        return _without_spread(mean, negligible, n_scores, degrees)
    t = mean / scale
    half = float(stats.t.ppf(0.5 + level / 2, degrees)) * scale
    lower = float(stats.t.cdf((-negligible - mean) / scale, degrees))
    higher = float(stats.t.sf((negligible - mean) / scale, degrees))
    return Difference(
        Interval(mean, mean - half, mean + half),
        t,
        float(2 * stats.t.sf(abs(t), degrees)),
        higher,
        max(0.0, 1.0 - higher - lower),
        lower,
        negligible,
        n_scores,
        degrees,
    )


def _without_spread(mean: float, negligible: float, n_scores: int, degrees: int) -> Difference:
    """Return the difference when it was the same everywhere."""
    higher, lower = float(mean > negligible), float(mean < -negligible)
    return Difference(
        Interval(mean, mean, mean),
        math.copysign(math.inf, mean) if mean else 0.0,
        0.0 if mean else 1.0,
        higher,
        1.0 - higher - lower,
        lower,
        negligible,
        n_scores,
        degrees,
    )
