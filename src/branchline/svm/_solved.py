"""Solved tasks become machines: coefficients, bias, probabilities, slack."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline.kernels import Points
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._leave_one_out import span_scores
from branchline.svm._machine import Machine
from branchline.svm._pairs import Task
from branchline.svm._problem import Solution
from branchline.svm._sigmoid import Sigmoid, fit_sigmoid

__all__ = ["ClassBlock", "Solved", "class_blocks", "machine_of", "slack_of", "train_error"]

_SIGMOID_ROWS = 1000


@dataclass(frozen=True, eq=False)
class Solved:
    """A task's solution with its bias and certificate."""

    task: Task
    solution: Solution
    bias: float
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class ClassBlock:
    """The support vectors of one class, with the coefficients of the machines that use them."""

    points: Points
    coefficients: Floats
    machines: npt.NDArray[np.intp]


def class_blocks(
    points: Points, support_class: npt.NDArray[np.int64], machines: Sequence[Machine]
) -> list[ClassBlock]:
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
            blocks.append(ClassBlock(points.take(members), block, used))
    return blocks


def machine_of(rows: KernelRows, solved: Solved, at: npt.NDArray[np.int64]) -> Machine:
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
    """Fit probabilities to near leave-one-out scores of the first rows (their order is random)."""
    solution = solved.solution
    sample = np.argsort(solution.problem.rows, kind="stable")[:_SIGMOID_ROWS]
    labels = solution.problem.linear[sample]
    scores = span_scores(rows, solution, solved.bias, sample)
    return fit_sigmoid(scores, labels > 0, rows.weights[solution.problem.rows[sample]])


def train_error(rows: KernelRows, solved: Sequence[Solved]) -> float:
    """Return the weighted share of rows on the wrong side of one of their own machines."""
    wrong = np.zeros(len(rows), dtype=bool)
    for one in solved:
        labels = one.solution.problem.linear
        wrong[one.solution.problem.rows] |= labels * (one.solution.score + one.bias) <= 0
    return float(rows.weights @ wrong / rows.weights.sum())


def slack_of(rows: KernelRows, solved: Sequence[Solved]) -> Floats:
    """Return how far each row is on the wrong side of its margin: a column for each machine."""
    slack = np.zeros((len(rows), len(solved)))
    for k, one in enumerate(solved):
        labels = one.solution.problem.linear
        slack[one.solution.problem.rows, k] = np.maximum(
            0.0, 1 - labels * (one.solution.score + one.bias)
        )
    shown: Floats = slack[rows.origins.canonical_of_row]
    return shown[:, 0] if shown.shape[1] == 1 else shown
