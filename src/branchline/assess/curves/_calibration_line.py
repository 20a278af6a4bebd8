"""Calibration slope and intercept: whether predictions are too extreme, or off altogether.

Classes, of a probability p and an outcome y of 0 or 1 (Cox, 1958):

1. Slope b and intercept a of the logistic regression logit P(y = 1) = a + b logit p, on rows that
   the model had not seen. b = 1 and a = 0 is perfect; b < 1 means probabilities that are too
   extreme, as of a model that fits its training rows too closely; b > 1 means too timid ones.
2. Calibration in the large: the intercept with the slope held at 1. Above 0, the outcome is more
   frequent than predicted. ``ratio`` is observed over predicted positives.

Numbers: slope and intercept of the least-squares line of observed on predicted; in the large is the
mean of observed less predicted.

Intervals are of the robust ("sandwich") kind, so they hold where the line is not the truth; rows
that belong together count as one. Probabilities nearer to 0 or 1 than 1 / (2 n) are moved there,
because their logit would be infinite.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline._intervals import Interval
from branchline._result_frame import Library, result_frame
from branchline._row_scores import Origin, ratio_of_rows
from branchline.assess._outcome import Outcome

__all__ = ["CalibrationLine", "calibration_line"]

Floats = npt.NDArray[np.float64]

# A slope that is nearer to 1 than this is 1 to every reader.
_SLIGHT = 0.005
_MOST_STEPS, _ENOUGH, _TOO_STEEP = 100, 1e-10, 1e4
_UNKNOWN = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class CalibrationLine:
    """Slope, intercept and calibration in the large, each with its 95 % interval.

    Parameters
    ----------
    slope, intercept
        Of the observed on the predicted; for classes on the scale of logits. NaN where there is
        none: predictions that are all the same, or classes that they separate completely.
    in_the_large
        The intercept with the slope held at 1; 0 is perfect.
    ratio
        Observed positives divided by the sum of their probabilities, with its interval; None for
        numbers, and where all classes are put together.
    task
        "classification" or "regression".
    n_rows
        The number of rows.

    See Also
    --------
    calibration_line : return slope and intercept of the observed on the predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import calibration_line
    >>> predicted = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> round(calibration_line(Outcome(2 * predicted + 1, predicted)).slope.estimate, 6)
    2.0
    """

    slope: Interval
    intercept: Interval
    in_the_large: Interval
    ratio: Interval | None
    task: str
    n_rows: int

    @property
    def verdict(self) -> str:
        """What the slope and the level mean, in a sentence."""
        told = [_of_slope(self.slope, self.task), self._of_level()]
        return " ".join(part for part in told if part)

    def _of_level(self) -> str:
        level, what = (
            self.in_the_large,
            "outcome is" if self.task == "classification" else "values are",
        )
        is_class = self.task == "classification"
        how = ("more frequent", "less frequent") if is_class else ("higher", "lower")
        if not math.isfinite(level.low):
            return ""
        if level.low > 0:
            return f"On average the {what} {how[0]} than predicted."
        if level.high < 0:
            return f"On average the {what} {how[1]} than predicted."
        how_much = "as frequent as" if is_class else "as high as"
        return f"On average the {what} {how_much} predicted, within chance."

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a row for each figure, as a frame of pandas or polars."""
        rows = {name: getattr(self, name) for name in ("slope", "intercept", "in_the_large")}
        rows |= {} if self.ratio is None else {"ratio": self.ratio}
        sides = ("estimate", "low", "high")
        columns = {side: [getattr(one, side) for one in rows.values()] for side in sides}
        return result_frame({"figure": list(rows), **columns}, library)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {**asdict(self), "verdict": self.verdict}

    def __str__(self) -> str:
        return (
            f"calibration slope {self.slope}, intercept {self.intercept}, in the large "
            f"{self.in_the_large}. {self.verdict}"
        )


def _of_slope(slope: Interval, task: str) -> str:
    if not math.isfinite(slope.estimate):
        return "No slope can be told from these predictions."
    what = "Probabilities" if task == "classification" else "Predictions"
    is_one = abs(slope.estimate - 1) < _SLIGHT  # surely not 1, and of no consequence
    if slope.high < 1 and not is_one:
        return f"{what} are too extreme (slope below 1)."
    if slope.low > 1 and not is_one:
        return f"{what} are too timid (slope above 1)."
    return f"{what} are neither too extreme nor too timid, within chance."


def calibration_line(outcome: Outcome, *, origin: Origin | None = None) -> CalibrationLine | None:
    """Return slope and intercept of the observed on the predicted; None without probabilities.

    With several classes and none positive, all classes are put together: every row counts once for
    each class, and as one row in the intervals.

    Parameters
    ----------
    outcome
        Predictions of rows that the model had not seen.
    origin
        Which rows belong together. Default: each row by itself.

    See Also
    --------
    CalibrationLine : slope, intercept and calibration in the large, each with its 95 % interval.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.assess import Outcome
    >>> from branchline.assess.curves import calibration_line
    >>> predicted = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> found = calibration_line(Outcome(2 * predicted + 1, predicted))
    >>> round(found.slope.estimate, 6), round(found.intercept.estimate, 6)
    (2.0, 1.0)
    """
    owners = np.arange(len(outcome)) if origin is None else origin.owners
    if outcome.classes is None:
        return _of_numbers(outcome, owners)
    if outcome.probabilities is None or not len(outcome):
        return None
    if outcome.positive is None:
        predicted = outcome.probabilities.ravel()
        truth = (np.arange(len(outcome.classes)) == outcome.truth[:, None]).ravel()
        owners = np.repeat(owners, len(outcome.classes))
    else:
        predicted, truth = outcome.probabilities[:, outcome.positive], outcome.is_positive
    return _of_classes(predicted, truth.astype(np.float64), owners, len(outcome))


def _of_classes(
    predicted: Floats, truth: Floats, owners: npt.NDArray[np.intp], n_rows: int
) -> CalibrationLine:
    least = 0.5 / n_rows
    inside = np.clip(predicted, least, 1 - least)
    logits = np.log(inside / (1 - inside))
    is_pooled = len(predicted) > n_rows  # all classes together: as many as there are rows, always
    ratio = None if is_pooled else _ratio(truth, predicted, owners)
    level = _logistic(np.ones((len(truth), 1)), truth, logits, owners)
    line = None
    if np.ptp(logits) > 1e-9:
        line = _logistic(np.column_stack([np.ones(len(truth)), logits]), truth, 0.0, owners)
    intercept, slope = (_UNKNOWN, _UNKNOWN) if line is None else line
    large = _UNKNOWN if level is None else level[0]
    return CalibrationLine(slope, intercept, large, ratio, "classification", n_rows)


def _ratio(truth: Floats, predicted: Floats, owners: npt.NDArray[np.intp]) -> Interval:
    """Return the sum of the observed over that of the predicted, with its interval."""
    found = ratio_of_rows(truth, predicted)
    if found is None:
        return _UNKNOWN
    error, degrees = found.standard_error(owners)
    half = float(stats.t.ppf(0.975, degrees)) * error
    return Interval(found.score, found.score - half, found.score + half).within(0.0, math.inf)


def _logistic(
    terms: Floats, truth: Floats, offset: Any, owners: npt.NDArray[np.intp]
) -> list[Interval] | None:
    """Fit a logistic regression by Newton's steps; None where the likelihood has no maximum."""
    weights = np.zeros(terms.shape[1])
    for _ in range(_MOST_STEPS):
        mean = 1 / (1 + np.exp(-np.clip(terms @ weights + offset, -500, 500)))
        information = (terms * (mean * (1 - mean))[:, None]).T @ terms
        if not np.isfinite(information).all() or np.linalg.cond(information) > 1e14:
            return None
        step = np.linalg.solve(information, terms.T @ (truth - mean))
        size = float(np.abs(step).max())
        weights = weights + step * min(1.0, 5.0 / max(size, 1e-300))
        if np.abs(weights).max() > _TOO_STEEP:
            return None
        if size < _ENOUGH:
            return _with_intervals(weights, information, terms * (truth - mean)[:, None], owners)
    return None


def _of_numbers(outcome: Outcome, owners: npt.NDArray[np.intp]) -> CalibrationLine | None:
    predicted, truth = (side.astype(np.float64) for side in (outcome.predicted, outcome.truth))
    known = np.isfinite(predicted) & np.isfinite(truth)
    if not known.any():
        return None
    predicted, truth, owners = predicted[known], truth[known], owners[known]
    off = truth - predicted
    level = _least_squares(np.ones((len(off), 1)), off, owners)[0]
    slope = intercept = _UNKNOWN
    spread = float(predicted.std())
    if len(off) > 2 and spread > 1e-12 * max(1.0, float(np.abs(predicted).max())):
        middle = float(predicted.mean())
        # Centered and in units of the spread, so that large numbers keep their digits.
        scaled = (predicted - middle) / spread
        slope, intercept = _line(scaled, truth, owners, middle, spread)
    return CalibrationLine(slope, intercept, level, None, "regression", len(off))


def _line(
    scaled: Floats, truth: Floats, owners: npt.NDArray[np.intp], middle: float, spread: float
) -> tuple[Interval, Interval]:
    """Return slope and intercept in the units of the target."""
    slope = _least_squares(np.column_stack([np.ones(len(truth)), scaled]), truth, owners)[1]
    slope = Interval(slope.estimate / spread, slope.low / spread, slope.high / spread)
    at_zero = np.column_stack([np.ones(len(truth)), scaled + middle / spread])
    return slope, _least_squares(at_zero, truth, owners)[0]


def _least_squares(terms: Floats, truth: Floats, owners: npt.NDArray[np.intp]) -> list[Interval]:
    products = terms.T @ terms
    weights: Floats = np.asarray(np.linalg.lstsq(terms, truth, rcond=None)[0], dtype=np.float64)
    # HC3 (MacKinnon and White, 1985): residuals as if the row itself had been left out.
    hats = np.einsum("ij,ji->i", terms, np.linalg.solve(products, terms.T))
    residuals = (truth - terms @ weights) / np.maximum(1 - hats, 1e-6)
    return _with_intervals(weights, products, terms * residuals[:, None], owners)


def _with_intervals(
    weights: Floats, information: Floats, scores: Floats, owners: npt.NDArray[np.intp]
) -> list[Interval]:
    """Return weights with robust intervals; scores of the same owner are added up."""
    _, places = np.unique(owners, return_inverse=True)
    sums = np.column_stack([np.bincount(places, weights=side) for side in scores.T])
    n_owners = len(sums)
    degrees = max(1, n_owners - len(weights))
    inverse = np.linalg.inv(information)
    spread = inverse @ (sums.T @ sums) @ inverse * n_owners / max(1, n_owners - 1)
    half = stats.t.ppf(0.975, degrees) * np.sqrt(np.maximum(np.diag(spread), 0.0))
    return [
        Interval(float(one), float(one - reach), float(one + reach))
        for one, reach in zip(weights, half, strict=True)
    ]
