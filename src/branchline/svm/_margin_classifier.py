"""What support vector classifiers share once they are solved: scores, probabilities, certificates.

1. ``_fitted`` keeps the support vectors, grouped by class, and a ``Machine`` for each task.
2. A score is a sum over support vectors; classes are told apart by ``_pairs``.
3. Probabilities come from leave-one-out scores (``_leave_one_out``) through a sigmoid that is ½
   where the decision changes, so the most probable class is the predicted one.
4. ``loo_error`` leaves out every support vector in turn, exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from branchline._base import Classifier, Complexity, FittedState
from branchline._explanation import Explanation
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline._vc_bound import VCBound, vc_bound
from branchline.errors import ParameterError, Repair
from branchline.kernels import Points
from branchline.svm._certificate import Certificate, judged, warn_if_unfinished
from branchline.svm._kernel_machine import KernelPredictor
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._leave_one_out import exact_scores, span_scores
from branchline.svm._machine import Machine
from branchline.svm._pairs import Task, class_scores, couple, rest_of, tasks_of
from branchline.svm._problem import Floats, Solution
from branchline.svm._sigmoid import Sigmoid, fit_sigmoid, probabilities_of_margins, put_first
from branchline.table import Schema, Table

__all__ = ["MarginClassifier", "Solved"]

_SIGMOID_ROWS = 1000
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Solved:
    """A task's solution with its bias and certificate."""

    task: Task
    solution: Solution
    bias: float
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class _ClassBlock:
    """The support vectors of one class, with the coefficients of the machines that use them."""

    points: Points
    coefficients: Floats
    machines: npt.NDArray[np.intp]


class MarginClassifier(KernelPredictor, Classifier):
    """A classifier of one or more machines of two classes."""

    _left_out_of_files: ClassVar[frozenset[str]] = frozenset({"slack_"})

    strategy: str
    tol: float
    _machines: tuple[Machine, ...]
    _support_class: npt.NDArray[np.int64]
    _blocks: list[_ClassBlock]
    _radius: float
    _n_weight: float
    _support_weight: float
    _train_error: float
    _training: tuple[KernelRows, tuple[Solved, ...]] | None
    slack_: Floats

    # -- fitting --------------------------------------------------------------------------------

    def _fitted(
        self, rows: KernelRows, solved: Sequence[Solved], given: npt.NDArray[np.intp] | None
    ) -> dict[str, Any]:
        """Return the fitted attributes of solved tasks."""
        class_of_row = rows.data.class_target.class_of_row
        is_support = np.zeros(len(rows), dtype=bool)
        for one in solved:
            is_support[one.solution.problem.rows[one.solution.beta != 0]] = True
        places = np.flatnonzero(is_support)
        places = places[np.argsort(class_of_row[places], kind="stable")]
        at = np.full(len(rows), -1, dtype=np.int64)
        at[places] = np.arange(len(places))
        diagonal = rows.kernel.diag(rows.points)
        machines = tuple(_machine(rows, one, at) for one in solved)
        kept = self._kept(rows, places, given)
        support_class = class_of_row[places].astype(np.int64)
        return {
            **kept,
            "classes_": rows.data.class_target.classes,
            "_machines": machines,
            "_support_class": support_class,
            "_blocks": _class_blocks(kept["_support_points"], support_class, machines),
            "_radius": float(np.sqrt(max(0.0, diagonal.max()))),
            "_n_weight": float(rows.weights.sum()),
            "_support_weight": float(rows.weights[places].sum()),
            "_train_error": _train_error(rows, solved),
            # A copy without the kernel matrix that the fit may have held.
            "_training": (replace(rows), tuple(solved)),
            "slack_": _slack(rows, solved),
        }

    def _all_judged(self, rows: KernelRows, solved: Sequence[Solved]) -> list[Solved]:
        """Return solved tasks with what is certain of them; warn of what is not."""
        if not solved:
            return []
        certificates = judged(rows, [one.certificate for one in solved])
        warn_if_unfinished(certificates, float(self.tol))
        pairs = zip(solved, certificates, strict=True)
        return [replace(one, certificate=about) for one, about in pairs]

    # -- predicting -----------------------------------------------------------------------------

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

    def _class_scores(self, points: Points) -> Floats:
        if len(self.classes_) == 1:
            return np.zeros((len(points), 1))
        return class_scores(self._machine_scores(points), self._tasks, len(self.classes_))

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
        scores, tasks = self._machine_scores(points), self._tasks
        sigmoids = [machine.sigmoid for machine in self._machines]
        if n_classes == 2 or rest_of(tasks):
            return probabilities_of_margins(scores, sigmoids)
        pairwise = [sigmoid.probability(scores[:, k]) for k, sigmoid in enumerate(sigmoids)]
        coupled = couple(np.column_stack(pairwise), tasks, n_classes)
        return put_first(coupled, np.argmax(class_scores(scores, tasks, n_classes), axis=1))

    # -- certificates ---------------------------------------------------------------------------

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
        self._fitted_machines()
        if getattr(getattr(self.kernel_, "number_form", None), "kind", None) != "linear":
            raise AttributeError("coef_ exists for the linear kernel alone")
        weights: Floats = self.dual_coef_ @ self._support_points.matrix
        return weights

    @property
    def loo_bound_(self) -> float:
        """The share (by weight) of support vectors, which the leave-one-out error cannot exceed."""
        self._fitted_machines()
        return min(1.0, self._support_weight / self._n_weight)

    def _fitted_machines(self) -> tuple[Machine, ...]:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
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

    # -- reading --------------------------------------------------------------------------------

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "support vectors")

    def _explain(self, row: Table) -> Explanation:
        explanation = super()._explain(row)
        if not self._machines:
            return explanation
        return replace(explanation, notes=tuple(self._deciding_rows(row)))

    def _deciding_rows(self, row: Table) -> list[str]:
        """Return a line for each of the support vectors that say most about a row."""
        points = self.kernel_.prepare(row)
        k = self._deciding_machine(points)
        machine, task = self._machines[k], self._tasks[k]
        support = self._support_points.take(machine.places)
        shares = self.kernel_.gram(points, support)[0] * machine.coefficients
        order = np.argsort(-np.abs(shares), kind="stable")[:_SHOWN]
        ahead = str(self.classes_[task.positive])
        behind = "the rest" if task.negative is None else str(self.classes_[task.negative])
        total = float(shares.sum()) + machine.bias
        lines = [f"score for {ahead!r} against {behind!r}: {total:.4g}, of which"]
        for at in order.tolist():
            number = self.support_[machine.places[at]]
            name = self.classes_[self._support_class[machine.places[at]]]
            lines.append(f"  row {number} ({name}): {shares[at]:+.4g}")
        rest = total - float(shares[order].sum()) - machine.bias
        lines.append(f"  {len(shares) - len(order)} more rows: {rest:+.4g}")
        return [*lines, f"  bias: {machine.bias:+.4g}"]

    def _deciding_machine(self, points: Points) -> int:
        """Return the machine that tells the predicted class from the runner-up."""
        order = np.argsort(-self._class_scores(points)[0], kind="stable")[:2].tolist()
        for k, task in enumerate(self._tasks):
            if {task.positive, task.negative} == set(order):
                return k
        return int(order[0])  # one against the rest

    # -- saving ---------------------------------------------------------------------------------

    def __getstate__(self) -> Any:
        """Leave out the training rows and what is put together again."""
        state = dict(super().__getstate__())
        for name in ("_training", "_blocks"):
            state.pop(name, None)
        return state

    def _pack(self) -> FittedState:
        return {
            **self._pack_kernel(),
            "classes": classes_to_state(self.classes_),
            "machines": [machine.pack() for machine in self._machines],
            "support_class": self._support_class,
            "about": np.array(
                [self._radius, self._n_weight, self._support_weight, self._train_error]
            ),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        classes = classes_from_state(state)
        kept = self._unpack_kernel(state, schema)
        n_support = len(kept["_support_points"])
        of_class = state.get("support_class")
        if (
            not isinstance(of_class, np.ndarray)
            or of_class.dtype != np.int64
            or of_class.shape != (n_support,)
            or (n_support and not 0 <= of_class.min() <= of_class.max() < len(classes))
        ):
            raise malformed("the classes of support vectors are out of range")
        machines = state.get("machines")
        expected = len(tasks_of(len(classes), self.strategy)) if len(classes) > 1 else 0
        if not isinstance(machines, list) or len(machines) != expected:
            raise malformed("there is not one machine for each task")
        about = state.get("about")
        if not isinstance(about, np.ndarray) or about.shape != (4,) or not (about >= 0).all():
            raise malformed("radius, weights and error are not four numbers")
        radius, n_weight, support_weight, error = (float(value) for value in about)
        if not np.isfinite(about).all() or error > 1 or n_weight <= 0:
            raise malformed("radius, weights or error is out of range")
        unpacked = tuple(Machine.unpack(one, n_support) for one in machines)
        return {
            **kept,
            "classes_": classes,
            "_machines": unpacked,
            "_support_class": np.array(of_class),
            "_blocks": _class_blocks(kept["_support_points"], of_class, unpacked),
            "_radius": radius,
            "_n_weight": n_weight,
            "_support_weight": support_weight,
            "_train_error": error,
            "_training": None,
        }


def _class_blocks(
    points: Points, support_class: npt.NDArray[np.int64], machines: Sequence[Machine]
) -> list[_ClassBlock]:
    """Return the support vectors of each class and what the machines make of them."""
    table = np.zeros((len(support_class), len(machines)))
    for k, machine in enumerate(machines):
        table[machine.places, k] = machine.coefficients
    blocks = []
    for one in np.unique(support_class).tolist():
        members = np.flatnonzero(support_class == one)
        used = np.flatnonzero(table[members].any(axis=0))
        if len(used):
            block = np.ascontiguousarray(table[np.ix_(members, used)])
            blocks.append(_ClassBlock(points.take(members), block, used))
    return blocks


def _machine(rows: KernelRows, solved: Solved, at: npt.NDArray[np.int64]) -> Machine:
    solution = solved.solution
    used = np.flatnonzero(solution.beta)
    places = at[solution.problem.rows[used]]
    order = np.argsort(places)
    return Machine(
        places[order],
        solution.beta[used][order],
        solved.bias,
        float(np.sqrt(solution.quadratic)),
        _sigmoid(rows, solved),
        solved.certificate,
    )


def _sigmoid(rows: KernelRows, solved: Solved) -> Sigmoid:
    """Fit probabilities to near leave-one-out scores of some rows (canonical order is random)."""
    solution = solved.solution
    sample = np.arange(min(len(solution.beta), _SIGMOID_ROWS))
    labels = solution.problem.linear[sample]
    scores = span_scores(rows, solution, solved.bias, sample)
    return fit_sigmoid(scores, labels > 0, rows.weights[solution.problem.rows[sample]])


def _train_error(rows: KernelRows, solved: Sequence[Solved]) -> float:
    """Return the weighted share of rows on the wrong side of one of their own machines."""
    wrong = np.zeros(len(rows), dtype=bool)
    for one in solved:
        labels = one.solution.problem.linear
        wrong[one.solution.problem.rows] |= labels * (one.solution.score + one.bias) <= 0
    return float(rows.weights @ wrong / rows.weights.sum())


def _slack(rows: KernelRows, solved: Sequence[Solved]) -> Floats:
    """Return how far each row is on the wrong side of its margin: a column for each machine."""
    slack = np.zeros((len(rows), len(solved)))
    for k, one in enumerate(solved):
        labels = one.solution.problem.linear
        slack[one.solution.problem.rows, k] = np.maximum(
            0.0, 1 - labels * (one.solution.score + one.bias)
        )
    shown: Floats = slack[rows.origins.canonical_of_row]
    return shown[:, 0] if shown.shape[1] == 1 else shown
