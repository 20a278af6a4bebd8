"""Covariances within classes: pooled or of each class, weighted, and shrunk where rows are few.

1. Rows less their class's mean are the residuals r_i; S = Σ w_i r_i r_iᵀ / n for total weight n.
2. Shrinking replaces S by (1 − a) S + a T for a target T. The a of least expected squared error
   (Ledoit and Wolf, 2004) is the summed variance of the entries of S over ‖S − T‖², at most 1.
3. The pooled S is drawn towards equal variances; the variance of its entries is estimated by
   Σ w_i ‖r_i‖⁴ / n² − ‖S‖² / n. That of a class is drawn towards the pooled one; with few rows the
   same estimate would fail, so that of normal rows is used, (tr² S + ‖S‖²) / n, or the same of T
   where it is larger.
4. Directions in which no term varies at all are left out; in those that vary between classes only,
   the variance within is given a floor, so that such a direction decides instead of being lost.
5. Where terms outnumber rows, the same is computed from products of rows (``_wide_covariance``).
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._arrays import Floats
from branchline._encoding._encoded import EncodedRows
from branchline._long_algebra import eigh
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread
from branchline._row_space import is_wide
from branchline.linear._wide_covariance import (
    WideCovariance,
    WideMoments,
    WideTotal,
    wide_moments_of,
)

__all__ = [
    "VARIANCE_FLOOR",
    "ClassMoments",
    "Covariance",
    "Moments",
    "best_share",
    "covariance_within",
    "covariances_of_classes",
    "inverse_root",
    "moments_of",
    "scale_terms",
    "scaled_moments",
]

Covariance: TypeAlias = Floats | WideCovariance
Moments: TypeAlias = "ClassMoments | WideMoments"
# Variance within classes, as a share of the variance of all rows, is taken to be this at least.
VARIANCE_FLOOR = 1e-6
_NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Sums over the rows of each class.

    Parameters
    ----------
    weight
        The total weight of each class.
    mean
        The mean of each class, a row each.
    covariance
        Of each class, divided by its weight: a list of square matrices.
    fourth
        Σ w_i ‖r_i‖⁴ of each class.
    """

    weight: Floats
    mean: Floats
    covariance: list[Floats]
    fourth: Floats

    @property
    def pooled(self) -> Floats:
        """The covariance within classes, divided by the total weight."""
        shares = self.weight / self.weight.sum()
        pooled: Floats = sum(
            share * one for share, one in zip(shares, self.covariance, strict=True)
        )
        return pooled

    @property
    def total(self) -> Floats:
        """The covariance of all rows, divided by the total weight."""
        shares = self.weight / self.weight.sum()
        apart = self.mean - shares @ self.mean
        total: Floats = self.pooled + (apart.T * shares) @ apart
        return total


@one_thread
def moments_of(
    matrix: Any, class_of_row: npt.NDArray[Any], weights: Floats, n_classes: int
) -> ClassMoments:
    """Return the weighted moments of each class; each has at least one row."""
    n_terms = matrix.shape[1]
    refuse_over_budget(8 * n_terms * n_terms * (n_classes + 3), "the covariances of the classes")
    parts = [
        _moments(matrix, weights, np.flatnonzero(class_of_row == at)) for at in range(n_classes)
    ]
    return ClassMoments(
        weight=np.array([part[0] for part in parts]),
        mean=np.array([part[1] for part in parts]).reshape(n_classes, n_terms),
        covariance=[part[2] for part in parts],
        fourth=np.array([part[3] for part in parts]),
    )


def _moments(
    matrix: Any, weights: Floats, rows: npt.NDArray[np.intp]
) -> tuple[float, Floats, Floats, float]:
    part, weight = matrix[rows], weights[rows]
    total = float(weight.sum())
    mean = np.asarray(weight @ part) / total
    if sparse.issparse(part):  # residuals would be dense
        square = np.asarray((part.T @ sparse.diags_array(weight) @ part).todense()) / total
        covariance = square - np.outer(mean, mean)
        length = part.multiply(part).sum(axis=1) - 2 * (part @ mean) + mean @ mean
    else:
        residual = part - mean
        covariance = residual.T @ (weight[:, None] * residual) / total
        length = (residual**2).sum(axis=1)
    return total, mean, covariance, float(weight @ np.asarray(length) ** 2)


def best_share(covariance: Covariance, target: Covariance, noise: float) -> float:
    """Return how far to shrink a covariance whose entries vary by ``noise`` in all."""
    distance = _square_norm(covariance - target)  # type: ignore[operator]
    if distance <= 0.0 or noise >= distance:
        return 1.0
    return max(0.0, noise / distance)


def _square_norm(covariance: Covariance) -> float:
    if isinstance(covariance, WideCovariance):
        return covariance.square_norm()
    return float((covariance**2).sum())


def _trace(covariance: Covariance) -> float:
    if isinstance(covariance, WideCovariance):
        return covariance.trace()
    return float(np.trace(covariance))


def _identity(covariance: Covariance, factor: float) -> Covariance:
    """Return a multiple of the identity, as large as a covariance."""
    if isinstance(covariance, WideCovariance):
        return covariance.identity(factor)
    identity: Floats = np.eye(len(covariance)) * factor
    return identity


def _mixed(covariance: Covariance, target: Covariance, share: float) -> Any:
    return (1 - share) * covariance + share * target  # type: ignore[operator]


def covariance_within(moments: Moments, shrinkage: Any) -> tuple[Any, float]:
    """Return the covariance within classes, shrunk, and how far."""
    pooled, n_terms = moments.pooled, moments.mean.shape[1]
    target = _identity(pooled, _trace(pooled) / max(1, n_terms))  # of the same mean variance
    share = 0.0 if shrinkage is None else shrinkage
    if shrinkage == "ledoit_wolf":
        total, fourth = float(moments.weight.sum()), float(moments.fourth.sum())
        noise = (fourth / total - _square_norm(pooled)) / total
        share = best_share(pooled, target, noise)
    return _mixed(pooled, target, share), float(share)


def covariances_of_classes(moments: Moments, reg_param: Any) -> tuple[list[Any], Floats]:
    """Return the covariance of each class, drawn away from its rows, and how far."""
    own: list[Any] = list(moments.covariance)
    if reg_param == "auto":
        target, _ = covariance_within(moments, "ledoit_wolf")
        noise = [
            max(_normal_noise(one), _normal_noise(target)) / weight
            for one, weight in zip(own, moments.weight, strict=True)
        ]
        pairs = zip(own, noise, strict=True)
        shares = np.array([best_share(one, target, amount) for one, amount in pairs])
    else:
        target, shares = _identity(own[0], 1.0), np.full(len(own), float(reg_param))
    return [_mixed(one, target, a) for a, one in zip(shares.tolist(), own, strict=True)], shares


def _normal_noise(covariance: Covariance) -> float:
    """Return n times the summed variance of the entries of S, for n normal rows."""
    return _trace(covariance) ** 2 + _square_norm(covariance)


@one_thread
def inverse_root(covariance: Any, total: Floats | WideTotal) -> tuple[Floats, float]:
    """Return R with R Rᵀ = covariance⁻¹ where rows vary, and the log of its determinant.

    ``total`` is the covariance of all rows: it says where rows vary, sets the floor, and is what
    the determinant is measured by.
    """
    if isinstance(total, WideTotal):
        return total.inverse_root(covariance, VARIANCE_FLOOR)
    size = np.sqrt(np.diag(total))
    size = np.where(size > 0, size, 1.0)
    variance, directions = eigh(total / np.outer(size, size))
    kept = variance > variance.max(initial=0.0) * _NOTHING
    whitening = directions[:, kept] / np.sqrt(variance[kept]) / size[:, None]
    inside, turned = eigh(whitening.T @ covariance @ whitening)
    inside = np.maximum(inside, VARIANCE_FLOOR)
    return (whitening @ turned) / np.sqrt(inside), float(np.log(inside).sum())


def scale_terms(
    matrix: Any, class_of_row: npt.NDArray[Any], weights: Floats, n_classes: int
) -> tuple[Any, Floats]:
    """Return the terms divided by their standard deviation within classes, and these.

    Shrinking treats terms alike, so they must be of one size. A term that hardly varies within
    classes is divided by a thousandth of its deviation over all rows.
    """
    share = weights / weights.sum()
    of_class = sparse.csr_array(
        (share, (class_of_row.astype(np.intp), np.arange(len(share)))), (n_classes, len(share))
    )
    frequency = np.asarray(of_class.sum(axis=1))
    summed = of_class @ matrix
    mean = np.asarray(summed.todense() if sparse.issparse(summed) else summed)
    mean = mean / frequency[:, None]
    between = frequency @ (mean - frequency @ mean) ** 2
    if sparse.issparse(matrix):
        within = np.asarray(share @ matrix.multiply(matrix)) - frequency @ mean**2
    else:
        within = share @ (matrix - mean[class_of_row]) ** 2
    size = np.sqrt(np.maximum(within, 1e-6 * between))
    size[size <= _NOTHING] = 1.0
    if sparse.issparse(matrix):
        return sparse.csr_array(matrix @ sparse.diags_array(1.0 / size)), size
    return matrix / size, size


def scaled_moments(rows: EncodedRows) -> tuple[Moments, Floats]:
    """Return the moments of terms of one size within classes, and these sizes."""
    assert rows.weights is not None
    n_classes = rows.class_target.n_classes
    matrix, size = scale_terms(rows.matrix, rows.class_of_row, rows.weights, n_classes)
    class_of_row = rows.class_of_row.astype(np.intp)
    find = wide_moments_of if is_wide(matrix) else moments_of
    return find(matrix, class_of_row, rows.weights, n_classes), size
