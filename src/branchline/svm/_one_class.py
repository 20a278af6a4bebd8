"""One-class machine: the smallest region of the kernel's space that holds most of the rows.

    minimise  ½‖w‖² − ν n ρ + Σ_i weight_i slack_i   with   w·φ(x_i) ≥ ρ − slack_i

1. In the dual, 0 ≤ α_i ≤ weight_i with sum ν n.
2. ρ is the score that free rows share; rows with a lower score are outside.

ν is an upper bound of the share of training rows outside, and a lower bound of the share of support
vectors.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OutlierMixin

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._explanation import Explanation, explain_by_leaving_out
from branchline._state import number_from_state
from branchline._validation import Constraint, Real, check_training_inputs
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_machine import (
    KERNEL_PARAMETERS,
    SOLVER_PARAMETERS,
    KernelPredictor,
    texts_as_table,
)
from branchline.svm._one_machine import OneMachine, fitted_or_absent
from branchline.svm._problem import Solution, one_class
from branchline.table import Schema, Table

__all__ = ["OneClassSVM"]

_ROUNDING = 1e-10


class OneClassSVM(OneMachine, OutlierMixin, KernelPredictor):
    """Tell rows that are like the training rows from those that are not, on any table.

    Parameters
    ----------
    nu
        An upper bound of the share of training rows that are outside, and a lower bound of the
        share of support vectors.
    kernel, gamma, degree, coef0, standardize, encoder
        As in ``SVC``.
    tol, max_iter, time_budget, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    support_, dual_coef_, offset_
        The rows that decide, their coefficients (sum ν n), and ρ.
    objective_, gap_, kkt_violation_, converged_
        The certificate.

    Examples
    --------
    >>> from branchline.svm import OneClassSVM
    >>> model = OneClassSVM(0.2).fit([[0.0], [0.1], [0.2], [0.3], [5.0]])
    >>> model.predict([[0.15], [9.0]]).tolist()
    [1, -1]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KERNEL_PARAMETERS,
        **SOLVER_PARAMETERS,
        "nu": Real(0.0, 1.0, low_open=True),
    }
    _opposite = None
    _task = None

    offset_: float

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        nu: float = 0.5,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        standardize: bool = True,
        encoder: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_budget: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.encoder = encoder
        self.tol = tol
        self.max_iter = max_iter
        self.time_budget = time_budget
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the region; ``y`` is not looked at, rows of weight k count as k copies."""
        X = texts_as_table(X)
        self._start(X)
        data = check_training_inputs(X, sample_weight)
        rows = self._rows_of(data)
        limits = self._limits()
        problem = one_class(rows.weights, float(self.nu))
        solution = rows.solve([problem], limits)[0]
        certificate, offset = _certified(solution)
        certificate = self._judged(rows, certificate)
        places = np.flatnonzero(solution.beta)
        return self._finish(
            data,
            **self._kept(rows, places, data.kept_rows),
            _coefficients=solution.beta[places],
            _certificate=certificate,
            offset_=offset,
        )

    # -- predicting -----------------------------------------------------------------------------

    def score_samples(self, X: Any) -> Floats:
        """Return the score w·φ(x) of each row: larger is more like the training rows."""
        return self._scores(X)

    def decision_function(self, X: Any) -> Floats:
        """Return the score less ρ: negative outside."""
        inside: Floats = self.score_samples(X) - self.offset_
        return inside

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return 1 for rows inside and −1 for rows outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    @property
    def intercept_(self) -> Floats:
        """−ρ."""
        fitted_or_absent(self)
        return np.array([-self.offset_])

    # -- reading and saving ---------------------------------------------------------------------

    def _explain(self, row: Table) -> Explanation:
        return explain_by_leaving_out(
            row,
            self.decision_function,
            prediction=int(self.predict(row)[0]),
            about="score above the threshold",
        )

    def _pack(self) -> FittedState:
        return {**self._pack_machine(), "offset": self.offset_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        machine = self._unpack_machine(state, schema, low=0.0)
        return {**machine, "offset_": number_from_state(state, "offset")}


def _certified(solution: Solution) -> tuple[Certificate, float]:
    """Return the certificate and ρ: primal ½‖w‖² − ν n ρ + Σ weight · max(0, ρ − score)."""
    offset = solution.level()
    slack = np.maximum(0.0, offset - solution.score)
    total = float(solution.beta.sum())
    primal = solution.quadratic / 2 - total * offset + float(solution.problem.upper @ slack)
    about = Certificate(
        primal, -solution.objective, solution.violation, solution.n_steps, solution.is_done
    )
    # Rows at the edge are inside, whatever their last digit.
    return about, offset - _ROUNDING * float(np.abs(solution.score).max())
