"""Scores of columns from counts of rows by value and class: information, gains, χ².

With N rows, n_vc of value v and class c, n_v and n_c in all:

- mutual information: I = Σ n_vc/N ln(n_vc N / (n_v n_c)), less its mean over all ways to shuffle
  the classes (``_chance``), so that names and identifiers gain nothing. Its variance is
  (Σ n_vc/N ln²(…) − I²) / N; 2 N I is a G² statistic, tested as χ² is (``_independence_test``).
- χ²: Σ (n_vc − n_v n_c / N)² / (n_v n_c / N).
- gain, gini, gain_ratio: the largest decrease of impurity by one test of a tree. Numbers are split
  at a threshold (missing values go to the better side), categories of two classes by their share
  of a class, others into all their values. These are the textbook's, without a correction: columns
  of many values look better than they are.
"""

from collections.abc import Callable

import numpy as np

from branchline._arrays import Floats
from branchline.features._chance import ChanceInformation
from branchline.features._column_scores import ColumnScores
from branchline.features._independence_test import chi_square_of, independence_p_values
from branchline.features._scored_rows import Counts, ScoredRows

__all__ = ["chi_square", "gain", "gain_ratio", "gini", "mutual_information"]


def mutual_information(rows: ScoredRows) -> ColumnScores:
    """Return the mutual information of each column and the target, in nats."""
    score, error, p_value = _empty(rows), _empty(rows), _empty(rows)
    chance = ChanceInformation(np.bincount(rows.class_of_row, rows.weights).astype(np.float64))
    for counts in rows.counts():
        joint, by_value, by_class, total = _sums(counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(joint > 0, joint * total / (by_value * by_class), 1.0)
        logs, share = np.log(ratio), joint / total
        plain = (share * logs).sum(axis=(1, 2))
        spread = (share * logs**2).sum(axis=(1, 2)) - plain**2
        score[counts.columns] = plain - chance.of(by_value[:, :, 0])
        error[counts.columns] = np.sqrt(np.maximum(spread, 0.0) / rows.n_rows)
        p_value[counts.columns] = independence_p_values(joint, 2 * rows.n_rows * plain)
    return ColumnScores(score, error, p_value)


def chi_square(rows: ScoredRows) -> ColumnScores:
    """Return Pearson's χ² of each column and the target."""
    score, p_value = _empty(rows), _empty(rows)
    for counts in rows.counts():
        found = chi_square_of(counts.weight)
        score[counts.columns] = found
        p_value[counts.columns] = independence_p_values(counts.weight, found)
    return ColumnScores(score, p_value=p_value)


def gain(rows: ScoredRows) -> ColumnScores:
    """Return the largest decrease of entropy by one test, in bits."""
    return _best_tests(rows, _entropy, ratio=False)


def gini(rows: ScoredRows) -> ColumnScores:
    """Return the largest decrease of the Gini index by one test."""
    return _best_tests(rows, _gini, ratio=False)


def gain_ratio(rows: ScoredRows) -> ColumnScores:
    """Return the largest gain in entropy over the entropy of the branches, by one test."""
    return _best_tests(rows, _entropy, ratio=True)


def _empty(rows: ScoredRows) -> Floats:
    return np.full(rows.table.n_columns, np.nan)


def _sums(counts: Counts) -> tuple[Floats, Floats, Floats, Floats]:
    joint = counts.weight
    by_value, by_class = joint.sum(axis=2, keepdims=True), joint.sum(axis=1, keepdims=True)
    return joint, by_value, by_class, by_class.sum(axis=2, keepdims=True)


# -- one test of a tree ----------------------------------------------------------------------------

Impurity = Callable[[Floats], Floats]


def _entropy(weights: Floats) -> Floats:
    """Return n · H in bits of classes (the last axis)."""
    total = weights.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(weights > 0, weights * np.log2(weights), 0.0).sum(axis=-1)
        whole = np.where(total > 0, total * np.log2(total), 0.0)
    return np.asarray(whole - parts)


def _gini(weights: Floats) -> Floats:
    """Return n · Gini index of classes (the last axis)."""
    total = weights.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(total > 0, total - (weights**2).sum(axis=-1) / total, 0.0))


def _best_tests(rows: ScoredRows, impurity: Impurity, *, ratio: bool) -> ColumnScores:
    score = _empty(rows)
    for counts in rows.counts():
        for place, column in enumerate(counts.columns):
            branches = _tests(counts.weight[place], is_number=bool(rows.is_number[column]))
            score[column] = _best_gain(branches, impurity, ratio=ratio) / rows.n_rows
    return ColumnScores(score)


def _tests(cells: Floats, *, is_number: bool) -> Floats:
    """Return tests × branches × classes; ``cells`` are values × classes, missing first."""
    missing, known = cells[0], cells[1:]
    known = known[known.sum(axis=1) > 0]
    if not is_number and (cells.shape[1] > 2 or len(known) < 2):
        return np.asarray(cells[cells.sum(axis=1) > 0][None])
    if not is_number:
        share = known[:, 1] / known.sum(axis=1)
        known = known[np.argsort(share, kind="stable")]
    left = np.cumsum(known, axis=0)[: max(len(known) - 1, 0)]
    right = known.sum(axis=0) - left
    tests = np.stack([left, right], axis=1)
    if missing.sum() == 0:
        return tests
    alone = np.stack([known.sum(axis=0), missing])[None]  # is the value present?
    to_left, to_right = tests.copy(), tests.copy()
    to_left[:, 0] += missing
    to_right[:, 1] += missing
    return np.concatenate([to_left, to_right, alone]) if known.sum() > 0 else alone


def _best_gain(tests: Floats, impurity: Impurity, *, ratio: bool) -> float:
    if len(tests) == 0 or tests.shape[1] < 2:
        return 0.0
    gains = impurity(tests.sum(axis=1)) - impurity(tests).sum(axis=1)
    if not ratio:
        return max(0.0, float(gains.max()))
    sizes = tests.sum(axis=2)
    spread = _entropy(sizes) / sizes.sum(axis=1)
    # As C4.5 does: only tests of at least average gain, or a tiny branch would win.
    fair = gains >= gains.mean() - 1e-12
    return max(0.0, float((gains[fair] / np.maximum(spread[fair], 1e-12)).max()))
