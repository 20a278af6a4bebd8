"""One against one in a single call of the core: solutions and machines of all pairs of classes.

1. ``can_be_paired`` says whether all pairs are small enough to be solved in double precision.
2. ``solve_pairs`` hands over the rows class by class. The core makes the problem of each pair,
   solves it, and adds bias, certificate and slopes of probabilities
   (``native/include/branchline/svm_pairs.hpp``).
3. ``PairSolutions`` keeps what it returns as columns; the ``TaskSolution`` of a pair is made when
   it is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline.svm._certificate import Certificate
from branchline.svm._class_tasks import Task
from branchline.svm._kernel_rows import DOUBLE_ROWS, ENDLESS, KernelRows, SolverLimits
from branchline.svm._leave_one_out import copies_of
from branchline.svm._machine_columns import MachineColumns
from branchline.svm._quadratic_program import Solution, classification
from branchline.svm._task_solution import SIGMOID_ROWS, TaskSolution, sigmoid_of

__all__ = ["PairSolutions", "can_be_paired", "solve_pairs", "unfinished", "without_bounds"]


@dataclass(frozen=True, eq=False)
class PairSolutions(Sequence[TaskSolution]):
    """The solutions of all pairs of classes.

    Parameters
    ----------
    tasks
        The pair of each machine.
    order, ends
        The canonical rows class by class, and where each class ends among them.
    costs
        What slack of each canonical row costs.
    is_squared
        Whether slack is squared.
    found
        The columns that the core returned.
    is_convex
        Whether the kernel is positive semidefinite on the rows.
    """

    tasks: list[Task]
    order: npt.NDArray[np.intp]
    ends: npt.NDArray[np.uint32]
    costs: Floats
    is_squared: bool
    found: dict[str, npt.NDArray[Any]]
    is_convex: bool = True

    def __len__(self) -> int:
        return len(self.tasks)

    @overload
    def __getitem__(self, k: int) -> TaskSolution: ...

    @overload
    def __getitem__(self, k: slice) -> list[TaskSolution]: ...

    def __getitem__(self, k: int | slice) -> TaskSolution | list[TaskSolution]:
        if isinstance(k, slice):
            return [self[one] for one in range(*k.indices(len(self)))]
        k = range(len(self))[k]
        rows, here = self._rows(k), slice(self._begins[k], self._begins[k + 1])
        labels = np.where(np.arange(len(rows)) < self._sizes[self.tasks[k].positive], 1.0, -1.0)
        problem = classification(
            rows.astype(np.uint32), labels, self.costs[rows], squared=self.is_squared
        )
        found = {name: column[k].item() for name, column in self.found.items() if name in _EACH}
        beta, score = self.found["beta"][here], self.found["score"][here]
        numbers = found["violation"], found["n_steps"], bool(found["is_done"])
        return TaskSolution(
            self.tasks[k],
            Solution(problem, beta, score, *numbers, np.empty(0)),
            found["bias"],
            Certificate(found["primal"], found["dual"], *numbers, self.is_convex),
        )

    # -- machines -------------------------------------------------------------------------------

    @property
    def support_rows(self) -> npt.NDArray[np.intp]:
        """The canonical row of each coefficient that is not 0, one machine after the other."""
        rows: npt.NDArray[np.intp] = self.order[self.found["support_row"]]
        return rows

    @property
    def is_wrong(self) -> npt.NDArray[np.bool_]:
        """Which canonical rows are on the wrong side of one of their own machines."""
        wrong = np.zeros(len(self.order), dtype=bool)
        wrong[self.order] = self.found["is_wrong"]
        return wrong

    def machines(self, rows: KernelRows, places: npt.NDArray[np.int64]) -> MachineColumns:
        """Return the machines; ``places`` are those of ``support_rows`` among support vectors."""
        found = self.found
        return MachineColumns(
            ends=found["support_end"],
            places=places,
            coefficients=found["support_beta"],
            bias=found["bias"],
            norm=np.sqrt(found["quadratic"]),
            slopes=self._slopes(rows),
            objectives=np.column_stack([found["primal"], found["dual"], found["violation"]]),
            n_steps=found["n_steps"],
            is_done=found["is_done"] != 0,
            is_convex=np.full(len(self), self.is_convex),
        )

    def _slopes(self, rows: KernelRows) -> Floats:
        below, above = self.found["slope_below"], self.found["slope_above"]
        slopes = np.column_stack(
            [np.where(np.isnan(below), above, below), np.where(np.isnan(above), below, above)]
        )
        slopes[np.isnan(slopes)] = 1.0
        for k in np.flatnonzero(self.found["lacks_spans"]).tolist():
            sigmoid = sigmoid_of(rows, self[k])
            slopes[k] = sigmoid.slope_below, sigmoid.slope_above
        return slopes

    # -- where the rows of a pair stand ---------------------------------------------------------

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        begins = np.concatenate([[0], self.ends[:-1]])
        return np.asarray(self.ends - begins, dtype=np.int64)

    @cached_property
    def _begins(self) -> npt.NDArray[np.int64]:
        """Where the values of each pair begin among those of all, and where they end."""
        first, second = np.triu_indices(len(self.ends), 1)
        return np.concatenate([[0], np.cumsum(self._sizes[first] + self._sizes[second])])

    def _rows(self, k: int) -> npt.NDArray[np.intp]:
        """Return the canonical rows of a pair, class by class."""
        task, parts = self.tasks[k], np.split(self.order, self.ends[:-1])
        assert task.negative is not None
        return np.concatenate([parts[task.positive], parts[task.negative]])


def can_be_paired(rows: KernelRows) -> bool:
    """Whether no pair of classes needs kernel values in single precision, or blocks."""
    target = rows.data.class_target
    sizes = np.bincount(target.class_of_row, minlength=target.n_classes)
    is_small = bool(sizes.all()) and int(np.sort(sizes)[-2:].sum()) <= DOUBLE_ROWS
    return is_small and (rows.kernel.form is not None or not rows.is_single)


def solve_pairs(
    rows: KernelRows, tasks: list[Task], costs: Floats, limits: SolverLimits, *, squared: bool,
    has_sum: bool,
) -> PairSolutions:  # fmt: skip
    """Return the solutions of all pairs of three or more classes.

    ``costs`` are what slack (or squared slack) of each canonical row costs.
    """
    of_class = rows.data.class_target.class_of_row
    order = np.argsort(of_class, kind="stable")
    ends = np.cumsum(np.bincount(of_class)).astype(np.uint32)
    pairs = _core.SvmPairRows(
        ends, order.astype(np.uint32), costs[order], rows.weights[order], copies_of(rows)[order]
    )
    pairs.most_ranked, pairs.is_squared = SIGMOID_ROWS, squared
    options = rows.options(replace(limits, wants_spans=True), has_sum=has_sum)
    form = rows.kernel.form
    if form is None:
        gram = np.ascontiguousarray(rows.gram[np.ix_(order, order)])
        found = _core.solve_svm_pairs_of_gram(gram, pairs, options)
    else:
        matrix = np.ascontiguousarray(rows.points.matrix[order])
        found = _core.solve_svm_pairs_of_points(form, matrix, pairs, options)
    if not np.abs(found["beta"]).max(initial=0.0) < ENDLESS:
        raise rows.no_solution()
    return PairSolutions(tasks, order, ends, costs, squared, found)


def unfinished(solved: Sequence[TaskSolution]) -> list[Certificate]:
    """Return the certificates of the machines whose solver stopped early."""
    if isinstance(solved, PairSolutions):
        places = np.flatnonzero(solved.found["is_done"] == 0).tolist()
        return [solved[k].certificate for k in places]
    return [one.certificate for one in solved if not one.certificate.is_done]


def without_bounds(solved: Sequence[TaskSolution]) -> Sequence[TaskSolution]:
    """Return solved tasks of a kernel that is not positive semidefinite: nothing bounds them."""
    if isinstance(solved, PairSolutions):
        return replace(solved, is_convex=False)
    return [replace(one, certificate=replace(one.certificate, is_convex=False)) for one in solved]


_EACH = ("bias", "primal", "dual", "violation", "n_steps", "is_done")
