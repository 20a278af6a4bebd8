"""Lasso and elastic net: least squares with a price on weights that sets many of them to zero.

1. Rows are encoded; terms have standard deviation 1 (indicators excepted).
2. α falls along a grid from the value at which every weight is 0 (``_lasso_path``).
3. Each α is judged by cross-validation; the best is taken, or the simplest model whose error is
   within one standard error of the best.
4. The weights at that α are the model; columns without weight are out of it.
"""

from typing import Any, ClassVar, Self

import numpy as np

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._encoding._encoded import ENCODER
from branchline._one_thread import one_thread
from branchline._plain_numbers import number
from branchline._size_rule import RULE
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole
from branchline.encoding import TableEncoder
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._cv_curve import choose
from branchline.linear._lasso_path import (
    LassoPath,
    cross_validate,
    descend,
    prices_for,
    solver_for,
    spread_of,
)
from branchline.linear._linear_sums import matrix_from_state, solver_from_state
from branchline.linear._regressor import LinearRegressor, problem_of
from branchline.table import Schema

__all__ = ["ElasticNet", "Lasso", "LassoPath"]

_SOLVERS = ("gram", "rows")


class _Shrinking(LinearRegressor):
    """What lasso and elastic net share."""

    # Coordinate descent may end a round sooner or later when a sum differs in its last bit.
    _tolerance = 1e-6
    alpha: float | str
    rule: str
    n_alphas: int
    n_folds: int
    alpha_: float
    l1_ratio_: float
    path_: LassoPath
    solver_: str

    def _l2_for_l1(self, spread: float) -> float:
        """Return the price of ‖w‖² / 2 for each unit of the price of ‖w‖₁."""
        return 0.0

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn α and the weights; a row of weight k counts as k rows."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        problem = problem_of(rows)
        solver, exponent = solver_for(problem), int(problem.exponents[0])
        given = None if isinstance(self.alpha, str) else float(self.alpha)
        l2_for_l1 = self._l2_for_l1(1.0 if given is not None else spread_of(problem))
        prices, alphas = prices_for(problem, l2_for_l1, int(self.n_alphas), given)
        best, curve = len(alphas) - 1, np.full((2, len(alphas)), np.nan)
        if given is None:
            found = cross_validate(problem, prices, solver, int(self.n_folds))
            best, curve = choose(found, self.rule), np.array([found.error, found.standard_error])
        weights, model = descend(problem, prices, best, solver)
        errors = _in_units(curve, exponent)
        terms = tuple(term.name for term in rows.encoding.terms)
        path = LassoPath(
            alphas, np.ldexp(weights, exponent), errors[0], errors[1], terms, float(alphas[best])
        )
        fitted = problem.scaled_back(model.weights, model.bias)
        chosen = {"alpha_": float(alphas[best]), "path_": path, "solver_": solver}
        return self._finish(
            data, encoding_=rows.encoding, l1_ratio_=1 / (1 + l2_for_l1), **fitted, **chosen
        )

    @property
    def selected_(self) -> tuple[str, ...]:
        """The columns that have a weight, in the order of the table."""
        self._check_fitted()
        columns, kept = self._sums.columns_of_terms(), np.flatnonzero(self.weights_[0])
        used = {name for place in kept for name in columns[place]}
        return tuple(name for name in self.schema_.names if name in used)

    def to_text(self) -> str:
        """Return the model as text: which columns survive, and a line for each weight kept."""
        self._check_fitted()
        listed = self.coefficients()
        kept = tuple(row for row in listed.rows if row.value != 0)
        columns = dict.fromkeys(name for names in self._sums.columns_of_terms() for name in names)
        dropped = [name for name in columns if name not in self.selected_]
        n_kept = f"{len(self.selected_):,} of {len(columns):,} columns kept"
        lines = [f"alpha {number(self.alpha_)}: {n_kept}"]
        lines.append(str(type(listed)(kept, listed.intercepts).by_size()))
        return "\n".join(lines + ([f"not used: {', '.join(dropped)}"] if dropped else []))

    def _pack(self) -> FittedState:
        path = self.path_
        return {
            **self._sums.pack(),
            "alpha": self.alpha_,
            "l1_ratio": self.l1_ratio_,
            "path": np.array([path.alphas, path.cv_error, path.cv_standard_error]),
            "path_weights": path.weights,
            "solver": self.solver_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_regression(state, schema)
        alpha, ratio, packed = (state.get(name) for name in ("alpha", "l1_ratio", "path"))
        solver = solver_from_state(state, _SOLVERS)
        if not isinstance(alpha, float) or not 0 <= alpha < np.inf:
            raise malformed("'alpha' is not a number of at least 0")
        if not isinstance(ratio, float) or not 0 < ratio <= 1:
            raise malformed("'l1_ratio' is not a number from 0 to 1")
        if not isinstance(packed, np.ndarray) or packed.dtype != np.float64 or packed.ndim != 2:
            raise malformed("'path' is not a table of numbers")
        if len(packed) != 3 or packed.shape[1] == 0 or (packed < 0).any() or np.isinf(packed).any():
            raise malformed("'path' has values out of range")
        if np.isnan(packed[0]).any() or (np.diff(packed[0]) > 0).any() or alpha not in packed[0]:
            raise malformed("the alphas of 'path' do not fall, or the chosen one is not there")
        shape = (packed.shape[1], fitted["encoding_"].width)
        weights = matrix_from_state(state, "path_weights", shape)
        terms = tuple(term.name for term in fitted["encoding_"].terms)
        error, spread = packed[1].copy(), packed[2].copy()
        path = LassoPath(packed[0].copy(), weights, error, spread, terms, alpha)
        found = {"alpha_": alpha, "l1_ratio_": ratio, "path_": path, "solver_": solver}
        return fitted | found


def _in_units(errors: Floats, exponent: int) -> Floats:
    """Return squared errors in units of the target; the largest float where they are larger."""
    with np.errstate(over="ignore"):
        return np.minimum(np.ldexp(errors, 2 * exponent), np.finfo(np.float64).max)


_SHARED: dict[str, Constraint] = {
    "alpha": AnyOf((OneOf(("auto",)), Real(0))),
    "rule": RULE,
    "n_alphas": Whole(1, 10_000),
    "n_folds": Whole(2, 1000),
    "basis": BASIS,
    "encoder": ENCODER,
}


class Lasso(_Shrinking):
    """Predict a number by a weighted sum of a few columns; the others get no weight.

    Use it when most columns probably do not matter, or when the model must be short. Of several
    columns with the same information one is kept; ``ElasticNet`` shares the weight among them. When
    most columns matter a little, ``Ridge`` predicts better.

    Parameters
    ----------
    alpha
        Strength of the L1 penalty, in units of the target. A term gets weight 0 if its covariance
        with the residual is smaller than this. "auto" (default): chosen by cross-validation.
        scikit-learn's ``Lasso`` with the same ``alpha`` on standardized columns gives the same
        model.
    rule
        Which α is taken. "best" (default): the one with the lowest cross-validated error. "one_se":
        the largest α with an error within one standard error of it, which gives a shorter model
        that is hardly worse.
    n_alphas
        Number of values of α on the path. Default 100.
    n_folds
        Number of folds of the cross-validation. Default 10.
    basis
        None (default): the columns as they are. "polynomial" or "rbf": curves and interactions, of
        which the useful ones are kept.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.

    Attributes
    ----------
    alpha_
        α as given or chosen.
    selected_
        The columns that have a weight.
    path_
        α, weights, degrees of freedom and errors along the path.
    coef_, intercept_
        The coefficients and the constant, in the units of the table.
    solver_
        "gram" (products of terms), or "rows" where terms far outnumber rows.
    weights_, bias_
        The weight of each encoded term, and the constant, with which predictions are made.

    See Also
    --------
    ElasticNet
    Ridge
    SubsetSelection

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import Lasso
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = Lasso(rule="one_se").fit(X, y)
    >>> sorted(set(X.names) - set(model.selected_))
    ['acceleration']
    >>> round(model.score(X, y), 2)
    0.86
    """

    _constraints: ClassVar[dict[str, Constraint]] = _SHARED
    _opposite = "branchline.linear.LogisticRegression"

    def __init__(
        self,
        *,
        alpha: float | str = "auto",
        rule: Any = "best",
        n_alphas: int = 100,
        n_folds: int = 10,
        basis: BasisExpansion | str | None = None,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.alpha = alpha
        self.rule = rule
        self.n_alphas = n_alphas
        self.n_folds = n_folds
        self.basis = basis
        self.encoder = encoder


class ElasticNet(_Shrinking):
    """Predict a number by a weighted sum of some columns; similar columns share the weight.

    It is between ``Lasso`` and ``Ridge``: many weights are zero, and of several columns with the
    same information all are kept.

    Parameters
    ----------
    alpha
        Strength of the penalty, in units of the target. "auto" (default): chosen by
        cross-validation. The same
        ``alpha`` and ``l1_ratio`` in scikit-learn's ``ElasticNet`` on standardized columns give
        the same model.
    l1_ratio
        Share of the L1 penalty: 1 is the lasso, values near 0 are close to ridge. With a number for
        ``alpha`` the penalty is scikit-learn's, so the effect of its L2 part depends on the unit of
        the target. With "auto" the target is first scaled to standard deviation 1, so its unit does
        not matter. Default 0.5.
    rule
        Which α is taken. "best" (default): the one with the lowest cross-validated error. "one_se":
        the largest α with an error within one standard error of it, which gives a shorter model
        that is hardly worse.
    n_alphas
        Number of values of α on the path. Default 100.
    n_folds
        Number of folds of the cross-validation. Default 10.
    basis
        None (default): the columns as they are. "polynomial" or "rbf": curves and interactions, of
        which the useful ones are kept.
    encoder
        How the table becomes numbers; None: with the defaults of ``TableEncoder``.

    Attributes
    ----------
    alpha_, l1_ratio_
        As given; with "auto", those with which scikit-learn's ``ElasticNet`` on standardized
        columns gives the same model.
    selected_
        The columns that have a weight.
    path_
        α, weights, degrees of freedom and errors along the path.
    coef_, intercept_
        The coefficients and the constant, in the units of the table.
    solver_
        "gram" (products of terms), or "rows" where terms far outnumber rows.
    weights_, bias_
        The weight of each encoded term, and the constant, with which predictions are made.

    See Also
    --------
    Lasso
    Ridge

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import ElasticNet
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> round(ElasticNet(alpha=0.1).fit(X, y).score(X, y), 2)
    0.82
    """

    _constraints: ClassVar[dict[str, Constraint]] = {**_SHARED, "l1_ratio": Real(0.01, 1)}
    _opposite = "branchline.linear.LogisticRegression"

    def __init__(
        self,
        *,
        alpha: float | str = "auto",
        l1_ratio: float = 0.5,
        rule: Any = "best",
        n_alphas: int = 100,
        n_folds: int = 10,
        basis: BasisExpansion | str | None = None,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.rule = rule
        self.n_alphas = n_alphas
        self.n_folds = n_folds
        self.basis = basis
        self.encoder = encoder

    def _l2_for_l1(self, spread: float) -> float:
        ratio = float(self.l1_ratio)
        return (1 - ratio) / ratio / spread
