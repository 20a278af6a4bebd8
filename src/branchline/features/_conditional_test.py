"""Whether a column is informative about the target, given other columns.

G² = 2 N I(X; Y | Z), with as many degrees of freedom as the non-empty values of X and Y leave in
each combination z of the given columns: Σ_z (values − 1)(classes − 1).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from branchline._arrays import Floats, Places
from branchline.features._scored_rows import ScoredRows

__all__ = ["ConditionalTest", "conditional_test", "joint_codes"]


@dataclass(frozen=True)
class ConditionalTest:
    """The information a column adds, its p-value, and whether there are rows enough to tell."""

    information: float
    p_value: float
    is_reliable: bool


def joint_codes(columns: Sequence[Places], n_rows: int) -> Places:
    """Return a number for each combination of values that occurs."""
    joint = np.zeros(n_rows, dtype=np.intp)
    for column in columns:
        _, joint = np.unique(joint * (int(column.max()) + 1) + column, return_inverse=True)
    return joint.reshape(-1)


def conditional_test(
    rows: ScoredRows, column: Places, given: Places, rows_per_cell: float = 5.0
) -> ConditionalTest:
    """Test a column of codes against the target, given combinations of other columns.

    ``rows_per_cell`` rows are needed on average for each degree of freedom.
    """
    n_values, n_classes = int(column.max()) + 1, rows.n_classes
    n_given = int(given.max()) + 1
    place = (given * n_values + column) * n_classes + rows.class_of_row
    cells = np.bincount(place, rows.weights, n_given * n_values * n_classes)
    joint: Floats = cells.astype(np.float64).reshape(n_given, n_values, n_classes)
    by_value, by_class = joint.sum(axis=2), joint.sum(axis=1)
    total = by_class.sum(axis=1)
    information = _sum_logs(joint) - _sum_logs(by_value) - _sum_logs(by_class) + _sum_logs(total)
    freedom = float((((by_value > 0).sum(axis=1) - 1) * ((by_class > 0).sum(axis=1) - 1)).sum())
    information = max(0.0, information / rows.n_rows)
    if freedom <= 0:
        return ConditionalTest(0.0, 1.0, True)
    p_value = float(stats.chi2.sf(2 * rows.n_rows * information, freedom))
    return ConditionalTest(information, p_value, rows.n_rows >= rows_per_cell * freedom)


def _sum_logs(weights: Floats) -> float:
    known = weights[weights > 0]
    return float((known * np.log(known)).sum())
