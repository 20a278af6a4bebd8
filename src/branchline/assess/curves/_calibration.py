"""Calibration: whether events predicted with probability p occur with frequency p.

1. Rows are sorted by the probability of the class and cut into bins of about equal size.
2. Each bin has the mean predicted probability, the observed frequency, and Wilson's interval.
3. The calibration error is the mean distance of the two, bins weighted by their rows.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._drawable import Drawable
from branchline._intervals import wilson_interval
from branchline._plain_numbers import count, number
from branchline._result_frame import Library, result_frame
from branchline._validation import Whole, check_parameters
from branchline.assess._outcome import Outcome

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["Calibration", "calibration_curve"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Calibration(Drawable):
    """Predicted probabilities and observed frequencies, bin by bin.

    Parameters
    ----------
    predicted
        The mean predicted probability.
    seen
        The observed frequency.
    low, high
        The ends of the interval.
    n_rows
        Rows of each bin.

    See Also
    --------
    calibration_curve : return the calibration of the positive class's probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import calibration_curve
    >>> p = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    >>> truth = np.array([1, 1, 0, 1, 0])
    >>> outcome = Outcome(truth, truth, np.column_stack([1 - p, p]), ("no", "yes"), positive=1)
    >>> int(calibration_curve(outcome, n_bins=2).n_rows.sum())
    5
    """

    predicted: Floats
    seen: Floats
    low: Floats
    high: Floats
    n_rows: npt.NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Calibration({count(len(self.predicted), 'bin')}, mean error {number(self.error)})"

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each bin, as a frame of pandas or polars."""
        return result_frame(self._columns(), library)

    def to_dict(self) -> dict[str, Any]:
        """Return the bins as plain data."""
        return {"error": self.error, **{key: one.tolist() for key, one in self._columns().items()}}

    def _columns(self) -> dict[str, Any]:
        names = ("predicted", "seen", "low", "high", "n_rows")
        return {name: getattr(self, name) for name in names}

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_calibration

        return draw_calibration(self)

    @property
    def error(self) -> float:
        """The mean distance between predicted probability and observed frequency."""
        return float(np.average(np.abs(self.predicted - self.seen), weights=self.n_rows))

    @property
    def is_off(self) -> bool:
        """Whether more bins lie outside their interval than chance explains (one in ten)."""
        outside = (self.predicted < self.low) | (self.predicted > self.high)
        return bool(outside.sum() > max(1, math.ceil(0.1 * len(self.predicted))))


def calibration_curve(outcome: Outcome, *, n_bins: int = 10) -> Calibration | None:
    """Return the calibration of the positive class's probabilities; None without probabilities.

    With several classes and none positive, all classes are put together: every row counts once for
    each class.

    See Also
    --------
    Calibration : predicted probabilities and observed frequencies, bin by bin.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import calibration_curve
    >>> p = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    >>> truth = np.array([1, 1, 0, 1, 0])
    >>> outcome = Outcome(truth, truth, np.column_stack([1 - p, p]), ("no", "yes"), positive=1)
    >>> calibration_curve(outcome, n_bins=2).seen.round(2).tolist()
    [0.33, 1.0]
    """
    check_parameters("calibration_curve", {"n_bins": n_bins}, {"n_bins": Whole(1)})
    if outcome.probabilities is None or outcome.classes is None:
        return None
    if outcome.positive is None:
        said = outcome.probabilities.ravel()
        truth = (np.arange(len(outcome.classes)) == outcome.truth[:, None]).ravel()
    else:
        said, truth = outcome.probabilities[:, outcome.positive], outcome.is_positive
    order = np.argsort(said, kind="stable")
    bins = [part for part in np.array_split(order, min(n_bins, len(order))) if len(part)]
    shares = [wilson_interval(int(truth[part].sum()), len(part)) for part in bins]
    return Calibration(
        np.array([said[part].mean() for part in bins]),
        np.array([share.estimate for share in shares]),
        np.array([share.low for share in shares]),
        np.array([share.high for share in shares]),
        np.array([len(part) for part in bins], dtype=np.int64),
    )
