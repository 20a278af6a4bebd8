"""The machines of a fitted classifier: their scores, their certificates, and bounds of the error.

1. ``ClassMachines.of`` keeps the support vectors, grouped by class, and a machine for each task.
2. ``scores`` sums kernel values over the support vectors of each class, for the machines that use
   them.
3. ``loo_error`` leaves out every support vector in turn, exactly.
4. ``vc_bound`` bounds the true error by the margin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._base import FittedState
from branchline._intervals import Interval
from branchline._row_scores import interval_of_means
from branchline._state import malformed
from branchline._validation import count_threads
from branchline._vc_bound import VCBound, vc_bound
from branchline.errors import ParameterError, Repair
from branchline.kernels import Points
from branchline.svm._class_tasks import Task, class_scores, is_one_vs_rest, tasks_of
from branchline.svm._kernel_rows import KernelRows, SolverLimits
from branchline.svm._leave_one_out import exact_scores
from branchline.svm._machine_columns import MachineColumns
from branchline.svm._pair_solutions import PairSolutions
from branchline.svm._support_rows import SupportRows
from branchline.svm._task_solution import TaskSolution, machine_of, slack_of, wrong_rows
from branchline.svm._two_class_machine import TwoClassMachine

__all__ = ["ClassMachines", "Training"]

_FEW_CLASSES = 8
_SCORES_AT_ONCE = 2**23
_MADE_AGAIN = ("_pairs", "_table")


@dataclass(frozen=True, eq=False)
class Training:
    """The training rows and the solution of each task; a saved model does not have them."""

    rows: KernelRows
    solved: Sequence[TaskSolution]


@dataclass(frozen=True, eq=False)
class ClassMachines:
    """The machines that tell classes apart.

    Parameters
    ----------
    support
        The support vectors of all machines, class by class.
    support_class
        The class of each support vector.
    tasks, machines
        The task of each machine, and the machine; none where there is one class.
    n_classes
        The number of classes.
    radius
        The largest length of a training row in the space of the kernel.
    n_weight, support_weight
        The total weight of the training rows, and of the support vectors.
    train_error
        The weighted share of training rows on the wrong side.
    training
        What ``slack`` and ``loo_error`` need; None in a model that was saved or pickled.
    """

    support: SupportRows
    support_class: npt.NDArray[np.int64]
    tasks: list[Task]
    machines: MachineColumns
    n_classes: int
    radius: float
    n_weight: float
    support_weight: float
    train_error: float
    training: Training | None = None

    @staticmethod
    def of(
        rows: KernelRows, solved: Sequence[TaskSolution], given: npt.NDArray[np.intp] | None
    ) -> "ClassMachines":
        """Make machines of solved tasks."""
        target = rows.data.class_target
        is_support = np.zeros(len(rows), dtype=bool)
        is_support[_support_rows(solved)] = True
        places = np.flatnonzero(is_support)
        places = places[np.argsort(target.class_of_row[places], kind="stable")]
        at = np.full(len(rows), -1, dtype=np.int64)
        at[places] = np.arange(len(places))
        if isinstance(solved, PairSolutions):
            tasks, wrong = solved.tasks, solved.is_wrong
            machines = solved.machines(rows, at[solved.support_rows])
        else:
            tasks, wrong = [one.task for one in solved], wrong_rows(rows, solved)
            machines = MachineColumns.of(machine_of(rows, one, at) for one in solved)
        return ClassMachines(
            support=SupportRows.of(rows, places, given),
            support_class=target.class_of_row[places].astype(np.int64),
            tasks=tasks,
            machines=machines,
            n_classes=target.n_classes,
            radius=float(np.sqrt(max(0.0, rows.kernel.diag(rows.points).max()))),
            n_weight=float(rows.weights.sum()),
            support_weight=float(rows.weights[places].sum()),
            train_error=float(rows.weights @ wrong / rows.weights.sum()),
            # A copy without the kernel matrix that the fit may have held.
            training=Training(replace(rows), solved),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the training rows and what is put together again."""
        kept = {name: part for name, part in self.__dict__.items() if name not in _MADE_AGAIN}
        return {**kept, "training": None}

    # -- scores ---------------------------------------------------------------------------------

    @property
    def _is_by_class(self) -> bool:
        # A table of all support vectors by the machines of many pairs would be mostly zeros.
        is_large = self.n_classes > _FEW_CLASSES and len(self.support) > 0
        return is_large and not is_one_vs_rest(self.tasks)

    @cached_property
    def _table(self) -> Floats:
        return np.ascontiguousarray(self.dual_coef.T)

    @cached_property
    def _pairs(self) -> Any:
        """The machines of pairs as the core takes them: other classes are the columns."""
        machines, first = self.machines, np.array([task.positive for task in self.tasks])
        second = np.array([task.negative for task in self.tasks])
        of_value = self.support_class[machines.places]
        column = np.repeat(first + second, machines.sizes) - of_value
        column -= column > of_value  # a class has no column of its own
        table = np.zeros((len(self.support_class), self.n_classes - 1))
        table[machines.places, column] = machines.coefficients
        ends = np.searchsorted(self.support_class, np.arange(self.n_classes), side="right")
        return _core.SvmPairModel(ends.astype(np.uint32), table, machines.bias)

    def _of_pairs(self, score: Any, points: Points, n_jobs: int | None) -> Floats:
        support = self.support.points
        n_threads = count_threads(n_jobs, len(points) * len(self.machines))
        kernel = self.support.kernel.gram(points, support, n_threads=n_threads)
        found: Floats = score(self._pairs, np.ascontiguousarray(kernel), n_threads)
        return found.reshape(len(points), -1)

    def scores(self, points: Points, n_jobs: int | None) -> Floats:
        """Return the score of each point by each machine."""
        if self._is_by_class:
            return self._of_pairs(_core.svm_pair_scores, points, n_jobs)
        return self.support.sums(points, self._table, n_jobs) + self.machines.bias

    def class_scores(self, points: Points, n_jobs: int | None) -> Floats:
        """Return a score for each class, the largest for the one that is predicted."""
        if self.n_classes == 1:
            return np.zeros((len(points), 1))
        parts = self.parts(len(points))
        if len(parts) <= 1:
            return self._class_scores(points, n_jobs)
        return np.concatenate([self._class_scores(points.take(some), n_jobs) for some in parts])

    def _class_scores(self, points: Points, n_jobs: int | None) -> Floats:
        if self._is_by_class:
            return self._of_pairs(_core.svm_class_scores_of_kernel, points, n_jobs)
        return class_scores(self.scores(points, n_jobs), self.tasks, self.n_classes)

    def parts(self, n_points: int) -> list[slice]:
        """Return the places of points, in parts whose scores by all machines fit in memory."""
        step = max(1, _SCORES_AT_ONCE // max(1, len(self.machines), len(self.support)))
        return [slice(at, min(at + step, n_points)) for at in range(0, n_points, step)]

    @property
    def dual_coef(self) -> Floats:
        """y_i α_i: a row for each machine, a column for each support vector."""
        table = np.zeros((len(self.machines), len(self.support_class)))
        for k, machine in enumerate(self.machines):
            table[k, machine.places] = machine.coefficients
        return table

    # -- what is certain ------------------------------------------------------------------------

    @property
    def slack(self) -> Floats:
        """How far each training row is on the wrong side of its margin."""
        if self.training is None:
            raise AttributeError("slack_ needs the training rows; a saved model holds none")
        return slack_of(self.training.rows, self.training.solved)

    def loo_error(self, limits: SolverLimits, n_jobs: int | None, *, has_bias: bool) -> Interval:
        """Return the exact leave-one-out error with its 95 % interval."""
        training = self._needs_training()
        rows, target = training.rows, training.rows.data.class_target
        if not training.solved:
            return Interval(0.0, 0.0, 0.0)
        scores = self.scores(rows.points, n_jobs)
        for k, one in enumerate(training.solved):
            here = one.solution.problem.rows
            left_out = exact_scores(rows, one.solution, one.bias, limits, has_sum=has_bias)
            alone = np.isnan(left_out)  # its class is gone: the other one is predicted
            scores[here, k] = np.where(alone, -one.solution.problem.linear, left_out)
        predicted = class_scores(scores, self.tasks, target.n_classes)
        wrong = (np.argmax(predicted, axis=1) != target.class_of_row).astype(np.float64)
        return interval_of_means(wrong, rows.weights)

    def vc_bound(self, epsilon: float) -> VCBound:
        """Return the bound of the true error by the margin."""
        n_rows = max(1, round(self.n_weight))
        if not self.machines:
            return vc_bound(0.0, 1.0, n_rows, epsilon)
        margin = float(self.machines.margins.min())
        by_margin = np.ceil(4 * self.radius**2 / margin**2) if np.isfinite(margin) else 0.0
        is_linear = self.support.is_linear
        dimension = float(self.support.points.matrix.shape[1]) if is_linear else float("inf")
        return vc_bound(self.train_error, min(dimension, by_margin) + 1, n_rows, epsilon)

    def _needs_training(self) -> Training:
        if self.training is None:
            raise ParameterError(
                "Leave-one-out needs the training rows, which a saved model does not hold.",
                code="P180",
                repair=Repair("model.fit(X, y).loo_error()"),
            )
        return self.training

    # -- saving ---------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return the machines as plain values, without their support vectors."""
        return {
            "machines": [machine.pack() for machine in self.machines],
            "support_class": self.support_class,
            "about": np.array([self.radius, self.n_weight, self.support_weight, self.train_error]),
        }

    @staticmethod
    def unpack(
        state: FittedState, support: SupportRows, n_classes: int, strategy: str
    ) -> "ClassMachines":
        """Check packed values and return the machines."""
        tasks = tasks_of(n_classes, strategy) if n_classes > 1 else []
        machines = state.get("machines")
        of_class = _classes_from_state(state, len(support), n_classes)
        if not isinstance(machines, list) or len(machines) != len(tasks):
            raise malformed("there is not one machine for each task")
        about = _about_from_state(state)
        unpacked = MachineColumns.of(TwoClassMachine.unpack(one, len(support)) for one in machines)
        if n_classes > 2 and not is_one_vs_rest(tasks):
            _refuse_strangers(unpacked, tasks, of_class)
        return ClassMachines(support, of_class, tasks, unpacked, n_classes, *about)


def _support_rows(solved: Sequence[TaskSolution]) -> npt.NDArray[Any]:
    """Return the rows whose coefficient is not 0 in a machine."""
    if isinstance(solved, PairSolutions):
        return solved.support_rows
    used = [one.solution.problem.rows[one.solution.beta != 0] for one in solved]
    return np.concatenate([np.empty(0, dtype=np.uint32), *used])


def _classes_from_state(
    state: FittedState, n_support: int, n_classes: int
) -> npt.NDArray[np.int64]:
    of_class = state.get("support_class")
    if (
        not isinstance(of_class, np.ndarray)
        or of_class.dtype != np.int64
        or of_class.shape != (n_support,)
        or (n_support and not 0 <= of_class[0] <= of_class[-1] < n_classes)
        or (np.diff(of_class) < 0).any()
    ):
        raise malformed("the classes of support vectors are out of range or order")
    return np.array(of_class)


def _refuse_strangers(
    machines: MachineColumns, tasks: list[Task], of_class: npt.NDArray[np.int64]
) -> None:
    """Refuse a machine of two classes with a support vector of a third."""
    pairs = np.array([(task.positive, task.negative) for task in tasks])
    own = np.repeat(pairs, machines.sizes, axis=0)
    if not (of_class[machines.places, None] == own).any(axis=1).all():
        raise malformed("a support vector is of neither class of its machine")


def _about_from_state(state: FittedState) -> tuple[float, float, float, float]:
    about = state.get("about")
    if not isinstance(about, np.ndarray) or about.shape != (4,) or not (about >= 0).all():
        raise malformed("radius, weights and error are not four numbers")
    radius, n_weight, support_weight, error = (float(value) for value in about)
    if not np.isfinite(about).all() or error > 1 or n_weight <= 0:
        raise malformed("radius, weights or error is out of range")
    return radius, n_weight, support_weight, error
