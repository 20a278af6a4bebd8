"""Scores of columns from means and variances: correlation, t, F, variance.

A column's missing values are left out of its own score. What is computed depends on both kinds:

| column | target | strength (``correlation``) | test |
|---|---|---|---|
| number | number | absolute correlation | F of the slope |
| number | classes | η: √(variance between classes / all) | F of one-way analysis of variance |
| category | number | η, the other way round | F of one-way analysis of variance |
| category | classes | Cramér's V | χ² / degrees of freedom, the limit of F |
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from branchline._arrays import Floats, Places
from branchline._one_thread import one_thread
from branchline.features._by_counts import chi_square
from branchline.features._column_scores import ColumnScores
from branchline.features._scored_rows import ScoredRows

__all__ = ["correlation", "f_test", "rank_correlation", "t_test", "variance"]


@dataclass(frozen=True)
class _Association:
    """How strongly each column goes with the target, and the F statistic that tests it."""

    strength: Floats
    f: Floats
    p_value: Floats


def correlation(rows: ScoredRows) -> ColumnScores:
    """Return how strongly each column goes with the target, from 0 to 1."""
    found = _associations(rows, rows.numbers)
    return ColumnScores(found.strength, p_value=found.p_value)


def rank_correlation(rows: ScoredRows) -> ColumnScores:
    """Return the strength with numbers replaced by their ranks (Spearman)."""
    ranks = np.full(rows.table.shape, np.nan)
    for column in np.flatnonzero(rows.is_number):
        ranks[:, column] = _ranks(rows.numbers[:, column], rows.weights)
    found = _associations(rows, ranks, ranked=True)
    return ColumnScores(found.strength, p_value=found.p_value)


def f_test(rows: ScoredRows) -> ColumnScores:
    """Return the F statistic of each column."""
    found = _associations(rows, rows.numbers)
    return ColumnScores(found.f, p_value=found.p_value)


def t_test(rows: ScoredRows) -> ColumnScores:
    """Return |t| of Welch's test of each number between two classes; NaN for categories."""
    sums = _class_moments(
        _without_size(rows.numbers), rows.weights, rows.class_of_row, rows.n_classes
    )
    n, mean, spread = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = spread / (n - 1) / n  # squared standard errors of the two means
        t = np.abs(mean[1] - mean[0]) / np.sqrt(errors.sum(axis=0))
        freedom = errors.sum(axis=0) ** 2 / (errors**2 / (n - 1)).sum(axis=0)
    t = np.where(rows.is_number, np.nan_to_num(t, nan=0.0, posinf=np.inf), np.nan)
    p_value = np.where(np.isfinite(freedom), 2 * stats.t.sf(t, freedom), np.where(t > 0, 0.0, 1.0))
    return ColumnScores(t, p_value=np.where(rows.is_number, p_value, np.nan))


def variance(rows: ScoredRows) -> ColumnScores:
    """Return the variance of each number, and 1 − Σ p² of each category; no target is needed."""
    one_class = np.zeros(len(rows.weights), int)
    n, _, spread = _class_moments(_without_size(rows.numbers), rows.weights, one_class, 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        score = np.where(n[0] > 1, spread[0] / (n[0] - 1), 0.0)
        score = np.ldexp(score, 2 * _exponents(rows.numbers))
    for column in np.flatnonzero(~rows.is_number):
        codes = rows.codes.columns[column].astype(np.intp)
        shares = np.bincount(codes, rows.weights)[1:]
        total = shares.sum()
        score[column] = 1 - ((shares / total) ** 2).sum() if total > 0 else 0.0
    return ColumnScores(score)


# -- associations ----------------------------------------------------------------------------------


def _associations(rows: ScoredRows, numbers: Floats, *, ranked: bool = False) -> _Association:
    numbers = _without_size(numbers)
    if rows.has_classes:
        found = _numbers_by_class(rows, numbers)
        if not rows.is_number.all():
            _categories_by_class(rows, found)
        return found
    target = _without_size(rows.data.number_target.values[:, None])[:, 0]
    found = _numbers_by_number(rows, numbers, _ranks(target, rows.weights) if ranked else target)
    for column in np.flatnonzero(~rows.is_number):
        _category_by_number(rows, int(column), target, found)
    return found


def _numbers_by_class(rows: ScoredRows, numbers: Floats) -> _Association:
    n, mean, spread = _class_moments(numbers, rows.weights, rows.class_of_row, rows.n_classes)
    with np.errstate(divide="ignore", invalid="ignore"):
        total, within = n.sum(axis=0), spread.sum(axis=0)
        center = np.where(n > 0, n * mean, 0.0).sum(axis=0) / total
        between = np.where(n > 0, n * (mean - center) ** 2, 0.0).sum(axis=0)
        n_classes = (n > 0).sum(axis=0)
        return _from_sums(between, within, n_classes - 1, total - n_classes)


def _numbers_by_number(rows: ScoredRows, numbers: Floats, target: Floats) -> _Association:
    known = np.isfinite(numbers)
    weights = rows.weights[:, None] * known
    total = weights.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(
            known, numbers - (weights * np.where(known, numbers, 0)).sum(axis=0) / total, 0
        )
        y = np.where(known, target[:, None] - (weights * target[:, None]).sum(axis=0) / total, 0)
        x, y = _scaled(x), _scaled(y)
        xx, yy = (weights * x * x).sum(axis=0), (weights * y * y).sum(axis=0)
        xy = (weights * x * y).sum(axis=0)
        told = np.where((xx > 0) & (yy > 0), xy**2 / (xx * yy), 0.0)
    told = np.clip(told, 0.0, 1.0)
    return _from_sums(told, 1 - told, np.ones(len(total)), total - 2)


def _category_by_number(rows: ScoredRows, column: int, target: Floats, found: _Association) -> None:
    codes = rows.codes.columns[column].astype(np.intp)
    known = np.where(codes > 0, target, np.nan)[:, None]
    n, mean, spread = _class_moments(known, rows.weights, codes, int(codes.max(initial=0)) + 1)
    n = n[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = n.sum()
        center = np.where(n > 0, n * mean[1:], 0.0).sum() / total
        between = np.where(n > 0, n * (mean[1:] - center) ** 2, 0.0).sum()
    groups = int((n > 0).sum())
    one = _from_sums(
        np.array([between]), np.array([spread[1:].sum()]), np.array([groups - 1]),
        np.array([total - groups]),
    )  # fmt: skip
    found.strength[column], found.f[column] = one.strength[0], one.f[0]
    found.p_value[column] = one.p_value[0]


def _categories_by_class(rows: ScoredRows, found: _Association) -> None:
    scores = chi_square(rows)
    assert scores.p_value is not None
    for column in np.flatnonzero(~rows.is_number):
        n_values = len(np.unique(rows.codes.columns[column]))
        least = min(n_values, rows.n_classes) - 1
        freedom = max((n_values - 1) * (rows.n_classes - 1), 1)
        statistic = scores.score[column]
        found.strength[column] = np.sqrt(statistic / (rows.n_rows * least)) if least > 0 else 0.0
        found.f[column] = statistic / freedom
        found.p_value[column] = scores.p_value[column]


def _from_sums(
    between: Floats, within: Floats, upper: Floats | Places, lower: Floats
) -> _Association:
    """Return strength and F of sums of squares with their degrees of freedom."""
    total = between + within
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = np.where(total > 0, np.sqrt(between / total), 0.0)
        f = (between / upper) / (within / lower)
    testable = (upper > 0) & (lower > 0) & (total > 0)
    f = np.where(testable, f, 0.0)
    p_value = np.where(testable, stats.f.sf(f, np.maximum(upper, 1), np.maximum(lower, 1)), 1.0)
    return _Association(strength, f, p_value)


# -- sums ------------------------------------------------------------------------------------------


@one_thread
def _class_moments(
    numbers: Floats, weights: Floats, class_of_row: Places, n_classes: int
) -> tuple[Floats, Floats, Floats]:
    """Return weights, means and sums of squared deviations: classes × columns."""
    known = np.isfinite(numbers)
    member = np.zeros((n_classes, len(weights)))
    member[class_of_row, np.arange(len(weights))] = weights
    n = member @ known
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = member @ np.where(known, numbers, 0.0) / n
        apart = np.where(known, numbers - mean[class_of_row], 0.0)
        spread = member @ apart**2
    return n, mean, np.asarray(spread)


def _without_size(values: Floats) -> Floats:
    """Return columns divided by a power of two each, at most 1 then: no digit changes."""
    return np.asarray(np.ldexp(values, -_exponents(values)))


def _exponents(values: Floats) -> Places:
    size = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0, initial=0.0)
    return np.asarray(np.frexp(size)[1])


def _scaled(values: Floats) -> Floats:
    """Return columns divided by their largest size, so that squares neither overflow nor vanish."""
    size = np.abs(values).max(axis=0, initial=0.0)
    return np.asarray(values / np.where(size > 0, size, 1.0))


def _ranks(values: Floats, weights: Floats) -> Floats:
    """Return ranks of numbers by weight, equal ones sharing theirs; NaN stays."""
    ranks = np.full(len(values), np.nan)
    known = np.isfinite(values)
    _, place = np.unique(values[known], return_inverse=True)
    in_place = np.bincount(place, weights[known])
    ranks[known] = (np.cumsum(in_place) - in_place / 2)[place]
    return ranks
