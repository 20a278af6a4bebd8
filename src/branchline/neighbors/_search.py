"""Exact nearest points: fast and rough first, then exact for the few that can matter.

1. Rough: scikit-learn's k-d tree (few dimensions, many points) or the core's tiles (many points
   and queries); else products of blocks, in 32 bits where these suffice (‖q − t‖² = ‖q‖² − 2 q·t +
   ‖t‖²), or SciPy's Manhattan distances. Where coordinates are many and points few, the core's
   products in 64 bits are exact enough, except for pairs whose digits cancel.
2. With A the k-th smallest rough squared distance and e a bound of its rounding error, every point
   of which the rough one is at most A + 2e is a candidate: no nearest point can be missing.
3. Exact: a candidate's distance is computed from the differences of its coordinates. It is the
   same whatever other rows are asked for at the same time.
4. Distances that differ by less than 1 part in 10⁹ are equal; they share one distance.
   Candidates beyond the k-th distance are dropped, so all points that tie with the k-th are there.

Blocks of queries are shared among threads; no result depends on their number.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.neighbors import KDTree

from branchline import _core
from branchline._one_thread import limit_threads
from branchline._worker_threads import map_in_threads
from branchline.neighbors._responses import Numbers, Whole

__all__ = ["Nearest", "Search", "join", "nearest_of_distances", "nearest_of_squares"]

# Distances that differ by less are equal: a distance is known to about 1e-15 of the coordinates.
TIE = 1e-9
_BLOCK_PAIRS = 2**22
_FEW_CELLS = 2**18  # of a single query, all exact distances take less than a millisecond
# Measured: a tree is faster than products from about here on.
_TREE_WIDTH = 6
_TREE_POINTS = 4_000
# From this many points on, the core's tiles find candidates: they keep the nearest while they
# multiply, which is fast for few of many. (Of a few queries, products with all points are faster.)
_TILED_POINTS = 1_000
_TILED_SHARE = 8
_TILED_QUERIES = 8
_TILED_BLOCK = 1_024  # queries: what is known of their candidates stays small
# Sums of this many coordinates in 32 bits would leave nearly all points as candidates.
_WIDE = 256
_FEW_POINTS = 1_024
# Below this share of both squared norms, a squared distance of products has lost digits.
_CANCELLED = 1e-2
# Products of matrices of up to this many multiplications take less than a millisecond; of fewer
# than the smallest ones BLAS itself takes one thread.
_SMALL_PRODUCT, _SMALLEST_PRODUCT = 2**24, 2**18
# Squares of numbers up to this are far from overflow in 32 bits.
_LARGEST_NARROW = 1e15


@dataclass(frozen=True)
class Nearest:
    """For each query the nearest points, the k-th and all that tie with it included.

    Parameters
    ----------
    first
        Where each query's points begin; one entry more than there are queries.
    point, distance
        The points by query, distance and (within a tie) number.
    tie_first, tie_end
        Where the points of the same query at the same distance begin and end.
    """

    first: Whole
    point: Whole
    distance: Numbers
    tie_first: Whole
    tie_end: Whole

    @property
    def native(self) -> tuple[Whole, Whole, Numbers, Whole, Whole]:
        """The arrays, as the core takes them."""
        return self.first, self.point, self.distance, self.tie_first, self.tie_end

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.first) - 1

    @cached_property
    def query(self) -> Whole:
        """The query of each entry."""
        return np.repeat(np.arange(self.n_queries), np.diff(self.first))

    @cached_property
    def closeness(self) -> Numbers:
        """The distance of a query's nearest point over this one's: 1 for the nearest.

        When the nearest is at distance 0, those at distance 0 have 1 and all others 0.
        """
        nearest = np.repeat(self.distance[self.first[:-1]], np.diff(self.first))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(nearest > 0, nearest / self.distance, self.distance == 0)


@dataclass(frozen=True)
class Search:
    """Points to be searched; ``build`` makes one."""

    points: Numbers
    metric: str
    squares: Numbers
    narrow: npt.NDArray[Any]
    tree: KDTree | None
    tiles: _core.NearPoints | None = None

    @cached_property
    def _is_small(self) -> bool:
        return 0 < self.points.size <= _FEW_CELLS and not self.is_wide

    @property
    def is_wide(self) -> bool:
        """Whether there are many coordinates of few points, none of them huge."""
        n_points, width = self.points.shape
        few = n_points <= _FEW_POINTS and width >= _WIDE and self.metric == "euclidean"
        return bool(few and self.squares.max(initial=0.0) < _LARGEST_NARROW**2)

    @classmethod
    def build(cls, points: Numbers, metric: str) -> "Search":
        """Prepare the search."""
        squares = np.einsum("ij,ij->i", points, points)
        farthest = max(points.max(initial=0.0), -points.min(initial=0.0))
        is_small = bool(farthest < _LARGEST_NARROW)
        narrow = points.astype(np.float32 if is_small else np.float64)
        n_points, width = points.shape
        has_tree = 0 < width <= _TREE_WIDTH and n_points >= _TREE_POINTS
        tree = KDTree(points, metric=metric) if has_tree else None
        is_wanted = metric == "euclidean" and tree is None and n_points >= _TILED_POINTS
        tiles = None
        if is_wanted and is_small and width:
            tiles = _core.NearPoints(narrow.astype(np.float32, copy=False))
        return cls(points, metric, squares, narrow, tree, tiles)

    def nearest(
        self, queries: Numbers, k: int, *, n_threads: int = 1, others_only: bool = False
    ) -> Nearest:
        """Return the k nearest points of each query and their ties.

        With ``others_only`` query i is point i, and is not a neighbor of itself.
        """
        k = min(k, len(self.points) - int(others_only))
        assert k > 0
        if len(queries) == 1 and self._is_small and not others_only:
            is_manhattan = self.metric == "manhattan"
            return Nearest(*_core.neighbors_of_one(queries, self.points, k, TIE, is_manhattan))
        size = max(1, _BLOCK_PAIRS // len(self.points))
        if self._asks_for_few(k + int(others_only)):
            size = max(size, min(_TILED_BLOCK, -(-len(queries) // n_threads)))
        blocks = [slice(at, at + size) for at in range(0, max(1, len(queries)), size)]
        found = map_in_threads(lambda b: self._block(queries, b, k, others_only), blocks, n_threads)
        return join(found)

    def part(self, kept: npt.NDArray[Any]) -> "Search":
        """Return the search among some of the points."""
        return Search.build(self.points[kept], self.metric)

    def distances_from(self, row: int) -> Numbers:
        """Return the distance of each point from one of them."""
        every = np.arange(len(self.points))
        return self._exact(self.points, np.full(len(every), row, dtype=np.int64), every)

    def _block(self, queries: Numbers, block: slice, k: int, others_only: bool) -> Nearest:
        some = queries[block]
        if self.is_wide:
            return self._wide_block(some, block.start, k, others_only)
        query, point = self._candidates(some, k + int(others_only))
        if others_only:
            keep = point != query + block.start
            query, point = query[keep], point[keep]
        distance = self._exact(some, query, point)
        return _cut(query, point, distance, len(some), k)

    def _wide_block(self, some: Numbers, start: int, k: int, others_only: bool) -> Nearest:
        own = np.einsum("ij,ij->i", some, some)
        squares = _core.squared_distances_double(some, self.points, 1)
        query, point = np.nonzero(squares < _CANCELLED * (own[:, None] + self.squares))
        squares[query, point] = self._exact(some, query, point) ** 2
        if others_only:
            squares[np.arange(len(some)), start + np.arange(len(some))] = np.inf
        return nearest_of_squares(squares, k)

    def _candidates(self, queries: Numbers, k: int) -> tuple[Whole, Whole]:
        if self.tree is not None:
            return _tree_candidates(self.tree, queries, k)
        if self.tiles is not None and self._asks_for_few(k) and len(queries) >= _TILED_QUERIES:
            return self._tiled(self.tiles, queries, k)
        return self._of_all(queries, k)

    def _asks_for_few(self, k: int) -> bool:
        return self.tiles is not None and _TILED_SHARE * k <= len(self.points)

    def _tiled(self, tiles: _core.NearPoints, queries: Numbers, k: int) -> tuple[Whole, Whole]:
        own = (queries * queries).sum(axis=1)
        if own.max(initial=0.0) >= _LARGEST_NARROW**2:
            return self._of_all(queries, k)
        narrow = np.dtype(np.float32)
        return tiles.candidates(queries.astype(narrow), self._error(own, narrow), k, 1)

    def _of_all(self, queries: Numbers, k: int) -> tuple[Whole, Whole]:
        if self.metric == "manhattan":
            rough = cdist(queries, self.points, "cityblock")
            bound = np.partition(rough, k - 1, axis=1)[:, k - 1] * (1 + 4 * TIE)
        else:
            rough, error = self._rough_squares(queries)
            bound = np.partition(rough, k - 1, axis=1)[:, k - 1] + 2 * error
        rows, columns = np.nonzero(rough <= bound[:, None])
        return rows.astype(np.int64), columns.astype(np.int64)

    def _rough_squares(self, queries: Numbers) -> tuple[npt.NDArray[Any], Numbers]:
        """Return squared distances less ‖q‖², and how wrong they may be."""
        own = (queries * queries).sum(axis=1)
        is_small = own.max(initial=0.0) < _LARGEST_NARROW**2
        points = self.narrow if is_small else self.points
        dtype = points.dtype
        with _few_threads(queries.size * len(points)):
            rough = queries.astype(dtype) @ points.T
        rough *= -2
        rough += self.squares.astype(dtype)
        return rough, self._error(own, dtype)

    def _error(self, own: Numbers, dtype: np.dtype[Any]) -> Numbers:
        """Return how wrong a rough squared distance may be, ties included.

        n products and their sum are off by at most n·ε·‖q‖‖t‖, and 2‖q‖‖t‖ ≤ ‖q‖² + ‖t‖².
        """
        steps = (self.points.shape[1] + 8) * float(np.finfo(dtype).eps)
        error: Numbers = (steps + 4 * TIE) * (own + self.squares.max(initial=0.0))
        return error

    def _exact(self, queries: Numbers, query: Whole, point: Whole) -> Numbers:
        """Return the distances of pairs."""
        is_manhattan = self.metric == "manhattan"
        pairs = np.ascontiguousarray(query), np.ascontiguousarray(point)
        return _core.distances_of_pairs(queries, self.points, *pairs, is_manhattan)


def _few_threads(n_products: int) -> AbstractContextManager[Any]:
    """Let a small product of matrices have one thread: two wait longer than they compute."""
    is_small = _SMALLEST_PRODUCT < n_products <= _SMALL_PRODUCT
    return limit_threads("blas") if is_small else nullcontext()


def nearest_of_squares(squares: Numbers, k: int) -> Nearest:
    """Return the k nearest points and their ties, given all squared distances.

    Rows are queries; a point that may not be a neighbor has an infinite distance.
    """
    bound = np.partition(squares, k - 1, axis=1)[:, k - 1] * (1 + 8 * TIE)
    query, point = np.nonzero(squares <= bound[:, None])
    distance = np.sqrt(squares[query, point])
    return _cut(query.astype(np.int64), point.astype(np.int64), distance, len(squares), k)


def nearest_of_distances(distances: Numbers, k: int) -> Nearest:
    """Return the k nearest points and their ties, given all distances, as for squares."""
    bound = np.partition(distances, k - 1, axis=1)[:, k - 1] * (1 + 4 * TIE)
    query, point = np.nonzero(distances <= bound[:, None])
    found = distances[query, point]
    return _cut(query.astype(np.int64), point.astype(np.int64), found, len(distances), k)


def _tree_candidates(tree: KDTree, queries: Numbers, k: int) -> tuple[Whole, Whole]:
    farthest = tree.query(queries, k)[0][:, -1]
    found = [*tree.query_radius(queries, farthest * (1 + 4 * TIE)), np.zeros(0, dtype=np.int64)]
    query = np.repeat(np.arange(len(queries)), [len(points) for points in found[:-1]])
    return query, np.concatenate(found).astype(np.int64)


def _cut(query: Whole, point: Whole, distance: Numbers, n_queries: int, k: int) -> Nearest:
    """Sort candidates, join those that tie, and drop those beyond the k-th distance."""
    order = np.lexsort((distance, query))
    query, point, distance = query[order], point[order], distance[order]
    is_new = np.ones(len(query), dtype=bool)
    is_new[1:] = (query[1:] != query[:-1]) | (distance[1:] - distance[:-1] > TIE * distance[1:])
    tie = np.cumsum(is_new) - 1
    bounds = np.append(np.flatnonzero(is_new), len(query)).astype(np.int64)
    first = np.searchsorted(query, np.arange(n_queries))
    last_tie = tie[first + k - 1]
    keep = tie <= np.repeat(last_tie, np.diff(np.append(first, len(query))))
    order = np.lexsort((point, tie))[keep]  # entries of a tie stay in their places as a whole
    kept = np.cumsum(keep)
    ends = kept[bounds[1:] - 1]
    begins: Whole = kept[bounds[:-1]] - keep[bounds[:-1]].astype(np.int64)
    shared = distance[bounds[:-1]]
    tie = tie[keep]
    counts = np.bincount(query[keep], minlength=n_queries)
    first = np.append(0, np.cumsum(counts)).astype(np.int64)
    return Nearest(first, point[order], shared[tie], begins[tie], ends[tie])


def join(blocks: list[Nearest]) -> Nearest:
    """Return the neighbors of all blocks of queries as one."""
    if len(blocks) == 1:
        return blocks[0]
    starts = np.cumsum([0] + [len(block.point) for block in blocks])
    moved = list(zip(blocks, starts, strict=False))
    return Nearest(
        np.concatenate([*(block.first[:-1] + at for block, at in moved), starts[-1:]]),
        np.concatenate([block.point for block in blocks]),
        np.concatenate([block.distance for block in blocks]),
        np.concatenate([block.tie_first + at for block, at in moved]),
        np.concatenate([block.tie_end + at for block, at in moved]),
    )
