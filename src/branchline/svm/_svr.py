"""Support vector regression: follow numbers to within ε, as flat as possible.

    minimize  ½‖w‖² + Σ_i C_i max(0, |w·φ(x_i) + b − y_i| − ε)        (or squared)

1. The target is standardized like the columns, unless standardize=False; results are in its units.
2. The dual has two variables a row: one pulls the function up, one down (``_problem``).
3. ν-regression holds the sum of both at C ν n / 2 and so finds ε itself.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from branchline._base import reports_progress
from branchline._validation import Constraint, OneOf, Real
from branchline.svm._certificate import regression_certificate
from branchline.svm._kernel_training import (
    KERNEL_PARAMETERS,
    SOLVER_PARAMETERS,
    checked_certificate,
    limits_of,
    texts_as_table,
    training_rows,
)
from branchline.svm._margin_regressor import MachineAbout, MarginRegressor, target_in_units
from branchline.svm._quadratic_program import filled, regression

__all__ = ["SVR", "NuSVR"]


class SVR(MarginRegressor):
    """Support vector regressor with a certificate, on any table.

    Parameters
    ----------
    C
        The cost of deviations beyond epsilon (for ``NuSVR``: beyond the tube). Larger values follow
        the training rows more closely. Default 1.0.
    epsilon
        Deviations up to this cost nothing: in standard deviations of the target, or in its units
        with ``standardize=False``. Default 0.1.
    kernel, gamma, degree, coef0, standardize, encoder
        As in ``SVC``.
    loss
        "epsilon_insensitive" (default) or "squared_epsilon_insensitive".
    tol, max_iter, time_budget, n_jobs
        As in ``SVC``; ``tol`` is in the units of epsilon.

    Attributes
    ----------
    support_, dual_coef_, intercept_, coef_
        The rows that decide, their coefficients, b, and for the linear kernel w.
    objective_, gap_, kkt_violation_, converged_
        The certificate: no model has an objective below ``objective_ − gap_``.
        They are of the target in the units of epsilon.
    epsilon_
        The epsilon that was used, in the units of the target.

    See Also
    --------
    SVRGrid
    GaussianProcessRegressor : with the width of each prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.svm import SVR
    >>> x = np.linspace(0, 6, 50)
    >>> model = SVR(10, epsilon=0.1).fit(x[:, None], np.sin(x))
    >>> model.predict([[1.5]]).round(1).tolist(), model.converged_
    ([0.9], True)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KERNEL_PARAMETERS,
        **SOLVER_PARAMETERS,
        "C": Real(0.0, low_open=True),
        "epsilon": Real(0.0),
        "loss": OneOf(("epsilon_insensitive", "squared_epsilon_insensitive")),
    }
    _opposite = "branchline.svm.SVC"

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        loss: str = "epsilon_insensitive",
        standardize: bool = True,
        encoder: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_budget: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.standardize = standardize
        self.encoder = encoder
        self.tol = tol
        self.max_iter = max_iter
        self.time_budget = time_budget
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the support vectors; rows of weight k count as k copies."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        rows = training_rows(self, data)
        squared, limits = self.loss != "epsilon_insensitive", limits_of(self)
        costs, epsilon = float(self.C) * rows.weights, float(self.epsilon)
        numbers, units = target_in_units(rows, standardize=bool(self.standardize))
        problem = regression(numbers, costs, epsilon, squared=squared)
        solution = rows.solve([problem], limits)[0]
        bias = -solution.level()
        certificate = regression_certificate(solution, costs, epsilon, squared=squared, bias=bias)
        certificate = checked_certificate(self, rows, certificate)
        about = MachineAbout(certificate, bias, epsilon, units)
        return self._finish(data, **self._fitted(rows, solution, about, data.kept_rows))


class NuSVR(MarginRegressor):
    """Support vector regressor that finds the width of its tube, on any table.

    Parameters
    ----------
    C
        The cost of deviations beyond epsilon (for ``NuSVR``: beyond the tube). Larger values follow
        the training rows more closely. Default 1.0.
    nu
        An upper bound of the share of rows outside the tube, and a lower bound of the share of
        support vectors. Default 0.5.
    kernel, gamma, degree, coef0, standardize, encoder
        As in ``SVC``.
    tol, max_iter, time_budget, n_jobs
        As in ``SVC``.

    Attributes
    ----------
    epsilon_
        The half width of the tube that was found.

    See Also
    --------
    SVR : support vector regressor with a certificate, on any table.
    NuSVC : support vector classifier whose parameter is a share of rows, on any table.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.svm import NuSVR
    >>> x = np.linspace(0, 6, 50)
    >>> model = NuSVR(10, nu=0.5).fit(x[:, None], np.sin(x))
    >>> model.predict([[1.5]]).round(1).tolist()
    [1.0]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        **KERNEL_PARAMETERS,
        **SOLVER_PARAMETERS,
        "C": Real(0.0, low_open=True),
        "nu": Real(0.0, 1.0, low_open=True),
    }
    _opposite = "branchline.svm.NuSVC"

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        C: float = 1.0,
        *,
        nu: float = 0.5,
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
        self.C = C
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
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the support vectors and the tube; rows of weight k count as k copies."""
        data = self._begin(texts_as_table(X), y, sample_weight)
        rows = training_rows(self, data)
        limits, half = limits_of(self), len(rows)
        costs = float(self.C) * rows.weights
        numbers, units = target_in_units(rows, standardize=bool(self.standardize))
        start = filled(costs, float(self.nu) * float(costs.sum()) / 2)
        is_up = np.arange(2 * half) < half
        problem = replace(
            regression(numbers, costs, 0.0),
            group=np.where(is_up, 0, 1).astype(np.uint8),
            start=np.concatenate([start, -start]),
        )
        solution = rows.solve([problem], limits)[0]
        high, low = solution.level(is_up), solution.level(~is_up)
        bias, epsilon = -(high + low) / 2, max(0.0, (low - high) / 2)
        same = replace(solution, problem=regression(numbers, costs, epsilon))
        certificate = regression_certificate(same, costs, epsilon, squared=False, bias=bias)
        certificate = checked_certificate(self, rows, certificate)
        about = MachineAbout(certificate, bias, epsilon, units)
        return self._finish(data, **self._fitted(rows, same, about, data.kept_rows))
