"""How a logistic model was found: what was solved, by what, and how far it got."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from branchline._state import malformed
from branchline.linear._linear_sums import solver_from_state
from branchline.linear._logistic_solver import SoftmaxProblem, Solution

__all__ = ["FitReport"]

_LONGEST_REASON = 200
_SOLVERS = frozenset({"none", "saga", "lbfgs", "newton-cholesky"})


@dataclass(frozen=True)
class FitReport:
    """The fitted attributes that say how the weights came about; see ``LogisticRegression``."""

    C: float
    solver: str
    solver_reason: str
    n_iter: int
    gradient_norm: float
    is_separated: bool

    @staticmethod
    def of(
        problem: SoftmaxProblem, solution: Solution, solver: str, reason: str, separated: bool
    ) -> "FitReport":
        """Return the report of a finished fit."""
        steps, gradient = solution.n_iter, solution.gradient
        return FitReport(problem.strength, solver, reason, steps, gradient, separated)

    @staticmethod
    def from_attributes(model: Any) -> "FitReport":
        """Return the report of a fitted model."""
        fields = FitReport.__dataclass_fields__
        return FitReport(**{name: getattr(model, f"{name}_") for name in fields})

    def attributes(self) -> dict[str, Any]:
        """Return the report as fitted attributes."""
        return {f"{name}_": getattr(self, name) for name in self.__dataclass_fields__}

    def pack(self) -> Mapping[str, Any]:
        """Return the report as plain values; without a penalty there is no C."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**values, "C": None if math.isinf(self.C) else self.C}

    @staticmethod
    def unpack(state: Any) -> "FitReport":
        """Check packed values and return the report."""
        if not isinstance(state, dict) or set(state) != set(FitReport.__dataclass_fields__):
            raise malformed("the report of the fit lacks a part, or has one too many")
        strength = math.inf if state["C"] is None else state["C"]
        numbers = [strength, state["gradient_norm"]]
        if not all(type(number) is float and number >= 0 for number in numbers) or strength == 0:
            raise malformed("a number in the report of the fit is out of range")
        if type(state["n_iter"]) is not int or state["n_iter"] < 0:
            raise malformed("the number of steps is below 0")
        reason = state["solver_reason"]
        if not isinstance(reason, str) or len(reason) > _LONGEST_REASON:
            raise malformed("the reason for the solver is not a short text")
        solver_from_state(state, _SOLVERS)
        if type(state["is_separated"]) is not bool:
            raise malformed("whether classes are separated is missing")
        return FitReport(**{**state, "C": strength})
