"""Covariances within classes of wide tables, without a matrix of all pairs of terms.

With residuals r_i of n rows, every covariance that discriminants use is S = Σ c_i r_i r_iᵀ + a I: a
number for each row, and one for the identity. With K the products of residuals, K_ij = r_i·r_j, and
Q their squares,

    tr S = Σ c_i K_ii + a p,    ‖S‖² = cᵀ Q c + 2 a Σ c_i K_ii + a² p.

1. ``WideCovariance`` is such an S: it can be added, multiplied, and measured.
2. ``WideMoments`` has what ``ClassMoments`` has.
3. ``WideTotal`` stands for the covariance of all rows, A = √share (z − center) / size: the
   eigenvectors U of A Aᵀ are the rows in directions that have variance 1. There the covariances
   have as many rows as there are directions, and roots of inverses are found as in ``_covariance``.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline._long_algebra import eigh
from branchline._memory import refuse_over_budget
from branchline._one_thread import one_thread

__all__ = ["WideCovariance", "WideMoments", "WideTotal", "wide_moments_of"]

_NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class WideCovariance:
    """S = Σ c_i r_i r_iᵀ + a I for the residuals r of ``moments``."""

    moments: "WideMoments"
    of_rows: Floats
    of_identity: float

    def __add__(self, other: "WideCovariance") -> "WideCovariance":
        of_identity = self.of_identity + other.of_identity
        return WideCovariance(self.moments, self.of_rows + other.of_rows, of_identity)

    def __rmul__(self, factor: float) -> "WideCovariance":
        return WideCovariance(self.moments, factor * self.of_rows, factor * self.of_identity)

    def __sub__(self, other: "WideCovariance") -> "WideCovariance":
        return self + -1.0 * other

    def identity(self, factor: float) -> "WideCovariance":
        """Return a multiple of the identity."""
        return replace(self, of_rows=np.zeros(len(self.of_rows)), of_identity=factor)

    @property
    def n_terms(self) -> int:
        """How many rows and columns the matrix would have."""
        return int(self.moments.mean.shape[1])

    def trace(self) -> float:
        """Return the sum of the diagonal."""
        return float(self._of_residuals() + self.of_identity * self.n_terms)

    def square_norm(self) -> float:
        """Return the sum of the squares of all cells."""
        among = float(self.of_rows @ self.moments.products**2 @ self.of_rows)
        identity = self.of_identity
        return among + 2 * identity * self._of_residuals() + identity**2 * self.n_terms

    def _of_residuals(self) -> float:
        return float(self.of_rows @ np.diag(self.moments.products))


@dataclass(frozen=True, eq=False)
class WideMoments:
    """Sums over the rows of each class; see ``ClassMoments``.

    Parameters
    ----------
    matrix, class_of_row, share
        The rows, their classes, and their shares of the total weight.
    weight, mean, fourth
        Of each class, as in ``ClassMoments``.
    products
        The products of the rows' residuals.
    """

    matrix: Floats
    class_of_row: npt.NDArray[np.intp]
    share: Floats
    weight: Floats
    mean: Floats
    fourth: Floats
    products: Floats

    @property
    def pooled(self) -> WideCovariance:
        """The covariance within classes, divided by the total weight."""
        return WideCovariance(self, self.share, 0.0)

    @property
    def covariance(self) -> list[WideCovariance]:
        """The covariance of each class, divided by its weight."""
        frequency = self.weight / self.weight.sum()
        return [
            WideCovariance(self, np.where(self.class_of_row == at, self.share / part, 0.0), 0.0)
            for at, part in enumerate(frequency)
        ]

    @cached_property
    def total(self) -> "WideTotal":
        """What stands for the covariance of all rows."""
        return _total_of(self)


@one_thread
def wide_moments_of(
    matrix: Floats, class_of_row: npt.NDArray[np.intp], weights: Floats, n_classes: int
) -> WideMoments:
    """Return the weighted moments of each class; each has at least one row."""
    refuse_over_budget(40 * matrix.size, "the covariances of the classes")
    weight = np.bincount(class_of_row, weights, n_classes).astype(np.float64)
    of_class = np.zeros((n_classes, len(weights)))
    of_class[class_of_row, np.arange(len(weights))] = weights
    mean = (of_class @ matrix) / weight[:, None]
    residual = matrix - mean[class_of_row]
    products = residual @ residual.T
    lengths = weights * np.diag(products) ** 2
    fourth = np.bincount(class_of_row, lengths, n_classes).astype(np.float64)
    share = weights / weights.sum()
    return WideMoments(matrix, class_of_row, share, weight, mean, fourth, products)


@dataclass(frozen=True, eq=False)
class WideTotal:
    """The directions in which rows vary, each of variance 1.

    Parameters
    ----------
    residuals
        The residuals of the rows within their classes, over the directions.
    identity
        What the identity becomes over the directions.
    to_terms
        A column a direction: the direction over the terms is a sum of the rows of ``scaled``.
    scaled
        The centered rows, √share (z − center) / size².
    """

    residuals: Floats
    identity: Floats
    to_terms: Floats
    scaled: Floats

    @one_thread
    def inverse_root(self, covariance: WideCovariance, floor: float) -> tuple[Floats, float]:
        """Return R with R Rᵀ = covariance⁻¹ where rows vary, and the log of its determinant."""
        inside = (self.residuals.T * covariance.of_rows) @ self.residuals
        inside += covariance.of_identity * self.identity
        variance, turned = eigh(inside)
        variance = np.maximum(variance, floor)
        root = self.scaled.T @ (self.to_terms @ (turned / np.sqrt(variance)))
        return root, float(np.log(variance).sum())


@one_thread
def _total_of(moments: WideMoments) -> WideTotal:
    share = moments.share
    scaled = np.sqrt(share)[:, None] * (moments.matrix - share @ moments.matrix)
    size = np.sqrt(np.einsum("ij,ij->j", scaled, scaled))
    scaled /= np.where(size > 0, size, 1.0)
    variance, directions = eigh(scaled @ scaled.T)
    kept = variance > variance.max(initial=0.0) * _NOTHING
    variance, directions = variance[kept], directions[:, kept]
    scaled /= np.where(size > 0, size, 1.0)
    to_terms = directions / variance
    rows = directions / np.sqrt(share)[:, None]
    frequency = moments.weight / moments.weight.sum()
    of_class = np.zeros((len(frequency), len(share)))
    of_class[moments.class_of_row, np.arange(len(share))] = share
    residuals = rows - ((of_class @ rows) / frequency[:, None])[moments.class_of_row]
    identity = to_terms.T @ (scaled @ scaled.T) @ to_terms
    return WideTotal(residuals, identity, to_terms, scaled)
