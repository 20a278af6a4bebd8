"""The predictions of the k nearest rows: votes of classes, or means of numbers.

With d the distance of the k-th nearest row, c rows nearer than d and t rows at d, the nearer ones
count 1 each and those at d count (k − c) / t each: rows that tie share what is left. So neither the
order of rows nor that of classes decides who is among the k. With weights="distance" each row's
count is also multiplied by d₁ / dᵢ, where d₁ is the distance of the nearest; when d₁ = 0, only rows
at distance 0 count.

Votes are rounded to multiples of 2⁻⁴⁰, of which sums are exact in any order.
"""

from collections.abc import Sequence

import numpy as np

from branchline.neighbors._responses import Mask, Numbers, Whole
from branchline.neighbors._search import Nearest

__all__ = ["class_votes", "number_means", "sums_for_each_k"]

_BITS = 40
# Running sums are of many more votes.
_RUNNING_BITS = 30


def class_votes(
    nearest: Nearest, k: int, weights: str, class_of_point: Whole, n_classes: int
) -> Numbers:
    """Return the votes for each class, with a row for each query."""
    nearer, tied, share = _parts(nearest, k)
    votes = _rounded(_weights(nearest, weights))
    cell = nearest.query * n_classes + class_of_point[nearest.point]
    size = nearest.n_queries * n_classes
    sums = np.bincount(cell[nearer], votes[nearer], minlength=size).reshape(-1, n_classes)
    at_last = np.bincount(cell[tied], votes[tied], minlength=size).reshape(-1, n_classes)
    return np.asarray(sums + share[:, None] * at_last)


def number_means(nearest: Nearest, k: int, weights: str, value_of_point: Numbers) -> Numbers:
    """Return the weighted mean of the nearest rows' numbers for each query."""
    nearer, tied, share = _parts(nearest, k)
    count = _weights(nearest, weights)
    values = value_of_point[nearest.point] * count
    total, sums = (
        _sum(nearest, nearer, one) + share * _sum(nearest, tied, one) for one in (count, values)
    )
    means: Numbers = sums / total
    return means


def sums_for_each_k(
    nearest: Nearest, counts: Sequence[int], weights: str, responses: Numbers
) -> list[Numbers]:
    """Return, for each k, the mean response of the k nearest, with a row for each query.

    ``responses`` has a row for each entry of ``nearest``.
    """
    votes = _weights(nearest, weights)
    columns = np.column_stack([np.ones(len(responses)), responses])
    running = np.zeros((len(nearest.point) + 1, columns.shape[1]))
    np.cumsum(_rounded(votes, _RUNNING_BITS)[:, None] * columns, axis=0, out=running[1:])
    begin = nearest.first[:-1]
    means = []
    for k in counts:
        last = begin + k - 1
        at, end = nearest.tie_first[last], nearest.tie_end[last]
        share = (begin + k - at) / (end - at)
        sums = running[at] - running[begin] + share[:, None] * (running[end] - running[at])
        means.append(sums[:, 1:] / sums[:, :1])
    return means


def _parts(nearest: Nearest, k: int) -> tuple[Mask, Mask, Numbers]:
    """Return which entries are nearer than the k-th, which tie with it, and the share of these."""
    begin = nearest.first[:-1]
    last = begin + k - 1
    at, end = nearest.tie_first[last], nearest.tie_end[last]
    share = (begin + k - at) / (end - at)
    counts = np.diff(nearest.first)
    place = np.arange(len(nearest.point))
    nearer = place < np.repeat(at, counts)
    tied = ~nearer & (place < np.repeat(end, counts))
    return nearer, tied, share


def _weights(nearest: Nearest, weights: str) -> Numbers:
    return nearest.closeness if weights == "distance" else np.ones(len(nearest.point))


def _rounded(votes: Numbers, bits: int = _BITS) -> Numbers:
    return np.asarray(np.ldexp(np.rint(np.ldexp(votes, bits)), -bits))


def _sum(nearest: Nearest, which: Mask, values: Numbers) -> Numbers:
    """Return the sum of some entries' values for each query, added in the order of entries."""
    return np.asarray(
        np.bincount(nearest.query[which], values[which], minlength=nearest.n_queries), np.float64
    )
