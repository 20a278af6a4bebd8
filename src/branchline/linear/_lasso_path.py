"""The weights of lasso and elastic net along a falling price, by scikit-learn's coordinate descent.

    (1 / 2n) Σ v (y − b − w·z)² + α (r ‖w‖₁ + (1 − r) ‖w‖² / 2),   r the ``l1_ratio``.

1. "gram": where terms do not far outnumber rows, all is done on the products of terms
   (``_moments``), whatever the number of rows.
2. "rows": else on the rows themselves, dense or sparse.
3. Each α starts from the weights of the one before; the one that is taken is settled to the last
   digits.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, enet_path

from branchline._arrays import Floats
from branchline.errors import BranchlineWarning
from branchline.linear._cv_curve import CVCurve, mean_and_error
from branchline.linear._moments import Moments, moments_of, moments_of_folds, origin_of
from branchline.linear._regressor import Problem

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


@dataclass(frozen=True)
class Effort:
    """When coordinate descent stops: at a duality gap (a share of Σ y²), or after some rounds."""

    gap: float
    rounds: int


_ROUGH, _FINE = Effort(1e-5, 1000), Effort(1e-13, 20_000)
_NOT_SETTLED = 1e-5


@dataclass(frozen=True)
class Descent:
    """Weights (a row an α) and constants along a path."""

    weights: Floats
    bias: Floats


@dataclass(frozen=True, eq=False)
class LassoPath:
    """The models along a falling α.

    Parameters
    ----------
    alphas
        The values of α, the largest first.
    weights
        The weight of each encoded term at each α, a row an α.
    cv_error, cv_standard_error
        The mean squared error on rows left out, and its standard error; NaN where α was given.
    """

    alphas: Floats
    weights: Floats
    cv_error: Floats
    cv_standard_error: Floats

    @property
    def df(self) -> Any:
        """How many weights are not zero at each α: the degrees of freedom of a lasso."""
        return np.count_nonzero(self.weights, axis=1)


@dataclass(frozen=True)
class Prices:
    """What ‖w‖₁ costs along a path, and ‖w‖² / 2 in proportion to it, for targets as scaled.

    When targets are divided by s, so are weights: α r ‖w‖₁ then weighs s times more against
    squares, and is divided by s; the price of ‖w‖² stays.
    """

    l1: Floats
    l2_for_l1: float

    @property
    def l1_ratio(self) -> float:
        """The share of ‖w‖₁ in the whole price."""
        return 1.0 / (1.0 + self.l2_for_l1)

    def only(self, place: int) -> "Prices":
        """Return the prices at one place of the path."""
        return Prices(self.l1[[place]], self.l2_for_l1)


def solver_for(problem: Problem) -> str:
    """Return "gram" or "rows" from the shape of the problem."""
    n_terms = problem.n_terms
    return "gram" if n_terms <= min(_WIDEST_GRAM, 4 * problem.n_rows + 100) else "rows"


def spread_of(problem: Problem) -> float:
    """Return the standard deviation of the target in its own unit; 1 when it does not vary."""
    _, y_mean = origin_of(problem)
    y = problem.targets[:, 0] - y_mean
    spread = float(np.sqrt(problem.weights @ y**2 / problem.total_weight)) or 1.0
    return float(np.ldexp(spread, int(problem.exponents[0])))


def prices_for(
    problem: Problem, l2_for_l1: float, n_alphas: int, last: float | None
) -> tuple[Prices, Floats]:
    """Return the prices along a path down to α = ``last``, and the α of the target's own unit."""
    ratio, exponent = 1.0 / (1.0 + l2_for_l1), int(problem.exponents[0])
    end = None if last is None else float(np.ldexp(last * ratio, -exponent))
    l1 = price_grid(problem, n_alphas, end)
    return Prices(l1, float(np.ldexp(l2_for_l1, exponent))), np.ldexp(l1, exponent) / ratio


def price_grid(problem: Problem, n_alphas: int, last: float | None) -> Floats:
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


def descend(problem: Problem, prices: Prices, best: int, solver: str) -> tuple[Floats, Descent]:
    """Return the weights of the path, and the one model at its place ``best``, settled."""
    x_origin, y_origin = origin_of(problem)
    if problem.n_terms == 0:
        return np.zeros((len(prices.l1), 0)), Descent(np.zeros((1, 0)), np.array([y_origin]))
    if solver == "rows":
        x_origin, y_origin = np.zeros(problem.n_terms), 0.0
        source: Problem | Moments = problem
    else:
        source = moments_of(problem, (x_origin, y_origin))
    path = _DESCENT[solver](source, prices, _ROUGH, None)
    start = path.weights[best].copy()
    model = _DESCENT[solver](source, prices.only(best), _FINE, start)
    bias = model.bias + y_origin - model.weights @ x_origin
    weights = path.weights.copy()
    weights[best] = model.weights[0]
    return weights, Descent(model.weights, bias)


def cross_validate(problem: Problem, prices: Prices, solver: str, n_folds: int) -> CVCurve:
    """Return the error of each α on rows that were left out."""
    errors, weight = [], []
    if problem.n_terms == 0:
        pass  # nothing to compare
    elif solver == "gram":
        for rest, part in moments_of_folds(problem, n_folds):
            path = _descend_gram(rest, prices, _ROUGH, None)
            errors.append(part.mean_error(path.weights, path.bias))
            weight.append(part.weight)
    else:
        for learnt, tried in problem.split(n_folds):
            path = _descend_rows(learnt, prices, _ROUGH, None)
            missed = tried.targets - np.asarray(tried.matrix @ path.weights.T) - path.bias
            errors.append(tried.weights @ missed**2 / tried.total_weight)
            weight.append(tried.total_weight)
    if not errors:
        return CVCurve(np.zeros(len(prices.l1)), np.zeros(len(prices.l1)))
    return mean_and_error(np.array(errors), np.array(weight))


def _descend_gram(
    moments: Moments, prices: Prices, effort: Effort, start: Floats | None
) -> Descent:
    sums = moments.centred()
    n_terms = len(sums.xy)
    # scikit-learn looks at rows for their number and for the size of the target only.
    scale = n_terms / sums.weight
    target = np.zeros(n_terms)
    target[0] = np.sqrt(sums.yy * scale)
    gram = np.ascontiguousarray(sums.xx * scale)
    weights, gap = _walk(gram, sums.xy * scale, target, prices, effort, start)
    if effort is _FINE:
        _tell_unsettled(gap, sums.yy * scale)
    return Descent(weights, sums.y_mean - weights @ sums.x_mean)


def _walk(
    gram: Floats,
    products: Floats,
    target: Floats,
    prices: Prices,
    effort: Effort,
    start: Floats | None,
) -> tuple[Floats, float]:
    """Return the weights at each price and the last duality gap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        _, weights, gaps = enet_path(
            np.zeros(gram.shape, order="F"),
            target,
            l1_ratio=prices.l1_ratio,
            alphas=prices.l1 / prices.l1_ratio,
            precompute=gram,
            Xy=products,
            coef_init=start,
            check_input=False,
            tol=effort.gap,
            max_iter=effort.rounds,
        )
    return np.ascontiguousarray(weights.T), float(gaps[-1])


def _descend_rows(
    problem: Problem, prices: Prices, effort: Effort, start: Floats | None
) -> Descent:
    model = ElasticNet(warm_start=True, tol=effort.gap, max_iter=effort.rounds)
    if start is not None:
        model.coef_ = start.copy()  # what a warm start begins with
    matrix = problem.matrix.tocsc() if hasattr(problem.matrix, "tocsc") else problem.matrix
    target, weights, bias = problem.targets[:, 0], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for l1 in prices.l1.tolist():
            model.set_params(alpha=l1 / prices.l1_ratio, l1_ratio=prices.l1_ratio)
            model.fit(matrix, target, sample_weight=problem.weights)
            weights.append(model.coef_.copy())
            bias.append(float(model.intercept_))
    if effort is _FINE:
        _, y_mean = origin_of(problem)
        spread = problem.weights @ (target - y_mean) ** 2 / problem.total_weight
        _tell_unsettled(float(model.dual_gap_), float(spread))
    return Descent(np.array(weights), np.array(bias))


def _tell_unsettled(gap: float, size: float) -> None:
    if gap <= _NOT_SETTLED * size:
        return
    warnings.warn(
        f"Coordinate descent did not settle in {_FINE.rounds:,} rounds, as happens with columns "
        "that nearly repeat each other. Use Ridge, a smaller l1_ratio or a larger alpha.",
        BranchlineWarning,
        stacklevel=7,
    )


_DESCENT: dict[str, Any] = {"gram": _descend_gram, "rows": _descend_rows}
