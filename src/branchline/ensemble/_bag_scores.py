"""Scores out of bag: accuracy or R² of the rows that some member has not drawn, with an interval.

1. Only rows with a prediction count; copies of a row count as often as there are of them.
2. Numbers are divided by a power of two, so that no square overflows.
3. The interval is that of a ratio of sums over rows (``_row_scores``).
"""

import math

import numpy as np

from branchline._arrays import Floats
from branchline._intervals import Interval
from branchline._power_of_two import power_of_two_scale
from branchline._row_scores import (
    Origin,
    count_different,
    explained_of_rows,
    interval_of_rows,
    ratio_of_rows,
)
from branchline.ensemble._training_rows import TrainingRows

__all__ = ["out_of_bag_interval", "out_of_bag_score"]


def out_of_bag_score(rows: TrainingRows, predicted: Floats) -> float | None:
    """Return accuracy or R² over the rows that are out of some bag."""
    known = np.flatnonzero(~np.isnan(predicted.reshape(rows.n_rows, -1)[:, 0]))
    units = rows.units[known]
    if len(known) == 0:
        return None
    if rows.classes is not None:
        right = predicted[known].argmax(axis=1) == rows.target.class_of_row[known]
        return float(units[right].sum() / units.sum())
    truth, predicted = rows.target.values[known], predicted[known]
    if (truth == truth[0]).all():
        return None  # the target does not vary
    exponent = max(power_of_two_scale(truth), power_of_two_scale(predicted))
    truth, predicted = np.ldexp(truth, -exponent), np.ldexp(predicted, -exponent)
    share = units / units.sum()
    around = math.fsum(share * np.square(truth - math.fsum(share * truth)))
    return 1.0 - math.fsum(share * np.square(truth - predicted)) / around if around > 0 else None


def out_of_bag_interval(rows: TrainingRows, predicted: Floats) -> Interval | None:
    """Return the out-of-bag score with its 95 % interval; None where there is none."""
    known = np.flatnonzero(~np.isnan(predicted.reshape(rows.n_rows, -1)[:, 0]))
    if len(known) == 0:
        return None
    weights, owners = rows.units[known].astype(np.float64), rows.folds.owner_of_row
    origin = Origin(owners[known], count_different(owners))
    if rows.classes is not None:
        right = predicted[known].argmax(axis=1) == rows.target.class_of_row[known]
        values = ratio_of_rows(weights * right, weights)
        return None if values is None else interval_of_rows(values, origin)
    truth, predicted = rows.target.values[known], predicted[known]
    exponent = max(power_of_two_scale(truth), power_of_two_scale(predicted))
    truth, predicted = np.ldexp(truth, -exponent), np.ldexp(predicted, -exponent)
    values = explained_of_rows(truth, predicted, weights)
    return None if values is None else interval_of_rows(values, origin, -math.inf)
