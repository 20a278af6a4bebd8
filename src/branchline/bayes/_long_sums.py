"""Exact sums of columns whose numbers are too far apart for the words of the compiled kernel.

1. A column is cut into pieces: x = Σ p_k · 2^(E − k·b), where 2^E bounds the column and p_k are
   whole numbers of b bits. A piece is cut off by adding and taking off a large constant.
2. Sums of p_j · p_k over 512 rows stay below 2^53, so that floats hold them exactly and fast dot
   products may be used, in any order.
3. The sums of pieces are put together as Python's whole numbers: Σ w x in units of 2^−1074 and
   Σ w x² in units of 2^−2148.

Cost: for usual columns 2 to 4 pieces; many more where numbers lie hundreds of powers of two apart.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline.bayes._class_rows import ClassRows
from branchline.bayes._number_groups import NumberGroup

__all__ = ["SMALLEST", "LongSums", "long_sums"]

Floats: TypeAlias = npt.NDArray[np.float64]
Block: TypeAlias = tuple[int, Floats, list[tuple[Floats | None, int]]]

SMALLEST = 1074  # 2^−1074 is the smallest float above 0

_ROWS = 512
_PIECE_BITS = 22  # 2 · 22 + 9 (rows) = 53
_WEIGHT_BITS = 10  # with weights: 2 · 17 + 10 + 9 = 53
_WEIGHTED_PIECE_BITS = 17
_BLOCKS = 32  # the sums of this many blocks stay far below 2^63
_LARGE = 900  # beyond 2^900 the large constant itself would be beyond all floats
_STEP_DOWN = 200
_MODERATE = 400


@dataclass(frozen=True)
class LongSums:
    """Σ w x (in units of 2^−1074) and Σ w x² (of 2^−2148) by column, then by class."""

    firsts: list[list[int]]
    seconds: list[list[int]]


def long_sums(group: NumberGroup, rows: ClassRows) -> LongSums:
    """Return the exact sums of a group's columns in each class; missing values add nothing."""
    largest = group.largest()
    exponents, is_missing = _exponents(group, largest), np.isnan(largest)
    if (exponents <= _LARGE).all():
        return _sums_of(group, rows, exponents, is_missing, 0)
    high = _sums_of(group, rows, np.maximum(exponents - _STEP_DOWN, 0), is_missing, _STEP_DOWN)
    low = _sums_of(group, rows, np.minimum(exponents, 0), is_missing, -1)
    return LongSums(_added(high.firsts, low.firsts), _added(high.seconds, low.seconds))


def _added(left: list[list[int]], right: list[list[int]]) -> list[list[int]]:
    return [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(left, right, strict=True)]


def _exponents(group: NumberGroup, largest: Floats) -> npt.NDArray[np.int64]:
    """Return E for each column: every number in it is below 2^E."""
    tops = largest.copy()
    for place in np.flatnonzero(np.isnan(tops)):
        seen = np.abs(group.column(int(place)))
        tops[place] = np.fmax.reduce(seen, initial=0.0)
    return np.frexp(tops)[1].astype(np.int64)


def _sums_of(
    group: NumberGroup,
    rows: ClassRows,
    exponents: npt.NDArray[np.int64],
    is_missing: npt.NDArray[np.bool_],
    band: int,
) -> LongSums:
    """Add up all blocks.

    ``band`` is 0 for all numbers; −1 for those below 1; else for the others, divided by 2^band.
    """
    bits = _PIECE_BITS if rows.units is None else _WEIGHTED_PIECE_BITS
    totals, any_missing = _Totals(exponents, len(rows.begins) - 1, bits), bool(is_missing.any())
    for number, (kind, values, weights) in enumerate(_blocks(group, rows)):
        if any_missing:
            values[np.isnan(values)] = 0.0
        if band < 0:
            values[np.abs(values) >= 1.0] = 0.0
        elif band > 0:
            values[np.abs(values) < 1.0] = 0.0
            values *= 2.0**-band
        totals.add(kind, values, weights)
        if number % _BLOCKS == _BLOCKS - 1:
            totals.carry()
    totals.carry()
    shift = max(band, 0)
    return LongSums(
        [[total << shift for total in column] for column in totals.firsts],
        [[total << (2 * shift) for total in column] for column in totals.seconds],
    )


def _blocks(group: NumberGroup, rows: ClassRows) -> Iterator[Block]:
    """Go through blocks of rows of one class, with their weights in pieces of 10 bits."""
    for kind, (begin, end) in enumerate(zip(rows.begins[:-1], rows.begins[1:], strict=True)):
        for first in range(begin, end, _ROWS):
            some = rows.order[first : min(end, first + _ROWS)]
            units = None if rows.units is None else rows.units[some]
            yield kind, group.block(some), _weight_pieces(units)


def _weight_pieces(units: npt.NDArray[np.int64] | None) -> list[tuple[Floats | None, int]]:
    if units is None:
        return [(None, 0)]
    pieces: list[tuple[Floats | None, int]] = []
    for shift in range(0, int(units.max()).bit_length(), _WEIGHT_BITS):
        piece = (units >> shift) & (2**_WEIGHT_BITS - 1)
        if piece.any():
            pieces.append((piece.astype(np.float64), shift))
    return pieces


def _whole(sums: Floats, units: int) -> npt.NDArray[np.int64]:
    return np.ldexp(sums, -units).astype(UNITS)


@dataclass(frozen=True)
class _Level:
    """How the pieces of one depth are cut off: multiples of 2^units, below 2^(units + bits)."""

    depth: int
    units: int
    constant: float  # adding and taking it off rounds to such multiples
    room: Floats

    @property
    def is_moderate(self) -> bool:
        """Whether neither these pieces nor their products leave the range of floats."""
        return abs(self.units) < _MODERATE


class _Totals:
    """Sums of pieces, in 64 bits for some blocks, then carried into Python's whole numbers."""

    def __init__(self, exponents: npt.NDArray[np.int64], n_classes: int, bits: int) -> None:
        self.top = int(exponents.max())
        self.ups = self.top - exponents  # columns are multiplied by 2^ups: then 2^top bounds all
        self.bits = bits
        self.shape = (len(exponents), n_classes)
        self.firsts = [[0] * n_classes for _ in exponents]
        self.seconds = [[0] * n_classes for _ in exponents]
        self._levels: list[_Level] = []
        # keys: how many bits below 2^E (or 2^2E) one unit is, less the shift of the weights
        self._small_firsts: dict[int, npt.NDArray[np.int64]] = defaultdict(self._zeros)
        self._small_seconds: dict[int, npt.NDArray[np.int64]] = defaultdict(self._zeros)

    def _zeros(self) -> npt.NDArray[np.int64]:
        return np.zeros(self.shape, dtype=UNITS)

    def add(self, kind: int, values: Floats, weights: list[tuple[Floats | None, int]]) -> None:
        """Add a block of class ``kind``; ``values`` is used up."""
        pieces = list(self._cut(self._scale(values)))
        for weight, shift in weights:
            for number, (depth, units, piece) in enumerate(pieces):
                weighted = piece if weight is None else piece * weight
                small = self._small_firsts[depth - shift]
                small[:, kind] += _whole(weighted.sum(axis=1), units)
                for other_depth, other_units, other in pieces[: number + 1]:
                    times = 1 if other is piece else 2
                    products = _whole(np.vecdot(weighted, other), units + other_units)
                    self._small_seconds[depth + other_depth - shift][:, kind] += times * products

    def _scale(self, values: Floats) -> Floats:
        most = int(self.ups.max())
        if most == 0:
            return values
        if most >= _LARGE:
            return np.ldexp(values, self.ups[:, None])
        values *= np.ldexp(1.0, self.ups)[:, None]
        return values

    def _cut(self, rest: Floats) -> Iterator[tuple[int, int, Floats]]:
        """Cut numbers into pieces, the highest first, each with its depth in bits and its units.

        Pieces that might leave the range of floats are divided by their units.
        """
        for number in count():
            if number == len(self._levels):
                self._levels.append(self._level(self.bits * (number + 1)))
            level = self._levels[number]
            piece = np.add(rest, level.constant, out=level.room[:, : rest.shape[1]])
            piece -= level.constant
            rest -= piece
            if level.is_moderate:
                yield level.depth, level.units, piece
            elif piece.any():
                yield level.depth, 0, np.ldexp(piece, -level.units)
            if not rest.any():
                return

    def _level(self, depth: int) -> _Level:
        units = self.top - depth
        constant = float(np.ldexp(1.5, max(52 + units, -1022)))
        return _Level(depth, units, constant, np.empty((self.shape[0], _ROWS)))

    def carry(self) -> None:
        """Move the 64-bit sums into whole numbers of any size."""
        for small, totals, scale in (
            (self._small_firsts, self.firsts, 1),
            (self._small_seconds, self.seconds, 2),
        ):
            for depth, sums in small.items():
                for place, kind in zip(*np.nonzero(sums), strict=True):
                    up = scale * (self.top - int(self.ups[place]) + SMALLEST) - depth
                    total = int(sums[place, kind])
                    totals[place][kind] += total << up if up >= 0 else total >> -up
            small.clear()
