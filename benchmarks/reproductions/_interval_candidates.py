"""Intervals that ``interval_candidates`` tries beside today's: some refit, some do not.

All are about the mean loss L of a learner in k folds, l_i being the loss of row i when predicted.

1. ``nested``: nested cross-validation (Bates, Hastie and Tibshirani, 2023). Each fold f in turn is
   set aside; the others are cross-validated (mean loss e) and predict f (mean loss o, variance of
   its rows v). The mean over folds and repeats of (e - o)² - v / n_f estimates the squared error of
   L; times (k - 1) / k it is kept between 1 and k times the squared error that rows explain. A
   model without two folds serves both of them, so a repeat costs k (k + 1) / 2 fits.
2. ``bootstrap``: the whole cross-validation is repeated on rows drawn with replacement, copies of a
   row in one fold; the standard deviation of L over these samples is its error.
3. ``resampled predictions``: predictions are drawn with replacement, nothing is fitted again. With
   one setting this is what bootstrap bias-corrected cross-validation (Tsamardinos, Greasidou and
   Borboudakis, 2018) comes to; with several, the best of each sample is scored by the rows that the
   sample left out (``bias_corrected``).
4. ``fold scores``: the corrected resampled t of Nadeau and Bengio (2003) over the k scores.
"""

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt

from branchline._folds import Fold, FoldRows
from branchline._intervals import Interval, corrected_t_interval

__all__ = [
    "Losses",
    "bias_corrected",
    "bootstrap_interval",
    "cross_validated",
    "fold_interval",
    "nested_interval",
    "resampled_interval",
]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
# Fits on some rows and returns the losses of others, one column for each metric.
Losses = Callable[[Rows, Rows], Floats]
_NORMAL = 1.959964


def _around(center: float, error: float) -> Interval:
    return Interval(center, center - _NORMAL * error, center + _NORMAL * error)


def cross_validated(losses: Losses, folds: list[Fold], n_rows: int) -> Floats:
    """Return the loss of each row, predicted by the model that had not seen it."""
    found = np.empty((n_rows, losses(folds[0].learn_rows, folds[0].test_rows[:1]).shape[1]))
    for fold in folds:
        found[fold.test_rows] = losses(fold.learn_rows, fold.test_rows)
    return found


def nested_interval(losses: Losses, rows: FoldRows, n_folds: int, repeats: int) -> list[Interval]:
    """Return the interval of nested cross-validation, one for each metric."""
    each = [_nested_once(losses, rows.split(n_folds, seed)) for seed in range(repeats)]
    center = np.mean([one[0] for one in each], axis=0)
    squared = np.mean([one[1] for one in each], axis=0) * (n_folds - 1) / n_folds
    by_rows = np.mean([one[2] for one in each], axis=0)
    squared = np.clip(squared, by_rows, n_folds * by_rows)
    return [_around(*pair) for pair in zip(center.tolist(), np.sqrt(squared), strict=True)]


def _nested_once(losses: Losses, folds: list[Fold]) -> tuple[Floats, Floats, Floats]:
    """Return the mean loss, its squared error, and the squared error that rows explain."""
    tests = [fold.test_rows for fold in folds]
    outer = [losses(fold.learn_rows, fold.test_rows) for fold in folds]
    inner: dict[tuple[int, int], Floats] = {}
    for one, other in combinations(range(len(folds)), 2):
        learn = np.setdiff1d(folds[one].learn_rows, tests[other])
        both = losses(learn, np.concatenate([tests[one], tests[other]]))
        inner[one, other] = both[len(tests[one]) :]  # other's rows, one set aside
        inner[other, one] = both[: len(tests[one])]
    squared = []
    for place, out in enumerate(outer):
        rest = np.concatenate([inner[place, j] for j in range(len(folds)) if j != place])
        gap = rest.mean(axis=0) - out.mean(axis=0)
        squared.append(gap**2 - out.var(axis=0, ddof=1) / len(out))
    every = np.concatenate(outer)
    by_rows = every.var(axis=0, ddof=1) / len(every)
    return every.mean(axis=0), np.mean(squared, axis=0), by_rows


def bootstrap_interval(
    losses: Losses, rows_of: Callable[[Rows], FoldRows], n_rows: int, n_folds: int, n_samples: int
) -> list[Interval]:
    """Return the mean loss, its error learned by repeating everything on drawn rows."""
    rng = np.random.default_rng(n_rows)
    usual = cross_validated(losses, rows_of(np.arange(n_rows)).split(n_folds, 0), n_rows)
    means = []
    for seed in range(n_samples):
        drawn = rng.integers(0, n_rows, n_rows)
        folds = rows_of(drawn).split(n_folds, seed)
        each = [losses(drawn[fold.learn_rows], drawn[fold.test_rows]) for fold in folds]
        means.append(np.concatenate(each).mean(axis=0))
    errors = np.std(means, axis=0, ddof=1)
    return [_around(*pair) for pair in zip(usual.mean(axis=0).tolist(), errors, strict=True)]


def resampled_interval(loss: Floats, n_samples: int = 500) -> list[Interval]:
    """Return the mean loss with the percentiles of means over drawn predictions."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(loss), (n_samples, len(loss)))
    means = loss[drawn].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    return [Interval(*three) for three in zip(loss.mean(axis=0).tolist(), low, high, strict=True)]


def bias_corrected(loss: Floats, n_samples: int = 500) -> Interval:
    """Return the loss of the best of several settings (columns), corrected for choosing it."""
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(n_samples):
        drawn = rng.integers(0, len(loss), len(loss))
        left_out = np.setdiff1d(np.arange(len(loss)), drawn)
        if len(left_out):
            best = int(loss[drawn].mean(axis=0).argmin())
            scores.append(float(loss[left_out, best].mean()))
    low, high = np.quantile(scores, [0.025, 0.975])
    return Interval(math.fsum(scores) / len(scores), float(low), float(high))


def fold_interval(loss: Floats, folds: list[Fold]) -> list[Interval]:
    """Return the corrected resampled t over the scores of folds."""
    ratio = len(folds[0].test_rows) / len(folds[0].learn_rows)
    scores = np.array([loss[fold.test_rows].mean(axis=0) for fold in folds])
    return [
        corrected_t_interval(scores[:, place].tolist(), ratio) for place in range(scores.shape[1])
    ]
