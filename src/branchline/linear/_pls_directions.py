"""Directions of partial least squares, and the sums that classes get from them."""

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg
from sklearn.cross_decomposition import PLSRegression
from sklearn.exceptions import ConvergenceWarning

from branchline._arrays import Floats
from branchline.linear._covariance import covariance_within, inverse_root, moments_of

__all__ = ["SUMS", "Directions", "Sums", "find_directions"]

Sums = tuple[Floats, Floats]

_NOTHING = 1e-10  # share of all variation that may be rounding


@dataclass(frozen=True)
class Directions:
    """The mean of the terms, a column a direction, and each direction's part in the indicators."""

    mean: Floats
    rotations: Floats
    loadings: Floats  # direction × class
    frequency: Floats

    @property
    def n_found(self) -> int:
        """How many directions there are."""
        return int(self.rotations.shape[1])


def find_directions(
    matrix: Floats, truth: npt.NDArray[np.intp], n_classes: int, n_components: int
) -> Directions:
    """Return as many directions as there are, up to ``n_components``."""
    indicators = np.eye(n_classes)[truth]
    mean, frequency = matrix.mean(axis=0), indicators.mean(axis=0)
    varies = matrix.max(axis=0, initial=-np.inf) > matrix.min(axis=0, initial=np.inf)
    most = min(n_components, int(varies.sum()), len(matrix) - 1)
    rotations = np.zeros((matrix.shape[1], 0))
    if most < 1 or n_classes < 2:
        return Directions(mean, rotations, np.zeros((0, n_classes)), frequency)
    model = _fit(matrix, indicators, most)
    if model is None:
        return Directions(mean, rotations, np.zeros((0, n_classes)), frequency)
    rotations = _rotations(model, matrix - mean)
    return Directions(mean, rotations, model.y_loadings_.T[: rotations.shape[1]], frequency)


def _rotations(model: PLSRegression, centred: Floats) -> Floats:
    """Return R = W (Pᵀ W)⁻¹, a column for each direction along which rows vary.

    Pᵀ W is triangular but for rounding. Solved as such, a direction does not depend on those after
    it, the last of which may be nothing but rounding: where a column copies another, for one.
    """
    weights, loadings = model.x_weights_, model.x_loadings_
    usable = np.isfinite(weights).all(axis=0) & np.isfinite(loadings).all(axis=0)
    usable &= np.linalg.norm(weights, axis=0) > 0.5
    weights, loadings = (part[:, : _n_leading(usable)] for part in (weights, loadings))
    if weights.shape[1] == 0:
        return np.zeros((len(weights), 0))
    triangle = np.triu(loadings.T @ weights)
    rotations: Floats = linalg.solve_triangular(triangle, weights.T, trans="T").T
    spread = np.linalg.norm(centred @ rotations, axis=0)
    varies = np.isfinite(spread) & (spread > _NOTHING * np.linalg.norm(centred))
    return np.ascontiguousarray(rotations[:, : _n_leading(varies)])


def _n_leading(holds: npt.NDArray[np.bool_]) -> int:
    """Return how many values are True before the first that is not."""
    return int(np.argmin(np.append(holds, False)))


def _fit(matrix: Floats, indicators: Floats, most: int) -> PLSRegression | None:
    """Return scikit-learn's model with as many directions as it can find, up to ``most``."""
    with warnings.catch_warnings():
        # "y residual is constant": there are no more directions, which their weights show as well.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        for n_components in range(most, 0, -1):
            model = PLSRegression(n_components, scale=False, max_iter=10_000, tol=1e-10)
            try:
                return model.fit(matrix, indicators)
            except (ValueError, np.linalg.LinAlgError):
                continue  # nothing is left to explain: it divides zero by zero
    return None


def _sums_by_lda(
    directions: Directions, matrix: Floats, truth: npt.NDArray[np.intp], n_used: int
) -> Sums:
    """Return the sums of a discriminant analysis of the first scores."""
    rotations, n_classes = directions.rotations[:, :n_used], len(directions.frequency)
    scores = (matrix - directions.mean) @ rotations
    moments = moments_of(scores, truth, np.ones(len(truth)), n_classes)
    covariance, _ = covariance_within(moments, None)
    root, _ = inverse_root(covariance, moments.total)
    turned = moments.mean @ root
    weights = turned @ root.T @ rotations.T
    bias = np.log(directions.frequency) - 0.5 * (turned**2).sum(axis=1) - weights @ directions.mean
    return _one_for_two(weights, bias - bias.mean(), less_first=True)


def _sums_of_indicators(
    directions: Directions, _matrix: Floats, _truth: npt.NDArray[np.intp], n_used: int
) -> Sums:
    """Return the sums that predict the indicators."""
    weights = (directions.rotations[:, :n_used] @ directions.loadings[:n_used]).T
    bias = directions.frequency - weights @ directions.mean
    return _one_for_two(weights, bias, less_first=False)


def _one_for_two(weights: Floats, bias: Floats, *, less_first: bool) -> Sums:
    if len(bias) != 2:
        return weights, bias
    if less_first:
        return weights[1:] - weights[:1], bias[1:] - bias[:1]
    return weights[1:], bias[1:]


SUMS = {"lda": _sums_by_lda, "largest": _sums_of_indicators}
