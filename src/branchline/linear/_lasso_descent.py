"""Coordinate descent for lasso and elastic net, by scikit-learn's kernel.

    (1 / 2n) Σ v (y − b − w·z)² + α (r ‖w‖₁ + (1 − r) ‖w‖² / 2),   r the ``l1_ratio``.

1. "gram": where terms do not far outnumber rows, all is done on the products of terms
   (``_moments``), whatever the number of rows.
2. "rows": else on the rows themselves, dense or sparse.
3. Each α starts from the weights of the one before.
4. The model that is taken is settled to the last digits. On dense rows only terms that have a
   weight take part, by their products; then terms are added whose covariance with what is left
   unexplained exceeds the price, until there are none.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, enet_path

from branchline._arrays import Floats
from branchline._warn import warn
from branchline.errors import BranchlineWarning
from branchline.linear._moments import Moments, origin_of
from branchline.linear._regressor import RegressionProblem

__all__ = ["DESCENT", "SETTLING", "Descent", "Prices", "descend_gram", "descend_rows"]


@dataclass(frozen=True)
class Effort:
    """When coordinate descent stops: at a duality gap (a share of Σ y²), or after some rounds."""

    gap: float
    rounds: int


_ROUGH, _FINE = Effort(1e-5, 1000), Effort(1e-13, 20_000)
_ROUGH_ON_ROWS = Effort(1e-4, 1000)  # as scikit-learn: many terms settle slowly
_MOST_ADDITIONS = 50
_CLEARLY = 1e-7  # share of the price by which a covariance must exceed it
_NOT_SETTLED = 1e-5


@dataclass(frozen=True)
class Descent:
    """Weights (one row per α) and constants along a path."""

    weights: Floats
    bias: Floats


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


def descend_gram(moments: Moments, prices: Prices) -> Descent:
    """Walk the path on products of terms."""
    return _walk_gram(moments, prices, _ROUGH, None)[0]


def _settle_gram(moments: Moments, price: Prices, start: Floats) -> Descent:
    model, gap = _walk_gram(moments, price, _FINE, start)
    sums = moments.centered()
    _tell_unsettled(gap, sums.yy * len(sums.xy) / sums.weight)
    return model


def _walk_gram(
    moments: Moments, prices: Prices, effort: Effort, start: Floats | None
) -> tuple[Descent, float]:
    sums = moments.centered()
    n_terms = len(sums.xy)
    # scikit-learn looks at rows for their number and for the size of the target only.
    scale = n_terms / sums.weight
    target = np.zeros(n_terms)
    target[0] = np.sqrt(sums.yy * scale)
    products = {"precompute": np.ascontiguousarray(sums.xx * scale), "Xy": sums.xy * scale}
    matrix = np.zeros((n_terms, n_terms), order="F")
    weights, gap = _walk(matrix, target, prices, effort, start, **products)
    return Descent(weights, sums.y_mean - weights @ sums.x_mean), gap


def descend_rows(problem: RegressionProblem, prices: Prices) -> Descent:
    """Walk the path on rows, dense or sparse."""
    if sparse.issparse(problem.matrix):
        return _walk_sparse(problem, prices, _ROUGH, None)[0]
    rows = _centered(problem)
    weights, _ = _walk(rows.matrix, rows.target, prices, _ROUGH_ON_ROWS, None)
    return rows.descent(weights)


def _settle_rows(problem: RegressionProblem, price: Prices, start: Floats) -> Descent:
    _, y_mean = origin_of(problem)
    spread = problem.weights @ (problem.targets[:, 0] - y_mean) ** 2 / problem.total_weight
    if sparse.issparse(problem.matrix):
        model, gap = _walk_sparse(problem, price, _FINE, start)
        _tell_unsettled(gap, float(spread))
        return model
    rows, weights = _centered(problem), start.copy()
    matters = weights != 0
    for _ in range(_MOST_ADDITIONS):
        if matters.any():
            some = np.asfortranarray(rows.matrix[:, matters])
            found, gap = _walk(some, rows.target, price, _FINE, weights[matters], precompute=True)
            _tell_unsettled(gap, float(spread))
            weights[matters] = found[0]
        left = rows.target - rows.matrix @ weights
        covariance = np.abs(rows.matrix.T @ left) / len(left)
        more = ~matters & (covariance > price.l1[0] * (1 + _CLEARLY))
        if not more.any():
            break
        matters |= more
    return rows.descent(weights[None])


@dataclass(frozen=True, eq=False)
class _CenteredRows:
    """Rows less their means, times the root of their weights, which sum to their number."""

    matrix: Floats
    target: Floats
    x_mean: Floats
    y_mean: float

    def descent(self, weights: Floats) -> Descent:
        """Return weights with the constants that go with them."""
        return Descent(weights, self.y_mean - weights @ self.x_mean)


def _centered(problem: RegressionProblem) -> _CenteredRows:
    x_mean, y_mean = origin_of(problem)
    root = np.sqrt(problem.weights * (problem.n_rows / problem.total_weight))
    matrix = np.asfortranarray(problem.matrix - x_mean)
    matrix *= root[:, None]
    return _CenteredRows(matrix, (problem.targets[:, 0] - y_mean) * root, x_mean, y_mean)


def _walk_sparse(
    problem: RegressionProblem, prices: Prices, effort: Effort, start: Floats | None
) -> tuple[Descent, float]:
    """Walk the path with a fit for each price, which centers without filling in the zeros."""
    model = ElasticNet(warm_start=True, tol=effort.gap, max_iter=effort.rounds)
    if start is not None:
        model.coef_ = start.copy()  # what a warm start begins with
    matrix, target = problem.matrix.tocsc(), problem.targets[:, 0]
    weights, bias = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for l1 in prices.l1.tolist():
            model.set_params(alpha=l1 / prices.l1_ratio, l1_ratio=prices.l1_ratio)
            model.fit(matrix, target, sample_weight=problem.weights)
            weights.append(model.coef_.copy())
            bias.append(float(model.intercept_))
    return Descent(np.array(weights), np.array(bias)), float(model.dual_gap_)


def _walk(
    matrix: Floats,
    target: Floats,
    prices: Prices,
    effort: Effort,
    start: Floats | None,
    **products: Any,
) -> tuple[Floats, float]:
    """Return the weights at each price and the last duality gap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        _, weights, gaps = enet_path(
            matrix,
            target,
            l1_ratio=prices.l1_ratio,
            alphas=prices.l1 / prices.l1_ratio,
            coef_init=start,
            check_input=False,
            tol=effort.gap,
            max_iter=effort.rounds,
            **({"precompute": False} | products),
        )
    return np.ascontiguousarray(weights.T), float(gaps[-1])


def _tell_unsettled(gap: float, size: float) -> None:
    if gap <= _NOT_SETTLED * size:
        return
    warn(
        f"Coordinate descent did not settle in {_FINE.rounds:,} rounds, as happens with columns "
        "that nearly repeat each other. Use Ridge, a smaller l1_ratio or a larger alpha.",
        BranchlineWarning,
    )


_Walk = Callable[[Any, Prices], Descent]
_Settle = Callable[[Any, Prices, Floats], Descent]
DESCENT: dict[str, _Walk] = {"gram": descend_gram, "rows": descend_rows}
SETTLING: dict[str, _Settle] = {"gram": _settle_gram, "rows": _settle_rows}
