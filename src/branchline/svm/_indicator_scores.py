"""Ridge regression of the indicators of classes on a kernel, with each row and without it.

1. One fit on all rows, with the penalty α that is given or that has the least leave-one-out error.
2. Ten folds (``_folds``): each row is predicted by a fit on the other folds with the same α. Folds
   hold all classes in their shares. Leaving out single rows would not do: without a row its class
   is a little rarer, and where a kernel tells little, that alone would separate the classes.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places
from branchline._folds import fold_rows
from branchline.svm._centered_ridge import centered_ridge
from branchline.svm._kernel_product import KernelProduct, ThinKernel, WholeKernel, kernel_product
from branchline.svm._kernel_rows import KernelRows

__all__ = ["IndicatorScores", "indicator_scores"]

_N_FOLDS = 10


@dataclass(frozen=True, eq=False)
class IndicatorScores:
    """Indicators of classes, predicted.

    Parameters
    ----------
    alpha
        The strength of the penalty.
    coefficients, bias
        Of each row and class; of each class.
    fitted, left_out
        The indicators of each training row, predicted with and without it.
    """

    alpha: float
    coefficients: Floats
    bias: Floats
    fitted: Floats
    left_out: Floats


def indicator_scores(rows: KernelRows, alpha: float | str) -> IndicatorScores:
    """Return ridge regression of the indicators of classes; "auto" chooses its α."""
    target = rows.data.class_target
    targets = np.eye(target.n_classes)[target.class_of_row]
    kernel, part = kernel_product(rows), 1.0 / fold_rows(rows.data).copies
    centered = centered_ridge(kernel, rows.weights, targets, part)
    found = centered.best() if alpha == "auto" else centered.at(float(alpha))
    sums = kernel.times(found.coefficients)
    bias = rows.weights @ (targets - sums) / rows.weights.sum()
    fitted = sums + bias
    left_out = _left_out(rows, kernel, targets, fitted, found.alpha)
    return IndicatorScores(found.alpha, found.coefficients, bias, fitted, left_out)


def _left_out(
    rows: KernelRows, kernel: KernelProduct, targets: Floats, fitted: Floats, alpha: float
) -> Floats:
    """Return the indicators of rows from fits on the other folds.

    A row that is never left out, such as the only one of its class, keeps what was fitted.
    """
    folds = fold_rows(rows.data)
    sums, times = np.zeros_like(targets), np.zeros(len(targets))
    for fold in folds.split(_N_FOLDS, keep_classes=True):
        learn, test = fold.learn_rows, fold.test_rows
        weights = (fold.learn[learn] * folds.unit).astype(np.float64)
        inner = centered_ridge(_among(kernel, learn), weights, targets[learn], np.ones(len(learn)))
        coefficients = np.zeros_like(targets)
        coefficients[learn] = inner.at(alpha).coefficients
        products = kernel.times(coefficients)
        bias = weights @ (targets - products)[learn] / weights.sum()
        sums[test] += fold.test[test, None] * (products[test] + bias)
        times[test] += fold.test[test]
    is_tested = times > 0
    found = fitted.copy()
    found[is_tested] = sums[is_tested] / times[is_tested, None]
    return found


def _among(kernel: KernelProduct, rows: Places) -> KernelProduct:
    if isinstance(kernel, ThinKernel):
        return ThinKernel(kernel.factor[rows])
    return WholeKernel(kernel.gram[np.ix_(rows, rows)])
