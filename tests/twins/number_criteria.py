"""What the best test of one node loses by absolute error or Poisson deviance: every test is tried.

Numbers: each threshold, missing values on either side. Categories: each subset, or each cut of the
categories in the order of their medians.
"""

from itertools import combinations

import numpy as np

__all__ = ["absolute_loss", "best_loss", "median", "poisson_loss"]


def median(y, w):
    """Return the weighted median, the middle of both where two are."""
    order = np.argsort(y)
    y, reached = y[order], np.cumsum(w[order])
    lower = y[np.searchsorted(reached, reached[-1] / 2, side="left")]
    upper = y[np.searchsorted(reached, reached[-1] / 2, side="right")]
    return (lower + upper) / 2


def absolute_loss(y, w):
    return float(w @ np.abs(y - median(y, w))) if len(y) else 0.0


def poisson_loss(y, w):
    if len(y) == 0:
        return 0.0
    mean = w @ y / w.sum()
    if mean <= 0:
        return np.inf
    logs = np.log(np.where(y > 0, y / mean, 1.0))
    return float(w @ (y * logs))


def _sides(column, kind, y, w):
    """Yield the rows on the left of every test."""
    known = ~np.isnan(column)
    values = np.unique(column[known])
    if kind == "subsets":
        lefts = [
            np.isin(column, chosen)
            for size in range(1, len(values) + 1)
            for chosen in combinations(values, size)
        ]
    else:
        order = values
        if kind in {"medians", "means"}:
            middle = median if kind == "medians" else (lambda some, by: some @ by / by.sum())
            of_value = [middle(y[column == value], w[column == value]) for value in values]
            order = values[np.argsort(of_value, kind="stable")]
        lefts = [np.isin(column, order[:cut]) for cut in range(1, len(order) + 1)]
    for left in lefts:
        yield left
        if not known.all():
            yield left | ~known


def best_loss(columns, kinds, y, w, loss):
    """Return the least loss of both sides together over all tests of all columns."""
    best = loss(y, w)
    for column, kind in zip(columns, kinds, strict=True):
        for left in _sides(column, kind, y, w):
            if left.any() and not left.all():
                best = min(best, loss(y[left], w[left]) + loss(y[~left], w[~left]))
    return best
