"""TaskSolution tasks become machines: coefficients, bias, probabilities, slack."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline.svm._certificate import Certificate
from branchline.svm._class_tasks import Task
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._leave_one_out import span_scores
from branchline.svm._quadratic_program import Solution
from branchline.svm._sigmoid import Sigmoid, fit_sigmoid
from branchline.svm._two_class_machine import TwoClassMachine

__all__ = ["SIGMOID_ROWS", "TaskSolution", "machine_of", "sigmoid_of", "slack_of", "wrong_rows"]

SIGMOID_ROWS = 1000


@dataclass(frozen=True, eq=False)
class TaskSolution:
    """A task's solution with its bias and certificate."""

    task: Task
    solution: Solution
    bias: float
    certificate: Certificate


def machine_of(
    rows: KernelRows, solved: TaskSolution, at: npt.NDArray[np.int64]
) -> TwoClassMachine:
    """Make a machine of a solved task; ``at`` is where each row stands among support vectors."""
    solution = solved.solution
    # Methods in place of functions: there may be a hundred thousand pairs of classes.
    used = solution.beta.nonzero()[0]
    places = at[solution.problem.rows[used]]
    order = places.argsort()
    return TwoClassMachine(
        places[order],
        solution.beta[used][order],
        solved.bias,
        sqrt(solution.quadratic),
        sigmoid_of(rows, solved),
        solved.certificate,
    )


def sigmoid_of(rows: KernelRows, solved: TaskSolution) -> Sigmoid:
    """Fit probabilities to near leave-one-out scores of the first rows (their order is random)."""
    solution = solved.solution
    sample = solution.problem.rows.argsort(kind="stable")[:SIGMOID_ROWS]
    labels = solution.problem.linear[sample]
    scores = span_scores(rows, solution, solved.bias, sample)
    return fit_sigmoid(scores, labels > 0, rows.weights[solution.problem.rows[sample]])


def wrong_rows(rows: KernelRows, solved: Sequence[TaskSolution]) -> npt.NDArray[np.bool_]:
    """Return which rows are on the wrong side of one of their own machines."""
    wrong = np.zeros(len(rows), dtype=bool)
    for one in solved:
        labels = one.solution.problem.linear
        wrong[one.solution.problem.rows] |= labels * (one.solution.score + one.bias) <= 0
    return wrong


def slack_of(rows: KernelRows, solved: Sequence[TaskSolution]) -> Floats:
    """Return how far each row is on the wrong side of its margin: a column for each machine."""
    slack = np.zeros((len(rows), len(solved)))
    for k, one in enumerate(solved):
        labels = one.solution.problem.linear
        slack[one.solution.problem.rows, k] = np.maximum(
            0.0, 1 - labels * (one.solution.score + one.bias)
        )
    shown: Floats = slack[rows.origins.canonical_of_row]
    return shown[:, 0] if shown.shape[1] == 1 else shown
