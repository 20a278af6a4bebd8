"""What linear support vector machines share: the call of the native solver, and its certificate.

The problem of each sum: ½‖w‖² + Σ_i C_i ℓ(r_i), where r_i is how far the score w·z_i + b lies
outside the ends of row i, ℓ is r or r², and b is free
(``native/include/branchline/linear_svm.hpp``).

1. ``find_margins`` hands rows, ends and penalties to the solver, which is chosen by the sizes.
2. ``MarginReport`` keeps what was reached: the objective, and by how much at most it is above the
   least possible (the duality gap).
3. ``warn_if_unfinished`` says so when the gap is larger than was asked for.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from branchline import _core
from branchline._arrays import Floats
from branchline._encoding._encoded import ENCODER
from branchline._plain_numbers import number, rounded
from branchline._state import malformed
from branchline._validation import Constraint, Flag, OneOf, Real, Whole, check_seed, count_threads
from branchline._warn import warn
from branchline.errors import BranchlineWarning, ParameterError, Repair
from branchline.linear._basis import BASIS
from branchline.linear._linear_sums import solver_from_state

__all__ = [
    "PARAMETERS",
    "Ends",
    "MarginReport",
    "Margins",
    "find_margins",
    "no_margins",
    "warn_if_unfinished",
]

# The parameters that the linear machines share.
PARAMETERS: dict[str, Constraint] = {
    "fit_intercept": Flag(),
    "solver": OneOf(("auto", "newton", "interior_point", "descent")),
    "tol": Real(1e-12, 1.0),
    "max_iter": Whole(1),
    "encoder": ENCODER,
    "basis": BASIS,
}
_NATIVE = {"auto": 0, "newton": 1, "newton-cg": 2, "interior_point": 3, "descent": 4}
_NAMES = {number: name for name, number in _NATIVE.items()}
_SOLVERS = frozenset(_NATIVE) - {"auto"} | {"none"}
_WIDEST_FACTOR = 1000  # terms; beyond, Newton's steps are found by conjugate gradients


@dataclass(frozen=True, eq=False)
class Ends:
    """Where scores cost nothing, and the cost outside: one row per output, one column per case."""

    lower: Floats
    upper: Floats
    penalty: Floats


@dataclass(frozen=True)
class MarginReport:
    """The fitted attributes that say how the weights came about; sums over the outputs."""

    solver: str
    n_iter: int
    objective: float
    gap: float
    converged: bool

    def attributes(self) -> dict[str, Any]:
        """Return the report as fitted attributes."""
        return {f"{name}_": getattr(self, name) for name in self.__dataclass_fields__}

    @staticmethod
    def from_attributes(model: Any) -> "MarginReport":
        """Return the report of a fitted model."""
        fields = MarginReport.__dataclass_fields__
        return MarginReport(**{name: getattr(model, f"{name}_") for name in fields})

    def pack(self) -> Mapping[str, Any]:
        """Return the report as plain values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @staticmethod
    def unpack(state: Any) -> "MarginReport":
        """Check packed values and return the report."""
        if not isinstance(state, dict) or set(state) != set(MarginReport.__dataclass_fields__):
            raise malformed("the report of the fit lacks a part, or has one too many")
        solver_from_state(state, _SOLVERS)
        for name in ("objective", "gap"):
            value = state[name]
            if type(value) is not float or not math.isfinite(value) or value < 0:
                raise malformed(f"the {name} of the fit is not a number of at least 0")
        if type(state["n_iter"]) is not int or state["n_iter"] < 0:
            raise malformed("the number of steps is below 0")
        if type(state["converged"]) is not bool:
            raise malformed("whether the solver converged is missing")
        return MarginReport(**state)

    def words(self) -> str:
        """Return the certificate as text."""
        share = self.gap / self.objective if self.objective > 0 else 0.0
        return (
            f"objective {number(self.objective, 6)}, at most {rounded(share, 2)} of it above the "
            f"least possible ({self.solver}, {self.n_iter} steps)"
        )


@dataclass(frozen=True, eq=False)
class Margins:
    """Weights and constants, one row per output; β of each output and row; how they were found."""

    weights: Floats
    bias: Floats
    dual: Floats
    report: MarginReport


def find_margins(model: Any, matrix: Any, ends: Ends, exponents: Any = 0) -> Margins:
    """Solve the problem of every output with the parameters of a model.

    Ends are in units of 2^``exponents``; so are weights and constants, but not the report.
    """
    refuse_unfit_solver(model)
    n_outputs, n_rows = ends.penalty.shape
    squared = model.loss.startswith("squared")
    options = _core.LinearOptions(
        squared,
        bool(model.fit_intercept),
        _native_solver(model.solver, matrix.shape[1]),
        float(model.tol),
        int(model.max_iter),
        check_seed(model.random_state),
    )
    n_threads = count_threads(model.n_jobs, n_outputs * matrix.shape[0] * matrix.shape[1])
    lower, upper, penalty = (
        np.ascontiguousarray(end).ravel() for end in (ends.lower, ends.upper, ends.penalty)
    )
    weights, bias, dual, report = _core.fit_linear_svm(
        _native_matrix(matrix), lower, upper, penalty, options, n_threads
    )
    return Margins(
        weights.reshape(n_outputs, -1),
        bias,
        dual.reshape(n_outputs, n_rows),
        _report(report.reshape(n_outputs, 4), float(model.tol), exponents),
    )


def no_margins(n_outputs: int, n_rows: int, n_terms: int) -> Margins:
    """Return sums of 0, where there is nothing to tell apart."""
    report = MarginReport("none", 0, 0.0, 0.0, True)
    weights, dual = np.zeros((n_outputs, n_terms)), np.zeros((n_outputs, n_rows))
    return Margins(weights, np.zeros(n_outputs), dual, report)


def refuse_unfit_solver(model: Any) -> None:
    """Refuse a solver that cannot take the loss."""
    squared = model.loss.startswith("squared")
    if model.solver in ("auto", "descent") or (model.solver == "newton") == squared:
        return
    raise ParameterError(
        f"solver={model.solver!r} does not solve problems with loss={model.loss!r}: 'newton' is "
        "for squared losses, 'interior_point' for the others.",
        code="P170",
        values=[model.solver],
        repair=Repair("model.set_params(solver='auto')"),
    )


def warn_if_unfinished(report: MarginReport, tol: float) -> None:
    """Say it when the gap is larger than was asked for."""
    if report.converged:
        return
    share = report.gap / report.objective if report.objective > 0 else math.inf
    warn(
        f"The solver {report.solver!r} stopped after {report.n_iter} steps: the objective "
        f"{report.objective:.6g} may be as much as {report.gap:.3g} ({share:.1e} of it, asked for: "
        f"{tol:.0e}) above the least possible. Raise max_iter or tol, or lower C.",
        BranchlineWarning,
    )


def _native_solver(name: str, n_terms: int) -> int:
    if name == "newton" and n_terms > _WIDEST_FACTOR:
        name = "newton-cg"
    return _NATIVE[name]


def _native_matrix(matrix: Any) -> Any:
    n_rows, n_terms = matrix.shape
    if not sparse.issparse(matrix):
        cells = np.ascontiguousarray(matrix, dtype=np.float64).ravel()
        return _core.LinearMatrix(n_rows, n_terms, cells, None, None)
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    starts, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    cells = np.ascontiguousarray(rows.data, dtype=np.float64)
    return _core.LinearMatrix(n_rows, n_terms, cells, starts, columns)


def _report(outputs: Floats, tol: float, exponents: Any) -> MarginReport:
    objective, gap, n_iter, solver = outputs.T
    with np.errstate(over="ignore"):
        sums = [np.ldexp(part, 2 * exponents).sum() for part in (objective, gap)]
    in_reach = np.clip(sums, 0.0, np.finfo(np.float64).max)
    return MarginReport(
        solver=_NAMES[int(solver.max())],
        n_iter=int(n_iter.max()),
        objective=float(in_reach[0]),
        gap=float(in_reach[1]),
        converged=bool((gap <= tol * objective).all()),
    )
