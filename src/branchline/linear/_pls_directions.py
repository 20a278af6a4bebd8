"""Directions of partial least squares, and the sums that classes get from them."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline.linear._covariance import (
    ClassMoments,
    covariance_within,
    inverse_root,
    moments_of,
)
from branchline.linear._pls_components import find_components

__all__ = ["SUMS", "Directions", "Sums", "find_directions", "moments_of_scores"]

Sums = tuple[Floats, Floats]


@dataclass(frozen=True)
class Directions:
    """The mean of the terms, the directions, and the part of each in the indicators."""

    mean: Floats
    rotations: Floats  # term × direction
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
    found = find_components(matrix - mean, indicators - frequency, most)
    return Directions(mean, found.rotations, found.loadings.T, frequency)


def moments_of_scores(
    directions: Directions, matrix: Floats, truth: npt.NDArray[np.intp]
) -> ClassMoments:
    """Return the moments of the scores of each class along all directions."""
    scores = (matrix - directions.mean) @ directions.rotations
    return moments_of(scores, truth, np.ones(len(truth)), len(directions.frequency))


def _sums_by_lda(directions: Directions, of_scores: ClassMoments, n_used: int) -> Sums:
    """Return the sums of a discriminant analysis of the first scores."""
    rotations = directions.rotations[:, :n_used]
    covariances = [one[:n_used, :n_used] for one in of_scores.covariance]
    moments = replace(of_scores, mean=of_scores.mean[:, :n_used], covariance=covariances)
    covariance, _ = covariance_within(moments, None)
    root, _ = inverse_root(covariance, moments.total)
    turned = moments.mean @ root
    weights = turned @ root.T @ rotations.T
    bias = np.log(directions.frequency) - 0.5 * (turned**2).sum(axis=1) - weights @ directions.mean
    return _one_for_two(weights, bias - bias.mean(), less_first=True)


def _sums_of_indicators(directions: Directions, _: ClassMoments, n_used: int) -> Sums:
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
