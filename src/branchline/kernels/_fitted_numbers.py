"""A number kernel that has seen its columns: an encoding and a form of numbers."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Floats
from branchline._encoding._block import LARGEST
from branchline._state import malformed
from branchline.kernels import _number_rows
from branchline.kernels._fitted_kernel import FittedLeaf, finite
from branchline.kernels._number_columns import NumberColumns
from branchline.kernels._number_rows import NumberForm
from branchline.kernels._points import DensePart, Points, plain_state
from branchline.table import Schema, Table

if TYPE_CHECKING:
    from branchline.kernels._number_kernels import NumberKernel

__all__ = ["FittedNumbers"]


@dataclass(frozen=True, eq=False)
class FittedNumbers(FittedLeaf):
    """A number kernel, how its columns become numbers, and its form with gamma as a number."""

    columns: NumberColumns
    number_form: NumberForm

    @property
    def form(self) -> Any:
        """The form as the core knows it."""
        return self.number_form.native()

    def sums(
        self,
        a: Points,
        b: Points,
        coefficients: Floats,
        *,
        n_threads: int = 1,
        single: bool = False,
    ) -> Floats:
        """Return Σ_j K(a_i, b_j) coefficients[j, c], by the core."""
        parts: Any = (a.parts[0], b.parts[0])
        summed = _number_rows.number_sums_single if single else _number_rows.number_sums
        return finite(summed(self.number_form, parts, coefficients, n_threads))

    def _prepare_part(self, table: Table) -> DensePart:
        return self.columns.encode(table)

    def _part_gram(self, a: DensePart, b: DensePart, n_threads: int) -> Floats:
        return _number_rows.number_gram(self.number_form, a, b, n_threads)

    def _part_diag(self, a: DensePart) -> Floats:
        return _number_rows.number_diag(self.number_form, a)

    def _learn(self) -> dict[str, Any]:
        return {**self.columns.pack(), "gamma": self.number_form.gamma}

    def _unpack_part(self, state: Any) -> DensePart:
        matrix = plain_state(state, {"matrix"})["matrix"]
        if not isinstance(matrix, np.ndarray) or matrix.dtype != np.float64 or matrix.ndim != 2:
            raise malformed("the rows of a kernel are not a matrix")
        matrix = np.ascontiguousarray(np.asarray(matrix))
        if matrix.shape[1] != self.columns.width or not (np.abs(matrix) <= LARGEST).all():
            raise malformed("the rows of a kernel have another width, or no finite numbers")
        return DensePart(matrix)

    @staticmethod
    def restore(kernel: "NumberKernel", state: Any, schema: Schema) -> "FittedNumbers":
        """Check what a kernel has learned and return the fitted one."""
        state = plain_state(state, {"encoding", "gamma"})
        gamma, named = state["gamma"], getattr(kernel, "gamma", 1.0)
        if not isinstance(gamma, float) or not math.isfinite(gamma) or gamma <= 0:
            raise malformed("gamma is not a number above 0")
        if not isinstance(named, str) and gamma != named:
            raise malformed("gamma is another number than the formula says")
        columns = NumberColumns.unpack({"encoding": state["encoding"]}, schema, kernel.columns)
        return FittedNumbers(kernel, schema, columns, kernel._form(gamma))
