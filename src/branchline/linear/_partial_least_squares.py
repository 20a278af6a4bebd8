"""Partial least squares: regression on the few directions of the columns that move with the target.

1. Rows are encoded; each term is scaled to standard deviation 1.
2. Component by component, the direction of greatest covariance with what is left of the target is
   taken out of both (``_pls_components``).
3. The number of components is chosen by cross-validation; all numbers are judged from one fit.
4. The components become weights of the terms, with which predictions are made.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._encoding._encoded import ENCODER
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread
from branchline._size_rule import RULE
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, OneOf, Whole
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._cv_curve import CVCurve, choose, mean_and_error
from branchline.linear._pls_components import find_components
from branchline.linear._regressor import LinearRegressor, RegressionProblem, problem_of
from branchline.table import Schema

__all__ = ["PLSRegressor"]


class PLSRegressor(LinearRegressor):
    """Predict numbers from a few combinations of the columns (partial least squares).

    Use it for tables with many correlated columns (spectra, sensors), also with far fewer rows than
    columns, and for several outputs at once. It builds combinations of columns that vary together
    with the target, and regresses on these.

    Parameters
    ----------
    n_components
        Number of combinations; at most as many as rows and columns allow. "auto" (default): chosen
        by cross-validation.
    rule
        Which number is taken. "best" (default): the one with the lowest cross-validated error.
        "one_se": the fewest components with an error within one standard error of it.
    max_components
        Maximum number of components that "auto" tries. Default 20.
    n_folds
        Number of folds for cross-validation. Default 10.
    basis
        None (default): the columns as they are. "polynomial" or "rbf": curves and interactions.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.

    Attributes
    ----------
    n_components_
        How many components are used.
    x_rotations_
        What each component is made of: one row per term, one column per component. Times terms of
        mean 0 and standard deviation 1 it gives the components.
    cv_error_
        The squared error on rows left out with 0, 1, 2, … components, as a share of the target's
        variance; empty when ``n_components`` was given.
    coef_, intercept_
        The coefficients and the constant, in the units of the table.
    weights_, bias_
        The weight of each encoded term, and the constant, with which predictions are made.

    See Also
    --------
    Ridge
    PLSDA

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import PLSRegressor
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(PLSRegressor(n_components=2).fit(X, y).score(X, y), 2)
    0.84
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_components": AnyOf((OneOf(("auto",)), Whole(1, 10_000))),
        "rule": RULE,
        "max_components": Whole(1, 10_000),
        "n_folds": Whole(2, 1000),
        "basis": BASIS,
        "encoder": ENCODER,
    }
    _opposite = "branchline.linear.PLSDA"
    _multi_output = True
    _merges_rows = False
    # Components are found by iteration, which ends at a last bit sooner or later.
    _tolerance = 1e-6
    n_components_: int
    x_rotations_: Floats
    cv_error_: Floats

    def __init__(
        self,
        *,
        n_components: int | str = "auto",
        rule: Any = "best",
        max_components: int = 20,
        n_folds: int = 10,
        basis: BasisExpansion | str | None = None,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.n_components = n_components
        self.rule = rule
        self.max_components = max_components
        self.n_folds = n_folds
        self.basis = basis
        self.encoder = encoder

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the components and their weights."""
        data = self._begin(X, y, None)
        rows = self._encode_training(data)
        problem = _dense(problem_of(rows))
        errors = np.zeros(0)
        if isinstance(self.n_components, str):
            curve = _cross_validate(problem, int(self.max_components), int(self.n_folds))
            n_components, errors = choose(curve, self.rule), curve.error
        else:
            n_components = int(self.n_components)
        rotations, weights, bias = _components(problem, n_components)
        return self._finish(
            data,
            encoding_=rows.encoding,
            **problem.scaled_back(weights[-1], bias[-1]),
            n_components_=rotations.shape[1],
            x_rotations_=rotations,
            cv_error_=errors,
        )

    def to_text(self) -> str:
        """Return the model as text: the number of components, then a line for each coefficient."""
        return f"{self.n_components_} components\n{super().to_text()}"

    def _pack(self) -> FittedState:
        return {
            **self._sums.pack(),
            "x_rotations": self.x_rotations_,
            "cv_error": self.cv_error_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_regression(state, schema)
        rotations, errors = state.get("x_rotations"), state.get("cv_error")
        for array, n_dims in ((rotations, 2), (errors, 1)):
            if not isinstance(array, np.ndarray) or array.dtype != np.float64:
                raise malformed("components or their errors are not numbers")
            if array.ndim != n_dims or not np.isfinite(array).all():
                raise malformed("components or their errors are out of range")
        assert isinstance(rotations, np.ndarray)
        assert isinstance(errors, np.ndarray)
        if rotations.shape[0] != fitted["encoding_"].width or (errors < 0).any():
            raise malformed("the components are not made of the terms")
        return fitted | {
            "n_components_": rotations.shape[1],
            "x_rotations_": np.ascontiguousarray(rotations),
            "cv_error_": np.ascontiguousarray(errors),
        }


def _dense(problem: RegressionProblem) -> RegressionProblem:
    if not sparse.issparse(problem.matrix):
        return problem
    refuse_over_budget(8 * problem.n_rows * problem.n_terms, "the rows of partial least squares")
    matrix = problem.matrix.toarray()
    return replace(problem, matrix=matrix)


def _components(problem: RegressionProblem, n_components: int) -> tuple[Floats, Floats, Floats]:
    """Return rotations, and weights and constants with 0, 1, 2, … components."""
    matrix, targets = problem.matrix, problem.targets
    y_mean = targets.mean(axis=0)
    varies = matrix.std(axis=0) > 1e-12 if matrix.shape[1] else np.zeros(0, dtype=bool)
    n_components = min(n_components, len(matrix) - 1, int(varies.sum()))
    if n_components < 1 or not (targets.std(axis=0) > 0).any():
        none = np.zeros((1, targets.shape[1], matrix.shape[1]))
        return np.zeros((matrix.shape[1], 0)), none, y_mean[None]
    x_std = np.where(matrix.std(axis=0, ddof=1) > 0, matrix.std(axis=0, ddof=1), 1.0)
    y_std = np.where(targets.std(axis=0, ddof=1) > 0, targets.std(axis=0, ddof=1), 1.0)
    x_mean = matrix.mean(axis=0)
    found = find_components((matrix - x_mean) / x_std, (targets - y_mean) / y_std, n_components)
    rotations, loadings = found.rotations, found.loadings
    parts = loadings.T[:, :, None] * rotations.T[:, None, :]
    weights = np.concatenate([np.zeros((1, *parts.shape[1:])), np.cumsum(parts, axis=0)])
    weights = weights * y_std[:, None] / x_std
    return rotations, weights, y_mean - weights @ x_mean


def _cross_validate(problem: RegressionProblem, most: int, n_folds: int) -> CVCurve:
    """Return the error on rows left out with 0, 1, 2, … components; the mean over outputs."""
    folds = problem.split(n_folds)
    if not folds:
        return CVCurve(np.zeros(1), np.zeros(1))
    variance = problem.targets.var(axis=0)
    scale = np.where(variance > 0, variance, 1.0)
    curves, counts = [], []
    for learned, tried in folds:
        _, weights, bias = _components(learned, most)
        missed = tried.targets.T - (weights @ tried.matrix.T + bias[:, :, None])
        curves.append(((missed**2).mean(axis=2) / scale).mean(axis=1))
        counts.append(float(tried.n_rows))
    shortest = min(len(curve) for curve in curves)
    return mean_and_error(np.array([c[:shortest] for c in curves]), np.array(counts))
