"""What rules say of one model of a hierarchy: VC bound, AIC, BIC and description length.

With n rows, k parameters, training error R and likelihood L:

    VC, classes:  R + √( (h (ln(2n/h) + 1) − ln(ε/4)) / n )
    VC, numbers:  R / (1 − √(p − p ln p + ln(n) / 2n))₊,  p = h / n  (Cherkassky and others, 1999)
    AIC = −2 ln L + 2 k,   BIC = −2 ln L + k ln n,   MDL = −log₂ L + ½ k log₂ n + bits of the shape.

For numbers −2 ln L = n ln(RSS / n) up to a constant, and the variance of the noise is one of the
parameters. Several sizes are looked at, so each bound gets an equal share of ε: then all of them
hold together with probability 1 − ε, the least one too.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._vc_bound import vc_bound
from branchline.assess.comparing._problem import Problem

__all__ = ["Fitted", "SizeCriteria", "criteria_of"]

_LEAST_PROBABILITY = 1e-12
_PERFECT = 1e-15  # no fit is better than rounding


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model of a hierarchy, fitted.

    Parameters
    ----------
    size
        Its place in the hierarchy: a degree, a number of leaves or inputs, a penalty.
    model
        What predicts.
    n_parameters
        How many numbers were chosen; None where no likelihood was maximized.
    h
        The VC dimension of models of this size, or an upper bound of it.
    shape_bits
        Bits that say which inputs it has, or which shape.
    risk
        The training risk when it is not the plain error of the model; None: the plain error.
    """

    size: Any
    model: Any
    n_parameters: int | None
    h: float
    shape_bits: float = 0.0
    risk: float | None = None


@dataclass(frozen=True)
class SizeCriteria:
    """What each rule minimizes, and its parts."""

    n_parameters: int | None
    h: float
    risk: float
    confidence: float
    bound: float
    aic: float
    bic: float
    mdl: float


def criteria_of(fitted: Fitted, problem: Problem, epsilon: float) -> SizeCriteria:
    """Return the criteria of a model on its training rows."""
    predicted = fitted.model.predict(problem.table)
    if problem.classes is None:
        risk = float(((problem.target - predicted) ** 2).mean())
        bound = _bound_of_numbers(risk, fitted.h, problem.n_rows)
    else:
        risk = float((predicted != problem.target).mean()) if fitted.risk is None else fitted.risk
        bound = vc_bound(risk, fitted.h, problem.n_rows, epsilon).bound
    aic, bic, mdl = _of_likelihood(fitted, problem, risk)
    confidence = bound - risk if math.isfinite(bound) else math.inf
    return SizeCriteria(fitted.n_parameters, fitted.h, risk, confidence, bound, aic, bic, mdl)


def _bound_of_numbers(risk: float, h: float, n_rows: int) -> float:
    """Return the practical bound of a mean squared error; infinite where h is too large."""
    p = min(h / n_rows, 1.0)
    root = math.sqrt(p - p * math.log(p) + math.log(n_rows) / (2 * n_rows))
    return risk / (1 - root) if root < 1 else math.inf


def _of_likelihood(fitted: Fitted, problem: Problem, risk: float) -> tuple[float, float, float]:
    if fitted.n_parameters is None:
        return math.nan, math.nan, math.nan
    k, n = fitted.n_parameters, problem.n_rows
    if problem.classes is None:
        least = _PERFECT * max(float(problem.target.var()), np.finfo(float).tiny)
        deviance = n * math.log(max(risk, least))
        k += 1
    else:
        deviance = -2 * _log_likelihood(fitted.model, problem)
    bic = deviance + k * math.log(n)
    return deviance + 2 * k, bic, bic / (2 * math.log(2)) + fitted.shape_bits


def _log_likelihood(model: Any, problem: Problem) -> float:
    places = np.searchsorted(model.classes_, problem.target)
    given = model.predict_proba(problem.table)[np.arange(problem.n_rows), places]
    return float(np.log(np.maximum(given, _LEAST_PROBABILITY)).sum())
