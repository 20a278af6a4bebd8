"""Hard margin: the widest street between two classes that overlap nowhere.

1. The nearest points of the convex hulls of the two classes: minimize
   ‖Σ λ_i φ(x_i) − Σ μ_j φ(x_j)‖² with λ and μ from 0 to 1, each with sum 1. This always has a
   solution.
2. Let f be the scores of the difference. When the least f of the first class is above the largest
   of the second, the classes are separated, and f scaled so that these are 1 and −1 is the machine.
3. When the difference vanishes, the hulls meet: λ and μ prove that no plane separates the classes,
   and are shown with the error.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._plain_numbers import number
from branchline.errors import DataError, Repair
from branchline.svm._kernel_rows import KernelRows, SolverLimits
from branchline.svm._quadratic_program import QuadraticProgram, Solution, classification

__all__ = ["solve_hard_margin"]

_FINEST = 1e-13
_COINCIDE = 1e-9  # squared distance of mixtures that are the same, as a share of a row's square
_SHOWN = 4


def solve_hard_margin(
    rows: KernelRows, task_rows: npt.NDArray[np.uint32], labels: Floats, limits: SolverLimits
) -> Solution:
    """Return the machine of widest margin, or an error that proves that there is none."""
    if rows.least_eigenvalue < 0:
        raise rows.no_solution()
    scale = max(float(rows.kernel.diag(rows.points.take(task_rows)).max()), 1e-300)
    tolerance, start = min(limits.tolerance, 1e-3), _first_rows(labels)
    while True:
        problem = _hulls(task_rows, labels, start)
        found = rows.solve([problem], replace(limits, tolerance=tolerance * scale))[0]
        low = float(found.score[labels > 0].min())
        high = float(found.score[labels < 0].max())
        distance = found.quadratic
        # The street is at most ‖difference‖ wide and at least (low − high) / ‖difference‖.
        is_wide = low > high and (low - high) >= (1 - limits.tolerance) * distance
        if is_wide or tolerance <= _FINEST or not found.is_done:
            break
        tolerance, start = tolerance / 10, found.beta
    if low > high:
        return replace(_machine(found, task_rows, labels, low, high), is_done=is_wide)
    if not found.is_done and distance > _COINCIDE * scale:
        raise _undecided(found)
    raise _not_separable(rows, found, task_rows, labels)


def _first_rows(labels: Floats) -> Floats:
    start = np.zeros(len(labels))
    start[np.argmax(labels > 0)] = 1.0
    start[np.argmax(labels < 0)] = -1.0
    return start


def _hulls(task_rows: npt.NDArray[np.uint32], labels: Floats, start: Floats) -> QuadraticProgram:
    return QuadraticProgram(
        task_rows,
        np.zeros(len(labels)),
        np.minimum(0.0, labels),
        np.maximum(0.0, labels),
        group=(labels < 0).astype(np.uint8),
        start=start,
    )


def _machine(
    found: Solution, task_rows: npt.NDArray[np.uint32], labels: Floats, low: float, high: float
) -> Solution:
    """Scale the difference so that the nearest rows of both classes have scores 1 and −1 with b."""
    factor = 2 / (low - high)
    problem = classification(task_rows, labels, np.full(len(labels), np.inf))
    return replace(found, problem=problem, beta=factor * found.beta, score=factor * found.score)


def _not_separable(
    rows: KernelRows, found: Solution, task_rows: npt.NDArray[np.uint32], labels: Floats
) -> DataError:
    first = rows.origins.first[task_rows]
    sides = []
    for sign in (1, -1):
        share = np.where(labels == sign, np.abs(found.beta), 0.0)
        order = np.argsort(-share, kind="stable")[:_SHOWN]
        shown = [f"{number(share[i], 3)} × row {first[i]}" for i in order if share[i] > 0]
        more = " + …" if np.count_nonzero(share) > len(shown) else ""
        sides.append(" + ".join(shown) + more)
    used = np.flatnonzero(found.beta)
    return DataError(
        "The classes cannot be separated without error: mixtures of rows of both classes coincide "
        f"for this kernel ({sides[0]} = {sides[1]}).",
        code="D170",
        rows=np.sort(first[used])[:5],
        n_rows=len(used),
        repair=Repair("model.set_params(margin='soft')"),
    )


def _undecided(found: Solution) -> DataError:
    return DataError(
        "The solver stopped before it was known whether the classes can be separated (violation "
        f"{found.violation:.3g}).",
        code="D173",
        repair=Repair("model.set_params(max_iter=-1, time_budget=None)"),
    )
