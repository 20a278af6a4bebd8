"""What support vector classifiers share once they are solved: scores, probabilities, certificates.

1. ``_fitted`` keeps the support vectors, grouped by class, and a ``Machine`` for each task.
2. A score is a sum over support vectors; classes are told apart by ``_pairs``.
3. Probabilities come from leave-one-out scores (``_leave_one_out``) through a sigmoid that is ½
   where the decision changes, so the most probable class is the predicted one.
4. ``loo_error`` leaves out every support vector in turn, exactly.
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
from branchline._plain_numbers import count, signed
from branchline._plain_numbers import number as plain_number
from branchline._state import classes_from_state, classes_to_state, malformed
from branchline.kernels import Points
from branchline.svm._certificate import UNFINISHED_HINT, judged, warn_if_unfinished
from branchline.svm._kernel_machine import KernelPredictor
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._machine import Machine
from branchline.svm._machine_set import MachineSet
from branchline.svm._pairs import class_scores, couple, rest_of, tasks_of
from branchline.svm._sigmoid import probabilities_of_margins, put_first
from branchline.svm._solved import Solved, class_blocks, machine_of, train_error
from branchline.table import Schema, Table

__all__ = ["MarginClassifier"]

_SHOWN = 5


class MarginClassifier(MachineSet, KernelPredictor, Classifier):
    """A classifier of one or more machines of two classes."""

    tol: float
    # What to do when the solver stops before it reaches its tolerance.
    _unfinished_hint: ClassVar[str] = UNFINISHED_HINT

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
        machines = tuple(machine_of(rows, one, at) for one in solved)
        kept = self._kept(rows, places, given)
        support_class = class_of_row[places].astype(np.int64)
        return {
            **kept,
            "classes_": rows.data.class_target.classes,
            "_machines": machines,
            "_support_class": support_class,
            "_blocks": class_blocks(kept["_support_points"], support_class, machines),
            "_radius": float(np.sqrt(max(0.0, diagonal.max()))),
            "_n_weight": float(rows.weights.sum()),
            "_support_weight": float(rows.weights[places].sum()),
            "_train_error": train_error(rows, solved),
            # A copy without the kernel matrix that the fit may have held.
            "_training": (replace(rows), tuple(solved)),
        }

    def _all_judged(self, rows: KernelRows, solved: Sequence[Solved]) -> list[Solved]:
        """Return solved tasks with what is certain of them; warn of what is not."""
        if not solved:
            return []
        certificates = judged(rows, [one.certificate for one in solved])
        told = self._unfinished_hint, self._unfinished_warning()
        warn_if_unfinished(certificates, float(self.tol), *told)
        pairs = zip(solved, certificates, strict=True)
        return [replace(one, certificate=about) for one, about in pairs]

    def _unfinished_warning(self) -> type[Warning]:
        """Return the kind of warning for a solver that stopped early."""
        kind: type[Warning] = ConvergenceWarning
        return kind

    # -- predicting -----------------------------------------------------------------------------

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
        lines = [f"score for {ahead!r} against {behind!r}: {plain_number(total)}, of which"]
        for at in order.tolist():
            number = self.support_[machine.places[at]]
            name = self.classes_[self._support_class[machine.places[at]]]
            lines.append(f"  row {number} ({name}): {signed(shares[at], 4)}")
        rest = total - float(shares[order].sum()) - machine.bias
        lines.append(f"  {count(len(shares) - len(order), 'more row')}: {signed(rest, 4)}")
        return [*lines, f"  bias: {signed(machine.bias, 4)}"]

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
            "_blocks": class_blocks(kept["_support_points"], of_class, unpacked),
            "_radius": radius,
            "_n_weight": n_weight,
            "_support_weight": support_weight,
            "_train_error": error,
            "_training": None,
        }
