"""Ridge regression of the indicators of classes on a kernel, with and without each row."""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats
from branchline._folds import fold_rows
from branchline.svm._centered_ridge import RidgeSolution, centered_ridge
from branchline.svm._kernel_product import kernel_product
from branchline.svm._kernel_rows import KernelRows

__all__ = ["IndicatorScores", "indicator_scores"]


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
    left_out = targets - _errors_without(found, rows.weights, part)
    return IndicatorScores(found.alpha, found.coefficients, bias, sums + bias, left_out)


def _errors_without(found: RidgeSolution, weights: Floats, part: Floats) -> Floats:
    """Return the error of each row left out, when bias and center stay: r / (1 − h + w / Σ w)."""
    share = weights / weights.sum()
    left = (1 - part) + part * found.kept
    errors = found.left_out * (left / (left + part * share))[:, None]
    # Of a row that is all there is, nothing is known without it: the bias predicts it.
    return np.where(np.isfinite(errors), errors, 0.0)
