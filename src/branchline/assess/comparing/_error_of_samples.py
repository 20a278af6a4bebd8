"""The .632 and .632+ estimates of a comparison by bootstrap samples, with their intervals.

1. The loss of a row is 1 for a wrong class, or the squared error of a number.
2. l_i is its mean over the samples that left row i out, o_i over the samples that held it. The mean
   of l is the out-of-bag error, the mean over samples of their own errors the resubstitution error.
3. An estimate (1 − w) ō + w l̄ has the interval of the mean of (1 − w) o_i + w l_i over rows
   (``_row_scores``), w being 1, 0.632 or that of .632+: the weight is taken as known.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval
from branchline._row_scores import Origin, RowValues, count_different, interval_of_rows
from branchline.assess._bootstrap_error import (
    WEIGHT_632,
    BootstrapError,
    bootstrap_error,
    no_information_error,
    no_information_square,
)
from branchline.assess.comparing._results import FoldResult
from branchline.errors import ParameterError, Repair

if TYPE_CHECKING:
    from branchline.assess.comparing._comparison import Comparison

__all__ = ["error_of_samples"]

Floats = npt.NDArray[np.float64]


def error_of_samples(comparison: "Comparison", learner: str) -> BootstrapError:
    """Return a learner's error by bootstrap samples; refuse any other way of testing."""
    results = list(comparison.results_of(learner).values())
    if comparison.plan.resampling.kind != "bootstrap" or not results:
        raise ParameterError(
            ".632 and .632+ are made of predictions in bootstrap samples.",
            code="P108",
            repair=Repair(
                "compare(X, y, resampling='bootstrap', n_repeats=50)", "--resampling bootstrap"
            ),
        )
    left_out, own, apparent, nothing = _losses(comparison, results)
    known = np.isfinite(left_out)
    found = bootstrap_error(float(left_out[known].mean()), apparent, nothing)
    owners = comparison.problem.folds.owner_of_row
    n_train = np.mean(
        [count_different(owners[np.unique(comparison.splits[one.split].train)]) for one in results]
    )
    rows = _Rows(left_out, own, owners, float(n_train), comparison.problem.classes is not None)
    return replace(
        found,
        unit="share of errors" if rows.are_shares else "mean squared error",
        interval_out_of_bag=rows.interval(found.out_of_bag, 1.0),
        interval_632=rows.interval(found.error_632, WEIGHT_632),
        interval_632_plus=rows.interval(found.error_632_plus, found.weight),
    )


def _losses(
    comparison: "Comparison", results: list[FoldResult]
) -> tuple[Floats, Floats, float, float]:
    """Return the mean loss of each row left out and held, and the two errors of samples."""
    problem = comparison.problem
    is_class = problem.classes is not None
    truth = problem.places if is_class else problem.target
    sums, times = np.zeros((2, problem.n_rows)), np.zeros((2, problem.n_rows))
    apparent, nothing = [], []
    for result in results:
        split = comparison.splits[result.split]
        held, fitted = np.unique(split.train), result.fitted_said
        assert fitted is not None
        for side, rows, said in ((0, split.test, result.predicted), (1, held, fitted)):
            lost = said != truth[rows] if is_class else (said - truth[rows]) ** 2
            sums[side, rows] += lost
            times[side, rows] += 1
            if side == 1:
                apparent.append(float(np.mean(lost)))
        nothing.append(
            no_information_error(truth[held], fitted, len(problem.classes))
            if problem.classes is not None
            else no_information_square(problem.target[held], fitted)
        )
    with np.errstate(invalid="ignore"):
        left_out, own = sums / times
    return left_out, own, float(np.mean(apparent)), float(np.mean(nothing))


class _Rows:
    """What is known of each row, for intervals."""

    def __init__(
        self,
        left_out: Floats,
        own: Floats,
        owners: npt.NDArray[np.intp],
        n_train: float,
        are_shares: bool,
    ) -> None:
        both = np.isfinite(left_out) & np.isfinite(own)
        self.left_out, self.own, self.are_shares = left_out[both], own[both], are_shares
        n_owners = max(1, count_different(owners[both]))
        self.origin = Origin(owners[both], n_train, copies=len(owners[both]) / n_owners)

    def interval(self, estimate: float, weight: float) -> Interval:
        """Return an estimate with its interval."""
        if len(self.own) < 2:
            return Interval(estimate, 0.0, 1.0 if self.are_shares else np.inf)
        values = (1 - weight) * self.own + weight * self.left_out
        rows = RowValues(estimate, values - values.mean(), len(values))
        return interval_of_rows(rows, self.origin, highest=1.0 if self.are_shares else np.inf)
