"""Training rows as a kernel sees them, and the solver on them.

1. Rows are put in canonical order, equal ones merged, so that order and copies do not matter.
2. The kernel is fitted to them (columns, scales, gamma) and the rows are prepared.
3. A number kernel goes to the core with its rows, which computes values when they are needed; any
   other kernel gives its whole matrix, once.
4. Up to ``DOUBLE_ROWS`` rows everything is in double precision; beyond, kernel values are single
   and their sums double. Cost and precision depend on sizes alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._canonical_rows import RowOrigins, canonical_rows_with_origins
from branchline._memory import budget_bytes, refuse_over_budget
from branchline._validation import TrainingData
from branchline.encoding import TableEncoder
from branchline.errors import DataError, Repair
from branchline.kernels import FittedKernel, Kernel, Points
from branchline.svm._quadratic_program import QuadraticProgram, Solution

__all__ = ["DOUBLE_ROWS", "ENDLESS", "KernelRows", "SolverLimits", "kernel_rows", "with_kernel"]

DOUBLE_ROWS = 4096
_EIGENVALUE_ROWS = 1000
ENDLESS = 1e120


@dataclass(frozen=True)
class SolverLimits:
    """When the solver stops: at a tolerance, or earlier at a number of steps or seconds.

    Small problems are solved to the last digits when it ``polishes``; spans are for leave-one-out.
    """

    tolerance: float
    max_steps: int = -1
    time_budget: float = -1.0
    polishes: bool = True
    wants_spans: bool = False


@dataclass(frozen=True, eq=False)
class KernelRows:
    """Training rows, in canonical order.

    Parameters
    ----------
    data
        The rows as a table, with targets and weights.
    origins
        Where they come from in the table that was given.
    weights
        The weight of each row.
    kernel, points
        The fitted kernel and the rows that it prepared.
    n_threads
        How many threads the core may use.
    """

    data: TrainingData
    origins: RowOrigins
    weights: Floats
    kernel: FittedKernel
    points: Points
    n_threads: int

    def __len__(self) -> int:
        return len(self.points)

    @property
    def is_single(self) -> bool:
        """Whether kernel values are computed in single precision."""
        return len(self) > DOUBLE_ROWS

    @cached_property
    def gram(self) -> Floats:
        """The whole kernel matrix, in double precision."""
        return self.kernel.gram(self.points, self.points, n_threads=self.n_threads)

    @cached_property
    def _given_gram(self) -> npt.NDArray[Any]:
        if not self.is_single:
            return self.gram
        refuse_over_budget(4 * len(self) ** 2, "the kernel matrix")
        gram = np.empty((len(self), len(self)), dtype=np.float32)
        step = max(1, 2**24 // len(self))
        for first in range(0, len(self), step):
            block = self.points.take(slice(first, first + step))
            gram[first : first + step] = self.kernel.gram(
                block, self.points, n_threads=self.n_threads
            )
        return gram

    @cached_property
    def least_eigenvalue(self) -> float:
        """The least eigenvalue of the kernel matrix of (a limited number of) the rows.

        0 for kernels that are positive semidefinite by construction, and where it is rounding.
        """
        if self.kernel.kernel.is_mercer:
            return 0.0
        some = np.arange(min(len(self), _EIGENVALUE_ROWS))
        values = np.linalg.eigvalsh(self.block(some, some))
        return float(values[0]) if values[0] < -1e-9 * max(abs(values[-1]), 1e-300) else 0.0

    def options(self, limits: SolverLimits, *, has_sum: bool = True) -> Any:
        """Return the core's options."""
        options = _core.SvmOptions(
            limits.tolerance,
            has_sum,
            limits.max_steps,
            limits.time_budget,
            budget_bytes() // self.n_threads,
            self.n_threads,
        )
        options.polishes, options.wants_spans = limits.polishes, limits.wants_spans
        return options

    def solve(
        self, problems: Sequence[QuadraticProgram], limits: SolverLimits, *, has_sum: bool = True
    ) -> list[Solution]:
        """Return the solution of each problem; of several, best with the rows class by class."""
        options = self.options(limits, has_sum=has_sum)
        found: dict[int, Solution] = {}
        for is_large in (True, False):
            chosen = [
                k
                for k, problem in enumerate(problems)
                if (len(problem.rows) > DOUBLE_ROWS) == is_large
            ]
            solved = self._solve([problems[k] for k in chosen], options, is_large=is_large)
            for k, values in zip(chosen, solved, strict=True):
                found[k] = Solution(problems[k], *values)
        if any(not np.abs(one.beta).max(initial=0.0) < ENDLESS for one in found.values()):
            raise self.no_solution()
        return [found[k] for k in range(len(problems))]

    def no_solution(self) -> DataError:
        """Return the error for an objective that falls without end."""
        return DataError(
            f"The kernel {self.kernel.kernel!r} is not positive semidefinite on these rows, and "
            "the objective falls without end: there is no solution.",
            code="D171",
            repair=Repair("model.set_params(kernel='rbf')"),
        )

    def _solve(
        self, problems: list[QuadraticProgram], options: Any, *, is_large: bool
    ) -> list[Any]:
        if not problems:
            return []
        form = self.kernel.form
        if form is None:
            gram, native = self._given_gram, [problem.native() for problem in problems]
            solve = _core.solve_svm_gram_single if self.is_single else _core.solve_svm_gram_double
            return list(solve(gram, native, options))
        matrix, native = self._by_class(problems)
        if is_large:
            single = np.ascontiguousarray(matrix, dtype=np.float32)
            return list(_core.solve_svm_points_single(form, single, native, options))
        return list(_core.solve_svm_points_double(form, matrix, native, options))

    def _by_class(self, problems: list[QuadraticProgram]) -> tuple[npt.NDArray[Any], list[Any]]:
        """Return the points, of several problems class by class, and the problems on them.

        The core packs points once for problems whose rows follow each other.
        """
        matrix = self.points.matrix
        if len(problems) == 1 or len(problems[0].rows) == len(self):
            return matrix, [problem.native() for problem in problems]
        order = np.argsort(self.data.class_target.class_of_row, kind="stable")
        place = np.empty(len(order), dtype=np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        moved = [problem.native(place[problem.rows]) for problem in problems]
        return np.ascontiguousarray(matrix[order]), moved

    def block(self, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> Floats:
        """Return kernel values of some rows with others, in double precision."""
        if "gram" in self.__dict__:  # a kernel that gives its whole matrix has done so already
            part: Floats = self.gram[np.ix_(rows, columns)]
            return part
        return self.kernel.gram(
            self.points.take(rows), self.points.take(columns), n_threads=self.n_threads
        )


def kernel_rows(
    data: TrainingData,
    kernel: Kernel,
    n_threads: int,
    *,
    standardize: bool,
    encoder: TableEncoder | None,
) -> KernelRows:
    """Return checked training data as a kernel sees them."""
    rows, origins = canonical_rows_with_origins(data, merge=True, n_threads=n_threads)
    weights = rows.weights.of_rows(rows.table.n_rows)
    fitted, points = _prepared(
        (data, rows), origins, weights, kernel, standardize=standardize, encoder=encoder
    )
    return KernelRows(rows, origins, weights, fitted, points, n_threads)


def with_kernel(
    same: KernelRows,
    data: TrainingData,
    kernel: Kernel,
    *,
    standardize: bool,
    encoder: TableEncoder | None,
) -> KernelRows:
    """Return the same rows (of ``data``) as another kernel sees them."""
    fitted, points = _prepared(
        (data, same.data), same.origins, same.weights, kernel,
        standardize=standardize, encoder=encoder,
    )  # fmt: skip
    return KernelRows(same.data, same.origins, same.weights, fitted, points, same.n_threads)


def _prepared(
    both: tuple[TrainingData, TrainingData],
    origins: RowOrigins,
    weights: Floats,
    kernel: Kernel,
    *,
    standardize: bool,
    encoder: TableEncoder | None,
) -> tuple[FittedKernel, Points]:
    """Return the kernel fitted to the canonical rows of given data, and the rows prepared."""
    given, rows = both
    if kernel.holds_matrix:  # rows of a given matrix belong to its columns, in their order
        fitted = kernel.fit(given.table)
        points = fitted.prepare(given.table).take(origins.first)
    else:
        fitted = kernel.fit(rows.table, weights, standardize=standardize, encoder=encoder)
        points = fitted.prepare(rows.table)
    fitted.diag(points)  # refuses rows whose kernel is beyond all numbers
    return fitted, points
