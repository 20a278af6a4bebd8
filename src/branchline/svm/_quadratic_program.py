"""The quadratic programs of support vector machines, and what their solutions tell.

    minimize  ½ Σ_ij β_i β_j K(r_i, r_j) + ½ Σ_i ridge_i β_i² − Σ_i linear_i β_i
    with      lower ≤ β ≤ upper, and the sum of β over each group as it is at the start

1. A classification has β_i = y_i α_i with 0 ≤ α_i ≤ C_i and linear_i = y_i. Squared slack has no
   upper bound but ridge_i = 1 / (2 C_i).
2. A regression has two variables a row: one pulls up (linear y − ε), one pulls down (y + ε).
3. ν-machines hold the sums of two groups; a one-class machine has no linear part.

The solver is native (``native/include/branchline/svm.hpp``).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats

__all__ = ["QuadraticProgram", "Solution", "classification", "one_class", "regression"]

Rows = npt.NDArray[np.uint32]
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """A quadratic program on rows of a kernel matrix.

    Parameters
    ----------
    rows
        The row of each variable.
    linear, lower, upper
        Of each variable.
    ridge
        What is added to the diagonal of the kernel matrix; None: nothing.
    group
        0 or 1 for each variable, when two sums are held; None: one sum.
    start
        Where the solver starts, which also says what the sums are; None: at 0.
    """

    rows: Rows
    linear: Floats
    lower: Floats
    upper: Floats
    ridge: Floats | None = None
    group: npt.NDArray[np.uint8] | None = None
    start: Floats | None = None

    def native(self, rows: Rows | None = None) -> Any:
        """Return the problem as the core takes it, on its rows or on others in their places."""
        here = self.rows if rows is None else rows
        return _core.SvmProblem(
            here, self.linear, self.lower, self.upper, self.ridge, self.group, self.start
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """β, and the score Σ_j β_j K(r_j, r_i) of each variable's row.

    ``span`` has S² − ridge of each variable (``_leave_one_out``), or is empty.
    """

    problem: QuadraticProgram
    beta: Floats
    score: Floats
    violation: float
    n_steps: int
    is_done: bool
    span: Floats

    @property
    def gradient(self) -> Floats:
        """How the objective changes with each variable."""
        gradient: Floats = self.score - self.problem.linear
        if self.problem.ridge is not None:
            gradient += self.problem.ridge * self.beta
        return gradient

    @property
    def may_rise(self) -> npt.NDArray[np.bool_]:
        """Which variables are below their upper bound, by more than rounding."""
        below: npt.NDArray[np.bool_] = self.beta < self.problem.upper - self._room
        return below

    @property
    def may_fall(self) -> npt.NDArray[np.bool_]:
        """Which variables are above their lower bound, by more than rounding."""
        above: npt.NDArray[np.bool_] = self.beta > self.problem.lower + self._room
        return above

    @property
    def is_free(self) -> npt.NDArray[np.bool_]:
        """Which variables are strictly between their bounds."""
        return self.may_rise & self.may_fall

    @cached_property
    def _room(self) -> Floats:
        widths = self.problem.upper - self.problem.lower
        largest = float(np.abs(self.beta).max(initial=0.0))
        room: Floats = _ROUNDING * np.minimum(widths, largest)
        return room

    @cached_property
    def quadratic(self) -> float:
        """‖w‖² = Σ_ij β_i β_j K_ij."""
        return max(0.0, float(self.beta @ self.score))

    @cached_property
    def objective(self) -> float:
        """The value that was minimized."""
        ridge = self.problem.ridge
        more = 0.0 if ridge is None else float(ridge @ self.beta**2) / 2
        return self.quadratic / 2 + more - float(self.problem.linear @ self.beta)

    def level(self, of: npt.NDArray[np.bool_] | None = None) -> float:
        """Return the gradient that free variables share: their mean, or the middle of its bounds.

        ``of`` restricts it to some of the variables.
        """
        gradient, rising, falling = self.gradient, self.may_rise, self.may_fall
        if of is not None:
            rising, falling = rising & of, falling & of
        shared = gradient[rising & falling]
        if len(shared):
            return float(np.add.reduce(shared) / len(shared))  # the mean, without its overhead
        ends = [gradient[rising].min()] if rising.any() else []
        ends += [gradient[falling].max()] if falling.any() else []
        return float(np.mean(ends)) if ends else 0.0


def classification(
    rows: Rows, labels: Floats, costs: Floats, *, squared: bool = False
) -> QuadraticProgram:
    """Return the problem of telling labels +1 and −1 apart.

    ``costs`` are what each row's slack (or squared slack) costs.
    """
    bounds = labels * (np.inf if squared else costs)
    return QuadraticProgram(
        rows,
        labels.astype(np.float64),
        np.minimum(0.0, bounds),
        np.maximum(0.0, bounds),
        ridge=1 / (2 * costs) if squared else None,
    )


def regression(
    numbers: Floats, costs: Floats, epsilon: float, *, squared: bool = False
) -> QuadraticProgram:
    """Return the problem of following numbers to within epsilon: two variables a row."""
    n_rows = len(numbers)
    rows = np.arange(n_rows, dtype=np.uint32)
    most = np.full(n_rows, np.inf) if squared else costs
    zeros = np.zeros(n_rows)
    ridge = 1 / (2 * costs) if squared else None
    return QuadraticProgram(
        np.concatenate([rows, rows]),
        np.concatenate([numbers - epsilon, numbers + epsilon]),
        np.concatenate([zeros, -most]),
        np.concatenate([most, zeros]),
        ridge=None if ridge is None else np.concatenate([ridge, ridge]),
    )


def one_class(weights: Floats, share: float) -> QuadraticProgram:
    """Return the problem of holding all but a share of the rows on one side."""
    n_rows = len(weights)
    return QuadraticProgram(
        np.arange(n_rows, dtype=np.uint32),
        np.zeros(n_rows),
        np.zeros(n_rows),
        weights,
        start=filled(weights, share * float(weights.sum())),
    )


def filled(most: Floats, total: float) -> Floats:
    """Return values from 0 to ``most`` that add up to ``total``, the first ones full."""
    before = np.concatenate([[0.0], np.cumsum(most)[:-1]])
    values: Floats = np.clip(total - before, 0.0, most)
    return values
