"""C-support vector classification: the widest margin, softened by what slack costs.

    minimize  ½‖w‖² + Σ_i C_i max(0, 1 − y_i (w·φ(x_i) + b))        (or squared slack)

1. The table is prepared for the kernel: canonical rows, standardized numbers, categories that match
   or do not.
2. For each pair of classes (or each class against the rest) the dual is solved (``_problem``,
   ``native/include/branchline/svm.hpp``); small problems to the last digits.
3. b is the mean of y_i − score_i over free support vectors.
4. Primal and dual objective certify the solution (``_certificate``).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import reports_progress
from branchline._class_weight import CLASS_WEIGHT, weigh_rows
from branchline._validation import AnyOf, Constraint, Flag, OneOf, Real
from branchline.errors import ParameterError, Repair
from branchline.svm._certificate import classification_certificate
from branchline.svm._class_tasks import Task, is_one_vs_rest, rows_of, tasks_of
from branchline.svm._hard_margin import solve_hard_margin
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    SOLVER_PARAMETERS,
    limits_of,
    texts_as_table,
    training_rows,
)
from branchline.svm._margin_classifier import MarginClassifier
from branchline.svm._pair_solutions import can_be_paired, solve_pairs
from branchline.svm._quadratic_program import Solution, classification
from branchline.svm._task_solution import TaskSolution

__all__ = ["SVC"]


class SVC(MarginClassifier):
    """Support vector classifier with a certificate, on any table.

    Use it for curved boundaries on tables of up to some ten thousand rows. It takes any table as it
    is: numbers are standardized, categories match or do not, missing values are filled and marked.

    It finds the boundary with the widest margin in the space of a kernel. The fit reports how far
    it can be from the optimum (``gap_``), and warns when it stops early. ``C`` and ``gamma``
    matter: choose them with ``SVCGrid``. On larger tables use ``LinearSVC``.

    Parameters
    ----------
    C
        The cost of slack (rows inside the margin or on the wrong side); see ``penalty``. Larger
        values follow the training rows more closely. Default 1.
    kernel
        "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "precomputed", a kernel of
        ``branchline.kernels`` (also a formula of several, and of strings), or a function of two
        blocks of rows.
    gamma, degree, coef0
        Parameters of kernels by name. gamma="scale" is one over the variance of all numbers.
        Defaults "scale", 3, 0.0.
    loss
        "hinge" (default: slack) or "squared_hinge" (squared slack).
    margin
        "soft" (default), or "hard": no slack at all, with a proof when the classes overlap.
    penalty
        What C means: "C" (default; ½‖w‖² + C Σ slack), "C/n" (½‖w‖² + C/n Σ slack) or "lambda"
        ((1/n) Σ slack + C ‖w‖²).
    fit_intercept
        Whether the model has a constant b. Default True.
    class_weight
        None (default), "balanced" (all classes count equally), or a mapping from classes to
        numbers: factors for the cost of slack of their rows.
    strategy
        For three classes or more: "one_vs_one" (default: the class that wins most pairs) or
        "one_vs_rest" (the class with the largest score).
    standardize
        Whether numbers get mean 0 and standard deviation 1. Default True.
    encoder
        How the table becomes numbers; replaces ``standardize``. Default None.
    tol
        The solver stops when no condition of optimality is violated by more than this.
        Default 0.001.
    max_iter
        Maximum number of steps of the solver. Default -1: no limit.
    time_budget
        Maximum time of the solver in seconds. Default None: no limit.
    n_jobs
        Number of threads; None (default): all cores. Results do not depend on it.

    Attributes
    ----------
    classes_
        The classes, sorted.
    support_
        The numbers of the rows that are support vectors, by class.
    dual_coef_, intercept_, coef_
        y_i α_i of the support vectors, b, and for the linear kernel w.
    margin_, slack_
        2 / ‖w‖, and how far each row is on the wrong side of its margin.
    objective_, gap_, kkt_violation_, converged_
        The certificate: no model has an objective below ``objective_ − gap_``.
    loo_bound_
        The share of support vectors, an upper bound of the leave-one-out error.

    See Also
    --------
    SVCGrid : chooses C and gamma.
    LinearSVC : for many rows or columns.
    KernelLogisticRegression : with probabilities.

    Examples
    --------
    >>> from branchline.svm import SVC
    >>> x, y = [[1], [2], [4], [5], [6]], [1, 1, -1, -1, 1]
    >>> model = SVC(100, kernel="poly", degree=2, gamma=1, coef0=1, standardize=False).fit(x, y)
    >>> model.support_.tolist(), model.dual_coef_.round(3).tolist()
    ([3, 1, 4], [[-7.333, 2.5, 4.833]])
    >>> model.intercept_.round(3).tolist(), round(model.gap_, 6)
    ([9.0], 0.0)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KERNEL_PARAMETERS,
        **SOLVER_PARAMETERS,
        "C": Real(0.0, low_open=True),
        "loss": OneOf(("hinge", "squared_hinge")),
        "margin": OneOf(("soft", "hard")),
        "penalty": OneOf(("C", "C/n", "lambda")),
        "fit_intercept": Flag(),
        "class_weight": CLASS_WEIGHT,
        "strategy": OneOf(("one_vs_one", "one_vs_rest")),
        "time_budget": AnyOf((OneOf((None,)), Real(0.0, low_open=True))),
    }
    _opposite = "branchline.svm.SVR"

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        loss: str = "hinge",
        margin: str = "soft",
        penalty: str = "C",
        fit_intercept: bool = True,
        class_weight: Any = None,
        strategy: str = "one_vs_one",
        standardize: bool = True,
        encoder: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_budget: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.margin = margin
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.strategy = strategy
        self.standardize = standardize
        self.encoder = encoder
        self.tol = tol
        self.max_iter = max_iter
        self.time_budget = time_budget
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the support vectors; rows of weight k count as k copies."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        self._refuse_contradictions()
        rows = training_rows(self, data)
        n_classes = data.class_target.n_classes
        tasks = tasks_of(n_classes, self.strategy) if n_classes > 1 else []
        solve = self._solve_hard if self.margin == "hard" else self._solve
        solved = self._all_judged(rows, solve(rows, tasks))
        return self._finish(data, **self._fitted(rows, solved, data.kept_rows))

    # -- learning -------------------------------------------------------------------------------

    @property
    def _has_bias(self) -> bool:  # type: ignore[override]
        return bool(self.fit_intercept)

    def _refuse_contradictions(self) -> None:
        if self.margin != "hard":
            return
        for name, value, wanted in (
            ("loss", self.loss, "hinge"),
            ("fit_intercept", self.fit_intercept, True),
        ):
            if value != wanted:
                raise ParameterError(
                    f"margin='hard' has no slack and a bias: {name}={value!r} contradicts it.",
                    code="P181",
                    values=[value],
                    repair=Repair(f"model.set_params({name}={wanted!r})"),
                )

    def _costs(self, rows: KernelRows) -> Floats:
        """Return what slack of each row costs."""
        total = float(rows.weights.sum())
        factor = {"C": self.C, "C/n": self.C / total, "lambda": 1 / (2 * total * self.C)}
        weights = weigh_rows(rows.weights, rows.data.class_target, self.class_weight)
        costs: Floats = float(factor[self.penalty]) * weights
        return costs

    def _solve(self, rows: KernelRows, tasks: list[Task]) -> Sequence[TaskSolution]:
        if not tasks:
            return []
        costs, target = self._costs(rows), rows.data.class_target
        squared = self.loss == "squared_hinge"
        limits = replace(limits_of(self), wants_spans=True)
        if target.n_classes > 2 and not is_one_vs_rest(tasks) and can_be_paired(rows):
            return solve_pairs(rows, tasks, costs, limits, squared=squared, has_sum=self._has_bias)
        problems = []
        places = rows_of(tasks, target.class_of_row, target.n_classes)
        for task, here in zip(tasks, places, strict=True):
            labels = task.labels(target.class_of_row[here])
            problems.append(classification(here, labels, costs[here], squared=squared))
        solutions = rows.solve(problems, limits, has_sum=self._has_bias)
        pairs = zip(tasks, solutions, strict=True)
        return [self._certified(task, solution, costs) for task, solution in pairs]

    def _certified(self, task: Task, solution: Solution, costs: Floats) -> TaskSolution:
        bias = -solution.level() if self._has_bias else 0.0
        certificate = classification_certificate(
            solution,
            costs[solution.problem.rows],
            squared=self.loss == "squared_hinge",
            bias=bias,
            has_bias=self._has_bias,
        )
        return TaskSolution(task, solution, bias, certificate)

    def _solve_hard(self, rows: KernelRows, tasks: list[Task]) -> list[TaskSolution]:
        target, solved = rows.data.class_target, []
        places = rows_of(tasks, target.class_of_row, target.n_classes)
        for task, here in zip(tasks, places, strict=True):
            labels = task.labels(target.class_of_row[here])
            solution = solve_hard_margin(rows, here, labels, limits_of(self))
            bias = -(solution.score[labels > 0].min() + solution.score[labels < 0].max()) / 2
            certificate = classification_certificate(
                solution, np.zeros(len(here)), squared=False, bias=float(bias), has_bias=False
            )
            solved.append(TaskSolution(task, solution, float(bias), certificate))
        return solved
