"""Weights of members: equal, given, by their errors, or with the least error of the mean.

Errors are taken out of fold, so that no member is praised for rows it has learned by heart.

1. "accuracy": classes — the weights that are best when members err independently [1]_,
   w = ln((K − 1) p / (1 − p)) with p = (right + 1) / (rows + K) for K classes, 0 when no better
   than chance; numbers — w = 1 / mean squared error.
2. "stacked" [2]_: the weights w ≥ 0, Σ w = 1 for which the weighted mean has the least squared
   error (for classes: of the probabilities, the Brier score). With residuals e_m of each member and
   G = EᵀE / n this is the least wᵀGw on the simplex. It is found by non-negative least squares:
   min ‖G^½ u‖² + (Σu − 1)² has its solution at u = s w, because for a fixed direction the best s
   leaves wᵀGw / (1 + wᵀGw), which grows with wᵀGw.

.. [1] S. Nitzan, J. Paroush, Optimal decision rules in uncertain dichotomous choice, 1982.
.. [2] L. Breiman, Stacked regressions, 1996.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from branchline._arrays import Floats
from branchline._power_of_two import power_of_two_scale
from branchline.ensemble._fitting import OutOfFold
from branchline.ensemble._training_rows import TrainingRows
from branchline.errors import ParameterError, Repair

__all__ = [
    "accuracy_weights",
    "check_numbers",
    "equal_weights",
    "mean_squared_errors",
    "score_members",
    "stacked_weights",
]


def equal_weights(n_members: int) -> Floats:
    """Return the same weight for each member."""
    return np.full(n_members, 1.0 / n_members)


def check_numbers(
    owner: str, parameter: str, values: Any, n_members: int, repair: Repair | None = None
) -> Floats:
    """Return given weights, divided by their sum."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.full(0, np.nan)
    fits = given.shape == (n_members,) and np.isfinite(given).all() and (given >= 0).all()
    if not fits or not given.any():
        raise ParameterError(
            f"The {parameter!r} parameter of {owner} must hold {n_members} numbers of at least 0, "
            f"one for each member and not all 0. Got {values!r} instead.",
            code="P083",
            values=[values],
            repair=repair or Repair(f"model.set_params({parameter}=None)"),
        )
    given = np.ldexp(given, -power_of_two_scale(given))
    return given / math.fsum(given)


def score_members(rows: TrainingRows, held: OutOfFold) -> Floats:
    """Return each member's score out of fold: its accuracy, or its root mean squared error."""
    total = int(held.units.sum())
    if rows.classes is None:
        squares, exponent = mean_squared_errors(rows, held)
        return np.ldexp(np.sqrt(squares), exponent)
    right = _is_right(rows, held)
    accuracy: Floats = (held.units[:, None] * right).sum(axis=0) / total
    return accuracy


def accuracy_weights(rows: TrainingRows, held: OutOfFold) -> Floats:
    """Return weights that follow from each member's own errors."""
    n_members = held.outputs.shape[1]
    if rows.classes is None:
        squares, _ = mean_squared_errors(rows, held)
        # A member without any error takes all the weight, shared with others like it.
        raw = (squares == 0).astype(float) if (squares == 0).any() else squares.min() / squares
    else:
        n_classes, weight = max(2, len(rows.classes)), held.units * rows.unit
        right = np.array([math.fsum(weight * member) for member in _is_right(rows, held).T])
        share = (right + 1) / (math.fsum(weight) + n_classes)
        raw = np.maximum(0.0, np.log((n_classes - 1) * share / (1 - share)))
    return raw / raw.sum() if raw.any() else equal_weights(n_members)


def mean_squared_errors(rows: TrainingRows, held: OutOfFold) -> tuple[Floats, int]:
    """Return each member's mean squared error, divided by 4^exponent so that it cannot overflow."""
    errors, exponent = _residuals(rows, held)
    return np.diag(_mean_products(errors, held)).copy(), exponent


def stacked_weights(rows: TrainingRows, held: OutOfFold) -> Floats:
    """Return the weights of the mean that has the least squared error out of fold."""
    errors, _ = _residuals(rows, held)
    products = _mean_products(errors, held)
    n_members = len(products)
    size = float(np.trace(products)) / n_members
    if size == 0:
        return equal_weights(n_members)
    values, vectors = np.linalg.eigh(products / size)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    system = np.vstack([root, np.ones(n_members)])
    found, _ = nnls(system, np.append(np.zeros(n_members), 1.0))
    weights: Floats = found / found.sum()
    return weights


def _is_right(rows: TrainingRows, held: OutOfFold) -> npt.NDArray[np.bool_]:
    decided = held.outputs.argmax(axis=2)
    right: npt.NDArray[np.bool_] = decided == rows.target.class_of_row[held.rows][:, None]
    return right


def _residuals(rows: TrainingRows, held: OutOfFold) -> tuple[Floats, int]:
    """Return what members are off by, (row, member, output), divided by 2^exponent."""
    if rows.classes is not None:
        truth = np.eye(len(rows.classes))[rows.target.class_of_row[held.rows]]
        return held.outputs - truth[:, None, :], 0
    truth = rows.target.values[held.rows]
    exponent = max(power_of_two_scale(held.outputs), power_of_two_scale(truth))
    errors = np.ldexp(held.outputs, -exponent) - np.ldexp(truth, -exponent)[:, None]
    return errors[:, :, None], exponent


def _mean_products(errors: Floats, held: OutOfFold) -> Floats:
    """Return the mean of e_i · e_j for each pair of members; sums do not depend on the machine."""
    share = held.units / held.units.sum()
    n_members = errors.shape[1]
    products = np.zeros((n_members, n_members))
    for i in range(n_members):
        for j in range(i + 1):
            terms = (errors[:, i] * errors[:, j]).sum(axis=1)
            products[i, j] = products[j, i] = math.fsum(share * terms)
    return products
