"""Sums over rows of products of terms, without rounding: Σ_r x_rj z_rk for all j and k.

1. A term is divided by a power of two that bounds it, and cut into slices: whole multiples of
   2^−20, of 2^−41, of 2^−62, each at most 2^20 of its units. What is finer than the last is
   dropped, row by row.
2. Products of two slices over 8,192 rows are whole multiples of a unit, below 2^53 of it. So they are
   added exactly, in any order (Ozaki, Ogita, Oishi, Rump 2012): by the core, which cuts and
   multiplies some rows at a time (``exact_products.hpp``), or by BLAS.
3. The sums of blocks are added as whole numbers of 104 bits.

So the sums do not depend on the order of rows, on blocks or on threads. They are returned as pairs
of floats (``_double_double``). A term that is 0 or 1 needs one slice.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Bools, Floats
from branchline._double_double import Pairs, added

__all__ = ["ROWS_AT_ONCE", "Cutter", "ProductSums", "exponents_of"]

ROWS_AT_ONCE = 2**13
_FIRST_BITS, _MORE_BITS = 20, 21
# Sums of blocks are below 2^53; this number of them is added before they are carried.
_BLOCKS = 2**9
_CARRY = 40


def exponents_of(largest: Floats) -> npt.NDArray[np.int64]:
    """Return, for each term, an exponent of 2 that bounds its numbers."""
    return np.frexp(largest)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Cutter:
    """How terms are cut into slices.

    Parameters
    ----------
    exponents
        For each term: no number of it is above 2^exponent.
    is_switch
        Which terms are 0 or 1 in every row.
    n_slices
        How many slices the other terms have.
    """

    exponents: npt.NDArray[np.int64]
    is_switch: Bools
    n_slices: int

    @cached_property
    def _others(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(~self.is_switch)

    @property
    def _switches(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.is_switch)

    @cached_property
    def term(self) -> npt.NDArray[np.intp]:
        """The term of each slice: a slice of every other term, then the next; switches last."""
        return np.concatenate([np.tile(self._others, self.n_slices), self._switches])

    @cached_property
    def depth(self) -> npt.NDArray[np.int64]:
        """Which of its term's slices each one is."""
        depth = np.repeat(np.arange(self.n_slices), len(self._others))
        return np.concatenate([depth, np.zeros(len(self._switches), dtype=np.int64)])

    @cached_property
    def bits(self) -> npt.NDArray[np.int64]:
        """Each slice holds multiples of 2^−bits."""
        return np.where(self.is_switch[self.term], 0, _FIRST_BITS + _MORE_BITS * self.depth)

    def cut(self, values: Floats) -> Floats:
        """Return the slices of some rows' terms (a row for each term), one slice in each row."""
        others = self._others
        whole = len(others) == len(values)
        powers = np.ldexp(1.0, -self.exponents[others])[:, None]
        slices = np.empty((len(self.term), values.shape[1]))
        rest = np.multiply(values if whole else values[others], powers)
        for depth in range(self.n_slices):
            some = slices[depth * len(others) : (depth + 1) * len(others)]
            constant = np.ldexp(1.5, 52 - _FIRST_BITS - _MORE_BITS * depth)
            np.add(rest, constant, out=some)
            some -= constant
            if depth < self.n_slices - 1:
                rest -= some
        slices[self.n_slices * len(others) :] = values[self._switches]
        return slices

    @cached_property
    def core(self) -> _core.CutTerms:
        """The same for the core."""
        powers = np.ldexp(1.0, -self.exponents)
        return _core.CutTerms(powers, self.is_switch.astype(np.uint8), self.n_slices)

    @property
    def powers(self) -> npt.NDArray[np.int64]:
        """What each term's slices were divided by, as an exponent of 2."""
        return np.where(self.is_switch, 0, self.exponents)


class ProductSums:
    """Sums of products of the terms of two cutters."""

    def __init__(self, left: Cutter, right: Cutter) -> None:
        self._left, self._right = left, right
        shape = (len(left.term), len(right.term))
        self._low = np.zeros(shape, dtype=np.int64)
        self._high = np.zeros(shape, dtype=np.int64)
        self._units = np.ldexp(1.0, left.bits)[:, None], np.ldexp(1.0, right.bits)[None]
        self._n_blocks = 0

    def add(self, left: Floats, right: Floats) -> None:
        """Add the products of slices of at most ``ROWS_AT_ONCE`` rows, one slice in each row."""
        self._add(left @ right.T)

    def add_rows(self, left: Floats, right: Floats) -> None:
        """Add the products of at most ``ROWS_AT_ONCE`` rows' terms, one term in each row."""
        self._add(_core.exact_products(self._left.core, left, self._right.core, right))

    def add_squares(self, rows: Floats, factor: Floats | None = None) -> None:
        """Add the products of all pairs of terms, of rows times a ``factor`` for each.

        Only for sums of which both sides are cut alike.
        """
        self._add(_core.exact_squares(self._left.core, rows, factor))

    def _add(self, sums: Floats) -> None:
        sums *= self._units[0]
        sums *= self._units[1]
        self._low += sums.astype(np.int64)
        self._n_blocks += 1
        if self._n_blocks % _BLOCKS == 0:
            self._carry()

    def _carry(self) -> None:
        self._high += self._low >> _CARRY
        self._low &= 2**_CARRY - 1

    def total(self) -> Pairs:
        """Return the sums for all pairs of terms."""
        self._carry()
        left, right = self._left, self._right
        down = -(left.bits[:, None] + right.bits[None])
        high = np.ldexp(self._high.astype(np.float64), down + _CARRY)
        low = np.ldexp(self._low.astype(np.float64), down)
        sums = added((high, np.zeros_like(high)), (low, np.zeros_like(low)))
        shape = (len(left.exponents), len(right.exponents))
        found = np.zeros(shape), np.zeros(shape)
        for depth in range(left.n_slices):
            rows = np.flatnonzero(left.depth == depth)
            for other in range(right.n_slices):
                columns = np.flatnonzero(right.depth == other)
                here, there = np.ix_(rows, columns), np.ix_(left.term[rows], right.term[columns])
                some = added((found[0][there], found[1][there]), (sums[0][here], sums[1][here]))
                found[0][there], found[1][there] = some
        up = left.powers[:, None] + right.powers[None]
        return np.ldexp(found[0], up), np.ldexp(found[1], up)
