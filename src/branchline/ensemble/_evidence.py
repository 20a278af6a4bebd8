"""Evidence: how probable the data are under each member (``_bayesian_average`` has the formulas).

1. Predictions of members: out of fold (``_fitting``), or of the rows they were fitted on.
2. The log-likelihood of the truth; for numbers, normal with the deviation of the errors.
3. For the Bayesian information criterion, ½ k ln n is taken off.
4. The posterior: prior · exp(evidence), divided by its sum.
"""

import math
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._base import Estimator
from branchline.ensemble._fitting import OutOfFold, outputs_of
from branchline.ensemble._training_rows import TrainingRows
from branchline.ensemble._weights import mean_squared_errors
from branchline.errors import ParameterError, Repair

__all__ = ["in_sample", "log_likelihood", "penalties", "posterior"]

# The least variance of errors, relative to the numbers' own size: what rounding leaves of it.
_LEAST_VARIANCE = 2.0**-100


def in_sample(rows: TrainingRows, members: list[Any], labels: list[str]) -> OutOfFold:
    """Return the predictions of the rows that members were fitted on."""
    predicted = [
        outputs_of(member, rows.table, rows.classes, label)
        for label, member in zip(labels, members, strict=True)
    ]
    return OutOfFold(np.arange(rows.n_rows), rows.units, np.stack(predicted, axis=1))


def penalties(rows: TrainingRows, members: list[Any], labels: list[str]) -> Floats:
    """Return ½ k ln n of each member."""
    for label, member in zip(labels, members, strict=True):
        if not isinstance(member, Estimator):
            raise ParameterError(
                f"evidence='bic' counts the parts of each member, but the member {label!r} "
                f"({type(member).__name__}) is of another library and cannot count them.",
                code="P085",
                values=[label],
                repair=Repair("model.set_params(evidence='folds').fit(X, y)"),
            )
    n_rows = math.fsum(rows.units * rows.unit)
    counts = np.array([member.complexity().count for member in members], dtype=np.float64)
    return 0.5 * counts * math.log(max(n_rows, 1.0))


def log_likelihood(rows: TrainingRows, held: OutOfFold) -> tuple[Floats, Floats | None]:
    """Return the log-likelihood of each member and, for numbers, the deviation of its errors."""
    weight = held.units * rows.unit
    n_rows = math.fsum(weight)
    if rows.classes is not None:
        n_classes = len(rows.classes)
        true_class = rows.target.class_of_row[held.rows].astype(np.intp)
        predicted = np.take_along_axis(held.outputs, true_class[:, None, None], axis=2)[:, :, 0]
        logs = np.log((n_rows * predicted + 1) / (n_rows + n_classes))
        return np.array([math.fsum(weight * member) for member in logs.T]), None
    squares, exponent = mean_squared_errors(rows, held)
    variance = np.maximum(squares, _LEAST_VARIANCE)
    # The variance is in units of 4^exponent, which belongs to the likelihood too.
    logs = np.log(2 * np.pi * variance) + 2 * exponent * math.log(2.0)
    return -0.5 * n_rows * (logs + 1), np.ldexp(np.sqrt(variance), exponent)


def posterior(evidence: Floats, prior: Floats) -> Floats:
    """Return prior · exp(evidence), divided by its sum."""
    possible = prior > 0
    raw = np.zeros(len(prior))
    raw[possible] = prior[possible] * np.exp(evidence[possible] - evidence[possible].max())
    posterior: Floats = raw / math.fsum(raw)
    return posterior
