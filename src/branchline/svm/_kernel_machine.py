"""What all estimators on kernels share: the kernel's parameters, its rows, its state.

1. ``_rows_of`` makes training rows of checked data: canonical order, the fitted kernel, points.
2. ``_points`` prepares rows to predict.
3. ``_sums`` gives Σ_j K(x, x_j) c_j over the rows that the model keeps.
4. ``_pack_kernel`` and ``_unpack_kernel`` keep kernel and rows in the model file.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Estimator, FittedState, Predictor, one_row
from branchline._explanation import Explanation
from branchline._state import array_from_state, malformed
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
from branchline.encoding._encoded import ENCODER
from branchline.kernels import FittedKernel, Kernel, Points, kernel_of, unpack_kernel
from branchline.kernels._inputs import table_of
from branchline.kernels._kernel_of import KERNEL_NAMES
from branchline.svm._certificate import Certificate, judged, warn_if_unfinished
from branchline.svm._kernel_rows import KernelRows, SolverLimits, kernel_rows
from branchline.table import Schema

__all__ = [
    "KERNEL_PARAMETERS",
    "SOLVER_PARAMETERS",
    "KernelMachine",
    "KernelPredictor",
    "texts_as_table",
]


class _KernelOrFunction:
    """The constraint of a kernel that is no name: an object, or a user's function."""

    def allows(self, value: Any) -> bool:
        """Whether ``value`` is a kernel, or can be called and is no class."""
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


class KernelMachine(Estimator):
    """An estimator whose predictions are sums of kernel values with training rows."""

    # Kernel values are summed in an order of their own for each batch's tiles and threads alike,
    # but encoded numbers of one row and of many come from the same code.
    _tolerance: ClassVar[float] = 1e-9
    _copies_of_columns_count: ClassVar[bool] = True

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    standardize: bool
    encoder: TableEncoder | None
    n_jobs: int | None

    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _support_points: Points
    _is_single: bool

    # -- fitting --------------------------------------------------------------------------------

    def _rows_of(self, data: TrainingData) -> KernelRows:
        """Return checked training data as the kernel sees them."""
        kernel = kernel_of(self.kernel, self.gamma, int(self.degree), float(self.coef0))
        if self.encoder is not None:
            self.encoder._check_parameters()
        n_rows = data.table.n_rows
        return kernel_rows(
            data,
            kernel,
            count_threads(self.n_jobs, n_rows * n_rows),
            standardize=bool(self.standardize),
            encoder=self.encoder,
        )

    def _limits(self) -> SolverLimits:
        """Return when the solver stops."""
        parameters = self.get_params(deep=False)
        budget = parameters.get("time_budget")
        return SolverLimits(
            float(parameters["tol"]),
            int(parameters["max_iter"]),
            -1.0 if budget is None else float(budget),
        )

    def _judged(self, rows: KernelRows, certificate: Certificate) -> Certificate:
        """Return what is certain of a solution; warn of what is not."""
        (about,) = judged(rows, [certificate])
        warn_if_unfinished([about], self._limits().tolerance)
        return about

    def _kept(
        self, rows: KernelRows, places: npt.NDArray[Any], given: npt.NDArray[np.intp] | None
    ) -> dict[str, Any]:
        """Return the fitted attributes of kernel and kept rows.

        ``places`` are those of canonical rows; ``given`` are the numbers of the rows that count
        among those that the user gave, when some had no weight.
        """
        first = rows.origins.first[places]
        return {
            "kernel_": rows.kernel,
            "support_": np.asarray(first if given is None else given[first], dtype=np.int64),
            "_support_points": rows.points.take(places),
            "_is_single": rows.is_single,
        }

    # -- predicting -----------------------------------------------------------------------------

    def _points(self, X: Any) -> Points:
        """Return rows to predict as the kernel sees them."""
        self._check_fitted()
        X = texts_as_table(X)
        if self.kernel_.reads_text:
            return self.kernel_.prepare(table_of(X))
        return self.kernel_.prepare(self._check_rows(X).table)

    def _sums(self, points: Points, coefficients: Floats, support: Points) -> Floats:
        """Return Σ_j K(x, x_j) coefficients[j], a row for each point."""
        n_threads = count_threads(self.n_jobs, len(points) * max(1, len(support)) * 16)
        return self.kernel_.sums(
            points, support, coefficients, n_threads=n_threads, single=self._is_single
        )

    # -- saving ---------------------------------------------------------------------------------

    def _pack_kernel(self) -> dict[str, Any]:
        return {
            "kernel": self.kernel_.pack(),
            "points": self._support_points.pack(),
            "support": self.support_,
            "is_single": self._is_single,
        }

    def _unpack_kernel(self, state: FittedState, schema: Schema) -> dict[str, Any]:
        kernel = unpack_kernel(state.get("kernel"), schema)
        points = kernel.unpack_points(state.get("points"))
        support = array_from_state(state, "support", np.dtype(np.int64), length=len(points))
        if (support < 0).any() or len(np.unique(support)) < len(support):
            raise malformed("a row number is below 0 or comes twice")
        is_single = state.get("is_single")
        if not isinstance(is_single, bool):
            raise malformed("'is_single' is no truth value")
        return {
            "kernel_": kernel,
            "support_": support,
            "_support_points": points,
            "_is_single": is_single,
        }


class KernelPredictor(KernelMachine, Predictor):
    """A machine that predicts: rows of texts can be explained, too."""

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        self._check_fitted()
        row = texts_as_table(row)
        if not self.kernel_.reads_text:
            return super().explain(row)
        is_cells = isinstance(row, Mapping) and not any(np.ndim(cell) for cell in row.values())
        table = table_of([row] if is_cells else row)
        return self._explain(one_row(table))
