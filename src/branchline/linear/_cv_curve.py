"""Choosing a setting by its errors on the folds of ``_folds``.

Of several settings the one with the least mean error is taken, or the simplest whose error is
within one standard error of it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._size_rule import accepted_errors

__all__ = ["CVCurve", "choose", "mean_and_error"]

_TIE = 1e-4


@dataclass(frozen=True, eq=False)
class CVCurve:
    """The cross-validated squared error of each setting, from the simplest model on."""

    error: Floats
    standard_error: Floats


def mean_and_error(errors: Floats, weights: Floats) -> CVCurve:
    """Return the mean over folds (rows) of each setting's (columns) errors, and its spread."""
    share = weights / weights.sum()
    mean = share @ errors
    n_folds = max(2, len(weights))
    spread = np.sqrt(share @ (errors - mean) ** 2 / (n_folds - 1))
    return CVCurve(mean, spread)


def choose(curve: CVCurve, rule: Any) -> int:
    """Return which setting is taken: the simplest one within the errors that ``rule`` accepts.

    Errors that differ by less than a ten-thousandth are equal: a curve that is flat to the end
    would else be followed to its end.
    """
    best = int(np.argmin(curve.error))
    accepted = curve.error[best] + accepted_errors(rule) * curve.standard_error[best]
    limit = max(accepted, curve.error[best] * (1 + _TIE))
    return int(np.flatnonzero(curve.error <= limit)[0])
