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
import numpy.typing as npt

from branchline import _core
from branchline.neighbors._responses import Numbers
from branchline.neighbors._search import Nearest

__all__ = ["class_votes", "number_means", "sums_for_each_k"]

Classes = npt.NDArray[np.uint32]

# Running sums are of many more votes.
_RUNNING_BITS = 30


def class_votes(
    nearest: Nearest, k: int, weights: str, class_of_point: Classes, n_classes: int
) -> Numbers:
    """Return the votes for each class, with a row for each query."""
    by_distance = weights == "distance"
    votes = _core.neighbor_votes(nearest.native, k, by_distance, class_of_point, n_classes)
    return votes.reshape(-1, n_classes)


def number_means(nearest: Nearest, k: int, weights: str, value_of_point: Numbers) -> Numbers:
    """Return the weighted mean of the nearest rows' numbers for each query."""
    return _core.neighbor_means(nearest.native, k, weights == "distance", value_of_point)


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


def _weights(nearest: Nearest, weights: str) -> Numbers:
    return nearest.closeness if weights == "distance" else np.ones(len(nearest.point))


def _rounded(votes: Numbers, bits: int) -> Numbers:
    return np.asarray(np.ldexp(np.rint(np.ldexp(votes, bits)), -bits))
