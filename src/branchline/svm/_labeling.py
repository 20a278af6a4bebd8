"""Labels for the unlabeled rows of one machine: what they cost, and which are allowed.

    minimize over w, b and y_u = ±1   ½‖w‖² + Σ_l C_l ξ_l + Σ_u C_u ξ_u,   ξ = max(0, 1 − y f(x))
    with                              least ≤ Σ_u m_u [y_u = +1] ≤ most

m_u is the mass of equal rows. With the labels y_u fixed this is a support vector machine; with f
fixed the best labels are +1 for the rows of the largest f, as many as are allowed.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from branchline import _core
from branchline._arrays import Floats, Places
from branchline.svm._quadratic_program import QuadraticProgram, Solution, classification

__all__ = ["LabelProblem", "Labeling", "Machine"]

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Machine:
    """A support vector machine for some labels.

    Parameters
    ----------
    solution, bias
        The solution of its dual, and b.
    scores
        f of each row of the problem, also of those that it did not learn from.
    primal, dual
        Its objective, and a bound below which no machine with these labels can be.
    """

    solution: Solution
    bias: float
    scores: Floats
    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class Labeling:
    """Labels of the unlabeled rows, with their machine.

    Parameters
    ----------
    labels
        +1 or −1 for each unlabeled row.
    machine
        The machine that learned from all rows.
    bound
        No allowed labels have an objective below this; NaN: not known.
    n_nodes
        How many machines were solved to find them.
    """

    labels: Floats
    machine: Machine
    bound: float
    n_nodes: int


@dataclass(frozen=True, eq=False)
class LabelProblem:
    """The rows of one machine, of which some have no label.

    Parameters
    ----------
    gram
        The kernel matrix of all rows.
    fixed, labels
        The labeled rows, and +1 or −1 for each.
    free
        The unlabeled rows.
    fixed_costs, free_costs
        What slack costs: C_l and C_u.
    mass
        The mass of each unlabeled row.
    least, most
        The least and the largest mass of unlabeled rows that are +1.
    options
        The core's options.
    """

    gram: Floats
    fixed: Places
    labels: Floats
    free: Places
    fixed_costs: Floats
    free_costs: Floats
    mass: Floats
    least: float
    most: float
    options: Any

    def of_share(self, share: float, room: float = 0.0) -> "LabelProblem":
        """Return the problem with this share of the unlabeled mass +1, give or take ``room``.

        At least the number of rows that is nearest to the share is allowed.
        """
        total = float(self.mass.sum())
        half = float(self.mass.max(initial=0.0)) / 2 * (1 + _ROUNDING)
        around = max(half, room * total)
        return replace(self, least=share * total - around, most=share * total + around)

    def with_costs(self, factor: float) -> "LabelProblem":
        """Return the problem in which slack of unlabeled rows costs ``factor`` times as much."""
        return replace(self, free_costs=self.free_costs * factor)

    def program(self, some: Places, labels: Floats) -> QuadraticProgram:
        """Return the dual of the machine that learns from the labeled rows and from some others."""
        rows = np.concatenate([self.fixed, self.free[some]]).astype(np.uint32)
        signs = np.concatenate([self.labels, labels])
        return classification(
            rows, signs, np.concatenate([self.fixed_costs, self.free_costs[some]])
        )

    def machine(self, some: Places, labels: Floats) -> Machine:
        """Return the machine that learns from the labeled rows and from some others."""
        program = self.program(some, labels)
        solved = _core.solve_svm_gram_double(self.gram, [program.native()], self.options)[0]
        solution = Solution(program, *solved)
        bias = -solution.level()
        used = np.flatnonzero(solution.beta)
        scores = self.gram[:, program.rows[used]] @ solution.beta[used] + bias
        costs = np.maximum(program.upper, -program.lower)
        slack = np.maximum(0.0, 1 - program.linear * scores[program.rows])
        primal = solution.quadratic / 2 + float(costs @ slack)
        return Machine(solution, bias, scores, primal, -solution.objective)

    def whole(self, labels: Floats) -> Machine:
        """Return the machine that learns from all rows."""
        return self.machine(np.arange(len(self.free)), labels)

    def best_labels(self, scores: Floats) -> Floats:
        """Return the allowed labels that cost least where f is ``scores`` (of unlabeled rows)."""
        order = np.lexsort((np.arange(len(scores)), -scores))
        mass = np.concatenate([[0.0], np.cumsum(self.mass[order])])
        gain = np.maximum(0, 1 + scores) - np.maximum(0, 1 - scores)  # of +1 instead of −1
        gained = np.concatenate([[0.0], np.cumsum((gain * self.free_costs)[order])])
        allowed = (mass >= self.least) & (mass <= self.most)
        if not allowed.any():  # rounding
            allowed = np.abs(mass - (self.least + self.most) / 2) == np.min(
                np.abs(mass - (self.least + self.most) / 2)
            )
        n_positive = int(np.argmax(np.where(allowed, gained, -np.inf)))
        labels = np.full(len(scores), -1.0)
        labels[order[:n_positive]] = 1.0
        return labels
