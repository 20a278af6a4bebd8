"""Logistic problems of wide tables, solved in the space that their rows span (``_row_space``).

1. ``narrowed`` turns the rows of a wide problem, unless its penalty depends on the terms (L1).
2. All strengths and folds are tried on the turned rows.
3. ``widened`` turns the weights back and measures the gradient on the terms themselves.
"""

from collections.abc import Callable
from dataclasses import replace

from branchline._row_space import is_wide, narrow
from branchline.linear._logistic_solver import SoftmaxProblem, Solution, largest_gradient

__all__ = ["narrowed"]


def narrowed(
    problem: SoftmaxProblem,
) -> tuple[SoftmaxProblem, Callable[[Solution, float], Solution]]:
    """Return a problem of fewer terms, and what turns a solution of it back.

    That takes the strength that was chosen, too: the gradient depends on it.
    """
    if problem.l1_share > 0 or not is_wide(problem.matrix):
        return problem, lambda solution, _: solution
    matrix, lift = narrow(problem.matrix)

    def widened(solution: Solution, strength: float) -> Solution:
        weights, chosen = lift(solution.weights), replace(problem, strength=strength)
        gradient = largest_gradient(chosen, weights, solution.bias)
        return replace(solution, weights=weights, gradient=gradient)

    return replace(problem, matrix=matrix), widened
