"""Small problems to the last digits: the equations of free variables are solved directly.

1. Free variables F share one gradient, −b. With the others held, β_F and b solve
   [K_FF + ridge, 1; 1ᵀ, 0] [β_F; b] = [linear_F − score of the others; sum of β_F].
2. When the result keeps the bounds and violates nothing, it is the exact optimum.
3. Otherwise the solver goes on to a tolerance a hundred times finer, and it is tried again.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import linalg

from branchline.svm._kernel_rows import KernelRows, SolverLimits
from branchline.svm._problem import Floats, Solution

__all__ = ["polish"]

_MOST_VARIABLES = 2048
_MOST_FREE = 512
_FINEST = 1e-10
_STEPS = 4


def polish(
    rows: KernelRows, solution: Solution, limits: SolverLimits, *, has_sum: bool = True
) -> Solution:
    """Return a more exact solution of a small problem with one sum or none, or the same one."""
    if len(solution.beta) > _MOST_VARIABLES or not solution.is_done or rows.is_single:
        return solution
    tolerance, best = limits.tolerance, solution
    for _ in range(_STEPS):
        exact = _solve_free(rows, best, has_sum=has_sum)
        if exact is not None and exact.violation <= max(_FINEST, 1e-3 * best.violation):
            return exact
        tolerance /= 100
        if tolerance < _FINEST:
            return best
        again = replace(solution.problem, start=best.beta)
        finer = replace(limits, tolerance=tolerance, max_steps=200 * len(solution.beta))
        found = rows.solve([again], finer, has_sum=has_sum)[0]
        if not found.violation < best.violation:
            return best
        n_steps = best.n_steps + found.n_steps
        best = replace(found, problem=solution.problem, n_steps=n_steps, is_done=True)
    return best


def _solve_free(rows: KernelRows, solution: Solution, *, has_sum: bool) -> Solution | None:
    """Solve the equations of free variables; None when the result leaves the bounds."""
    free = np.flatnonzero(solution.is_free)
    if not 0 < len(free) <= _MOST_FREE:
        return None
    of_variable = solution.problem.rows
    block = rows.block(of_variable[free], of_variable)
    step = _step(block[:, free], solution, free, has_sum=has_sum)
    if step is None:
        return None
    beta = solution.beta.copy()
    beta[free] += step
    if (beta < solution.problem.lower).any() or (beta > solution.problem.upper).any():
        return None
    moved = replace(solution, beta=beta, score=solution.score + step @ block)
    return replace(moved, violation=_violation(moved, has_sum=has_sum))


def _step(
    square: Floats, solution: Solution, free: npt.NDArray[np.intp], *, has_sum: bool
) -> Floats | None:
    """Return the change of free variables that makes their gradients equal."""
    n_free = len(free)
    system = np.ones((n_free + 1, n_free + 1))
    system[:n_free, :n_free] = square
    if solution.problem.ridge is not None:
        system[np.arange(n_free), np.arange(n_free)] += solution.problem.ridge[free]
    system[n_free, n_free] = 0.0
    wanted = np.append(-solution.gradient[free], 0.0)
    if not has_sum:
        system, wanted = system[:n_free, :n_free], wanted[:n_free]
    try:
        found: Floats = linalg.lstsq(system, wanted, lapack_driver="gelsd")[0][:n_free]
    except (linalg.LinAlgError, ValueError):
        return None
    return found if np.isfinite(found).all() else None


def _violation(solution: Solution, *, has_sum: bool) -> float:
    gradient = solution.gradient
    rising = gradient[solution.beta < solution.problem.upper]
    falling = gradient[solution.beta > solution.problem.lower]
    if not has_sum:
        return float(max(0.0, falling.max(initial=0.0), -rising.min(initial=0.0)))
    if not len(rising) or not len(falling):
        return 0.0
    return float(max(0.0, falling.max() - rising.min()))
