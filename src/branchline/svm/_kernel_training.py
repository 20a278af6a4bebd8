"""From the parameters of an estimator on kernels to its training rows and to the solver's limits.

1. ``training_rows`` makes kernel rows of checked data: canonical order, the fitted kernel, points.
2. ``limits_of`` says when the solver stops.
3. ``checked_certificate`` warns when the solver stopped early.
"""

from typing import Any, Protocol

import numpy as np

from branchline._encoding._encoded import ENCODER
from branchline._validation import (
    AnyOf,
    Constraint,
    Flag,
    OneOf,
    Real,
    TrainingData,
    Whole,
    count_threads,
)
from branchline.encoding import TableEncoder
from branchline.kernels import Kernel, kernel_of
from branchline.kernels._inputs import table_of
from branchline.kernels._kernel_of import KERNEL_NAMES
from branchline.svm._certificate import Certificate, judged, warn_if_unfinished
from branchline.svm._kernel_rows import KernelRows, SolverLimits, kernel_rows

__all__ = [
    "KERNEL_PARAMETERS",
    "SOLVER_PARAMETERS",
    "KernelEstimator",
    "checked_certificate",
    "limits_of",
    "texts_as_table",
    "training_rows",
]


class KernelEstimator(Protocol):
    """An estimator with the parameters of a kernel."""

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    standardize: bool
    encoder: TableEncoder | None
    n_jobs: int | None


class _KernelOrFunction:
    """The constraint of a kernel that is not a name: an object, or a user's function."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a kernel, or can be called and is not a class."""
        return isinstance(value, Kernel) or (callable(value) and not isinstance(value, type))

    def describe(self) -> str:
        """Say what it may be."""
        return "a kernel such as RBF(), or a function of two blocks of rows"


_NONE = OneOf((None,))
KERNEL_PARAMETERS: dict[str, Constraint] = {
    "kernel": AnyOf((OneOf(KERNEL_NAMES), _KernelOrFunction())),
    "gamma": AnyOf((OneOf(("scale", "auto")), Real(0.0, low_open=True))),
    "degree": Whole(1, 100),
    "coef0": Real(0.0),
    "standardize": Flag(),
    "encoder": ENCODER,
}
SOLVER_PARAMETERS: dict[str, Constraint] = {
    "tol": Real(0.0, low_open=True),
    "max_iter": AnyOf((Whole(-1, -1), Whole(1))),
    "time_budget": AnyOf((_NONE, Real(0.0, low_open=True))),
}


def texts_as_table(X: Any) -> Any:
    """Return a plain list of texts as a table of one column, anything else as it is."""
    is_list = isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.ndim == 1)
    if is_list and len(X) and all(isinstance(cell, str) for cell in X):
        return table_of(X)
    return X


def training_rows(model: KernelEstimator, data: TrainingData) -> KernelRows:
    """Return checked training data as the kernel of an estimator sees them."""
    kernel = kernel_of(model.kernel, model.gamma, int(model.degree), float(model.coef0))
    if model.encoder is not None:
        model.encoder._check_parameters()
    n_rows = data.table.n_rows
    return kernel_rows(
        data,
        kernel,
        count_threads(model.n_jobs, n_rows * n_rows),
        standardize=bool(model.standardize),
        encoder=model.encoder,
    )


def limits_of(model: Any) -> SolverLimits:
    """Return when the solver of an estimator stops."""
    parameters = model.get_params(deep=False)
    budget = parameters.get("time_budget")
    return SolverLimits(
        float(parameters["tol"]),
        int(parameters["max_iter"]),
        -1.0 if budget is None else float(budget),
    )


def checked_certificate(model: Any, rows: KernelRows, certificate: Certificate) -> Certificate:
    """Return what is certain of a solution, and warn when its solver stopped early."""
    (about,) = judged(rows, [certificate])
    warn_if_unfinished([about], limits_of(model).tolerance)
    return about
