"""How rich a set of models is: its VC dimension, or an upper bound of it.

A set that can label m points in at most G(m) ways shatters no more points than the largest m with
2^m ≤ G(m). Labels are "right" and "wrong", so that any number of classes is covered. With K of
them:

1. Linear models of D terms: h = D + 1 for two classes. For more, the K (K − 1) / 2 lines between
   two classes decide, and each of them labels points in at most (e m / h)^h ways.
2. Linear models that choose k of d inputs: as many times more as there are choices, C(d, k).
3. Trees of L leaves: G(m) = shapes · tests(m)^(L − 1) · K^L, where the number of shapes is the
   Catalan number of L − 1 and tests(m) counts the tests that part m points differently.
4. Linear models of margin γ on points with ‖x‖ ≤ A: h = min(D, ⌈4 A² / γ²⌉) + 1.
"""

import math
from collections.abc import Callable

import numpy as np

from branchline.table import Table

__all__ = ["dimension_of_lines", "dimension_of_margin", "dimension_of_trees", "most_shattered"]

_LOG_2 = math.log(2.0)
_MOST_LEVELS = 1000  # 2^1000 partings are as good as all


def most_shattered(log_growth: Callable[[float], float], least: float = 1.0) -> float:
    """Return the largest m with 2^m ≤ G(m), for a log G(m) that is concave in m."""
    low = max(1.0, least)
    high = 2 * low
    while high * _LOG_2 <= log_growth(high):
        low, high = high, 2 * high
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * _LOG_2 <= log_growth(middle) else (low, middle)
    return float(math.ceil(low))


def dimension_of_lines(n_terms: int, n_classes: int = 2, log_choices: float = 0.0) -> float:
    """Return h of linear models; ``log_choices``: the logarithm of C(d, k) where inputs compete."""
    h = n_terms + 1
    n_lines = max(1, n_classes * (n_classes - 1) // 2)
    if n_lines == 1 and log_choices <= 0:
        return float(h)

    def log_growth(m: float) -> float:
        return log_choices + n_lines * h * (math.log(max(m, h) / h) + 1)

    return most_shattered(log_growth, least=h)


def dimension_of_trees(table: Table, n_leaves: int, n_classes: int = 2) -> float:
    """Return an upper bound of h for trees of ``n_leaves`` leaves on the columns of a table."""
    if n_leaves < 2:
        return 1.0
    shapes = math.lgamma(2 * n_leaves - 1) - math.lgamma(n_leaves) - math.lgamma(n_leaves + 1)
    labels = n_leaves * math.log(max(2, n_classes))
    n_numbers, log_partings = _tests_of(table)

    def log_growth(m: float) -> float:
        by_numbers = math.log(n_numbers * m) if n_numbers else -math.inf
        return shapes + labels + (n_leaves - 1) * float(np.logaddexp(by_numbers, log_partings))

    return most_shattered(log_growth, least=n_leaves)


def _tests_of(table: Table) -> tuple[int, float]:
    """Return thresholds per point, and the logarithm of how many partings of categories there are.

    Missing values go to either side: a column of numbers that has some counts twice, and they are
    one more category.
    """
    n_numbers, partings = 0, []
    for name in table.names:
        column = table.column(name)
        has_missing = bool(column.is_missing.any())
        if column.kind == "category":
            n_levels = column.n_used_categories + has_missing
            partings.append(min(max(n_levels - 1, 0), _MOST_LEVELS) * _LOG_2)
        else:
            n_numbers += 1 + has_missing
    return n_numbers, float(np.logaddexp.reduce(partings)) if partings else -math.inf


def dimension_of_margin(n_terms: int, radius: float, margin: float) -> float:
    """Return h of linear models whose margin is at least γ."""
    by_margin = math.ceil(4 * radius**2 / margin**2) if 0 < margin < math.inf else math.inf
    return float(min(n_terms, by_margin) + 1)
