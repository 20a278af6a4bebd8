"""One-class machine: the smallest region of the kernel's space that holds most of the rows.

    minimize  ½‖w‖² − ν n ρ + Σ_i weight_i slack_i   with   w·φ(x_i) ≥ ρ − slack_i

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
from branchline._base import Complexity, FittedState, Predictor, reports_progress
from branchline._explanation import Explanation, explain_by_leaving_out
from branchline._state import number_from_state
from branchline._validation import Constraint, Real, check_training_inputs
from branchline.kernels import FittedKernel
from branchline.svm._certificate import Certificate
from branchline.svm._kernel_score import (
    CONVERGED,
    DUAL_COEF,
    GAP,
    KKT_VIOLATION,
    N_ITER,
    OBJECTIVE,
    KernelScore,
    fitted_or_absent,
)
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    SOLVER_PARAMETERS,
    checked_certificate,
    limits_of,
    texts_as_table,
    training_rows,
)
from branchline.svm._quadratic_program import Solution, one_class
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.table import Schema, Table

__all__ = ["OneClassSVM"]

_ROUNDING = 1e-10


class OneClassSVM(OutlierMixin, Predictor):
    """Find rows that are unlike the training rows, on any table.

    It learns a region that holds most training rows; rows outside this region are reported as
    outliers (−1). Use it when all
    training rows are normal and you want to find unusual new ones.

    Parameters
    ----------
    nu
        An upper bound of the share of training rows that are outside, and a lower bound of the
        share of support vectors. Default 0.5.
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

    See Also
    --------
    SVC

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

    # Kernel values are summed in an order of their own for each batch's tiles and threads alike,
    # but encoded numbers of one row and of many come from the same code.
    _tolerance: ClassVar[float] = 1e-9
    _copies_of_columns_count: ClassVar[bool] = True
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _score: KernelScore
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
        """Find the region; ``y`` is ignored, rows of weight k count as k copies."""
        X = texts_as_table(X)
        self._start(X)
        data = check_training_inputs(X, sample_weight)
        rows = training_rows(self, data)
        problem = one_class(rows.weights, float(self.nu))
        solution = rows.solve([problem], limits_of(self))[0]
        certificate, offset = _certified(solution)
        certificate = checked_certificate(self, rows, certificate)
        places = np.flatnonzero(solution.beta)
        support = SupportRows.of(rows, places, data.kept_rows)
        score = KernelScore(support, solution.beta[places], certificate)
        return self._finish(data, **_attributes(score), offset_=offset)

    # -- predicting -----------------------------------------------------------------------------

    def score_samples(self, X: Any) -> Floats:
        """Return the score w·φ(x) of each row: larger is more like the training rows."""
        self._check_fitted()
        return self._score.of_rows(self, X)

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

    dual_coef_ = DUAL_COEF
    objective_ = OBJECTIVE
    gap_ = GAP
    kkt_violation_ = KKT_VIOLATION
    converged_ = CONVERGED
    n_iter_ = N_ITER

    # -- reading and saving ---------------------------------------------------------------------

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "support vectors")

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    def _explain(self, row: Table) -> Explanation:
        return explain_by_leaving_out(
            row,
            self.decision_function,
            prediction=int(self.predict(row)[0]),
            about="score above the threshold",
        )

    def _pack(self) -> FittedState:
        return {**self._score.pack(), "offset": self.offset_}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        score = KernelScore.unpack(state, schema, low=0.0)
        return {**_attributes(score), "offset_": number_from_state(state, "offset")}


def _attributes(score: KernelScore) -> dict[str, Any]:
    support = score.support
    return {"kernel_": support.kernel, "support_": support.numbers, "_score": score}


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
