"""Places of rows whose distances match given ones: the algorithms of multidimensional scaling.

With p_i the shares of the rows' weights, δ the given distances, d those of the places x:

1. Classical (Torgerson 1952): B = −½ J δ² Jᵀ with J = I − 1 pᵀ; the places are its first
   eigenvectors, each times the root of its eigenvalue.
2. SMACOF (de Leeuw 1977) lowers Σ p_i p_j (d_ij − δ̂_ij)²: x_i ← Σ_j p_j δ̂_ij / d_ij (x_i − x_j).
   Each step goes twice as far (de Leeuw and Heiser 1980), which needs half as many steps.
3. Metric: δ̂ = δ. Ordinal (Kruskal 1964): δ̂ is the isotonic regression of d on the order of δ; pairs
   of equal δ may differ. The squares of δ̂ keep the sum of those of δ.
4. Stress-1 = √(Σ p_i p_j (d_ij − δ̂_ij)² / Σ p_i p_j d_ij²).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.sparse.linalg import eigsh

from branchline._arrays import Floats, Places
from branchline._long_algebra import eigh
from branchline._one_thread import one_thread

__all__ = ["Fit", "Pairs", "classical_places", "principal_places", "smacof", "stress_of"]

_LARGE = 600  # rows, beyond which only the first eigenvectors are found
_SETTLED = 1e-8  # relative change of the stress
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Pairs:
    """Each pair of rows once, in the order of their given distances.

    Parameters
    ----------
    first, second
        The rows of each pair.
    given
        Their distances, ascending.
    weight
        The product of the shares of both rows.
    is_tied
        Whether any two given distances are equal.
    """

    first: Places
    second: Places
    given: Floats
    weight: Floats
    is_tied: bool

    @staticmethod
    def of_square(square: Floats, share: Floats) -> "Pairs":
        """Return the pairs of a matrix of distances."""
        first, second = np.triu_indices(len(square), 1)
        given = square[first, second]
        order = np.argsort(given, kind="stable")
        first, second, given = first[order], second[order], given[order]
        is_tied = bool((np.diff(given) == 0).any())
        return Pairs(first, second, given, share[first] * share[second], is_tied)

    def fitted(self, apart: Floats) -> Floats:
        """Return δ̂ of each pair: d made to rise with δ, scaled to the squares of δ."""
        now = apart[self.first, self.second]
        order = np.lexsort((now, self.given)) if self.is_tied else slice(None)
        made = np.empty(len(now))
        made[order] = isotonic_regression(now[order], weights=self.weight[order]).x
        size = np.sqrt((self.weight * self.given**2).sum() / max(self._sum(made), _TINY))
        return np.asarray(made * size)

    def square_of(self, values: Floats, n_rows: int) -> Floats:
        """Return a symmetric matrix with these values of the pairs."""
        square = np.zeros((n_rows, n_rows))
        square[self.first, self.second] = square[self.second, self.first] = values
        return square

    def _sum(self, values: Floats) -> float:
        return float((self.weight * values**2).sum())


@dataclass(frozen=True, eq=False)
class Fit:
    """Places, the distances that they aim at, and how many steps were taken."""

    places: Floats
    target: Floats
    n_steps: int


@one_thread
def classical_places(square: Floats, share: Floats, n_axes: int) -> Floats:
    """Return the places of classical scaling; axes without any variance are 0."""
    squares = square**2
    means = squares @ share
    middle = -0.5 * (squares - means[:, None] - means[None] + share @ means)
    root = np.sqrt(share)
    product = root[:, None] * middle * root
    n_rows = len(square)
    if n_rows <= _LARGE or n_axes > n_rows // 4:
        values, vectors = eigh(product)
    else:
        start = np.cos(np.arange(n_rows))  # any direction that is not at right angles
        values, vectors = eigsh(product, n_axes, which="LA", v0=root * start, tol=0.0)
    values, vectors = values[::-1][:n_axes], vectors[:, ::-1][:, :n_axes]
    places = np.zeros((n_rows, n_axes))
    held = values > 1e-12 * max(float(np.abs(values).max(initial=0.0)), _TINY)
    found = vectors[:, held] * np.sqrt(values[held]) / root[:, None]
    places[:, : found.shape[1]] = found
    return principal_places(places, share)


@one_thread
def smacof(start: Fit, share: Floats, most: int, pairs: Pairs | None) -> Fit:
    """Return places of a local minimum of the stress; ``pairs``: only the order of δ counts."""
    places, square, before = start.places, start.target, np.inf
    target = square
    for step in range(most + 1):
        apart = _apart(places)
        if pairs is not None:
            target = pairs.square_of(pairs.fitted(apart), len(square))
        size = _best_size(target, apart, share)
        places, apart = places * size, apart * size
        stress = float(share @ ((apart - target) ** 2 @ share))
        if not stress > 0 or before - stress < _SETTLED * stress or step == most:
            break
        before = stress
        places = 2 * _guttman(target, apart, share, places) - places
    return Fit(places, target, start.n_steps + step)


def _best_size(target: Floats, apart: Floats, share: Floats) -> float:
    """Return the factor of all places that lowers the stress most.

    A step that goes twice as far turns a size that is too small into one that is too large.
    """
    total = float(share @ (apart**2 @ share))
    return float(share @ ((apart * target) @ share)) / total if total > 0 else 1.0


def stress_of(places: Floats, target: Floats, share: Floats) -> float:
    """Return Kruskal's stress-1 of places, from 0 (perfect)."""
    apart = _apart(places)
    size = float(share @ (apart**2 @ share))
    lost = float(share @ ((apart - target) ** 2 @ share))
    return float(np.sqrt(lost / size)) if size > 0 else float(lost > 0)


@one_thread
def principal_places(places: Floats, share: Floats) -> Floats:
    """Return places turned so that axes have falling variances; the longer tail is positive."""
    centered = places - share @ places
    _, axes = eigh(centered.T @ (centered * share[:, None]))
    turned = centered @ axes[:, ::-1]
    skew, size = share @ turned**3, (share @ turned**2) ** 1.5
    farthest = turned[np.abs(turned).argmax(axis=0), np.arange(turned.shape[1])]
    signs = np.where(np.abs(skew) > 1e-6 * size, skew, farthest)
    return np.ascontiguousarray(turned * np.where(signs < 0, -1.0, 1.0))


def _guttman(target: Floats, apart: Floats, share: Floats, places: Floats) -> Floats:
    ratio = np.divide(target, apart, out=np.zeros_like(apart), where=apart > 0) * share
    return np.asarray(ratio.sum(axis=1)[:, None] * places - ratio @ places)


def _apart(places: Floats) -> Floats:
    """Return the distances of places; differences first, so that equal places are 0 apart."""
    total = np.zeros((len(places), len(places)))
    for axis in places.T:
        total += np.subtract.outer(axis, axis) ** 2
    return np.asarray(np.sqrt(total))
