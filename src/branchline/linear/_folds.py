"""Cross-validation inside a fit: a deal of rows that depends on nothing but their content.

1. Rows are sorted by target and terms. (Their canonical order would depend on columns that say
   nothing, which are no terms.)
2. A fixed permutation deals them to folds; equal rows are one row, so they share a fold.
3. Of several settings the one with the least mean error is taken, or the simplest whose error is
   within one standard error of it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline.encoding._block import Floats
from branchline.linear._regressor import Problem

__all__ = ["CVCurve", "choose", "deal", "mean_and_error"]

_SEED = 20_240_229
_TIE = 1e-4


@dataclass(frozen=True, eq=False)
class CVCurve:
    """The cross-validated squared error of each setting, from the simplest model on."""

    error: Floats
    standard_error: Floats


def deal(problem: Problem, n_folds: int) -> npt.NDArray[np.intp]:
    """Return the fold of each row."""
    order = _order(problem)
    places = np.random.default_rng(_SEED).permutation(problem.n_rows)
    folds = np.empty(problem.n_rows, dtype=np.intp)
    folds[order] = places % min(n_folds, problem.n_rows)
    return folds


def _order(problem: Problem) -> npt.NDArray[np.intp]:
    target = problem.targets[:, 0]
    if sparse.issparse(problem.matrix):
        return np.argsort(target, kind="stable")
    order = np.argsort(target, kind="stable")
    if (np.diff(target[order]) > 0).all():
        return order
    keys = [problem.weights, *problem.matrix.T[::-1], *problem.targets.T[::-1]]
    return np.lexsort(keys)


def mean_and_error(errors: Floats, weights: Floats) -> CVCurve:
    """Return the mean over folds (rows) of each setting's (columns) errors, and its spread."""
    share = weights / weights.sum()
    mean = share @ errors
    n_folds = max(2, len(weights))
    spread = np.sqrt(share @ (errors - mean) ** 2 / (n_folds - 1))
    return CVCurve(mean, spread)


def choose(curve: CVCurve, rule: str) -> int:
    """Return which setting is taken; the simplest on ties.

    Errors that differ by less than a ten-thousandth are equal: a curve that is flat to the end
    would else be followed to its end.
    """
    best = int(np.argmin(curve.error))
    if rule == "best":
        return int(np.flatnonzero(curve.error <= curve.error[best] * (1 + _TIE))[0])
    limit = curve.error[best] + curve.standard_error[best]
    return int(np.flatnonzero(curve.error <= limit)[0])
