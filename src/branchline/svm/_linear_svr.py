"""Linear support vector regression: errors smaller than ε cost nothing, on any table.

1. The table is encoded; equal rows are merged; targets are divided by a power of two.
2. Make ½‖w‖² + Σ_i C_i max(0, |y_i − w·z_i − b| − ε) least, or with the square of the excess. b is
   free.
3. A native solver finds w and b with a duality gap (``_linear_margin``).
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._row_space import narrow
from branchline._state import numbers_from_state
from branchline._validation import AnyOf, Constraint, OneOf, Real
from branchline.encoding import TableEncoder
from branchline.linear import BasisExpansion
from branchline.linear._regressor import LinearRegressor, RegressionProblem, problem_of
from branchline.svm._linear_margin import (
    PARAMETERS,
    Ends,
    MarginReport,
    find_margins,
    warn_if_unfinished,
)
from branchline.table import Schema

__all__ = ["LinearSVR"]

_LEAST_PRICE, _MOST_PRICE = 1e-300, 1e300
# For targets of size 1, a higher price means that no error is allowed, a wider tube that any is.
_DEAREST, _WIDEST = 1e15, 1e150


class LinearSVR(LinearRegressor):
    """Linear support vector regression, with a certificate.

    With loss="epsilon_insensitive", large errors have no more influence than small ones, so
    outliers do little harm.

    Parameters
    ----------
    C
        The price of errors, on scaled terms. "auto" (default): the standard deviation of the target
        for straight losses (so that the units of the target do not matter), 1 for squared ones.
    epsilon
        Errors up to this size cost nothing, in the units of the target. Default 0.0.
    loss
        "epsilon_insensitive" (default; robust) or "squared_epsilon_insensitive".
    fit_intercept
        Whether there is a constant. Default True.
    solver
        "newton" (squared losses), "interior_point" (others), "descent" (dual coordinate descent)
        or "auto" (default): by the number of terms.
    tol
        The duality gap to be reached, as a share of the objective. Default 0.0001.
    max_iter
        Maximum number of steps of the solver (passes over the rows, for "descent"). Default 1000.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.
    basis
        None: the columns as they are. "polynomial" or "rbf": curves and interactions, with the
        defaults of ``BasisExpansion``, or one of your own.
    random_state
        The seed of the order in which "descent" takes rows. Default 0.
    n_jobs
        Threads; None (default) for all cores. The result does not depend on it.

    Attributes
    ----------
    coef_, intercept_
        The coefficients and the constant, in the units of the table.
    C_
        The C that was used; one for each output, where there are several.
    objective_, gap_
        The objective, and by how much at most it is above the least possible; summed over outputs.
    converged_, n_iter_, solver_
        Whether the gap is as small as asked for; the steps taken; how: "newton", "newton-cg",
        "interior_point" or "descent".

    See Also
    --------
    SVR
    Ridge

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.svm import LinearSVR
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = LinearSVR().fit(X, y)
    >>> model.converged_, round(model.score(X, y), 2)
    (True, 0.86)
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "C": AnyOf((OneOf(("auto",)), Real(1e-12, 1e12))),
        "epsilon": Real(0),
        "loss": OneOf(("epsilon_insensitive", "squared_epsilon_insensitive")),
        **PARAMETERS,
    }
    _opposite = "branchline.svm.LinearSVC"
    _multi_output = True
    C_: Any
    solver_: str
    n_iter_: int
    objective_: float
    gap_: float
    converged_: bool

    def __init__(  # noqa: PLR0913 (scikit-learn's contract: an argument for each parameter)
        self,
        *,
        C: float | str = "auto",
        epsilon: float = 0.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        encoder: TableEncoder | None = None,
        basis: BasisExpansion | str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.encoder = encoder
        self.basis = basis
        self.random_state = random_state
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights; a row of weight k counts as k rows."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        problem = problem_of(rows)
        prices = self._prices(problem)
        ends = self._ends(problem, prices)
        matrix, lift = narrow(problem.matrix)
        margins = find_margins(self, matrix, ends, problem.exponents)
        warn_if_unfinished(margins.report, float(self.tol))
        return self._finish(
            data,
            encoding_=rows.encoding,
            C_=float(prices[0]) if len(prices) == 1 else prices,
            **problem.scaled_back(lift(margins.weights), margins.bias),
            **margins.report.attributes(),
        )

    def _prices(self, problem: RegressionProblem) -> Floats:
        """Return C of each output, in the units of the target."""
        if self.C != "auto" or self.loss.startswith("squared"):
            return np.full(len(problem.exponents), 1.0 if self.C == "auto" else float(self.C))
        share = problem.weights / problem.total_weight
        away = problem.targets - share @ problem.targets
        deviation = np.sqrt(share @ away**2)
        with np.errstate(over="ignore"):
            prices = np.ldexp(deviation, problem.exponents)
        return np.where(deviation > 0, np.clip(prices, _LEAST_PRICE, _MOST_PRICE), 1.0)

    def _ends(self, problem: RegressionProblem, prices: Floats) -> Ends:
        """Return the ends for targets in units of 2^exponent: ‖w‖² falls by the unit's square.

        So do squared losses; straight ones fall by the unit, and C by what is missing.
        """
        with np.errstate(over="ignore"):
            epsilon = np.ldexp(float(self.epsilon), -problem.exponents)[:, None]
            if not self.loss.startswith("squared"):
                prices = np.ldexp(prices, -problem.exponents)
        prices = np.clip(prices, _LEAST_PRICE, _DEAREST)
        epsilon = np.minimum(epsilon, _WIDEST)
        targets = problem.targets.T
        return Ends(targets - epsilon, targets + epsilon, prices[:, None] * problem.weights)

    def to_text(self) -> str:
        """Return the model as text: a line for each coefficient, and the certificate."""
        return f"{super().to_text()}\n{MarginReport.from_attributes(self).words()}"

    def _pack(self) -> FittedState:
        report = dict(MarginReport.from_attributes(self).pack())
        return {**self._sums.pack(), "report": report, "prices": np.atleast_1d(self.C_)}

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_regression(state, schema)
        report = MarginReport.unpack(state.get("report"))
        prices = numbers_from_state(
            state, "prices", length=len(fitted["bias_"]), low=_LEAST_PRICE, high=_MOST_PRICE
        )
        price = float(prices[0]) if len(prices) == 1 else prices
        return {**fitted, **report.attributes(), "C_": price}
