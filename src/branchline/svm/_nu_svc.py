"""ν-support vector classification: the share of margin errors instead of their cost.

    minimize  ½‖w‖² − ν ρ + (1/n) Σ_i slack_i   with   y_i (w·φ(x_i) + b) ≥ ρ − slack_i

1. In the dual, 0 ≤ α_i ≤ weight_i, and α of each class adds up to ν n / 2.
2. Free rows of the two classes have scores ρ − b and −ρ − b: two means give ρ and b.
3. Everything is divided by ρ, so that the margin's edges have scores ±1 as in ``SVC``.

ν is an upper bound of the share of margin errors and a lower bound of that of support vectors.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from branchline._arrays import Floats
from branchline._base import reports_progress
from branchline._validation import Constraint, OneOf, Real
from branchline._warn import warn
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.svm._certificate import classification_certificate
from branchline.svm._class_tasks import Task, rows_of, tasks_of
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    SOLVER_PARAMETERS,
    limits_of,
    texts_as_table,
    training_rows,
)
from branchline.svm._margin_classifier import MarginClassifier
from branchline.svm._quadratic_program import QuadraticProgram, Solution, classification, filled
from branchline.svm._task_solution import TaskSolution

__all__ = ["NuSVC"]

_MOST_STRENGTH = 1e9
_ROUNDING = 1e-12
_LEAST_MARGIN = 1e-6  # as a share of the largest score
# Margins below this share of the largest score that rows could have come from the tolerance.
_FAINT_MARGIN = 1e-5
_MOST_ROUNDS = 3
# Steps for the refinement, in those of the first solution, unless max_iter says how many.
_MORE_STEPS = 50


class NuSVC(MarginClassifier):
    """Support vector classifier whose parameter is a share of rows, on any table.

    Parameters
    ----------
    nu
        An upper bound of the share of rows within the margin or beyond, and a lower bound of the
        share of support vectors. At most twice the share of the smaller class. It counts rows, or
        their weights, of all classes alike: to weigh classes, take ``SVC`` with the C of ``C_``.
        Default 0.5.
    kernel, gamma, degree, coef0, strategy, standardize, encoder
        As in ``SVC``.
    tol, max_iter, time_budget, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    C_
        The C of the ``SVC`` that would be the same machine: 1 / ρ for each machine.

    See Also
    --------
    SVC : support vector classifier with a certificate, on any table.
    NuSVR : support vector regressor that finds the width of its tube, on any table.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import NuSVC
    >>> X, y = load_dataset("iris").split_target("species")
    >>> model = NuSVC(0.1).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.99
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KERNEL_PARAMETERS,
        **SOLVER_PARAMETERS,
        "nu": Real(0.0, 1.0, low_open=True),
        "strategy": OneOf(("one_vs_one", "one_vs_rest")),
    }
    _opposite = "branchline.svm.NuSVR"
    _unfinished_hint = (
        "Raise nu where classes overlap much: below some nu their margin vanishes. Else raise "
        "max_iter or time_budget."
    )

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        nu: float = 0.5,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        strategy: str = "one_vs_one",
        standardize: bool = True,
        encoder: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_budget: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
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
        rows = training_rows(self, data)
        n_classes = data.class_target.n_classes
        tasks = tasks_of(n_classes, self.strategy) if n_classes > 1 else []
        solved = self._solve(rows, tasks) if tasks else []
        machines = self._all_judged(rows, [one for one, _ in solved])
        return self._finish(
            data,
            C_=np.array([strength for _, strength in solved]),
            **self._fitted(rows, machines, data.kept_rows),
        )

    def _solve(self, rows: KernelRows, tasks: list[Task]) -> list[tuple[TaskSolution, float]]:
        target, weights = rows.data.class_target, rows.weights
        problems = []
        places = rows_of(tasks, target.class_of_row, target.n_classes)
        for task, here in zip(tasks, places, strict=True):
            labels = task.labels(target.class_of_row[here])
            problems.append(_problem(here, labels, weights[here], float(self.nu)))
        solutions = rows.solve(problems, limits_of(self))
        found = []
        for task, solution in zip(tasks, solutions, strict=True):
            found.append(self._refined(rows, task, solution))
        return found

    def _refined(
        self, rows: KernelRows, task: Task, solution: Solution
    ) -> tuple[TaskSolution, float]:
        """Go on until the violation, in units of the margin, is within the tolerance.

        A margin that is next to nothing beside the scores that rows could have is what the
        tolerance left of none: it would shrink with every step, so it is not pursued.
        """
        limits, tol = limits_of(self), float(self.tol)
        most_steps = _MORE_STEPS * (solution.n_steps + 20 * len(solution.beta))
        one, strength = _scaled(task, solution, rows.weights, tol)
        for _ in range(_MOST_ROUNDS):
            is_within = one.certificate.violation <= tol
            if not solution.is_done or is_within or _is_faint(rows, solution, strength):
                break
            finer = replace(limits, tolerance=limits.tolerance / min(strength, _MOST_STRENGTH))
            if limits.max_steps < 0:
                finer = replace(finer, max_steps=most_steps)
            again = replace(solution.problem, start=solution.beta)
            (solution,) = rows.solve([again], finer)
            one, strength = _scaled(task, solution, rows.weights, tol)
        return one, strength

    def _unfinished_warning(self) -> type[Warning]:
        """Without a limit the solver stops early only where the margin vanishes."""
        is_limited = self.max_iter >= 0 or self.time_budget is not None
        return ConvergenceWarning if is_limited else BranchlineWarning

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> Any:
        return {**super()._pack(), "strengths": self.C_}

    def _unpack(self, state: Any, schema: Any) -> Any:
        from branchline._state import numbers_from_state

        fitted = super()._unpack(state, schema)
        strengths = numbers_from_state(
            state, "strengths", length=len(fitted["_machines"].machines), low=0.0, high=1e300
        )
        return {**fitted, "C_": strengths}


def _is_faint(rows: KernelRows, solution: Solution, strength: float) -> bool:
    """Whether a margin is below the violation, and next to nothing beside any possible score."""
    margin = 1 / strength
    if margin >= solution.violation:
        return False
    largest = float(rows.kernel.diag(rows.points.take(solution.problem.rows)).max(initial=0.0))
    held = float(np.abs(solution.beta).sum()) / 2
    return margin < _FAINT_MARGIN * held * largest


def _scaled(
    task: Task, solution: Solution, costs: Floats, tolerance: float
) -> tuple[TaskSolution, float]:
    """Return the machine with scores ±1 at the margin's edges, and the C that it corresponds to.

    It is done when its violation in units of the margin is within the tolerance.
    """
    labels = np.where(solution.problem.group == 0, 1.0, -1.0)
    high, low = solution.level(labels > 0), solution.level(labels < 0)
    rho, bias = (high - low) / 2, -(high + low) / 2
    here = solution.problem.rows
    if not rho > _LEAST_MARGIN * float(np.abs(solution.score).max(initial=1e-300)):
        return _without_margin(task, solution, labels, costs[here])
    strength = 1 / rho
    same = replace(
        solution,
        problem=classification(here, labels, strength * costs[here]),
        beta=strength * solution.beta,
        score=strength * solution.score,
        violation=strength * solution.violation,
        is_done=solution.is_done and strength * solution.violation <= tolerance,
    )
    bias *= strength
    certificate = classification_certificate(
        same, strength * costs[here], squared=False, bias=bias, has_bias=True
    )
    return TaskSolution(task, same, bias, certificate), strength


def _problem(here: Any, labels: Floats, weights: Floats, nu: float) -> QuadraticProgram:
    total = nu * float(weights.sum()) / 2
    start = np.zeros(len(labels))
    for sign in (1.0, -1.0):
        side = labels == sign
        most = float(weights[side].sum())
        if total > most * (1 + _ROUNDING):
            raise _infeasible(nu, 2 * most / float(weights.sum()))
        start[side] = sign * filled(weights[side], min(total, most))
    bounds = labels * weights
    lower, upper = np.minimum(0.0, bounds), np.maximum(0.0, bounds)
    return QuadraticProgram(
        here,
        np.zeros(len(labels)),
        lower,
        upper,
        group=(labels < 0).astype(np.uint8),
        start=np.clip(start, lower, upper),
    )


def _infeasible(nu: float, most: float) -> ParameterError:
    return ParameterError(
        f"specified nu is infeasible: nu={nu:g}, but the smaller class of a pair allows {most:g}.",
        code="P182",
        values=[nu],
        repair=Repair(f"model.set_params(nu={0.99 * most:.3g})"),
    )


def _without_margin(
    task: Task, solution: Solution, labels: Floats, costs: Floats
) -> tuple[TaskSolution, float]:
    """Return the machine that says the heavier class: no plane tells these rows apart."""
    warn(
        "No margin was found: for this nu, mixtures of rows of both classes coincide. The pair is "
        "decided by the heavier class; a smaller nu may tell more.",
        BranchlineWarning,
    )
    nothing = np.zeros(len(labels))
    flat = replace(
        solution,
        problem=classification(solution.problem.rows, labels, costs),
        beta=nothing,
        score=nothing,
    )
    bias = 1.0 if float(costs @ labels) >= 0 else -1.0
    certificate = classification_certificate(flat, costs, squared=False, bias=bias, has_bias=True)
    return TaskSolution(task, flat, bias, certificate), 1.0
