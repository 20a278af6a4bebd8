"""Numbers of about 32 digits: pairs of floats, high and low, that are added to one number.

1. A sum or product of two floats is a float and an error that is a float, too (Knuth 1969; Dekker
   1971). Pairs are added and multiplied by such steps, each rounded at about 2^−104.
2. ``pivoted_cholesky`` takes a positive semidefinite matrix G apart, G = Rᵀ R. Directions of R that
   are 2^−42 of the largest are still found: in plain floats G itself would have lost them.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats, Places

__all__ = ["Pairs", "added", "multiplied", "pair_of", "pivoted_cholesky", "subtracted"]

Pairs: TypeAlias = tuple[Floats, Floats]

_SPLITTER = 2.0**27 + 1
# Rows that were taken are left out when they are this part of those that are there.
_SHRINKS = 8


def pair_of(values: npt.ArrayLike) -> Pairs:
    """Return floats as pairs."""
    high = np.asarray(values, dtype=np.float64)
    return high, np.zeros_like(high)


def added(one: Pairs, other: Pairs) -> Pairs:
    """Return the sums of pairs."""
    high, error = _sum(one[0], other[0])
    low, more = _sum(one[1], other[1])
    high, error = _ordered_sum(high, error + low)
    return _ordered_sum(high, error + more)


def subtracted(one: Pairs, other: Pairs) -> Pairs:
    """Return the differences of pairs."""
    return added(one, (-other[0], -other[1]))


def multiplied(one: Pairs, other: Pairs) -> Pairs:
    """Return the products of pairs."""
    product, error = _product(one[0], other[0])
    return _ordered_sum(product, error + (one[0] * other[1] + one[1] * other[0]))


def divided(one: Pairs, other: Pairs) -> Pairs:
    """Return the quotients of pairs."""
    first = one[0] / other[0]
    rest = subtracted(one, multiplied(other, pair_of(first)))
    second = rest[0] / other[0]
    rest = subtracted(rest, multiplied(other, pair_of(second)))
    return added(_ordered_sum(first, second), pair_of(rest[0] / other[0]))


def root(one: Pairs) -> Pairs:
    """Return the square roots of pairs above 0."""
    first = np.sqrt(one[0])
    rest = subtracted(one, multiplied(pair_of(first), pair_of(first)))
    return _ordered_sum(first, rest[0] / (2.0 * first))


def pivoted_cholesky(matrix: Pairs, n_terms: int, least: float) -> tuple[Floats, Places, Floats]:
    """Take a positive semidefinite matrix of products apart.

    Parameters
    ----------
    matrix
        The products of all pairs of terms, then of terms and of targets that follow them. Terms
        are of comparable size.
    n_terms
        How many terms there are; no target is taken as a direction.
    least
        The share of a term's own square below which what is left of it counts as nothing.

    Returns
    -------
    triangle
        R, a row for each direction and a column for each term and target, columns as they were.
    taken
        The term that each direction was taken from.
    left
        What is left of each target's square.
    """
    rest, n = matrix, len(matrix[0])
    own = np.diag(matrix[0])[:n_terms].copy()
    places = np.arange(n)  # of the rows of ``rest``: terms that are not taken, and targets
    is_free = np.append(own > 0, np.zeros(n - n_terms, dtype=bool))
    taken: list[int] = []
    rows: list[Floats] = []
    while is_free.any():
        squares = np.diag(rest[0])[is_free] / own[places[is_free]]
        pivot = int(np.flatnonzero(is_free)[np.argmax(squares)])
        if not squares.max() > least:
            break
        size = root((rest[0][pivot, pivot], rest[1][pivot, pivot]))
        row = divided((rest[0][pivot], rest[1][pivot]), size)
        products = multiplied((row[0][:, None], row[1][:, None]), (row[0][None], row[1][None]))
        rest = subtracted(rest, products)
        taken.append(int(places[pivot]))
        rows.append(np.zeros(n))
        rows[-1][places] = row[0]
        is_free[pivot] = False
        rest[0][pivot] = rest[1][pivot] = rest[0][:, pivot] = rest[1][:, pivot] = 0.0
        if len(taken) > (n - len(places)) + len(places) // _SHRINKS:
            left = is_free | (places >= n_terms)
            rest = rest[0][np.ix_(left, left)], rest[1][np.ix_(left, left)]
            places, is_free = places[left], is_free[left]
    remaining = np.maximum(np.diag(rest[0])[len(places) - (n - n_terms) :], 0.0)
    return np.array(rows).reshape(-1, n), np.array(taken, dtype=np.intp), remaining


def _sum(one: Floats, other: Floats) -> Pairs:
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)


def _ordered_sum(large: Floats, small: Floats) -> Pairs:
    total = large + small
    return total, small - (total - large)


def _product(one: Floats, other: Floats) -> Pairs:
    product = one * other
    (high, low), (other_high, other_low) = _halves(one), _halves(other)
    error = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    return product, error


def _halves(values: Floats) -> Pairs:
    wide = values * _SPLITTER
    high = wide - (wide - values)
    return high, values - high
