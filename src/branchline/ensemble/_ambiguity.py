"""Why averaging helps: the error of the mean is the mean error less the spread of the members.

For members f_m with weights w_m ≥ 0, Σ w_m = 1, and their mean f = Σ w_m f_m, at every point [1]_

    (f − y)² = Σ w_m (f_m − y)² − Σ w_m (f_m − f)²

because Σ w_m (f_m − f) = 0. Averaged over rows: ensemble error = mean member error − spread. The
same holds for probabilities, with squared distances (the Brier score).

.. [1] A. Krogh, J. Vedelsby, Neural network ensembles, cross validation, and active learning, 1995.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import number
from branchline._power_of_two import power_of_two_scale
from branchline.ensemble._weights import check_numbers, equal_weights
from branchline.errors import DataError, Repair

__all__ = ["Ambiguity", "ambiguity_decomposition"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ambiguity:
    """The error of an ensemble, taken apart: ``error`` = ``mean_error`` − ``spread``.

    Parameters
    ----------
    error
        The mean squared error of the weighted mean of the members.
    mean_error
        The weighted mean of the members' own errors.
    spread
        How far members are from their mean: what averaging gains.
    member_errors
        The mean squared error of each member.
    weights
        The weight of each member; they sum to 1.

    See Also
    --------
    ambiguity_decomposition : take the squared error of a mean of members apart.

    Examples
    --------
    >>> from branchline.ensemble import ambiguity_decomposition
    >>> ambiguity_decomposition([[1.0, -1.0], [3.0, 1.0]], [0.0, 0.0]).spread
    1.0
    """

    error: float
    mean_error: float
    spread: float
    member_errors: tuple[float, ...]
    weights: tuple[float, ...]

    def __str__(self) -> str:
        error, mean, spread = (number(x, 6) for x in (self.error, self.mean_error, self.spread))
        return f"ensemble error {error} = mean member error {mean} − spread {spread}"


def ambiguity_decomposition(predictions: Any, y: Any, weights: Any = None) -> Ambiguity:
    """Take the squared error of a mean of members apart.

    Parameters
    ----------
    predictions
        The predictions of the members: a row for each member, a column for each case, and a third
        axis for probabilities of classes.
    y
        The truth: a number for each case; for probabilities, a row of 0 and 1 for each case.
    weights
        A number of at least 0 for each member; None (default): equal weights. Only the ratios
        matter.

    See Also
    --------
    Ambiguity : the error of an ensemble, taken apart.

    Examples
    --------
    Two members that are 1 and 3 too high, then 1 too low and 1 too high:

    >>> from branchline.ensemble import ambiguity_decomposition
    >>> print(ambiguity_decomposition([[1.0, -1.0], [3.0, 1.0]], [0.0, 0.0]))
    ensemble error 2 = mean member error 3 − spread 1
    """
    predicted, truth = _numbers(predictions, "predictions"), _numbers(y, "y")
    if predicted.ndim not in (2, 3) or predicted.shape[1:] != truth.shape or 0 in predicted.shape:
        raise DataError(
            f"predictions must have a row for each member and, within it, the shape of y, "
            f"{truth.shape}. Their shape is {predicted.shape}.",
            code="D121",
        )
    share = equal_weights(len(predicted))
    if weights is not None:
        mended = Repair("ambiguity_decomposition(predictions, y)")
        share = check_numbers("ambiguity_decomposition", "weights", weights, len(predicted), mended)
    exponent = max(power_of_two_scale(predicted), power_of_two_scale(truth))
    predicted, truth = np.ldexp(predicted, -exponent), np.ldexp(truth, -exponent)
    mean = np.tensordot(share, predicted, axes=1)
    errors = [_mean_square(one - truth) for one in predicted]
    spreads = [_mean_square(one - mean) for one in predicted]

    def back(value: float) -> float:
        with np.errstate(over="ignore"):  # a square beyond all floats is the largest one
            return min(float(np.ldexp(value, 2 * exponent)), float(np.finfo(np.float64).max))

    return Ambiguity(
        error=back(_mean_square(mean - truth)),
        mean_error=back(math.fsum(share * errors)),
        spread=back(math.fsum(share * spreads)),
        member_errors=tuple(back(error) for error in errors),
        weights=tuple(share.tolist()),
    )


def _numbers(values: Any, name: str) -> Floats:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers. {error}", code="D121") from error
    if not np.isfinite(numbers).all():
        raise DataError(f"{name} must be finite numbers.", code="D121")
    return numbers


def _mean_square(values: Floats) -> float:
    """Return the mean, over cases, of the squared length."""
    return math.fsum(np.square(values).ravel()) / len(values)
