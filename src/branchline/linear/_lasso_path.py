"""Models of lasso and elastic net along a falling price, and the error of each on rows left out.

1. ``prices_for`` gives prices from the one that leaves no weight down to a thousandth of it.
2. ``cross_validate`` walks the path on the rows of all folds but one, for each fold.
3. ``descend`` walks it on all rows, and settles the model at the price that is taken
   (``_lasso_descent``).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Floats
from branchline._validation import OneOf, check_parameters
from branchline.linear._cv_curve import CVCurve, mean_and_error
from branchline.linear._lasso_descent import (
    DESCENT,
    SETTLING,
    Descent,
    Prices,
    descend_gram,
    descend_rows,
)
from branchline.linear._moments import Moments, moments_of, moments_of_folds, origin_of
from branchline.linear._regressor import RegressionProblem

if TYPE_CHECKING:
    from branchline.charts import Chart

__all__ = [
    "Descent",
    "LassoPath",
    "Prices",
    "cross_validate",
    "descend",
    "price_grid",
    "prices_for",
    "solver_for",
    "spread_of",
]

_WIDEST_GRAM = 4000
_RANGE = 1e-3  # from the α at which all weights are 0 down to this share of it
_LEAST = 1e-9  # share of that α below which the price is nothing


@dataclass(frozen=True, eq=False)
class LassoPath:
    """The models along a falling α.

    Parameters
    ----------
    alphas
        The values of α, the largest first.
    weights
        The weight of each encoded term at each α, one row per α.
    cv_error, cv_standard_error
        The mean squared error on rows left out, and its standard error; NaN where α was given.
    terms
        The names of the terms.
    chosen
        The α that was taken.
    """

    alphas: Floats
    weights: Floats
    cv_error: Floats
    cv_standard_error: Floats
    terms: tuple[str, ...] = ()
    chosen: float | None = None

    def draw(self, ax: Any = None, *, show: str = "weights") -> Any:
        """Return the path as a chart; with axes of matplotlib, draw it on them.

        Parameters
        ----------
        ax
            Axes of matplotlib.
        show
            "weights" along α, or "error" on rows left out.
        """
        from branchline.charts import drawn

        check_parameters("draw", {"show": show}, {"show": OneOf(("weights", "error"))})
        return drawn(self._weights_chart() if show == "weights" else self._error_chart(), ax)

    def _weights_chart(self) -> "Chart":
        from branchline.charts.figures import draw_path

        names = self.terms or tuple(f"term {place}" for place in range(self.weights.shape[1]))
        return draw_path(self.alphas, self.weights, names, chosen=self.chosen)

    def _error_chart(self) -> "Chart":
        from branchline.charts.figures import draw_choice

        taken = float(self.alphas[-1]) if self.chosen is None else self.chosen
        return draw_choice(
            self.alphas, self.cv_error, self.cv_standard_error,
            chosen=taken, name="alpha", measure="mean squared error",
        )  # fmt: skip

    @property
    def df(self) -> Any:
        """How many weights are not zero at each α: the degrees of freedom of a lasso."""
        return np.count_nonzero(self.weights, axis=1)


def solver_for(problem: RegressionProblem) -> str:
    """Return "gram" or "rows" from the shape of the problem."""
    n_terms = problem.n_terms
    return "gram" if n_terms <= min(_WIDEST_GRAM, 4 * problem.n_rows + 100) else "rows"


def spread_of(problem: RegressionProblem) -> float:
    """Return the standard deviation of the target in its own unit; 1 when it does not vary."""
    _, y_mean = origin_of(problem)
    y = problem.targets[:, 0] - y_mean
    spread = float(np.sqrt(problem.weights @ y**2 / problem.total_weight)) or 1.0
    return float(np.ldexp(spread, int(problem.exponents[0])))


def prices_for(
    problem: RegressionProblem, l2_for_l1: float, n_alphas: int, last: float | None
) -> tuple[Prices, Floats]:
    """Return the prices along a path down to α = ``last``, and the α of the target's own unit."""
    ratio, exponent = 1.0 / (1.0 + l2_for_l1), int(problem.exponents[0])
    end = None if last is None else float(np.ldexp(last * ratio, -exponent))
    l1 = price_grid(problem, n_alphas, end)
    return Prices(l1, float(np.ldexp(l2_for_l1, exponent))), np.ldexp(l1, exponent) / ratio


def price_grid(problem: RegressionProblem, n_alphas: int, last: float | None) -> Floats:
    """Return falling prices α r from the one that leaves no weight, for targets as scaled."""
    x_mean, y_mean = origin_of(problem)
    y = problem.weights * (problem.targets[:, 0] - y_mean)
    products = np.asarray(y @ problem.matrix) - y.sum() * x_mean
    largest = float(np.abs(products).max(initial=0.0)) / problem.total_weight
    if largest <= 0:
        return np.array([last or 1.0])  # every price is too high
    end = largest * _RANGE if last is None else max(last, largest * _LEAST)
    if end >= largest or n_alphas == 1:
        return np.array([end])
    if end >= largest * _RANGE:
        grid = np.geomspace(largest, end, n_alphas)
        grid[-1] = end
        return grid
    return np.append(np.geomspace(largest, largest * _RANGE, n_alphas - 1), end)


def descend(
    problem: RegressionProblem, prices: Prices, best: int, solver: str
) -> tuple[Floats, Descent]:
    """Return the weights of the path, and the one model at its place ``best``, settled."""
    x_origin, y_origin = origin_of(problem)
    if problem.n_terms == 0:
        return np.zeros((len(prices.l1), 0)), Descent(np.zeros((1, 0)), np.array([y_origin]))
    if solver == "rows":
        x_origin, y_origin = np.zeros(problem.n_terms), 0.0
        source: RegressionProblem | Moments = problem
    else:
        source = moments_of(problem, (x_origin, y_origin))
    path = DESCENT[solver](source, prices)
    model = SETTLING[solver](source, prices.only(best), path.weights[best])
    bias = model.bias + y_origin - model.weights @ x_origin
    weights = path.weights.copy()
    weights[best] = model.weights[0]
    return weights, Descent(model.weights, bias)


def cross_validate(
    problem: RegressionProblem, prices: Prices, solver: str, n_folds: int
) -> CVCurve:
    """Return the error of each α on rows that were left out."""
    errors, weight = [], []
    if problem.n_terms == 0:
        pass  # nothing to compare
    elif solver == "gram":
        for rest, part in moments_of_folds(problem, n_folds):
            path = descend_gram(rest, prices)
            errors.append(part.mean_error(path.weights, path.bias))
            weight.append(part.weight)
    else:
        for learned, tried in problem.split(n_folds):
            path = descend_rows(learned, prices)
            missed = tried.targets - np.asarray(tried.matrix @ path.weights.T) - path.bias
            errors.append(tried.weights @ missed**2 / tried.total_weight)
            weight.append(tried.total_weight)
    if not errors:
        return CVCurve(np.zeros(len(prices.l1)), np.zeros(len(prices.l1)))
    return mean_and_error(np.array(errors), np.array(weight))
