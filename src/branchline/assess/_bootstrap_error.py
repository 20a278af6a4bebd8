"""Bootstrap estimates of the error: out-of-bag, .632 and .632+ (Efron and Tibshirani, 1997).

Let e₁ be the error on rows left out of a bootstrap sample (each row averaged over the samples it
was left out of, then over rows), and ē the error of the model on its own training rows.

1. Out-of-bag: e₁. It is too high: a sample holds only 63.2 % of the different rows.
2. .632: 0.368 ē + 0.632 e₁. It is too low when the model fits its own rows perfectly.
3. .632+: with the no-information error γ (every prediction paired with every truth) and the
   relative overfitting R = (e₁′ − ē) / (γ − ē), e₁′ = min(e₁, γ), R = 0 unless e₁′ > ē and γ > ē,
   the estimate is 0.368 ē + 0.632 e₁ + (e₁′ − ē) 0.368 · 0.632 R / (1 − 0.368 R) (their
   equation 32). For e₁ up to γ this is (1 − w) ē + w e₁ with the weight w = 0.632 / (1 − 0.368 R).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._intervals import Interval
from branchline._plain_numbers import fixed, number
from branchline.errors import DataError

__all__ = [
    "WEIGHT_632",
    "BootstrapError",
    "bootstrap_error",
    "no_information_error",
    "no_information_square",
]

Floats = npt.NDArray[np.float64]

WEIGHT_632 = 0.632
_LEFT_OUT, _DRAWN = 0.368, WEIGHT_632


@dataclass(frozen=True)
class BootstrapError:
    """The estimates and what they are made of.

    Parameters
    ----------
    out_of_bag
        The error on rows left out.
    resubstitution
        The error of a model on its own training rows.
    no_information
        The error when inputs and target are independent.
    overfitting
        R, the relative overfitting, from 0 (none) to 1 (as bad as knowing nothing).
    weight
        The weight of the out-of-bag error in .632+.
    error_632, error_632_plus
        The estimates.
    unit
        What the error is: "share of errors" or "mean squared error"; empty where that is not known.
    interval_out_of_bag, interval_632, interval_632_plus
        The same estimates with 95 % intervals; None where rows are not known.

    See Also
    --------
    Comparison : ``bootstrap_error`` returns it.
    bootstrap_error : return the .632 and .632+ estimates from their three ingredients.

    Examples
    --------
    >>> from branchline.assess import bootstrap_error
    >>> round(bootstrap_error(0.4, 0.0, 0.5).overfitting, 2)
    0.8
    """

    out_of_bag: float
    resubstitution: float
    no_information: float
    overfitting: float
    weight: float
    error_632: float
    error_632_plus: float
    unit: str = ""
    interval_out_of_bag: Interval | None = None
    interval_632: Interval | None = None
    interval_632_plus: Interval | None = None

    def __str__(self) -> str:
        show = fixed if self.unit != "mean squared error" else number
        texts = [
            f"{name} {interval or show(estimate)}"
            for name, estimate, interval in (
                ("out-of-bag", self.out_of_bag, self.interval_out_of_bag),
                (".632", self.error_632, self.interval_632),
                (".632+", self.error_632_plus, self.interval_632_plus),
            )
        ]
        return (
            f"{', '.join(texts)} (resubstitution {show(self.resubstitution)}, no "
            f"information {show(self.no_information)}, overfitting {fixed(self.overfitting, 2)})"
        )


def bootstrap_error(
    out_of_bag: float, resubstitution: float, no_information: float
) -> BootstrapError:
    """Return the .632 and .632+ estimates from their three ingredients.

    See Also
    --------
    BootstrapError : the estimates and what they are made of.

    Examples
    --------
    >>> from branchline.assess import bootstrap_error
    >>> round(bootstrap_error(0.4, 0.0, 0.5).error_632_plus, 4)
    0.3583
    """
    plain = _LEFT_OUT * resubstitution + _DRAWN * out_of_bag
    capped = min(out_of_bag, no_information)
    overfitting = 0.0
    if capped > resubstitution and no_information > resubstitution:
        overfitting = (capped - resubstitution) / (no_information - resubstitution)
    weight = _DRAWN / (1 - _LEFT_OUT * overfitting)
    plus = plain
    if overfitting > 0:  # so .632 and .632+ are the same number when there is none
        more = _LEFT_OUT * _DRAWN * overfitting / (1 - _LEFT_OUT * overfitting)
        plus = plain + (capped - resubstitution) * more
    return BootstrapError(
        out_of_bag, resubstitution, no_information, overfitting, weight, plain, plus
    )


def no_information_error(
    truth: npt.NDArray[np.integer], predicted: npt.NDArray[np.integer], n_classes: int
) -> float:
    """Return the error when each prediction is paired with each truth: Σ p_l (1 − q_l).

    ``p_l`` is the share of class l among the truth, ``q_l`` among the predictions.
    """
    if len(truth) == 0:
        raise DataError("There are no rows to compute an error of.", code="D001")
    p = np.bincount(truth, minlength=n_classes) / len(truth)
    q = np.bincount(predicted, minlength=n_classes) / len(predicted)
    return float((p * (1 - q)).sum())


def no_information_square(truth: Floats, predicted: Floats) -> float:
    """Return the mean of (y_i − p_j)² over all pairs, which is var y + var p + (ȳ − p̄)²."""
    if len(truth) == 0:
        raise DataError("There are no rows to compute an error of.", code="D001")
    gap = float(truth.mean()) - float(predicted.mean())
    return float(truth.var()) + float(predicted.var()) + gap**2
