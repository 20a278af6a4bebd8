"""Semi-supervised support vector machine: the widest margin over all labelings of unlabeled rows.

    minimize over w, b, y_u   ½‖w‖² + C Σ_l max(0, 1 − y_l f(x_l)) + C_u Σ_u max(0, 1 − |f(x_u)|)

1. The rows with labels make a support vector machine (``svm``), as if there were no others.
2. Labels say what share of the unlabeled rows each class has, about. Without such a balance all
   unlabeled rows may end on one side.
3. Few unlabeled rows: the best labels, with a proof (``_exact_labeling``). Many: labels that no
   turn improves (``_annealed_labeling``).
4. The machine that learned from all rows predicts. Several classes: each against the rest.

V. Vapnik, Statistical Learning Theory, 1998; K. Bennett and A. Demiriz, Semi-supervised support
vector machines, 1998; T. Joachims, Transductive inference for text classification, 1999.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Bools, Floats, Places
from branchline._base import FittedState, reports_progress
from branchline._intervals import Interval
from branchline._memory import refuse_over_budget
from branchline._partly_labeled import PartlyLabeled, labeled_rows
from branchline._plain_numbers import number
from branchline._state import malformed, numbers_from_state
from branchline._validation import (
    AnyOf,
    ClassTarget,
    Constraint,
    Given,
    OneOf,
    Real,
    TrainingData,
    Whole,
)
from branchline._warn import warn
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.svm._annealed_labeling import annealed_labeling
from branchline.svm._certificate import classification_certificate
from branchline.svm._class_shares import shares_of_classes
from branchline.svm._class_tasks import Task, class_scores, tasks_of
from branchline.svm._exact_labeling import exact_labeling
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    SOLVER_PARAMETERS,
    limits_of,
    texts_as_table,
    training_rows,
)
from branchline.svm._labeling import Labeling, LabelProblem, Machine
from branchline.svm._margin_classifier import MarginClassifier
from branchline.svm._task_solution import TaskSolution
from branchline.table import Schema

__all__ = ["S3VM"]

# Up to this number of unlabeled rows search="auto" finds the best labels and proves it.
_FEW = 12
_EXACT = 1e-9


class S3VM(PartlyLabeled, MarginClassifier):
    """Support vector machine that learns from unlabeled rows: it passes between them.

    Use it when few rows have a label and the classes are apart: the boundary is put where there
    are few rows. It takes any table of up to a few thousand rows. Rows whose target is missing are
    unlabeled. Without such rows it is ``svm.SVC`` (each class against the rest).

    It hurts where the boundary of the classes runs through many rows: let ``compare`` say whether
    the unlabeled rows helped. ``C`` and ``gamma`` matter as in ``SVC``.

    Parameters
    ----------
    C
        The cost of slack of labeled rows. Default 1.
    C_unlabeled
        The cost of slack of unlabeled rows. "auto" (default): C √(labeled / unlabeled rows).
    class_shares
        The share of each class among unlabeled rows, which is kept to. "auto" (default): its share
        of the labels, give or take half a standard error. "labels": its share of the labels. Or a
        mapping from classes to shares that sum to 1.
    search
        "exact": the best labels of the unlabeled rows, with a proof; for some twenty rows.
        "annealed": labels that no turn improves, for many rows. "auto" (default): "exact" up to 12
        unlabeled rows.
    max_nodes
        Maximum number of machines that the exact search solves for a class. Default 20,000.
    n_steps
        Number of steps in which slack of unlabeled rows gets more expensive. Default 6.
    kernel, gamma, degree, coef0, standardize, encoder
        The kernel and how the table becomes numbers, as in ``svm.SVC``.
    tol, max_iter
        When the solver of each machine stops, as in ``svm.SVC``. Defaults 0.001, -1.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    transduction_
        The class of each row that ``fit`` was given; labels stay as they were. A loaded model has
        none.
    class_shares_
        The share of each class among unlabeled rows that was asked for.
    objective_
        The objective of each machine with the labels found.
    search_gap_
        By how much each objective can be above that of the best labels: 0 is a proof, NaN not
        known.
    n_nodes_
        How many machines were solved for each class.
    support_, dual_coef_, intercept_, coef_, margin_
        As in ``svm.SVC``; unlabeled rows may be support vectors.

    See Also
    --------
    SVC : support vector classifier with a certificate, on any table.
    LabelPropagation : spread a few labels over a table.

    Examples
    --------
    >>> from branchline.semi import S3VM
    >>> x = [[0.0], [1.0], [1.2], [1.4], [2.6], [2.8], [3.0], [4.0]]
    >>> y = ["left", None, None, None, None, None, None, "right"]
    >>> model = S3VM(kernel="linear", C=100.0).fit(x, y)
    >>> model.transduction_.tolist().count("left"), model.search_gap_
    (4, 0.0)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KERNEL_PARAMETERS,
        **{name: SOLVER_PARAMETERS[name] for name in ("tol", "max_iter")},
        "C": Real(0.0, low_open=True),
        "C_unlabeled": AnyOf((OneOf(("auto",)), Real(0.0, low_open=True))),
        "class_shares": AnyOf((OneOf(("auto", "labels")), Given((dict,), "a mapping"))),
        "search": OneOf(("auto", "exact", "annealed")),
        "max_nodes": Whole(1),
        "n_steps": Whole(1),
    }
    _opposite = None
    strategy = "one_vs_rest"
    search_gap_: Any
    n_nodes_: Any
    class_shares_: Floats

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: float = 1.0,
        *,
        C_unlabeled: float | str = "auto",
        class_shares: Any = "auto",
        search: str = "auto",
        max_nodes: int = 20_000,
        n_steps: int = 6,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        standardize: bool = True,
        encoder: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.class_shares = class_shares
        self.search = search
        self.max_nodes = max_nodes
        self.n_steps = n_steps
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.encoder = encoder
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find labels for the rows whose target is missing, and the machine of all rows."""
        data = self._begin_partly(texts_as_table(X), y, sample_weight)
        refuse_over_budget(8 * data.table.n_rows**2, "the kernel matrix")
        rows = training_rows(self, data)
        target, is_labeled = data.class_target, labeled_rows(rows.data)
        tasks = tasks_of(target.n_classes, self.strategy) if target.n_classes > 1 else []
        shares, rooms = shares_of_classes(self.class_shares, target, rows.weights, rows.data)
        found = [
            self._found(rows, is_labeled, task, (shares[task.positive], rooms[task.positive]))
            for task in tasks
        ]
        solved = self._all_judged(rows, [one for one, _ in found])
        labelings = [labeling for _, labeling in found]
        classes = _classes_of_rows(rows.data, is_labeled, labelings, tasks)
        filled = ClassTarget(target.classes, classes.astype(np.uint32))
        rows = replace(rows, data=replace(rows.data, target=filled))
        return self._finish_with_rows(  # type: ignore[no-any-return]
            X,
            data,
            classes[rows.origins.canonical_of_row],
            **self._fitted(rows, solved, data.kept_rows),
            **_about(labelings, shares),
        )

    # -- learning -------------------------------------------------------------------------------

    def _found(
        self, rows: KernelRows, is_labeled: Bools, task: Task, share: tuple[float, float]
    ) -> tuple[TaskSolution, Labeling]:
        """Return the machine of a task, solved to the end, and its labels."""
        problem = self._problem(rows, is_labeled, task)
        first = problem.machine(np.zeros(0, dtype=np.intp), np.zeros(0))
        labeling = self._searched(problem.of_share(*map(float, share)), first)
        program = problem.program(np.arange(len(problem.free)), labeling.labels)
        (solution,) = rows.solve([program], replace(limits_of(self), wants_spans=True))
        bias = -solution.level()
        costs = np.maximum(program.upper, -program.lower)
        certificate = classification_certificate(
            solution, costs, squared=False, bias=bias, has_bias=True
        )
        return TaskSolution(task, solution, bias, certificate), labeling

    def _problem(self, rows: KernelRows, is_labeled: Bools, task: Task) -> LabelProblem:
        fixed, free = np.flatnonzero(is_labeled), np.flatnonzero(~is_labeled)
        known, mass = rows.weights[fixed], rows.weights[free]
        cost = self.C_unlabeled
        if cost == "auto":
            cost = self.C * float(np.sqrt(known.sum() / max(mass.sum(), known.sum() * 1e-9)))
            cost = min(cost, self.C)
        limits = replace(limits_of(self), polishes=False)
        if self._is_exact(len(free)):  # a proof needs objectives to the last digits
            limits = replace(limits, polishes=True, tolerance=min(limits.tolerance, _EXACT))
        return LabelProblem(
            rows.gram,
            fixed,
            task.labels(rows.data.class_target.class_of_row[fixed]),
            free,
            self.C * known,
            float(cost) * mass,
            mass,
            0.0,
            float(mass.sum()),
            rows.options(limits),
        )

    def _is_exact(self, n_free: int) -> bool:
        return self.search == "exact" or (self.search == "auto" and n_free <= _FEW)

    def _searched(self, problem: LabelProblem, first: Machine) -> Labeling:
        if len(problem.free) == 0:
            return Labeling(np.zeros(0), first, first.dual, 1)
        found = annealed_labeling(problem, first, int(self.n_steps))
        if not self._is_exact(len(problem.free)):
            return found
        exact = exact_labeling(problem, found, int(self.max_nodes))
        if _gap(exact) > 0:
            warn(_unproven(exact, int(self.max_nodes)))
        return exact

    # -- what is not known -----------------------------------------------------------------------

    @property
    def loo_bound_(self) -> float:
        """Not known: labels of unlabeled rows were found with every row there."""
        raise AttributeError("loo_bound_ is not known of a machine that learned from found labels")

    def loo_interval(self) -> Interval:
        """Refuse: a leave-one-out error would count labels that were found as true ones."""
        raise ParameterError(
            "S3VM has no leave-one-out error: the labels of unlabeled rows were found with every "
            "row there. Test it with compare or cross_validate.",
            code="P822",
            repair=Repair("from branchline.assess import cross_validate"),
        )

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **super()._pack(),
            "search_gap": np.nan_to_num(np.atleast_1d(self.search_gap_), nan=-1.0),
            "n_nodes": np.atleast_1d(self.n_nodes_).astype(np.float64),
            "class_shares": np.atleast_1d(self.class_shares_),
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = dict(super()._unpack(state, schema))
        n_machines = len(fitted["_machines"].machines)
        gaps = numbers_from_state(state, "search_gap", length=n_machines)
        nodes = numbers_from_state(state, "n_nodes", length=n_machines)
        n_classes = len(fitted["classes_"])
        shares = numbers_from_state(state, "class_shares", length=n_classes, low=0.0, high=1.0)
        if (nodes < 0).any() or (nodes != np.rint(nodes)).any():
            raise malformed("the number of machines is out of range")
        gaps = np.where(gaps < 0, np.nan, gaps)
        return {**fitted, **_attributes(gaps, nodes, shares)}


def _gap(labeling: Labeling) -> float:
    """Return how far labels can be from the best; what is rounding counts as 0."""
    gap = labeling.machine.primal - labeling.bound
    return 0.0 if gap <= 1e-6 * max(1.0, abs(labeling.machine.primal)) else gap


def _unproven(labeling: Labeling, max_nodes: int) -> BranchlineWarning:
    return BranchlineWarning(
        f"The search for the best labels stopped after {max_nodes:,} machines: the objective "
        f"{number(labeling.machine.primal)} may be up to {number(_gap(labeling))} above the least.",
        code="W072",
        repair=Repair(f"model.set_params(max_nodes={10 * max_nodes}).fit(X, y)"),
    )


def _about(labelings: list[Labeling], shares: Floats) -> dict[str, Any]:
    gaps = np.array([_gap(one) for one in labelings], dtype=np.float64)
    nodes = np.array([one.n_nodes for one in labelings], dtype=np.float64)
    return _attributes(gaps, nodes, shares)


def _attributes(gaps: Floats, nodes: Floats, shares: Floats) -> dict[str, Any]:
    counts = nodes.astype(np.int64)
    is_one = len(gaps) == 1
    return {
        "search_gap_": float(gaps[0]) if is_one else gaps,
        "n_nodes_": int(counts[0]) if is_one else counts,
        "class_shares_": shares,
    }


def _classes_of_rows(
    data: TrainingData, is_labeled: Bools, labelings: list[Labeling], tasks: list[Task]
) -> Places:
    """Return the class of each row: its label, or the one that the machines' labels give it."""
    target = data.class_target
    classes = target.class_of_row.astype(np.intp)
    free = np.flatnonzero(~is_labeled)
    if not tasks:
        classes[free] = 0
    elif len(tasks) == 1:
        classes[free] = labelings[0].labels > 0
    elif len(free):
        scores = np.column_stack([one.machine.scores[free] for one in labelings])
        classes[free] = np.argmax(class_scores(scores, tasks, target.n_classes), axis=1)
    return classes
