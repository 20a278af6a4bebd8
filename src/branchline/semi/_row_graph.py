"""A sparse graph of rows: each row is linked with its nearest neighbors.

1. Each row is linked with its k nearest rows, by a metric of mixed tables (``_row_distances``).
   Equal rows are one node with a mass, and no matrix of all pairs is made.
2. A link weighs exp(−d² / (s_i s_j)), s_i being the distance of row i from its k-th neighbor: the
   scale is that of the place where the rows are (Zelnik-Manor and Perona, 2004).
3. A link counts when either of its two rows chose it.
4. Parts of the graph without a label are linked with the rest by their shortest way to it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from branchline import _core
from branchline._arrays import Bools, Floats, Places
from branchline._row_distances._comparison import Comparison

__all__ = ["Neighbors", "nearest", "row_graph", "weights_of"]

# Distances that agree to this number of digits are equal: the row that stands first is nearer.
_DIGITS = 9
_SPARE = 8
_LEAST_WEIGHT = 1e-6


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The k nearest rows of each row, the nearest first: places and distances."""

    places: Places
    distances: Floats

    @property
    def reach(self) -> Floats:
        """The distance of the last neighbor of each row, above 0."""
        last: Floats = self.distances[:, -1]
        above = last[last > 0]
        return np.where(last > 0, last, above.min() if len(above) else 1.0)


def nearest(
    comparison: Comparison, rows: Floats, points: Floats | None, k: int, n_threads: int = 1
) -> Neighbors:
    """Return the k nearest points of each row; without points, of the other rows.

    Of points that are equally far, to nine digits, those that stand first are taken.
    """
    n_points = len(rows) - 1 if points is None else len(points)
    n_asked = min(n_points, k + _SPARE)
    form = comparison._form(rows)
    found = _core.nearest_rows(form, rows, points, n_asked, n_threads)
    places = found[0].reshape(len(rows), n_asked).astype(np.intp)
    distances = found[1].reshape(len(rows), n_asked) * comparison.unit
    largest = distances[:, -1:]
    rounded = np.round(distances / np.where(largest > 0, largest, 1.0), _DIGITS)
    order = np.lexsort((places, rounded), axis=1)[:, : min(k, n_points)]
    pick = np.take_along_axis
    return Neighbors(pick(places, order, 1), np.maximum.accumulate(pick(distances, order, 1), 1))


def weights_of(distances: Floats, own: Floats, others: Floats) -> Floats:
    """Return exp(−d² / (s_i s_j)), never so small that a link would be none."""
    with np.errstate(over="ignore", under="ignore"):
        shares = (distances / own) * (distances / others)
        return np.maximum(np.exp(-np.minimum(shares, 700.0)), _LEAST_WEIGHT)


def row_graph(
    comparison: Comparison, points: Floats, is_labeled: Bools, k: int, n_threads: int = 1
) -> tuple[Any, Floats, int]:
    """Return the weights of all links, the reach of each row, and how many parts were linked."""
    n_rows = len(points)
    if n_rows == 1:
        return sparse.csr_array((1, 1)), np.ones(1), 0
    found = nearest(comparison, points, None, k, n_threads)
    reach = found.reach
    own = np.repeat(np.arange(n_rows), found.places.shape[1])
    others = found.places.ravel()
    weights = weights_of(found.distances.ravel(), reach[own], reach[others])
    graph = _of_links(own, others, weights, n_rows)
    n_parts, part = csgraph.connected_components(graph, directed=False)
    lost = np.setdiff1d(np.arange(n_parts), np.unique(part[is_labeled]))
    if len(lost) == 0 or not is_labeled.any():
        return graph, reach, 0
    own, others, distances = _shortest_ways(comparison, points, part, lost, n_threads)
    links = _of_links(own, others, weights_of(distances, reach[own], reach[others]), n_rows)
    return graph.maximum(links), reach, len(lost)


def _of_links(own: Places, others: Places, weights: Floats, n_rows: int) -> Any:
    """Return a symmetric sparse matrix: a link counts when either row has it."""
    links = sparse.csr_array((weights, (own, others)), shape=(n_rows, n_rows))
    return links.maximum(links.T).tocsr()


def _shortest_ways(
    comparison: Comparison, points: Floats, part: Places, lost: Places, n_threads: int
) -> tuple[Places, Places, Floats]:
    """Return, for each part without a label, its row that is nearest to a part with one."""
    is_lost = np.isin(part, lost)
    inside, outside = np.flatnonzero(is_lost), np.flatnonzero(~is_lost)
    rows, rest = np.ascontiguousarray(points[inside]), np.ascontiguousarray(points[outside])
    way = nearest(comparison, rows, rest, 1, n_threads)
    order = np.lexsort((inside, way.distances[:, 0], part[inside]))
    _, first = np.unique(part[inside][order], return_index=True)
    chosen = order[first]
    return inside[chosen], outside[way.places[chosen, 0]], way.distances[chosen, 0]
