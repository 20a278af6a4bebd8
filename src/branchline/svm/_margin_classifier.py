"""What support vector classifiers share once they are solved: scores, probabilities, certificates.

1. The classifier holds its machines (``_class_machines``), one for each task.
2. A score is a sum over support vectors; classes are told apart by ``_class_tasks``.
3. Probabilities come from leave-one-out scores (``_leave_one_out``) through a sigmoid that is ½
   where the decision changes, so the most probable class is the predicted one.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState
from branchline._explanation import Explanation
from branchline._intervals import Interval
from branchline._state import classes_from_state, classes_to_state
from branchline._vc_bound import VCBound
from branchline.kernels import FittedKernel, Points
from branchline.svm._certificate import UNFINISHED_HINT, is_judged_convex, warn_if_unfinished
from branchline.svm._class_machines import ClassMachines
from branchline.svm._class_tasks import Task, class_scores, couple, is_one_vs_rest
from branchline.svm._deciding_rows import deciding_rows
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_score import fitted_or_absent
from branchline.svm._kernel_training import limits_of
from branchline.svm._pair_solutions import unfinished, without_bounds
from branchline.svm._sigmoid import probabilities_of_margins, put_first
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.svm._task_solution import TaskSolution
from branchline.table import Schema, Table

__all__ = ["MarginClassifier"]


class MarginClassifier(Classifier):
    """A classifier that holds one or more machines of two classes."""

    # Kernel values are summed in an order of their own for each batch's tiles and threads alike,
    # but encoded numbers of one row and of many come from the same code.
    _tolerance: ClassVar[float] = 1e-9
    _copies_of_columns_count: ClassVar[bool] = True
    # What to do when the solver stops before it reaches its tolerance.
    _unfinished_hint: ClassVar[str] = UNFINISHED_HINT
    _has_bias: bool = True

    tol: float
    strategy: str
    n_jobs: int | None
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _machines: ClassMachines

    # -- fitting --------------------------------------------------------------------------------

    @staticmethod
    def _fitted(
        rows: KernelRows, solved: Sequence[TaskSolution], given: npt.NDArray[np.intp] | None
    ) -> dict[str, Any]:
        """Return the fitted attributes of solved tasks."""
        return _attributes(rows.data.class_target.classes, ClassMachines.of(rows, solved, given))

    def _all_judged(
        self, rows: KernelRows, solved: Sequence[TaskSolution]
    ) -> Sequence[TaskSolution]:
        """Return solved tasks with what is certain of them; warn of what is not."""
        if not solved:
            return []
        is_convex = is_judged_convex(rows)
        left = [replace(one, is_convex=is_convex) for one in unfinished(solved)]
        warn_if_unfinished(left, float(self.tol), self._unfinished_hint, self._unfinished_warning())
        return solved if is_convex else without_bounds(solved)

    def _unfinished_warning(self) -> type[Warning]:
        """Return the kind of warning for a solver that stopped early."""
        kind: type[Warning] = ConvergenceWarning
        return kind

    # -- predicting -----------------------------------------------------------------------------

    def _points(self, X: Any) -> Points:
        self._check_fitted()
        return self._machines.support.prepare(self, X)

    def _class_scores(self, points: Points) -> Floats:
        return self._machines.class_scores(points, self.n_jobs)

    def decision_function(self, X: Any) -> Floats:
        """Return scores: for two classes positive for the second, else a column for each class.

        For two classes this is f(x) = Σ α_i y_i K(x_i, x) + b; f = ±1 at the edges of the margin.
        """
        scores = self._class_scores(self._points(X))
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class on whose side each row is."""
        scores = self._class_scores(self._points(X))
        if len(self.classes_) == 2:
            return self.classes_[(scores[:, 1] > 0).astype(np.intp)]
        names: npt.NDArray[Any] = self.classes_[np.argmax(scores, axis=1)]
        return names

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class; the largest is that of the class predicted.

        Scores of training rows when they are left out say how sure a score is; nothing is fitted
        again for it.
        """
        points = self._points(X)
        n_classes = len(self.classes_)
        if n_classes == 1:
            return np.ones((len(points), 1))
        parts = self._machines.parts(len(points))
        if len(parts) > 1:
            return np.concatenate([self._probabilities(points.take(some)) for some in parts])
        return self._probabilities(points)

    def _probabilities(self, points: Points) -> Floats:
        n_classes = len(self.classes_)
        scores, tasks = self._machines.scores(points, self.n_jobs), self._machines.tasks
        sigmoids = self._machines.machines.sigmoids
        if n_classes == 2 or is_one_vs_rest(tasks):
            return probabilities_of_margins(scores, sigmoids)
        pairwise = [sigmoid.probability(scores[:, k]) for k, sigmoid in enumerate(sigmoids)]
        coupled = couple(np.column_stack(pairwise), tasks, n_classes)
        return put_first(coupled, np.argmax(class_scores(scores, tasks, n_classes), axis=1))

    # -- certificates and bounds ----------------------------------------------------------------

    def _held(self) -> ClassMachines:
        fitted_or_absent(self)
        return self._machines

    @property
    def _tasks(self) -> list[Task]:
        """What each machine tells apart; reports name machines by it."""
        return self._machines.tasks

    def _each(self, values: Floats) -> Any:
        """Return one number for two classes, an array with one for each machine otherwise."""
        return float(values[0]) if len(values) == 1 else values.copy()

    @property
    def objective_(self) -> Any:
        """The primal objective ½‖w‖² + Σ C_i slack_i of each machine."""
        return self._each(self._held().machines.objectives[:, 0])

    @property
    def gap_(self) -> Any:
        """By how much each machine's objective can be above the least possible."""
        return self._each(self._held().machines.gaps)

    @property
    def kkt_violation_(self) -> Any:
        """The largest violation of the conditions of optimality."""
        return self._each(self._held().machines.objectives[:, 2])

    @property
    def margin_(self) -> Any:
        """The width 2 / ‖w‖ of the margin, in the kernel's space."""
        return self._each(self._held().machines.margins)

    @property
    def converged_(self) -> bool:
        """Whether every machine reached the tolerance."""
        return bool(self._held().machines.is_done.all())

    @property
    def n_iter_(self) -> Any:
        """How many pairs of variables were moved."""
        return self._held().machines.n_steps.copy()

    @property
    def intercept_(self) -> Floats:
        """The bias b of each machine: the mean over free support vectors."""
        return self._held().machines.bias.copy()

    @property
    def n_support_(self) -> npt.NDArray[np.int64]:
        """The number of support vectors of each class."""
        of_class = self._held().support_class
        return np.bincount(of_class, minlength=len(self.classes_)).astype(np.int64)

    @property
    def dual_coef_(self) -> Floats:
        """y_i α_i: a row for each machine, a column for each row of ``support_``."""
        return self._held().dual_coef

    @property
    def coef_(self) -> Floats:
        """The normal w of each machine, for a linear kernel: a weight for each encoded term."""
        return self._held().support.linear_weights(self.dual_coef_)

    @property
    def slack_(self) -> Floats:
        """How far each training row is on the wrong side of its margin: a column for each machine.

        Not there in a model that was saved or pickled: it does not hold the training rows.
        """
        return self._held().slack

    @property
    def loo_bound_(self) -> float:
        """The share (by weight) of support vectors, which the leave-one-out error cannot exceed."""
        held = self._held()
        return min(1.0, held.support_weight / held.n_weight)

    def loo_error(self) -> float:
        """Return the exact leave-one-out error: every support vector is left out in turn.

        Rows that are not support vectors do not matter, and each other fit goes on from the whole
        one. The kernel, its scales and what slack costs stay those of all rows (also for costs
        that depend on the number of rows, and for the C that ``NuSVC`` corresponds to). Needs the
        model that was fitted: a model file does not hold the training rows.
        """
        return self.loo_interval().estimate

    def loo_interval(self) -> Interval:
        """Return the exact leave-one-out error with its 95 % interval (see ``loo_error``)."""
        self._check_fitted()
        return self._machines.loo_error(limits_of(self), self.n_jobs, has_bias=self._has_bias)

    def vc_bound(self, epsilon: float = 0.05) -> VCBound:
        """Return the bound of the true error by the margin, which is often vacuous.

        Hyperplanes of margin γ over rows of length at most A have VC dimension at most
        min(d, ⌈4A²/γ²⌉) + 1. A and γ are those seen in training, so that the bound is a guide
        rather than a proof: it assumes that they were fixed before. For several classes the least
        margin is taken, for which there is no theorem.
        """
        self._check_fitted()
        return self._machines.vc_bound(epsilon)

    # -- reading --------------------------------------------------------------------------------

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "support vectors")

    def _explain(self, row: Table) -> Explanation:
        explanation = super()._explain(row)
        if not self._machines.machines:
            return explanation
        return replace(explanation, notes=tuple(deciding_rows(self, row)))

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._machines.support.pack(),
            "classes": classes_to_state(self.classes_),
            **self._machines.pack(),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        support = SupportRows.unpack(state, schema)
        machines = ClassMachines.unpack(state, support, len(classes), self.strategy)
        return _attributes(classes, machines)


def _attributes(classes: npt.NDArray[Any], machines: ClassMachines) -> dict[str, Any]:
    support = machines.support
    return {
        "kernel_": support.kernel,
        "support_": support.numbers,
        "classes_": classes,
        "_machines": machines,
    }
