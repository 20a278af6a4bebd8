"""Kernel logistic regression: log-odds that are sums of kernel values.

    minimize  ½‖w‖² + Σ_i C_i ℓ(y_i, w·φ(x_i) + b)               (log loss; b costs nothing)

1. The table is prepared for the kernel: canonical rows, standardized numbers, categories that match
   or do not.
2. Newton's method finds a, with w = Σ a_i φ(x_i), and b (``_logistic_newton``); three classes or
   more have a w and b each, and softmax.
3. The dual bounds how far the objective can be above the least one.
"""

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import Classifier, Complexity, FittedState, reports_progress
from branchline._class_sums import n_sums, probabilities_of
from branchline._class_weight import CLASS_WEIGHT, weigh_rows
from branchline._explanation import Explanation
from branchline._one_thread import one_thread
from branchline._state import (
    classes_from_state,
    classes_to_state,
    numbers_from_state,
)
from branchline._validation import Constraint, Real, Whole
from branchline.encoding import TableEncoder
from branchline.errors import ParameterError, Repair
from branchline.kernels import FittedKernel
from branchline.kernels._definiteness import definiteness
from branchline.svm._certificate import Certificate, warn_if_unfinished
from branchline.svm._kernel_product import kernel_product
from branchline.svm._kernel_rows import KernelRows
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    texts_as_table,
    training_rows,
)
from branchline.svm._logistic_newton import (
    LogisticProblem,
    LogisticSolution,
    solve_logistic,
)
from branchline.svm._support_rows import SupportRows, explain_kernel_row
from branchline.table import Schema

__all__ = ["KernelLogisticRegression"]


class KernelLogisticRegression(Classifier):
    """Logistic regression in the space of a kernel: curved boundaries with honest probabilities.

    Unlike a support vector machine, it minimizes the log loss of its probabilities, so they need no
    calibration. Every training row has a weight, so the model keeps all of them.

    Parameters
    ----------
    C
        What the loss of a row costs: larger follows the training rows more closely. With
        kernel="linear" it is that of ``branchline.linear.LogisticRegression``. Default 10.0.
    kernel
        "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "precomputed", a kernel of
        ``branchline.kernels``, or a function of two blocks of rows.
    gamma, degree, coef0
        Parameters of kernels by name. gamma="scale" is one over the variance of all numbers.
        Defaults "scale", 3, 0.0.
    class_weight
        None (default), "balanced", or a mapping from classes to numbers: what the loss of their
        rows costs. Probabilities are then those of the weighted rows.
    tol
        The length of the gradient of the mean loss at which the solver stops. Default 1e-08.
    max_iter
        Maximum number of steps of the solver. It needs about ten. Default 100.
    standardize
        Whether numbers get mean 0 and standard deviation 1. Default True.
    encoder
        How the table becomes numbers, instead of what ``standardize`` says.
        Default None: ``standardize`` decides.
    n_jobs
        The number of threads for kernel values; None (default): all cores.

    Attributes
    ----------
    classes_
        The classes, sorted.
    dual_coef_, intercept_
        a of each row and b: one row of them for two classes (log-odds of the second), else one for
        each class. Equal rows are one row, with the sum of their coefficients.
    support_
        The numbers of the rows that the model keeps: each distinct row.
    objective_, gap_
        The certificate: no model has an objective below ``objective_ − gap_``.
    gradient_norm_, n_iter_, converged_
        The length of the gradient that was left, the steps, and whether ``tol`` was reached.
    certificate_
        All of these in one object.

    See Also
    --------
    SVC
    LogisticRegression

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import KernelLogisticRegression
    >>> X, y = load_dataset("heart").split_target("disease")
    >>> model = KernelLogisticRegression().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2), model.gap_ < 1e-6
    (0.83, True)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "C": Real(1e-12, 1e12),
        "class_weight": CLASS_WEIGHT,
        "tol": Real(0.0, low_open=True),
        "max_iter": Whole(1),
        **KERNEL_PARAMETERS,
    }
    _opposite = "branchline.svm.KernelRidge"
    # Kernel values are summed in an order of their own for each batch's tiles and threads alike,
    # but encoded numbers of one row and of many come from the same code.
    _tolerance = 1e-9
    _copies_of_columns_count = True
    kernel_: FittedKernel
    support_: npt.NDArray[np.int64]
    _support: SupportRows
    dual_coef_: Floats
    intercept_: Floats
    certificate_: Certificate

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: float = 10.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: Any = None,
        tol: float = 1e-8,
        max_iter: int = 100,
        standardize: bool = True,
        encoder: TableEncoder | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.standardize = standardize
        self.encoder = encoder
        self.n_jobs = n_jobs

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find a and b; rows of weight k count as k copies."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        rows = training_rows(self, data)
        solution = self._solve(rows)
        warn_if_unfinished([solution.certificate], float(self.tol))
        support = SupportRows.of(
            rows,
            np.arange(len(rows)),
            data.kept_rows,
            is_single=False,  # certified in double precision
        )
        return self._finish(
            data,
            **support.attributes(),
            classes_=data.class_target.classes,
            dual_coef_=np.ascontiguousarray(solution.coefficients.T),
            intercept_=solution.bias,
            certificate_=solution.certificate,
        )

    def _solve(self, rows: KernelRows) -> LogisticSolution:
        target = rows.data.class_target
        if target.n_classes == 1:
            nothing = Certificate(0.0, 0.0, 0.0, 0, True)
            return LogisticSolution(np.zeros((len(rows), 1)), np.zeros(1), nothing)
        if not rows.kernel.kernel.is_mercer:
            _refuse_indefinite(rows)
        costs = float(self.C) * weigh_rows(rows.weights, target, self.class_weight)
        problem = LogisticProblem.of(kernel_product(rows), costs, target.class_of_row)
        return solve_logistic(problem, float(self.tol), int(self.max_iter))

    # -- predicting -----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Return log-odds of the second of two classes, else the sums: one column per class."""
        scores = self._scores(X)
        return scores if len(self.classes_) > 2 else scores[:, 0]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, in the order of ``classes_``."""
        return probabilities_of(self._scores(X), len(self.classes_))

    def _scores(self, X: Any) -> Floats:
        self._check_fitted()
        points = self._support.prepare(self, X)
        return self._support.sums(points, self.dual_coef_.T, self.n_jobs) + self.intercept_

    # -- reading --------------------------------------------------------------------------------

    @property
    def objective_(self) -> float:
        """½‖w‖² + Σ C_i ℓ_i of the model."""
        return self._certificate().primal

    @property
    def gap_(self) -> float:
        """By how much the objective can be above the least possible."""
        return self._certificate().gap

    @property
    def gradient_norm_(self) -> float:
        """The length of the gradient of the mean loss that was left."""
        return self._certificate().violation

    @property
    def n_iter_(self) -> int:
        """The steps that were taken."""
        return self._certificate().n_steps

    @property
    def converged_(self) -> bool:
        """Whether the gradient was made as short as ``tol``."""
        return self._certificate().is_done

    def _certificate(self) -> Certificate:
        self._check_fitted()
        return self.certificate_

    def explain(self, row: Any) -> Explanation:
        """Say why one row is predicted as it is, with a share for each column.

        Parameters
        ----------
        row
            A table of one row, a mapping of column names to values, or a list of one text.
        """
        return explain_kernel_row(self, row, super().explain)

    def _complexity(self) -> Complexity:
        return Complexity(max(1, len(self.support_)), "rows")

    # -- saving ---------------------------------------------------------------------------------

    def _pack(self) -> FittedState:
        return {
            **self._support.pack(),
            **self.certificate_.pack(),
            "classes": classes_to_state(self.classes_),
            "dual_coef": self.dual_coef_.ravel(),
            "intercept": self.intercept_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        support, classes = SupportRows.unpack(state, schema), classes_from_state(state)
        n_columns, n_rows = n_sums(len(classes)), len(support)
        coefficients = numbers_from_state(state, "dual_coef", length=n_columns * n_rows)
        return {
            **support.attributes(),
            "classes_": classes,
            "dual_coef_": coefficients.reshape(n_columns, n_rows),
            "intercept_": numbers_from_state(state, "intercept", length=n_columns),
            "certificate_": Certificate.unpack(state),
        }


def _refuse_indefinite(rows: KernelRows) -> None:
    """Refuse a kernel for which the objective has no least value."""
    verdict = definiteness(rows.gram)
    if not verdict:
        raise ParameterError(
            "There is no best model for this kernel: its matrix has an eigenvalue of "
            f"{verdict.least_eigenvalue:.3g}, and the objective falls without end. Use a kernel "
            "that is positive semidefinite, such as 'rbf'.",
            code="P176",
            repair=Repair("model.set_params(kernel='rbf')"),
        )
