"""How surprising counts of values and classes are when a column tells nothing.

With enough rows for each cell, χ² and G² follow the χ² distribution. Where rows are few (names,
identifiers), they do not: a name that occurs once has χ² = N whatever the classes are. There the
p-value is that of a gamma distribution with the mean and variance that χ² has over all ways to
shuffle the classes (Dawson 1954). With N rows, R values of r_i rows and C classes of c_j rows:

    mean = N (R − 1)(C − 1) / (N − 1)
    variance = 2 N / (N − 3) · (v₁ − w₁)(v₂ − w₂) + N² / (N − 1) · w₁ w₂
    v₁ = (R − 1)(N − R) / (N − 1),  w₁ = (Σ N / r_i − R²) / (N − 2);  v₂, w₂ likewise of classes.
"""

import numpy as np
from scipy import stats

from branchline._arrays import Floats

__all__ = ["chi_square_of", "independence_p_values", "shuffled_moments"]

# Rows for each cell of the counts, from which on the χ² distribution is trusted.
_ROWS_OF_A_CELL = 5.0
_FEWEST_ROWS = 4


def chi_square_of(joint: Floats) -> Floats:
    """Return Pearson's χ² of counts: columns × values × classes."""
    by_value, by_class = joint.sum(axis=2, keepdims=True), joint.sum(axis=1, keepdims=True)
    expected = by_value * by_class / by_class.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(expected > 0, (joint - expected) ** 2 / expected, 0.0)
    return np.asarray(parts.sum(axis=(1, 2)))


def independence_p_values(joint: Floats, statistic: Floats) -> Floats:
    """Return p-values of χ² or G² of counts (columns × values × classes).

    Where rows are few for the cells, those of χ², whichever the statistic is.
    """
    by_value, by_class = joint.sum(axis=2), joint.sum(axis=1)
    n_values, n_classes = (by_value > 0).sum(axis=1), (by_class > 0).sum(axis=1)
    freedom = (n_values - 1) * (n_classes - 1)
    p_values = stats.chi2.sf(statistic, np.maximum(freedom, 1))
    is_sparse = by_class.sum(axis=1) < _ROWS_OF_A_CELL * n_values * n_classes
    few = np.flatnonzero(is_sparse & (freedom > 0))
    if len(few) > 0:
        p_values[few] = _shuffled_tails(joint[few], by_value[few], by_class[few])
    return np.where(freedom > 0, p_values, 1.0)


def shuffled_moments(of_value: Floats, of_class: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of χ² when the classes are shuffled among the rows.

    Each column has a row of ``of_value`` (rows of each value) and of ``of_class``; four rows or
    more in all.
    """
    n = of_value.sum(axis=1)
    n_values, v1, w1 = _parts(of_value, n)
    n_classes, v2, w2 = _parts(of_class, n)
    mean = n * (n_values - 1) * (n_classes - 1) / (n - 1)
    variance = 2 * n / (n - 3) * (v1 - w1) * (v2 - w2) + n**2 / (n - 1) * w1 * w2
    return mean, np.maximum(0.0, variance)


def _parts(sizes: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the number of values that occur, and Dawson's v and w."""
    k = (sizes > 0).sum(axis=1).astype(np.float64)
    inverse = np.divide(n[:, None], sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return k, (k - 1) * (n - k) / (n - 1), (inverse.sum(axis=1) - k**2) / (n - 2)


def _shuffled_tails(joint: Floats, of_value: Floats, of_class: Floats) -> Floats:
    tails, found = np.ones(len(joint)), chi_square_of(joint)
    enough = of_value.sum(axis=1) >= _FEWEST_ROWS
    mean, variance = np.ones(len(joint)), np.zeros(len(joint))
    mean[enough], variance[enough] = shuffled_moments(of_value[enough], of_class[enough])
    moves = variance > 1e-9 * mean**2  # else every shuffle gives the same
    shape, scale = mean[moves] ** 2 / variance[moves], variance[moves] / mean[moves]
    tails[moves] = stats.gamma.sf(found[moves], shape, scale=scale)
    return tails
