"""Which columns to use: the search for subsets of small residual sum of squares.

All of it works on the correlations of terms and target, by the sweep operator: sweeping term k of
the matrix A takes it into the model, sweeping it again takes it out, and the last entry of A is
always the residual sum of squares.

1. "forward" takes in the column that lowers it most, one after the other.
2. "backward" begins with all columns and takes out the one that raises it least.
3. "best" finds, for each number of columns, the least of all subsets. No subset of a set leaves
   less unexplained than the set, so most subsets are ruled out unseen (branch and bound).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats
from branchline.linear._moments import Centered

__all__ = ["SEARCHES", "Subset", "correlations"]

Groups = Sequence[npt.NDArray[np.intp]]
# A term of which less than this share is not explained by others is one of them in disguise.
_SMALL = 1e-9


@dataclass(frozen=True)
class Subset:
    """Some columns, and the share of the target's sum of squares that they leave unexplained."""

    columns: frozenset[int]
    residual: float


def correlations(sums: Centered) -> Floats:
    """Return the correlations of all terms and, last, the target; 0 for what does not vary."""
    whole = np.zeros((len(sums.xy) + 1,) * 2)
    whole[:-1, :-1], whole[-1, -1] = sums.xx, sums.yy
    whole[:-1, -1] = whole[-1, :-1] = sums.xy
    size = np.sqrt(np.maximum(np.diag(whole), 0.0))
    # Sums about the mean keep their rounding: what is far smaller than the mean is not variation.
    size[:-1][size[:-1] <= 1e-7 * np.sqrt(sums.weight) * np.abs(sums.x_mean)] = 0.0
    divisor = np.where(size > 0, size, np.inf)
    return np.asarray(whole / np.outer(divisor, divisor))


def sweep(matrix: Floats, terms: npt.NDArray[np.intp]) -> Floats:
    """Return the matrix with terms taken in or out, but for those that are others in disguise."""
    for term in terms:
        pivot = matrix[term, term]
        if abs(pivot) < _SMALL:
            continue
        row = matrix[term] / abs(pivot)
        swept = matrix - np.outer(matrix[term], matrix[term]) / pivot
        swept[term], swept[:, term] = row, row
        swept[term, term] = -1.0 / pivot
        matrix = swept
    return matrix


def search_forward(matrix: Floats, groups: Groups, most: int) -> list[Subset]:
    """Return the subsets on the way from none to all."""
    chosen: list[int] = []
    found = [Subset(frozenset(), float(matrix[-1, -1]))]
    rest = list(range(len(groups)))
    while rest and len(chosen) < most:
        left = [_left_with(matrix, groups[column]) for column in rest]
        best = rest[int(np.argmin(left))]
        matrix = sweep(matrix, groups[best])
        rest.remove(best)
        chosen.append(best)
        found.append(_subset(chosen, matrix))
    return found


def search_backward(matrix: Floats, groups: Groups, most: int) -> list[Subset]:
    """Return the subsets on the way from all to none, the smallest first."""
    if len(groups) > most:  # more columns than rows can tell apart: begin with the best that fit
        start = search_forward(matrix, groups, most)[-1].columns
    else:
        start = frozenset(range(len(groups)))
    chosen = sorted(start)
    matrix = sweep(matrix, _terms_of(chosen, groups))
    found = [_subset(chosen, matrix)]
    while chosen:
        left = [float(_without(matrix, groups, chosen, one)[-1, -1]) for one in chosen]
        worst = chosen[int(np.argmin(left))]
        matrix = _without(matrix, groups, chosen, worst)
        chosen.remove(worst)
        found.append(_subset(chosen, matrix))
    return found[::-1]


def search_best(matrix: Floats, groups: Groups, most: int) -> list[Subset]:
    """Return the subset of the least residual for each number of columns."""
    forward, backward = search_forward(matrix, groups, most), search_backward(matrix, groups, most)
    best = {len(one.columns): one for one in forward}
    for one in backward:
        if one.residual < best[len(one.columns)].residual:
            best[len(one.columns)] = one
    # The largest branch is the one without the first column: it is ruled out soonest when that
    # column matters most.
    order = [column for one in backward[1:] for column in _taken_out(one, backward)]
    order += [column for column in range(len(groups)) if column not in order]
    whole = sweep(matrix, _terms_of(order, groups))
    _branch(whole, [groups[column] for column in order], order, best, list(range(len(order))), 0)
    return [best[size] for size in sorted(best) if size <= most]


def _branch(
    matrix: Floats,
    groups: Groups,
    names: list[int],
    best: dict[int, Subset],
    kept: list[int],
    first: int,
) -> None:
    """Look at the subsets of ``kept`` that keep all columns before the place ``first``."""
    residual = float(matrix[-1, -1])
    size = len(kept)
    if size in best and residual < best[size].residual * (1 - 1e-12):
        best[size] = Subset(frozenset(names[column] for column in kept), residual)
    smaller = [best[one].residual for one in range(first, size) if one in best]
    if not smaller or residual >= max(smaller):
        return
    for place in range(first, size):
        left_out = _without(matrix, groups, kept, kept[place])
        _branch(left_out, groups, names, best, kept[:place] + kept[place + 1 :], place)


def _left_with(matrix: Floats, terms: npt.NDArray[np.intp]) -> float:
    """Return the residual once terms are taken in, from their part of the matrix alone."""
    places = np.append(terms, len(matrix) - 1)
    part = matrix[np.ix_(places, places)]
    return float(sweep(part, np.arange(len(terms)))[-1, -1])


def _without(matrix: Floats, groups: Groups, kept: Sequence[int], column: int) -> Floats:
    """Return the matrix with a column taken out, and taken in what was one of it in disguise."""
    terms = groups[column]
    matrix = sweep(matrix, terms[np.diag(matrix)[terms] < 0])
    waiting = np.diag(matrix) > _SMALL
    waiting[-1] = False
    if waiting.any():
        rest = _terms_of([one for one in kept if one != column], groups)
        matrix = sweep(matrix, rest[waiting[rest]])
    return matrix


def _terms_of(columns: Sequence[int], groups: Groups) -> npt.NDArray[np.intp]:
    parts = [groups[column] for column in columns]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)


def _subset(chosen: Sequence[int], matrix: Floats) -> Subset:
    return Subset(frozenset(chosen), max(float(matrix[-1, -1]), 0.0))


def _taken_out(one: Subset, path: list[Subset]) -> list[int]:
    smaller = [other for other in path if len(other.columns) == len(one.columns) - 1]
    return sorted(one.columns - smaller[0].columns) if smaller else []


SEARCHES: dict[str, Callable[[Floats, Groups, int], list[Subset]]] = {
    "forward": search_forward,
    "backward": search_backward,
    "best": search_best,
}
