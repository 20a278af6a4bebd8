"""The machines of a classifier: their scores, and what is certain of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._vc_bound import VCBound, vc_bound
from branchline.errors import ParameterError, Repair
from branchline.kernels import Points
from branchline.svm._kernel_machine import KernelMachine
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._leave_one_out import exact_scores
from branchline.svm._machine import Machine
from branchline.svm._one_machine import fitted_or_absent, linear_weights
from branchline.svm._pairs import Task, class_scores, tasks_of
from branchline.svm._solved import ClassBlock, Solved, slack_of

__all__ = ["MachineSet"]


class MachineSet(KernelMachine):
    """The fitted attributes and bounds of one or more machines of two classes."""

    strategy: str
    classes_: npt.NDArray[Any]
    _machines: tuple[Machine, ...]
    _support_class: npt.NDArray[np.int64]
    _blocks: list[ClassBlock]
    _radius: float
    _n_weight: float
    _support_weight: float
    _train_error: float
    _training: tuple[KernelRows, tuple[Solved, ...]] | None

    @property
    def _tasks(self) -> list[Task]:
        n_classes = len(self.classes_)
        return tasks_of(n_classes, self.strategy) if n_classes > 1 else []

    def _machine_scores(self, points: Points) -> Floats:
        """Return the score of each point by each machine."""
        scores = np.tile([machine.bias for machine in self._machines], (len(points), 1))
        for block in self._blocks:
            scores[:, block.machines] += self._sums(points, block.coefficients, block.points)
        return scores

    def _each(self, values: Sequence[float]) -> Any:
        """Return one number for two classes, an array with one for each machine otherwise."""
        return float(values[0]) if len(values) == 1 else np.array(values, dtype=np.float64)

    @property
    def objective_(self) -> Any:
        """The primal objective ½‖w‖² + Σ C_i slack_i of each machine."""
        return self._each([one.certificate.primal for one in self._fitted_machines()])

    @property
    def gap_(self) -> Any:
        """By how much each machine's objective can be above the least possible."""
        return self._each([one.certificate.gap for one in self._fitted_machines()])

    @property
    def kkt_violation_(self) -> Any:
        """The largest violation of the conditions of optimality."""
        return self._each([one.certificate.violation for one in self._fitted_machines()])

    @property
    def margin_(self) -> Any:
        """The width 2 / ‖w‖ of the margin, in the kernel's space."""
        return self._each([one.margin for one in self._fitted_machines()])

    @property
    def converged_(self) -> bool:
        """Whether every machine reached the tolerance."""
        return all(one.certificate.is_done for one in self._fitted_machines())

    @property
    def n_iter_(self) -> Any:
        """How many pairs of variables were moved."""
        return np.array([one.certificate.n_steps for one in self._fitted_machines()])

    @property
    def intercept_(self) -> Floats:
        """The bias b of each machine: the mean over free support vectors."""
        return np.array([one.bias for one in self._fitted_machines()])

    @property
    def n_support_(self) -> npt.NDArray[np.int64]:
        """The number of support vectors of each class."""
        self._fitted_machines()
        return np.bincount(self._support_class, minlength=len(self.classes_)).astype(np.int64)

    @property
    def dual_coef_(self) -> Floats:
        """y_i α_i: a row for each machine, a column for each row of ``support_``."""
        table = np.zeros((len(self._fitted_machines()), len(self._support_class)))
        for k, machine in enumerate(self._machines):
            table[k, machine.places] = machine.coefficients
        return table

    @property
    def coef_(self) -> Floats:
        """The normal w of each machine, for a linear kernel: a weight for each encoded term."""
        return linear_weights(self, self.dual_coef_)

    @property
    def slack_(self) -> Floats:
        """How far each training row is on the wrong side of its margin: a column for each machine.

        Not there in a model that was saved or pickled: it does not hold the training rows.
        """
        fitted_or_absent(self)
        training = getattr(self, "_training", None)
        if training is None:
            raise AttributeError("slack_ needs the training rows; a saved model holds none")
        return slack_of(*training)

    @property
    def loo_bound_(self) -> float:
        """The share (by weight) of support vectors, which the leave-one-out error cannot exceed."""
        self._fitted_machines()
        return min(1.0, self._support_weight / self._n_weight)

    def _fitted_machines(self) -> tuple[Machine, ...]:
        fitted_or_absent(self)
        return self._machines

    def loo_error(self) -> float:
        """Return the exact leave-one-out error: every support vector is left out in turn.

        Rows that are no support vectors do not matter, and each other fit goes on from the whole
        one. The kernel, its scales and what slack costs stay those of all rows (also for costs
        that depend on the number of rows, and for the C that ``NuSVC`` corresponds to). Needs the
        model that was fitted: a model file does not hold the training rows.
        """
        self._check_fitted()
        rows, solved = self._needs_training()
        target = rows.data.class_target
        if not solved:
            return 0.0
        scores = self._machine_scores(rows.points)
        for k, one in enumerate(solved):
            here = one.solution.problem.rows
            left_out = exact_scores(
                rows, one.solution, one.bias, self._limits(), has_sum=self._has_bias
            )
            alone = np.isnan(left_out)  # its class is gone: the other one is predicted
            scores[here, k] = np.where(alone, -one.solution.problem.linear, left_out)
        predicted = class_scores(scores, self._tasks, target.n_classes)
        wrong = np.argmax(predicted, axis=1) != target.class_of_row
        return float(rows.weights @ wrong / rows.weights.sum())

    @property
    def _has_bias(self) -> bool:
        return True

    def vc_bound(self, epsilon: float = 0.05) -> VCBound:
        """Return the bound of the true error by the margin, which is often vacuous.

        Hyperplanes of margin γ over rows of length at most A have VC dimension at most
        min(d, ⌈4A²/γ²⌉) + 1. A and γ are those seen in training, so that the bound is a guide
        rather than a proof: it assumes that they were fixed before. For several classes the least
        margin is taken, for which there is no theorem.
        """
        self._check_fitted()
        if not self._machines:
            return vc_bound(0.0, 1.0, max(1, round(self._n_weight)), epsilon)
        margin = min(machine.margin for machine in self._machines)
        by_margin = np.ceil(4 * self._radius**2 / margin**2) if np.isfinite(margin) else 0.0
        h = min(self._dimension(), by_margin) + 1
        return vc_bound(self._train_error, h, max(1, round(self._n_weight)), epsilon)

    def _dimension(self) -> float:
        form = getattr(self.kernel_, "number_form", None)
        if getattr(form, "kind", None) == "linear":
            return float(self._support_points.matrix.shape[1])
        return float("inf")

    def _needs_training(self) -> tuple[KernelRows, tuple[Solved, ...]]:
        if self._training is None:
            raise ParameterError(
                "Leave-one-out needs the training rows, which a saved model does not hold.",
                code="P180",
                repair=Repair("model.fit(X, y).loo_error()"),
            )
        return self._training
