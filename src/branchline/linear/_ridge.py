"""Ridge regression: least squares with a price on large weights.

It minimizes Σ (y − b − w·z)² + λ ‖w‖² over terms z of standard deviation 1; b is free.

1. The centered problem is decomposed once, Z = U D Vᵀ (``_decomposition``).
2. For each λ of a grid: df = Σ d² / (d² + λ), and the generalized cross-validation error
   GCV = (RSS / n) / (1 − (df + 1) / n)², which stands for leaving out each row in turn.
3. The λ of the least GCV is taken, and w = V diag(d / (d² + λ)) Uᵀ y.
4. Sparse matrices of very many terms are solved by conjugate gradients (scikit-learn), and λ is
   chosen by cross-validation.
5. Large tables are read block by block (``_block_products``).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn import linear_model

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._drawable import Drawable
from branchline._encoding._encoded import ENCODER
from branchline._one_thread import one_thread
from branchline._plain_numbers import fixed, number
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, OneOf, Real
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._decomposition import WIDEST_GRAM, Decomposition, decompose
from branchline.linear._linear_sums import matrix_from_state, solver_from_state
from branchline.linear._regressor import LinearRegressor, RegressionProblem, problem_of
from branchline.table import Schema

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = ["GCVCurve", "Ridge"]

_PER_ROW = np.logspace(-8, 4, 121)  # λ for each row: from no price at all to the mean alone
_COARSE = np.logspace(-4, 2, 7)
_FOLDS = 5
_SOLVERS = ("qr", "gram", "exact_gram", "sparse_cg")


@dataclass(frozen=True, eq=False)
class GCVCurve(Drawable):
    """What was compared to choose λ.

    Parameters
    ----------
    alphas
        The values of λ that were tried; the one that was given, when one was.
    df
        The effective degrees of freedom of each; NaN where they are not known.
    error
        The mean squared error that is expected on new rows, as a share of the target's variance;
        the mean over outputs.
    """

    alphas: Floats
    df: Floats
    error: Floats

    def _chart(self) -> "Chart":
        from branchline.charts.figures import draw_choice

        taken = float(self.alphas[np.argmin(self.error)])
        measure = "error, as a share of the variance"
        return draw_choice(self.alphas, self.error, chosen=taken, name="alpha", measure=measure)


class Ridge(LinearRegressor):
    """Predict a number by a weighted sum of the columns, with weights held small.

    The first linear model to try on a real table: columns may outnumber rows, repeat each other
    or say nothing. The strength of the penalty is chosen from the data at no extra cost.

    Parameters
    ----------
    alpha
        Strength λ of the L2 penalty. "auto" (default): chosen by generalized cross-validation.
        Compare it with the number of rows: 0.1 per row is strong, 0.0001 per row has almost no
        effect. Terms have standard
        deviation 1 (indicators excepted), so that λ means the same for each column; scikit-learn's
        ``Ridge`` with the same ``alpha`` on standardized columns gives the same model.
    basis
        None: the columns as they are. "polynomial" or "rbf": curves and interactions, with the
        defaults of ``BasisExpansion``, or one of your own.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.

    Attributes
    ----------
    alpha_
        λ as given or chosen.
    effective_df_
        Σ d² / (d² + λ): how many free coefficients the shrunk ones are worth. NaN when
        ``solver_`` is "sparse_cg".
    gcv_curve_
        The values of λ that were tried, with the effective degrees of freedom and error of each.
    coef_, intercept_
        The coefficients and the constant, in the units of the table.
    solver_
        "qr" for dense tables, "gram" for sparse ones, "sparse_cg" for sparse ones of many columns;
        "exact_gram" for large tables, which are read block by block.
    weights_, bias_
        The weight of each encoded term, and the constant, with which predictions are made.

    See Also
    --------
    LinearRegression : with intervals of coefficients.
    Lasso
    KernelRidge : curves.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import Ridge
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = Ridge().fit(X, y)
    >>> round(model.effective_df_, 1)
    20.2
    >>> round(model.score(X, y), 3)
    0.87
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "alpha": AnyOf((OneOf(("auto",)), Real(0))),
        "basis": BASIS,
        "encoder": ENCODER,
    }
    _opposite = "branchline.linear.LogisticRegression"
    _multi_output = True
    _takes_blocks = True
    alpha_: float
    effective_df_: float
    gcv_curve_: GCVCurve
    solver_: str

    def __init__(
        self,
        *,
        alpha: float | str = "auto",
        basis: BasisExpansion | str | None = None,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.alpha = alpha
        self.basis = basis
        self.encoder = encoder

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn λ and the weights; a row of weight k counts as k rows."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        problem = problem_of(rows)
        alphas = _PER_ROW * problem.total_weight
        given = None if isinstance(self.alpha, str) else np.array([float(self.alpha)])
        if sparse.issparse(problem.matrix) and problem.n_terms > WIDEST_GRAM:
            fitted = _iterated(problem, given)
        else:
            fitted = _decomposed(problem, alphas if given is None else given)
        return self._finish(data, encoding_=rows.encoding, **fitted)

    def to_text(self) -> str:
        """Return the model as text: λ, then a line for each coefficient."""
        self._check_fitted()
        df = (
            ""
            if np.isnan(self.effective_df_)
            else f", {fixed(self.effective_df_, 1)} effective degrees"
        )
        return (
            f"lambda {number(self.alpha_)}{df} of freedom\n{super().to_text()}"
            if df
            else (f"lambda {number(self.alpha_)}\n{super().to_text()}")
        )

    def _pack(self) -> FittedState:
        curve = self.gcv_curve_
        return {
            **self._sums.pack(),
            "alpha": self.alpha_,
            "effective_df": self.effective_df_,
            "curve": np.array([curve.alphas, curve.df, curve.error]),
            "solver": self.solver_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_regression(state, schema)
        alpha, df = state.get("alpha"), state.get("effective_df")
        solver = solver_from_state(state, _SOLVERS)
        if not isinstance(alpha, float) or not 0 <= alpha < np.inf:
            raise malformed("'alpha' is not a number of at least 0")
        n_terms = fitted["encoding_"].width
        is_known = isinstance(df, float) and (np.isnan(df) or 0 <= df <= n_terms + 1e-6)
        if not is_known:
            raise malformed("the degrees of freedom are not known")
        return fitted | {
            "alpha_": alpha,
            "effective_df_": df,
            "gcv_curve_": _unpack_curve(state),
            "solver_": solver,
        }


def _decomposed(problem: RegressionProblem, alphas: Floats) -> dict[str, Any]:
    """Return the fitted values for the best of some λ."""
    parts = decompose(problem, scale=False)
    curve = _gcv_curve(parts, alphas, problem.total_weight)
    best = len(alphas) - 1 - int(np.argmin(curve.error[::-1]))  # the largest λ on ties
    weights = parts.weights(float(alphas[best]))
    return {
        **problem.scaled_back(weights, parts.bias(weights)),
        "alpha_": float(alphas[best]),
        "effective_df_": float(curve.df[best]),
        "gcv_curve_": curve,
        "solver_": parts.solver,
    }


def _gcv_curve(parts: Decomposition, alphas: Floats, n_rows: float) -> GCVCurve:
    squares = parts.values**2
    kept = squares / (squares + alphas[:, None])
    df = kept.sum(axis=1)
    residual = parts.residual + (1 - kept) ** 2 @ parts.projections**2
    total = np.where(parts.total > 0, parts.total, 1.0)
    left = 1.0 - (df + 1.0) / n_rows
    # With as many degrees of freedom as rows nothing is left to judge by.
    judged = np.where(left > 1e-6, left, np.nan)
    error = (residual / total).mean(axis=1) / judged**2
    return GCVCurve(alphas, df, np.where(np.isnan(error), np.inf, error))


def _iterated(problem: RegressionProblem, given: Floats | None) -> dict[str, Any]:
    """Return the fitted values of a large sparse problem, by conjugate gradients."""
    alphas = _COARSE * problem.total_weight if given is None else given
    errors = np.zeros(len(alphas)) if given is not None else _held_out(problem, alphas)
    best = len(alphas) - 1 - int(np.argmin(errors[::-1]))
    weights, bias = _by_gradients(problem, float(alphas[best]))
    return {
        **problem.scaled_back(weights, bias),
        "alpha_": float(alphas[best]),
        "effective_df_": float("nan"),
        "gcv_curve_": GCVCurve(alphas, np.full(len(alphas), np.nan), errors),
        "solver_": "sparse_cg",
    }


def _held_out(problem: RegressionProblem, alphas: Floats) -> Floats:
    errors = np.zeros(len(alphas))
    for learned, tried in problem.split(_FOLDS):
        for at, alpha in enumerate(alphas):
            weights, bias = _by_gradients(learned, float(alpha))
            missed = tried.targets - np.asarray(tried.matrix @ weights.T) - bias
            errors[at] += float((tried.weights @ missed**2).mean())
    y_mean = problem.weights @ problem.targets / problem.total_weight
    total = float((problem.weights @ (problem.targets - y_mean) ** 2).mean())
    return errors / total if total > 0 else errors


def _by_gradients(problem: RegressionProblem, alpha: float) -> tuple[Floats, Floats]:
    model = linear_model.Ridge(alpha, solver="sparse_cg", tol=1e-10, max_iter=10_000)
    model.fit(problem.matrix, problem.targets, sample_weight=problem.weights)
    return np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)


def _unpack_curve(state: FittedState) -> GCVCurve:
    packed = state.get("curve")
    n_alphas = packed.shape[1] if isinstance(packed, np.ndarray) and packed.ndim == 2 else 0
    if n_alphas == 0 or not isinstance(packed, np.ndarray) or packed.dtype != np.float64:
        raise malformed("'curve' is not a table of numbers")
    if packed.shape[0] != 3 or (packed < 0).any() or np.isnan(packed[[0, 2]]).any():
        raise malformed("'curve' has values out of range")
    alphas = matrix_from_state({"alphas": packed[0]}, "alphas", (n_alphas,))
    return GCVCurve(alphas, packed[1].copy(), packed[2].copy())
