"""Training rows of a Gaussian process: which kernel "auto" and names stand for.

1. "auto" and "ard" need the encoded table: how many columns vary, and how many rows there are.
2. Every length scale begins at the root of the number of columns, so that typical rows are alike by
   about exp(−1), whatever the number of columns.
"""

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np

from branchline._validation import AnyOf, Constraint, OneOf, TrainingData, count_threads
from branchline.kernels import ARD, Kernel, kernel_of
from branchline.svm._kernel_rows import KernelRows, kernel_rows
from branchline.svm._kernel_training import KERNEL_PARAMETERS

__all__ = ["KERNELS", "process_rows"]

KERNELS: Constraint = AnyOf((OneOf(("auto", "ard")), KERNEL_PARAMETERS["kernel"]))
_ROWS_PER_COLUMN = 5
_MOST_COLUMNS = 200


def process_rows(model: Any, data: TrainingData) -> KernelRows:
    """Return training rows as the kernel of a Gaussian process sees them."""
    if model.encoder is not None:
        model.encoder._check_parameters()
    n_threads = count_threads(model.n_jobs, data.table.n_rows**2)
    options = {"standardize": bool(model.standardize), "encoder": model.encoder}
    if model.kernel not in ("auto", "ard") if isinstance(model.kernel, str) else True:
        return kernel_rows(data, _named(model), n_threads, **options)
    rows = kernel_rows(data, ARD(), n_threads, **options)
    columns = cast("Any", rows.kernel).columns
    n_columns = len(np.unique(columns.encoding.column_of_term(columns.schema)))
    is_wide = n_columns > _MOST_COLUMNS or len(rows) < _ROWS_PER_COLUMN * n_columns
    length = math.sqrt(max(1, n_columns))
    if model.kernel == "auto" and is_wide:
        formula: Kernel = 1.0 * kernel_of("rbf", 0.5 / length**2)
    else:
        formula = 1.0 * ARD(length_scales=length)
    fitted = formula.fit(rows.data.table, rows.weights, **options)
    return replace(rows, kernel=fitted, points=fitted.prepare(rows.data.table))


def _named(model: Any) -> Kernel:
    kernel = kernel_of(model.kernel, model.gamma, int(model.degree), float(model.coef0))
    return kernel if isinstance(model.kernel, Kernel) else 1.0 * kernel
