"""How far a solution can be from the best one: primal and dual objective and their gap.

Any β within its bounds gives a lower bound on the least primal objective, any w and b an upper one.
With w = Σ β_i φ(x_i) both are known exactly, so the gap bounds what more training could still gain.

1. Primal of a classification: ½‖w‖² + Σ C_i max(0, 1 − y_i (f_i + b)), or squared slack.
2. Primal of a regression: ½‖w‖² + Σ C_i max(0, |f_i + b − y_i| − ε), or squared.
3. b is the best one for w: slack is a sum of hinges in b, whose slope rises at known places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from branchline._arrays import Floats
from branchline._state import malformed, numbers_from_state
from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._quadratic_program import Solution

__all__ = [
    "UNFINISHED_HINT",
    "Certificate",
    "best_bias",
    "classification_certificate",
    "is_judged_convex",
    "judged",
    "regression_certificate",
    "warn_if_unfinished",
]

_LARGEST = 1e300
_ROUNDING = 1e-12  # of an objective: no bias makes it less
UNFINISHED_HINT = "Raise max_iter or time_budget, or standardize."


@dataclass(frozen=True)
class Certificate:
    """What is certain of a solution.

    Parameters
    ----------
    primal, dual
        The objective of the model, and a bound below which no model can be.
    violation
        The largest violation of the conditions of optimality.
    n_steps
        How many pairs were moved.
    is_done
        Whether the tolerance was reached.
    is_convex
        Whether the kernel is positive semidefinite on the rows; otherwise there is no bound.
    """

    primal: float
    dual: float
    violation: float
    n_steps: int
    is_done: bool
    is_convex: bool = True

    @property
    def gap(self) -> float:
        """By how much the objective can be above the least possible; NaN when nothing is known."""
        return max(0.0, self.primal - self.dual) if self.is_convex else float("nan")

    def pack(self) -> dict[str, Any]:
        """Return the certificate as plain values."""
        return {
            "objectives": np.array([self.primal, self.dual, self.violation]),
            "n_steps": self.n_steps,
            "is_done": self.is_done,
            "is_convex": self.is_convex,
        }

    @staticmethod
    def unpack(state: Mapping[str, Any]) -> "Certificate":
        """Check packed values and return the certificate."""
        primal, dual, violation = numbers_from_state(
            state, "objectives", length=3, low=-_LARGEST, high=_LARGEST
        )
        n_steps, is_done = state.get("n_steps"), state.get("is_done")
        is_convex = state.get("is_convex")
        if type(n_steps) is not int or n_steps < 0:
            raise malformed("the steps of a solver are not a whole number")
        if not isinstance(is_done, bool) or not isinstance(is_convex, bool):
            raise malformed("a certificate says neither yes nor no")
        numbers = (float(primal), float(dual), float(violation))
        return Certificate(*numbers, n_steps, is_done, is_convex)


def classification_certificate(
    solution: Solution, costs: Floats, *, squared: bool, bias: float, has_bias: bool
) -> Certificate:
    """Return the certificate of a classification: variables are rows, linear parts labels."""
    labels, score = solution.problem.linear, solution.score

    def primal(at: float) -> float:
        slack = np.maximum(0.0, 1 - labels * (score + at))
        return solution.quadratic / 2 + float(costs @ (slack**2 if squared else slack))

    found = primal(bias)
    if has_bias and not squared and found + solution.objective > _ROUNDING * found:
        # slack of +1: (1 − f) − b; of −1: b − (−1 − f)
        found = primal(best_bias(labels - score, -labels, costs, at=bias))
    return _certificate(solution, found)


def regression_certificate(
    solution: Solution, costs: Floats, epsilon: float, *, squared: bool, bias: float
) -> Certificate:
    """Return the certificate of a regression: the first half of the variables pulls up."""
    half = len(costs)
    numbers = solution.problem.linear[:half] + epsilon
    score = solution.score[:half]
    if not squared:
        thresholds = np.concatenate([numbers - epsilon - score, numbers + epsilon - score])
        signs = np.repeat([-1.0, 1.0], half)
        bias = best_bias(thresholds, signs, np.concatenate([costs, costs]), at=bias)
    slack = np.maximum(0.0, np.abs(score + bias - numbers) - epsilon)
    loss = float(costs @ (slack**2 if squared else slack))
    return _certificate(solution, solution.quadratic / 2 + loss)


def _certificate(solution: Solution, primal: float) -> Certificate:
    return Certificate(
        primal, -solution.objective, solution.violation, solution.n_steps, solution.is_done
    )


def judged(rows: KernelRows, certificates: Sequence[Certificate]) -> list[Certificate]:
    """Return the certificates, without a bound when the kernel is not positive semidefinite."""
    if is_judged_convex(rows):
        return list(certificates)
    return [replace(one, is_convex=False) for one in certificates]


def is_judged_convex(rows: KernelRows) -> bool:
    """Whether the kernel is positive semidefinite on the rows.

    A warning names one that is not: the solution is a place where no pair can improve, not a proved
    optimum.
    """
    if rows.least_eigenvalue == 0:
        return True
    warn(
        f"The kernel {rows.kernel.kernel!r} is not positive semidefinite on these rows (least "
        f"eigenvalue {rows.least_eigenvalue:.3g}). The solution is one that no pair of rows "
        "improves; how far it is from the best is not known, so gap_ is NaN. "
        "kernel.is_psd(X) shows rows that prove it.",
        BranchlineWarning,
    )
    return False


def warn_if_unfinished(
    certificates: Sequence[Certificate],
    tolerance: float,
    hint: str = UNFINISHED_HINT,
    category: type[Warning] = ConvergenceWarning,
) -> None:
    """Warn when the solver stopped early, and say by how much.

    To be called by a method that ``fit`` calls: the warning is of the line that called ``fit``.
    """
    left = [one for one in certificates if not one.is_done]
    if not left:
        return
    worst = max(left, key=lambda one: one.violation)
    warn(
        f"The solver stopped before it reached tol={tolerance:g}: the conditions of optimality are "
        f"violated by {worst.violation:.3g}, and the objective ({worst.primal:.6g}) may be "
        f"{worst.gap:.3g} above the least one. {hint}",
        category,
    )


def best_bias(thresholds: Floats, signs: Floats, costs: Floats, *, at: float) -> float:
    """Return the b that makes Σ costs · max(0, signs · (b − thresholds)) least.

    ``at`` is returned when it is as good as any: its slope changes sign there.
    """
    order = np.argsort(thresholds, kind="stable")
    places, rises = thresholds[order], costs[order]
    # Below all thresholds only hinges of sign −1 slope; every threshold adds its cost.
    slope = -float(costs[signs < 0].sum()) + np.cumsum(rises)
    first = int(np.searchsorted(slope, 0.0))
    if first >= len(places):
        return at
    low = float(places[first])
    is_flat = slope[first] == 0 and first + 1 < len(places)
    high = float(places[first + 1]) if is_flat else low
    return float(np.clip(at, low, high))
