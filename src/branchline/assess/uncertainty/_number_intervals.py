"""Prediction intervals for numbers.

1. The errors e = truth − prediction of training rows, each predicted by a model that had not seen
   it, stand for the error of a new row.
2. Where errors grow with the size of predictions, they are divided by their usual size at that
   prediction (``_error_scale``). Whether that is done is decided by the same errors: it must make
   the interval score (width plus penalty for misses; Gneiting and Raftery, 2007) at least 2 %
   smaller.
3. The interval reaches from the conformal quantile of −e below the prediction to that of e above
   it, each with half of the allowed misses. So skewed errors give intervals that are not symmetric.
4. Where no training row has a negative target, as with counts and prices, no end is below 0; where
   none has a positive one, no end is above 0. That cannot cost much: a new row is beyond all n
   training rows with a probability of at most 1 / (n + 1).

Guarantee. The model itself is fitted on all rows, and the errors come from models fitted on fewer.
If one more row hardly changes the model, about ``level`` of new rows fall inside, and slightly more
where more rows make the learner better. A bound for any learner and any data exists only for CV+
(1 − 2α), which needs all models of the folds. New rows must be like the training rows: no interval
holds when the world has changed.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import count, number, percent
from branchline._prediction_errors import NumberErrors
from branchline.assess.uncertainty._conformal_quantile import conformal_quantile, fewest_rows
from branchline.assess.uncertainty._error_scale import fit_error_scale

__all__ = ["NumberIntervals", "number_intervals"]

Floats = npt.NDArray[np.float64]
_WORTH_SCALING = 0.98


@dataclass(frozen=True, eq=False)
class NumberIntervals:
    """Predicted numbers with intervals.

    Parameters
    ----------
    level
        The coverage level: the share of new rows whose true value should be inside, such as 0.9.
    prediction, lower, upper
        The prediction of each row and the ends of its interval; infinite with too few errors.
    is_scaled
        Whether intervals are wider where larger errors are usual; else all have the same width.
    n_errors
        The number of training rows whose errors are known.
    n_effective
        The number of independent rows among them.
    origin
        How the errors were measured.
    lowest, highest
        0 where the target was never negative, or never positive, in training, so that no interval
        reaches beyond 0; else None.

    See Also
    --------
    predict_interval : predict rows, each with an interval or a set of plausible classes.

    Examples
    --------
    >>> import branchline as bl
    >>> X, y = bl.load_dataset("auto-mpg").split_target("mpg")
    >>> model = bl.fit_intervals(bl.make("ridge", task="regression").fit(X, y), X, y)
    >>> found = bl.predict_interval(model, X.rows([0]), level=0.9)
    >>> round(float(found.upper[0] - found.lower[0]), 1)
    7.6
    """

    level: float
    prediction: Floats
    lower: Floats
    upper: Floats
    is_scaled: bool
    n_errors: int
    n_effective: float
    origin: str
    lowest: float | None = None
    highest: float | None = None

    def __repr__(self) -> str:
        rows = count(len(self.prediction), "row")
        return f"NumberIntervals({rows}, {percent(self.level, fine=True)})"

    def __str__(self) -> str:
        name = f"{percent(self.level, fine=True)} intervals"
        rows = count(self.n_errors, "training row")
        ground = f"They rest on the errors of {rows} ({self.origin})."
        if self.is_finite:
            width = self.upper - self.lower
            how = "wider where errors are larger" if self.is_scaled else "equally wide everywhere"
            middle = number(float(np.median(width))) if len(width) else "–"
            told = f"{name}: half of them are narrower than {middle}; {how}. {ground}"
            return f"{told} {self._cut_words()}".rstrip()
        needed = fewest_rows((1 + self.level) / 2)
        return (
            f"{name}: infinite, because at least {needed} independent errors are needed and "
            f"{number(self.n_effective)} are known. {ground}"
        )

    def _cut_words(self) -> str:
        """Say that no interval reaches beyond 0."""
        if self.lowest is None and self.highest is None:
            return ""
        never, side = ("negative", "below") if self.highest is None else ("positive", "above")
        return f"No end is {side} 0, because the target is never {never} in these rows."

    def draw(self, ax: Any = None, *, truth: Any = None) -> Any:
        """Return a chart of predictions with their intervals, and the truth where it is given.

        With axes of matplotlib, draw the chart on them.
        """
        from branchline.charts import drawn
        from branchline.charts.figures import draw_intervals

        return drawn(draw_intervals(self, truth), ax)

    @property
    def is_finite(self) -> bool:
        """Whether there were enough errors for intervals with ends."""
        return bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())

    def columns(self) -> dict[str, Any]:
        """Return the columns that a table of predictions gains."""
        return {"lower": self.lower.tolist(), "upper": self.upper.tolist()}

    def to_dict(self) -> dict[str, Any]:
        """Return what is known of the intervals as plain data, without the rows."""
        width = self.upper - self.lower
        is_known = len(width) > 0 and self.is_finite
        return {
            "level": self.level,
            "kind": "interval",
            "scaled": self.is_scaled,
            "median_width": float(np.median(width)) if is_known else None,
            "errors": self.n_errors,
            "effective_errors": self.n_effective,
            "origin": self.origin,
            "lowest": self.lowest,
            "highest": self.highest,
        }


def number_intervals(errors: NumberErrors, prediction: Floats, level: float) -> NumberIntervals:
    """Return the intervals of predictions."""
    error = errors.truth - errors.predicted
    scale, sizes = fit_error_scale(errors.predicted, error, errors.weight)
    is_scaled = _is_worth_scaling(errors, error, sizes, level)
    below, above = _ends(errors, error / sizes if is_scaled else error, level)
    at = scale.at(prediction) if is_scaled else np.ones(len(prediction))
    lowest, highest = natural_ends(errors.truth)
    if not math.isfinite(below + above):  # too few errors: nothing is known of either end
        lowest = highest = None
    return NumberIntervals(
        level,
        prediction,
        _within(prediction - below * at, lowest, highest),
        _within(prediction + above * at, lowest, highest),
        is_scaled,
        len(error),
        errors.n_effective,
        errors.origin,
        lowest,
        highest,
    )


def _within(ends: Floats, lowest: float | None, highest: float | None) -> Floats:
    low, high = -np.inf if lowest is None else lowest, np.inf if highest is None else highest
    return np.clip(ends, low, high)


def natural_ends(truth: Floats) -> tuple[float | None, float | None]:
    """Return 0 for an end of the target's range that no training row goes beyond; else None."""
    if (truth >= 0).all():
        return 0.0, 0.0 if not truth.any() else None
    return None, 0.0 if (truth <= 0).all() else None


def _ends(errors: NumberErrors, error: Floats, level: float) -> tuple[float, float]:
    """Return how far an interval reaches below and above the prediction."""
    side = (1 + level) / 2
    below = conformal_quantile(-error, errors.weight, errors.n_effective, side)
    above = conformal_quantile(error, errors.weight, errors.n_effective, side)
    if below + above < 0:  # the quantiles of a skewed sample may cross at low levels
        middle = (above - below) / 2
        return -middle, middle
    return below, above


def _is_worth_scaling(errors: NumberErrors, error: Floats, sizes: Floats, level: float) -> bool:
    """Whether errors divided by their usual size give intervals with a better score."""
    if not (sizes > 0).all():
        return False
    ones = np.ones(len(error))
    plain, scaled = (_interval_score(errors, error, part, level) for part in (ones, sizes))
    return math.isfinite(scaled) and scaled < _WORTH_SCALING * plain


def _interval_score(errors: NumberErrors, error: Floats, sizes: Floats, level: float) -> float:
    """Return the mean of width + (2 / α) · distance outside, on the rows whose errors are known."""
    below, above = _ends(errors, error / sizes, level)
    if not math.isfinite(below + above):
        return math.inf
    low, high = -below * sizes, above * sizes
    outside = np.maximum(0.0, low - error) + np.maximum(0.0, error - high)
    score = high - low + 2 / (1 - level) * outside
    return float(np.average(score, weights=errors.weight))
