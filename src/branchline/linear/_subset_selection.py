"""Subset selection: least squares on the columns that are worth their place.

1. Rows are encoded; all terms of a column enter or leave together.
2. For each number of columns a subset is searched (``_subset_search``).
3. A criterion weighs fit against size: with n rows, k terms and residual sum of squares RSS,
   AIC = n log(RSS / n) + 2 (k + 1), BIC = n log(RSS / n) + log(n) (k + 1), adjusted R², or
   cross-validation, in which the search is repeated without the rows that are left out.
4. Least squares on the columns of the best subset is the model.
"""

from dataclasses import asdict, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._base import FittedState, reports_progress
from branchline._encoding._encoded import ENCODER
from branchline._encoding._encoding import Encoding
from branchline._one_thread import one_thread
from branchline._state import malformed
from branchline._validation import AnyOf, Constraint, OneOf, Whole
from branchline.encoding import TableEncoder
from branchline.errors import ParameterError, Repair
from branchline.linear._basis import BASIS, BasisExpansion
from branchline.linear._decomposition import decompose
from branchline.linear._inference import intervals, standard_errors
from branchline.linear._moments import moments_of, origin_of
from branchline.linear._regressor import LinearRegressor, RegressionProblem, problem_of
from branchline.linear._subset_criteria import (
    NUMBERS,
    Candidate,
    SubsetSize,
    judge,
    names_from_state,
    sizes_from_state,
)
from branchline.linear._subset_search import SEARCHES, correlations
from branchline.table import Schema

__all__ = ["SubsetSelection", "SubsetSize"]

_MOST_FOR_BEST = 25


class SubsetSelection(LinearRegressor):
    """Predict a number by least squares on a subset of the columns.

    For a model that names few columns and does not shrink their coefficients. ``Lasso`` predicts
    as well or better when many columns matter a little.

    Parameters
    ----------
    method
        "forward" (default): columns come in one by one, the most useful first. "backward": they
        leave one by one, the least useful first. "best": of all subsets, for at most 25 columns.
    criterion
        What weighs fit against size: "bic" (default; few columns), "aic" (more), "adjusted_r2"
        (most), or "cv" (cross-validation; the search is repeated in each fold).
    n_columns
        How many columns the model has; "auto" (default): as many as the criterion says.
    n_folds
        Number of folds for cross-validation. Default 10.
    basis
        None (default): the columns as they are. "polynomial" or "rbf": curves and interactions,
        each product a candidate of its own.
    encoder
        How the table becomes numbers; None (default): ``TableEncoder(drop="most_frequent")``.

    Attributes
    ----------
    selected_
        The columns of the model, in the order of the table.
    sizes_
        The subset of each number of columns with its criteria.
    standard_errors_
        The standard error of each coefficient as if the columns had been chosen beforehand; NaN
        for those not chosen. After a search the true errors are larger.
    df_residual_
        The rows less the numbers that were learned from them, the search not counted.
    coef_, intercept_
        The coefficients (0 for terms not chosen) and the constant, in the units of the table.
    weights_, bias_
        The weight of each encoded term, and the constant, with which predictions are made.

    See Also
    --------
    Lasso : predict a number by a weighted sum of a few columns.
    ForwardStagewise : predict a number by a weighted sum that grows in small steps.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.linear import SubsetSelection
    >>> X, y = load_dataset("auto-mpg").split_target("mpg")
    >>> model = SubsetSelection(method="best").fit(X, y)
    >>> model.selected_
    ('cylinders', 'horsepower', 'weight', 'model_year', 'origin')
    >>> round(model.score(X, y), 2)
    0.87
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "method": OneOf(tuple(SEARCHES)),
        "criterion": OneOf(("bic", "aic", "adjusted_r2", "cv")),
        "n_columns": AnyOf((OneOf(("auto",)), Whole(0, 100_000))),
        "n_folds": Whole(2, 1000),
        "basis": BASIS,
        "encoder": ENCODER,
    }
    _opposite = "branchline.linear.LogisticRegression"
    _default_encoder = TableEncoder(drop="most_frequent")
    selected_: tuple[str, ...]
    sizes_: tuple[SubsetSize, ...]
    standard_errors_: Floats
    df_residual_: float

    def __init__(
        self,
        *,
        method: str = "forward",
        criterion: str = "bic",
        n_columns: int | str = "auto",
        n_folds: int = 10,
        basis: BasisExpansion | str | None = None,
        encoder: TableEncoder | None = None,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.n_columns = n_columns
        self.n_folds = n_folds
        self.basis = basis
        self.encoder = encoder

    @reports_progress
    @one_thread
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search columns and learn their coefficients; a row of weight k counts as k rows."""
        data = self._begin(X, y, sample_weight)
        rows = self._encode_training(data)
        problem = problem_of(rows)
        names, groups = _groups(rows.encoding)
        self._refuse_too_many(len(groups))
        candidates = self._candidates(problem, groups)
        best = candidates[self._choose(candidates)]
        terms = np.sort(np.concatenate([[], *(groups[at] for at in best.columns)])).astype(np.intp)
        sizes = tuple(_described(one, names) for one in candidates)
        fitted = _least_squares(problem, rows.encoding, terms)
        selected = tuple(names[at] for at in sorted(best.columns))
        return self._finish(
            data, encoding_=rows.encoding, selected_=selected, sizes_=sizes, **fitted
        )

    def _candidates(
        self, problem: RegressionProblem, groups: list[npt.NDArray[np.intp]]
    ) -> list[Candidate]:
        search, most = SEARCHES[self.method], _most_columns(problem, groups)
        sums = moments_of(problem, origin_of(problem)).centered()
        found = search(correlations(sums), groups, most)
        n_folds = int(self.n_folds) if self.criterion == "cv" else 0
        return judge(problem, found, groups, search, n_folds)

    def _choose(self, candidates: list[Candidate]) -> int:
        if not isinstance(self.n_columns, str):
            return min(int(self.n_columns), len(candidates) - 1)
        scores = {
            "bic": [one.bic for one in candidates],
            "aic": [one.aic for one in candidates],
            "adjusted_r2": [-one.adjusted_r2 for one in candidates],
            "cv": [one.cv_error for one in candidates],
        }[self.criterion]
        return int(np.argmin(np.nan_to_num(scores, nan=np.inf)))

    def _refuse_too_many(self, n_columns: int) -> None:
        if self.method != "best" or n_columns <= _MOST_FOR_BEST:
            return
        raise ParameterError(
            f"The best of all subsets is searched for at most {_MOST_FOR_BEST} columns; there are "
            f"{n_columns} that vary. Use 'forward' or 'backward'.",
            code="P051",
            values=[n_columns],
            repair=Repair('model.set_params(method="forward")'),
        )

    def to_text(self) -> str:
        """Return the model as text: the columns chosen, and a line for each coefficient."""
        self._check_fitted()
        listed = self.coefficients()
        chosen = tuple(row for row in listed.rows if row.value != 0)
        head = f"{len(self.selected_)} of {len(self.sizes_[-1].columns)} columns ({self.criterion})"
        body = str(type(listed)(chosen, listed.intercepts).by_size())
        note = "intervals take the columns as given: after a search they are too narrow"
        return "\n".join([head, body, note] if chosen else [head, body])

    def _intervals(self) -> Floats | None:
        return intervals(self._sums.original_weights(), self.standard_errors_, self.df_residual_)

    def _pack(self) -> FittedState:
        numbers = [[float(asdict(one)[name]) for name in NUMBERS] for one in self.sizes_]
        return {
            **self._sums.pack(),
            "selected": list(self.selected_),
            "size_columns": [list(one.columns) for one in self.sizes_],
            "size_numbers": np.array(numbers),
            "standard_errors": self.standard_errors_,
            "df_residual": self.df_residual_,
        }

    def _unpack(self, state: FittedState, schema: Schema) -> FittedState:
        fitted = self._unpack_regression(state, schema)
        names, _ = _groups(fitted["encoding_"])
        errors, df = state.get("standard_errors"), state.get("df_residual")
        shape = (1, fitted["encoding_"].width)
        if (
            not isinstance(errors, np.ndarray)
            or errors.dtype != np.float64
            or errors.shape != shape
        ):
            raise malformed("'standard_errors' are not a row of numbers")
        if (errors < 0).any() or np.isinf(errors).any():
            raise malformed("'standard_errors' has values out of range")
        if not isinstance(df, float) or not 0 <= df < np.inf:
            raise malformed("the degrees of freedom are not a number of at least 0")
        return fitted | {
            "selected_": names_from_state(state.get("selected"), names),
            "sizes_": sizes_from_state(state, names),
            "standard_errors_": errors.copy(),
            "df_residual_": df,
        }


def _groups(encoding: Encoding) -> tuple[list[str], list[npt.NDArray[np.intp]]]:
    """Return the columns that have terms, and the terms of each."""
    owners = [term.column for term in encoding.terms]
    names = list(dict.fromkeys(owners))
    places = {name: place for place, name in enumerate(names)}
    owner = np.array([places[name] for name in owners], dtype=np.intp)
    return names, [np.flatnonzero(owner == place) for place in range(len(names))]


def _most_columns(problem: RegressionProblem, groups: list[npt.NDArray[np.intp]]) -> int:
    """Return how many columns leave a row or more to judge by, whichever they are."""
    sizes = np.sort([len(group) for group in groups])[::-1]
    return max(0, int((np.cumsum(sizes) <= problem.n_rows - 2).sum()))


def _described(one: Candidate, names: list[str]) -> SubsetSize:
    columns = tuple(names[at] for at in sorted(one.columns))
    numbers = one.n_terms, one.r2, one.adjusted_r2, one.aic, one.bic, one.cv_error
    return SubsetSize(columns, *numbers)


def _least_squares(
    problem: RegressionProblem, encoding: Encoding, terms: npt.NDArray[np.intp]
) -> dict[str, Any]:
    """Return least squares on some terms, with weight 0 for the others."""
    n_terms = problem.n_terms
    part = replace(problem, matrix=problem.matrix[:, terms])
    parts = decompose(part, scale=True)
    short = parts.weights()
    directions, norms, x_mean = np.zeros((n_terms, parts.rank)), np.ones(n_terms), np.zeros(n_terms)
    directions[terms], norms[terms], x_mean[terms] = parts.directions, parts.norms, parts.x_mean
    whole = replace(parts, directions=directions, norms=norms, x_mean=x_mean)
    errors, _ = standard_errors(whole, encoding, problem.total_weight)
    df = problem.total_weight - parts.rank - 1
    spread = np.sqrt(parts.residual / df) if df > 1e-9 else np.array([np.nan])
    weights = np.zeros((1, n_terms))
    weights[:, terms] = short
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.ldexp(spread, problem.exponents)[:, None] * errors
    return {
        **problem.scaled_back(weights, parts.bias(short)),
        "standard_errors_": np.where(np.isfinite(scaled), scaled, np.nan),
        "df_residual_": float(max(df, 0.0)),
    }
