"""Least squares: the linear model with the smallest sum of squared errors.

1. Rows are encoded; a category has an indicator for all levels but its most frequent one.
2. The problem is decomposed (``_decomposition``); w = V D⁻¹ Uᵀ y, the shortest of all solutions
   when columns are linearly dependent.
3. Standard errors and intervals come from the same parts (``_inference``).
4. Sparse matrices of very many terms are solved by iteration (LSQR), without intervals.
5. Large tables are read block by block (``_block_products``).
"""

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, lsqr

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._encoding._encoded import ENCODER
from branchline._one_thread import one_thread
from branchline._state import malformed
from branchline._validation import Constraint
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._decomposition import WIDEST_GRAM, decompose
from branchline.linear._inference import (
    RegressionSummary,
    aliased_terms,
    intervals,
    standard_errors,
    summary_row,
)
from branchline.linear._linear_sums import solver_from_state
from branchline.linear._regressor import LinearRegressor, RegressionProblem, problem_of
from branchline.table import Schema

__all__ = ["LinearRegression"]

_SOLVERS = ("qr", "gram", "exact_gram", "lsqr")


class LinearRegression(LinearRegressor):
    """Predict a number by a weighted sum of the columns, fitted by least squares.

    Nothing is tuned and nothing is shrunk: the coefficients are the plain ones of statistics,
    with standard errors and 95 % intervals. With many columns for few rows, ``Ridge`` predicts
    better.

    Parameters
    ----------
    basis
        None: the columns as they are. "polynomial" or "rbf": curves and interactions, with the
        defaults of ``BasisExpansion``, or one of your own.
    encoder
        How the table becomes numbers; None (default): ``TableEncoder(drop="most_frequent")``, so
        that a category's coefficients are differences from its most frequent level.

    Attributes
    ----------
    coef_, intercept_
        The coefficients and the constant, in the units of the table.
    residual_std_
        The standard deviation of what is left unexplained, for each output.
    df_residual_
        The rows less the numbers that were learned from them.
    r2_
        The explained share of each output's variance; 0 when it does not vary.
    standard_errors_
        The standard error of each coefficient, one row per output; NaN where the rows do not
        determine it.
    intercept_errors_
        The standard error of each output's constant.
    aliased_
        Groups of linearly dependent terms. Their coefficients are not unique: the solution with the
        smallest norm is given, without intervals.
    rank_
        How many coefficients the rows determine; −1 when ``solver_`` is "lsqr".
    solver_
        "qr" for dense tables, "gram" for sparse ones, "lsqr" for sparse ones of many columns;
        "exact_gram" for large tables, which are read block by block.
    weights_, bias_
        The weight of each encoded term, and the constant, with which predictions are made.

    See Also
    --------
    Ridge : for many or correlated columns.
    Lasso : some weights become zero.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import LinearRegression
    >>> X, y = load_dataset("auto-mpg").select(["weight", "origin", "mpg"]).split_target("mpg")
    >>> model = LinearRegression().fit(X, y)
    >>> print(model.to_text())
      intercept           43.696
      origin=Japan        2.3554  [1.054, 3.657]
      origin=Europe       1.2155  [−0.0671, 2.498]
      weight          −0.0070234  [−0.007649, −0.006397]
    >>> round(model.score(X, y), 3)
    0.702
    """

    _constraints: ClassVar[dict[str, Constraint]] = {"basis": BASIS, "encoder": ENCODER}
    _opposite = "branchline.linear.LogisticRegression"
    _multi_output = True
    _takes_blocks = True
    _default_encoder = TableEncoder(drop="most_frequent")
    # A second copy of a column shares the weight of the first.
    _copies_of_columns_count = False
    residual_std_: Floats
    df_residual_: float
    r2_: Floats
    standard_errors_: Floats
    intercept_errors_: Floats
    aliased_: tuple[tuple[str, ...], ...]
    rank_: int
    solver_: str

    def __init__(
        self, *, basis: BasisExpansion | str | None = None, encoder: TableEncoder | None = None
    ) -> None:
        self.basis = basis
        self.encoder = encoder

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the coefficients; a row of weight k counts as k rows."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        problem = problem_of(rows)
        if sparse.issparse(problem.matrix) and problem.n_terms > WIDEST_GRAM:
            fitted = _iterated(problem)
        else:
            fitted = _solved(problem, rows.encoding)
        for name in ("standard_errors_", "intercept_errors_", "residual_std_"):
            # In the units of the table an error may be beyond all floats: it is not known.
            fitted[name] = np.where(np.isinf(fitted[name]), np.nan, fitted[name])
        return self._finish(data, encoding_=rows.encoding, **fitted)

    def summary(self, output: int = 0) -> RegressionSummary:
        """Return coefficients with errors, t tests and intervals; ``str`` gives a table.

        Parameters
        ----------
        output
            Which output, when there are several.
        """
        self._check_fitted()
        df, errors = self.df_residual_, self.standard_errors_[output]
        values = np.atleast_2d(self.coef_)[output]
        constant = float(np.atleast_1d(self.intercept_)[output])
        constant_error = float(self.intercept_errors_[output])
        rows = [summary_row("intercept", constant, constant_error, df)]
        for term, value, error in zip(self.encoding_.terms, values, errors, strict=True):
            rows.append(summary_row(term.name, float(value), float(error), df))
        r2, learned = float(self.r2_[output]), df + max(self.rank_, 0)
        adjusted = 1 - (1 - r2) * learned / df if df > 0 else None
        spread = float(self.residual_std_[output])
        known_spread = spread if np.isfinite(spread) else None
        return RegressionSummary(tuple(rows), known_spread, df, r2, adjusted, tuple(self._notes()))

    def to_text(self) -> str:
        """Return the model as text: a line for each coefficient, with its 95 % interval."""
        return "\n".join([super().to_text(), *self._notes()])

    def _notes(self) -> list[str]:
        groups = [", ".join(group) for group in self.aliased_ if len(group) > 1]
        alone = [group[0] for group in self.aliased_ if len(group) == 1]
        notes = [f"linearly dependent, so without interval: {group}" for group in groups]
        return notes + ([f"never varies: {', '.join(alone)}"] if alone else [])

    def _intervals(self) -> Floats | None:
        return intervals(self._sums.original_weights(), self.standard_errors_, self.df_residual_)

    def _pack(self) -> FittedState:
        return {
            **self._sums.pack(),
            "residual_std": self.residual_std_,
            "df_residual": self.df_residual_,
            "r2": self.r2_,
            "standard_errors": self.standard_errors_,
            "intercept_errors": self.intercept_errors_,
            "aliased": [list(group) for group in self.aliased_],
            "rank": self.rank_,
            "solver": self.solver_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_regression(state, schema)
        n_outputs, n_terms = fitted["weights_"].shape
        aliased = _groups(state, fitted["encoding_"].term_names)
        rank, df = state.get("rank"), state.get("df_residual")
        solver = solver_from_state(state, _SOLVERS)
        if type(rank) is not int or not -1 <= rank <= n_terms:
            raise malformed("the rank is not known")
        if not isinstance(df, float) or not 0 <= df < np.inf:
            raise malformed("the degrees of freedom are not finite")
        fitted |= {
            "residual_std_": _errors(state, "residual_std", (n_outputs,)),
            "df_residual_": df,
            "r2_": _errors(state, "r2", (n_outputs,)),
            "standard_errors_": _errors(state, "standard_errors", (n_outputs, n_terms)),
            "intercept_errors_": _errors(state, "intercept_errors", (n_outputs,)),
            "aliased_": aliased,
            "rank_": rank,
            "solver_": solver,
        }
        return fitted


def _solved(problem: RegressionProblem, encoding: Any) -> dict[str, Any]:
    """Return the fitted values of a problem that can be decomposed."""
    parts = decompose(problem, scale=True)
    weights = parts.weights()
    df = problem.total_weight - parts.rank - 1
    spread = np.sqrt(parts.residual / df) if df > 1e-9 else np.full(len(parts.total), np.nan)
    errors, constant = standard_errors(parts, encoding, problem.total_weight)
    total = np.where(parts.total > 0, parts.total, 1.0)
    with np.errstate(invalid="ignore", over="ignore"):
        spread = np.ldexp(spread, problem.exponents)
        return {
            **problem.scaled_back(weights, parts.bias(weights)),
            "residual_std_": spread,
            "df_residual_": float(max(df, 0.0)),
            "r2_": np.where(parts.total > 0, 1.0 - parts.residual / total, 0.0),
            "standard_errors_": spread[:, None] * errors,
            "intercept_errors_": spread * constant,
            "aliased_": aliased_terms(parts, encoding),
            "rank_": parts.rank,
            "solver_": parts.solver,
        }


def _iterated(problem: RegressionProblem) -> dict[str, Any]:
    """Return the fitted values of a large sparse problem, by LSQR on centered rows."""
    root, mean = np.sqrt(problem.weights), problem.weights @ problem.matrix / problem.total_weight
    y_mean = problem.weights @ problem.targets / problem.total_weight
    targets = root[:, None] * (problem.targets - y_mean)
    matrix = sparse.diags_array(root) @ problem.matrix
    centered = LinearOperator(
        matrix.shape,
        matvec=lambda w: matrix @ w - root * (mean @ w),
        rmatvec=lambda r: matrix.T @ r - mean * (root @ r),
    )
    weights = np.array([lsqr(centered, y, atol=1e-12, btol=1e-12)[0] for y in targets.T])
    residual = ((targets.T - np.array([centered @ w for w in weights])) ** 2).sum(axis=1)
    total = (targets**2).sum(axis=0)
    unknown = np.full(len(total), np.nan)
    return {
        **problem.scaled_back(weights, y_mean - weights @ mean),
        "residual_std_": unknown,
        "df_residual_": 0.0,
        "r2_": np.where(total > 0, 1 - residual / np.where(total > 0, total, 1.0), 0.0),
        "standard_errors_": np.full(weights.shape, np.nan),
        "intercept_errors_": unknown,
        "aliased_": (),
        "rank_": -1,
        "solver_": "lsqr",
    }


def _errors(state: FittedState, name: str, shape: tuple[int, ...]) -> Floats:
    """Return numbers of at least 0, or NaN where they are not known."""
    array = state.get(name)
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
        raise malformed(f"{name!r} is not a table of numbers of shape {shape}")
    if (array < 0).any() or np.isinf(array).any():
        raise malformed(f"{name!r} has values out of range")
    return np.ascontiguousarray(array)


def _groups(state: FittedState, names: list[str]) -> tuple[tuple[str, ...], ...]:
    groups, known = state.get("aliased"), set(names)
    is_list = isinstance(groups, list) and all(isinstance(g, list) and g for g in groups)
    if not is_list or not isinstance(groups, list):
        raise malformed("'aliased' is not a list of lists")
    members = [name for group in groups for name in group]
    if not all(isinstance(name, str) and name in known for name in members):
        raise malformed("'aliased' names a term that is not there")
    return tuple(tuple(group) for group in groups)
