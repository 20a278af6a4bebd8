"""The training rows that a fitted model keeps, and the kernel that compares new rows with them.

1. ``SupportRows.of`` keeps some canonical rows of the training rows.
2. ``prepare`` turns rows to predict into points of the kernel.
3. ``sums`` gives Σ_j K(x, x_j) c_j over the rows that are kept.
4. ``pack`` and ``unpack`` keep kernel and rows in the model file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState, one_row
from branchline._explanation import Explanation
from branchline._state import array_from_state, malformed
from branchline._validation import count_threads
from branchline.kernels import FittedKernel, Points, unpack_kernel
from branchline.kernels._inputs import table_of
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_training import texts_as_table
from branchline.table import Schema

__all__ = ["SupportRows", "explain_kernel_row"]


@dataclass(frozen=True, eq=False)
class SupportRows:
    """Kept training rows.

    Parameters
    ----------
    kernel
        The fitted kernel.
    numbers
        The number of each kept row among the rows that the user gave.
    points
        The kept rows as the kernel sees them.
    is_single
        Whether kernel values are computed in single precision.
    """

    kernel: FittedKernel
    numbers: npt.NDArray[np.int64]
    points: Points
    is_single: bool

    @staticmethod
    def of(
        rows: KernelRows,
        places: npt.NDArray[Any],
        given: npt.NDArray[np.intp] | None,
        *,
        is_single: bool | None = None,
    ) -> "SupportRows":
        """Keep the canonical rows at ``places``.

        ``given`` has the numbers of the rows with a weight among those that the user gave; None
        when all have one. ``is_single=None`` takes the precision of the fit.
        """
        first = rows.origins.first[places]
        return SupportRows(
            rows.kernel,
            np.asarray(first if given is None else given[first], dtype=np.int64),
            rows.points.take(places),
            rows.is_single if is_single is None else is_single,
        )

    def __len__(self) -> int:
        return len(self.numbers)

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of an estimator that keeps these rows."""
        return {"kernel_": self.kernel, "support_": self.numbers, "_support": self}

    def prepare(self, model: Any, X: Any) -> Points:
        """Return rows to predict as the kernel sees them; ``model`` checks their columns."""
        X = texts_as_table(X)
        if self.kernel.reads_text:
            return self.kernel.prepare(table_of(X))
        return self.kernel.prepare(model._check_rows(X).table)

    def sums(
        self,
        points: Points,
        coefficients: Floats,
        n_jobs: int | None,
        *,
        among: Points | None = None,
    ) -> Floats:
        """Return Σ_j K(x, x_j) coefficients[j] over all kept rows, or over some of them."""
        support = self.points if among is None else among
        n_threads = count_threads(n_jobs, len(points) * max(1, len(support)) * 16)
        return self.kernel.sums(
            points, support, coefficients, n_threads=n_threads, single=self.is_single
        )

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is the product of encoded terms."""
        return getattr(getattr(self.kernel, "number_form", None), "kind", None) == "linear"

    def linear_weights(self, dual_coef: Floats) -> Floats:
        """Return w of a linear kernel: a weight for each encoded term."""
        if not self.is_linear:
            raise AttributeError("coef_ exists for the linear kernel alone")
        weights: Floats = dual_coef @ self.points.matrix
        return weights

    # -- saving ---------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return kernel and rows as plain values."""
        return {
            "kernel": self.kernel.pack(),
            "points": self.points.pack(),
            "support": self.numbers,
            "is_single": self.is_single,
        }

    @staticmethod
    def unpack(state: FittedState, schema: Schema) -> "SupportRows":
        """Check packed values and return kernel and rows."""
        kernel = unpack_kernel(state.get("kernel"), schema)
        points = kernel.unpack_points(state.get("points"))
        numbers = array_from_state(state, "support", np.dtype(np.int64), length=len(points))
        if (numbers < 0).any() or len(np.unique(numbers)) < len(numbers):
            raise malformed("a row number is below 0 or comes twice")
        is_single = state.get("is_single")
        if not isinstance(is_single, bool):
            raise malformed("'is_single' is not a truth value")
        return SupportRows(kernel, numbers, points, is_single)


def explain_kernel_row(model: Any, row: Any, explain: Callable[[Any], Explanation]) -> Explanation:
    """Explain one row of a model on kernels: by ``explain``, or as a text.

    Parameters
    ----------
    model
        The fitted model.
    row
        A table of one row, a mapping of column names to values, or a list of one text.
    explain
        What explains a row of a table.
    """
    model._check_fitted()
    row = texts_as_table(row)
    if not model.kernel_.reads_text:
        return explain(row)
    is_cells = isinstance(row, Mapping) and not any(np.ndim(cell) for cell in row.values())
    table = table_of([row] if is_cells else row)
    found: Explanation = model._explain(one_row(table))
    return found
