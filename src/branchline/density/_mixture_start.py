"""Starts of a mixture: clusters of the rows around means.

1. Numbers are standardized, the indicator of a level with share p is divided by √p; missing cells
   are at the mean.
2. The first mean is a row, drawn by weight; each next one is drawn by weight times the squared
   distance to the nearest mean so far (k-means++: Arthur and Vassilvitskii 2007).
3. Rows go to the nearest mean, means move to their rows, ten times at most.

Rows are in canonical order, so draws depend on their content alone.
"""

import numpy as np

from branchline._arrays import Floats, Ints
from branchline.density._category_part import LevelRows

__all__ = ["places_of_rows", "start_shares"]

_TURNS = 10


def places_of_rows(numbers: Floats, levels: LevelRows, overall: Floats) -> Floats:
    """Return rows as points: numbers (0 where missing) and scaled indicators."""
    points = np.where(np.isfinite(numbers), numbers, 0.0)
    if not len(overall):
        return points
    root = np.sqrt(np.maximum(overall, 1e-300))
    indicators = levels.indicators
    whole = indicators if isinstance(indicators, np.ndarray) else indicators.toarray()
    held: Floats = np.asarray(whole / root)
    if indicators.sum() == len(held) * (len(levels.starts) - 1):  # nothing is missing
        return np.hstack([points, held - root])
    for first, last in zip(levels.starts[:-1], levels.starts[1:], strict=True):
        some = slice(first, last)
        is_known = np.asarray(held[:, some].any(axis=1))[:, None]
        held[:, some] = np.where(is_known, held[:, some] - root[some], 0)
    return np.hstack([points, held])


def start_shares(points: Floats, weights: Floats, n_components: int, seed: list[int]) -> Floats:
    """Return the weight of each row in each component: all of it in one."""
    draws = np.random.default_rng(seed)
    centers = _drawn_centers(points, weights, n_components, draws)
    labels = _nearest(points, centers)
    for _ in range(_TURNS):
        shares = _hard_shares(labels, weights, n_components)
        size = shares.sum(axis=0)
        moved = shares.T @ points / np.maximum(size, 1e-300)[:, None]
        centers = np.where((size > 0)[:, None], moved, centers)
        before, labels = labels, _nearest(points, centers)
        if (before == labels).all():
            break
    return _hard_shares(labels, weights, n_components)


def _drawn_centers(
    points: Floats, weights: Floats, n_components: int, draws: np.random.Generator
) -> Floats:
    chosen: list[int] = []
    distance = np.ones(len(points))
    for _ in range(n_components):
        ends = np.cumsum(weights * distance)
        at = int(np.searchsorted(ends, draws.random() * ends[-1], side="right"))
        chosen.append(min(at, len(points) - 1))
        squares = ((points - points[chosen[-1]]) ** 2).sum(axis=1)
        distance = squares if len(chosen) == 1 else np.minimum(distance, squares)
        if not distance.any():
            distance = np.ones(len(points))
    return points[chosen]


def _nearest(points: Floats, centers: Floats) -> Ints:
    squares = (centers**2).sum(axis=1)[:, None] - (2 * centers) @ points.T
    found, least = np.zeros(len(points), dtype=np.intp), squares[0].copy()
    for at, square in enumerate(squares[1:], start=1):  # the first center on ties
        found[square < least] = at
        np.minimum(least, square, out=least)
    return found


def _hard_shares(labels: Ints, weights: Floats, n_components: int) -> Floats:
    shares = np.zeros((len(labels), n_components))
    shares[np.arange(len(labels)), labels] = weights
    return shares
