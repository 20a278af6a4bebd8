"""A kernel as a product of a thin matrix with itself: pivoted Cholesky.

1. Start with the diagonal: what is left of each row's K(o, o).
2. Take the row of which most is left (the pivot), and its column of the kernel.
3. Subtract what the pivots before explain; divide by the root of what is left: a new feature.
4. Subtract its squares from what is left; stop when that is a small share of the trace.

Only n values of the diagonal and n k of the kernel are computed, which is what counts when the
kernel is slow. K − F Fᵀ is positive semidefinite with the trace ``residual``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._validation import AnyOf, Constraint, OneOf, Real, Whole, check_parameters
from branchline.errors import DataError
from branchline.kernels._fitted_kernel import FittedKernel
from branchline.kernels._inputs import table_of
from branchline.kernels._kernel import Kernel
from branchline.kernels._points import Points

__all__ = ["LowRank", "low_rank"]

_ROUNDING = 1e-12  # of the largest K(o, o): below, the rest is rounding
_NEGATIVE = 1e-6
_CONSTRAINTS: dict[str, Constraint] = {
    "tol": Real(0, 1),
    "max_rank": AnyOf((OneOf((None,)), Whole(1))),
}


@dataclass(frozen=True, eq=False)
class LowRank:
    """A kernel as features of few columns.

    Parameters
    ----------
    factor
        F, a row for each row of the table and a column for each pivot: K ≈ F Fᵀ.
    pivots
        The rows that were taken, in order.
    residual
        The trace of K − F Fᵀ; no entry of it is larger.
    fitted
        The fitted kernel.
    pivot_points
        The rows that were taken, prepared.

    See Also
    --------
    low_rank : return features whose products are the kernel, up to a share ``tol`` of its trace.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.kernels import Linear, low_rank
    >>> found = low_rank(Linear(), np.arange(12.0).reshape(6, 2))
    >>> found.factor.shape
    (6, 2)
    """

    factor: Floats
    pivots: npt.NDArray[np.int64]
    residual: float
    fitted: FittedKernel
    pivot_points: Points

    @property
    def rank(self) -> int:
        """The number of features."""
        return len(self.pivots)

    def transform(self, X: Any) -> Floats:
        """Return the features of other rows: their products are the kernel with the pivots."""
        from scipy.linalg import solve_triangular

        points = self.fitted.prepare(table_of(X))
        across = self.fitted.gram(points, self.pivot_points)
        triangle = self.factor[self.pivots]
        features: Floats = solve_triangular(triangle, across.T, lower=True).T
        return features


def low_rank(kernel: Kernel, X: Any, tol: float = 1e-6, max_rank: int | None = None) -> LowRank:
    """Return features whose products are the kernel, up to a share ``tol`` of its trace.

    Parameters
    ----------
    kernel
        A positive semidefinite kernel.
    X
        Rows.
    tol
        The share of the trace that may be left out. Default 1e-06.
    max_rank
        Maximum number of features; None (default): as many as the tolerance asks for.

    See Also
    --------
    LowRank : a kernel as features of few columns.

    Examples
    --------
    >>> import numpy as np
    >>> from branchline.kernels import Linear, low_rank
    >>> rows = np.arange(12.0).reshape(6, 2)
    >>> low_rank(Linear(), rows).rank
    2
    """
    check_parameters("low_rank", {"tol": tol, "max_rank": max_rank}, _CONSTRAINTS)
    table = table_of(X)
    fitted = kernel.fit(table)
    points = fitted.prepare(table)
    most = len(points) if max_rank is None else min(int(max_rank), len(points))
    factor, pivots, residual = _pivoted_cholesky(fitted, points, float(tol), most)
    return LowRank(factor, pivots, residual, fitted, points.take(pivots))


def _pivoted_cholesky(
    fitted: FittedKernel, points: Points, tol: float, most: int
) -> tuple[Floats, npt.NDArray[np.int64], float]:
    left = fitted.diag(points).copy()
    largest, enough = float(left.max()), tol * float(left.sum())
    _refuse_negative(left, largest)
    features: list[Floats] = []
    pivots: list[int] = []
    while len(pivots) < most:
        pivot = int(left.argmax())
        if left[pivot] <= _ROUNDING * largest or left.sum() <= enough:
            break
        column = fitted.gram(points, points.take([pivot]))[:, 0]
        for feature in features:
            column -= feature[pivot] * feature
        feature = column / np.sqrt(left[pivot])
        feature[pivots] = 0.0  # explained already, up to rounding
        left -= feature**2
        left[[*pivots, pivot]] = 0.0
        _refuse_negative(left, largest)
        features.append(feature)
        pivots.append(pivot)
    factor = np.column_stack(features) if features else np.zeros((len(points), 0))
    return factor, np.array(pivots, dtype=np.int64), float(np.maximum(left, 0.0).sum())


def _refuse_negative(left: Floats, largest: float) -> None:
    if left.min() >= -_NEGATIVE * max(largest, 0.0):
        return
    raise DataError(
        "The kernel is not positive semidefinite on these rows, so it has no features: "
        f"K(o, o) of row {int(left.argmin())} is less than what other rows already explain of it.",
        code="D164",
        rows=[int(left.argmin())],
    )
