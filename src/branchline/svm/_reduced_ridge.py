"""Kernel ridge regression in the units of its targets, reduced to few rows where asked for.

1. ``reduced`` drops coefficients below a share of the largest and finds the best bias anew; how far
   predictions move on training rows is kept.
2. Coefficients, bias and errors of rows left out are scaled back: targets were divided by powers of
   two before they were squared.
3. The mean squared error of rows left out has an interval, one for each output.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._intervals import Interval
from branchline._row_scores import interval_of_means
from branchline.svm._centered_ridge import RidgeSolution
from branchline.svm._kernel_product import KernelProduct
from branchline.svm._kernel_rows import KernelRows

__all__ = ["ReducedRidge", "attributes_of", "flat", "reduced", "shaped"]


@dataclass(frozen=True, eq=False)
class ReducedRidge:
    """The rows that are kept, their coefficients, the bias, and how far predictions moved."""

    places: npt.NDArray[np.intp]
    coefficients: Floats
    bias: Floats
    change: Floats


def reduced(
    kernel: KernelProduct, weights: Floats, targets: Floats, coefficients: Floats, share: float
) -> ReducedRidge:
    """Return the model without coefficients below a share of the largest, with its best b."""
    sizes = np.abs(coefficients)
    is_kept = (sizes > share * sizes.max(axis=0)).any(axis=1) | (share == 0)
    is_kept[np.argmax(sizes.max(axis=1))] = True  # a model keeps some row
    before = kernel.times(coefficients)
    after = kernel.times(coefficients * is_kept[:, None])
    shares = weights / weights.sum()
    old, new = shares @ (targets - before), shares @ (targets - after)
    change = np.abs((after - before) + (new - old)).max(axis=0)
    return ReducedRidge(np.flatnonzero(is_kept), coefficients[is_kept], new, change)


def attributes_of(
    found: RidgeSolution, model: ReducedRidge, rows: KernelRows, exponents: npt.NDArray[Any]
) -> dict[str, Any]:
    """Return the fitted attributes, in the units of the targets."""
    with np.errstate(over="ignore"):
        errors = np.ldexp(found.mean_square(rows.weights), 2 * exponents)
    left_out = np.ldexp(found.left_out, exponents)[rows.origins.canonical_of_row]
    return {
        "dual_coef_": shaped(np.ldexp(model.coefficients, exponents)),
        "intercept_": flat(np.ldexp(model.bias, exponents)),
        "alpha_": found.alpha,
        "press_": shaped(left_out),
        "loo_error_": flat(np.minimum(errors, np.finfo(np.float64).max)),
        "loo_interval_": _loo_intervals(found.left_out, rows.weights, exponents),
        "effective_df_": float(len(found.kept) - found.kept.sum()),
        "drop_change_": float(np.ldexp(model.change, exponents).max()),
    }


def _loo_intervals(left_out: Floats, weights: Floats, exponents: npt.NDArray[Any]) -> Any:
    """Return the mean squared error of rows left out with its interval, one for each output."""
    found = []
    for errors, exponent in zip(left_out.T, exponents.tolist(), strict=True):
        one = interval_of_means(errors**2, weights, highest=math.inf)
        ends = [math.ldexp(end, min(2 * exponent, 900)) for end in (one.low, one.high)]
        found.append(Interval(math.ldexp(one.estimate, min(2 * exponent, 900)), *ends))
    return found[0] if len(found) == 1 else found


def shaped(values: Floats) -> Floats:
    """Return a column of one output as a row of numbers, several outputs as they are."""
    return np.ascontiguousarray(values[:, 0] if values.shape[1] == 1 else values)


def flat(values: Floats) -> Any:
    """Return the number of one output, or the array of several."""
    return float(values[0]) if len(values) == 1 else values
