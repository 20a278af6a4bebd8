"""Scores become probabilities that never contradict the decision.

1. p(s) = 1 / (1 + e^{−a s}), with one slope a below 0 and one above: p(0) = ½ whatever they are.
2. Each slope makes the log loss of its side's rows least, towards Platt's targets
   (``native/include/branchline/sigmoid.hpp``).
3. Several classes, each against the rest: their probabilities are divided by their sum. Where that
   puts other classes before the one of the largest score, these and it share what they have.
"""

from dataclasses import dataclass
from math import isnan

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from branchline import _core

__all__ = ["Sigmoid", "fit_sigmoid", "probabilities_of_margins", "put_first"]

Floats = npt.NDArray[np.float64]

_JUST_ABOVE_HALF = float(np.nextafter(0.5, 1.0))
_LEAD = 1e-9  # of a class that shares its probability with others, so that it comes first


@dataclass(frozen=True)
class Sigmoid:
    """A map from scores to probabilities that is ½ at 0, with a slope for each side."""

    slope_below: float
    slope_above: float

    def probability(self, scores: Floats) -> Floats:
        """Return the probability of the positive class: above ½ where scores are above 0."""
        is_above = scores > 0
        with np.errstate(over="ignore"):  # beyond all floats it is 0 or 1 all the same
            raw = expit(scores * np.where(is_above, self.slope_above, self.slope_below))
        shown: Floats = np.where(is_above, np.maximum(raw, _JUST_ABOVE_HALF), np.minimum(raw, 0.5))
        return shown


def fit_sigmoid(
    scores: Floats, is_positive: npt.NDArray[np.bool_], weights: Floats | None = None
) -> Sigmoid:
    """Return the sigmoid that fits scores of rows that the model had not seen.

    Parameters
    ----------
    scores
        Held-out or leave-one-out scores.
    is_positive
        Whether each row is of the positive class.
    weights
        Of the rows; None: 1 each.
    """
    counts = np.ones(len(scores)) if weights is None else weights
    slopes = _core.fit_sigmoid(
        np.ascontiguousarray(scores), is_positive.astype(np.uint8), np.ascontiguousarray(counts)
    )
    below, above = slopes
    if isnan(below) or isnan(above):
        fallback = 1.0 if isnan(below) and isnan(above) else above if isnan(below) else below
        below, above = (fallback if isnan(slope) else slope for slope in slopes)
    return Sigmoid(below, above)


def probabilities_of_margins(scores: Floats, sigmoids: list[Sigmoid]) -> Floats:
    """Return the probability of each class; the largest is that of the class predicted.

    Parameters
    ----------
    scores
        A column for the second of two classes, or one for each of several, against the rest.
    sigmoids
        One for each column.
    """
    columns = [sigmoid.probability(scores[:, k]) for k, sigmoid in enumerate(sigmoids)]
    if len(columns) == 1:
        return np.column_stack([1 - columns[0], columns[0]])
    probabilities = np.column_stack(columns)
    total = probabilities.sum(axis=1, keepdims=True)
    even = np.full_like(probabilities, 1 / len(columns))
    probabilities = np.divide(probabilities, total, out=even, where=total > 0)
    return put_first(probabilities, np.argmax(scores, axis=1))


def put_first(probabilities: Floats, chosen: npt.NDArray[np.intp]) -> Floats:
    """Pool the chosen class with those that would come before it."""
    rows = np.arange(len(chosen))
    own = probabilities[rows, chosen]
    others = probabilities.copy()
    others[rows, chosen] = -1.0
    order = np.argsort(-others, axis=1, kind="stable")[:, :-1]
    sizes = np.take_along_axis(others, order, axis=1)
    count = np.arange(1, sizes.shape[1] + 1)
    before = np.hstack([own[:, None], (own[:, None] + np.cumsum(sizes, axis=1)) / (count + 1)])
    is_pooled = np.logical_and.accumulate(sizes >= before[:, :-1], axis=1)
    n_pooled = is_pooled.sum(axis=1)
    share = before[rows, n_pooled]
    pooled = np.where(is_pooled, (share * (1 - _LEAD))[:, None], sizes)
    result = probabilities.copy()
    np.put_along_axis(result, order, pooled, axis=1)
    result[rows, chosen] = share * (1 + _LEAD * n_pooled)
    return result
