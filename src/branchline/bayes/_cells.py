"""How often each value of a numeric column occurs in each class, in a bounded number of cells.

1. Floats become whole numbers of the same order (their bits; all but the sign turned over below 0).
2. A cell is such a number without its last t bits. While there are at most 4 096 different values,
   t = 0 and nothing is lost; else t is the least that leaves at most so many cells.
3. Cells of a larger t are unions of cells of a smaller one, and more rows never need a smaller t:
   so the cells of batches, added up, are the cells of all rows, whatever the order.

Cells are narrow near 0 and wide far away, like the numbers themselves: long tails need few. With
t = 52 a cell is all numbers of one exponent, so 4 096 cells are always enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline.bayes._class_rows import ClassRows

__all__ = ["MOST_CELLS", "MOST_DROPPED", "Cells", "count_cells", "key_range"]

MOST_CELLS = 4_096
MOST_DROPPED = 52
_ALL_BUT_SIGN = np.int64(2**63 - 1)

Keys = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Cells:
    """Weights of cells: ``units`` has a row for each cell, a column for each class."""

    dropped: int  # the t of the module's words
    keys: Keys  # ascending
    units: npt.NDArray[np.int64]

    def values(self) -> npt.NDArray[np.float64]:
        """Return a number for each cell: its value, or the middle of its bits."""
        if self.dropped == 0:
            return _to_floats(self.keys)
        middle = (self.keys << self.dropped) + (1 << (self.dropped - 1))
        most = key_range()[1]
        return _to_floats(np.clip(middle, -most - 1, most))

    def ends(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the least and the largest number of each cell."""
        least, most = key_range()
        low = np.maximum(self.keys << self.dropped, least)
        high = np.minimum((self.keys << self.dropped) + ((1 << self.dropped) - 1), most)
        return _to_floats(low), _to_floats(high)

    def add(self, other: "Cells") -> "Cells":
        """Return the cells of both batches of rows."""
        dropped = max(self.dropped, other.dropped)
        keys = np.concatenate([self._keys_at(dropped), other._keys_at(dropped)])
        return _gather(dropped, keys, np.concatenate([self.units, other.units]))

    def _keys_at(self, dropped: int) -> Keys:
        return self.keys >> (dropped - self.dropped)


def key_range() -> tuple[int, int]:
    """Return the keys of the least and the largest float."""
    most = int(_to_keys(np.array([np.finfo(np.float64).max]))[0])
    return -most - 1, most


def count_cells(values: npt.NDArray[np.float64], rows: ClassRows) -> Cells:
    """Count the values of a column, those that are not missing, in each class."""
    keys, n_classes = _to_keys(values)[rows.order], len(rows.begins) - 1
    present = ~np.isnan(values)[rows.order]
    parts = [
        (keys[some], None if rows.units is None else rows.units[rows.order[some]])
        for some in _present_rows(present, rows.begins)
    ]
    parts = [_sorted(*part) for part in parts]
    together = np.sort(np.concatenate([part for part, _ in parts]))
    dropped, cells = _coarsen(0, _distinct(together))
    counted = np.zeros((len(cells), n_classes), dtype=UNITS)
    for kind, (part, reached) in enumerate(parts):
        ends = np.searchsorted(part >> dropped, cells, side="right")
        counted[:, kind] = np.diff(ends if reached is None else reached[ends], prepend=0)
    return Cells(dropped, cells, counted)


def _present_rows(
    present: npt.NDArray[np.bool_], begins: npt.NDArray[np.intp]
) -> Iterator[slice | npt.NDArray[np.intp]]:
    """Go through the classes: where their rows that have a value stand in the order of classes."""
    for begin, end in pairwise(begins.tolist()):
        some = present[begin:end]
        yield slice(begin, end) if some.all() else begin + np.flatnonzero(some)


def _sorted(keys: Keys, units: Keys | None) -> tuple[Keys, Keys | None]:
    """Return keys in order, and the weight of the first 0, 1, 2, … of them."""
    if units is None:
        return np.sort(keys), None
    order = np.argsort(keys)
    return keys[order], np.concatenate([[0], np.cumsum(units[order])])


def _gather(dropped: int, keys: Keys, units: npt.NDArray[np.int64]) -> Cells:
    more, cells = _coarsen(dropped, _distinct(np.sort(keys)))
    gathered = np.zeros((len(cells), units.shape[1]), dtype=UNITS)
    np.add.at(gathered, np.searchsorted(cells, keys >> (more - dropped)), units)
    return Cells(more, cells, gathered)


def _coarsen(dropped: int, cells: Keys) -> tuple[int, Keys]:
    """Drop as many bits of sorted, distinct keys as leave few enough; none when they are few."""
    if len(cells) <= MOST_CELLS:
        return dropped, cells
    # Neighbours fall together once the highest bit in which they differ is dropped.
    apart = (cells[1:] ^ cells[:-1]).view(np.uint64)
    high, low = apart >> np.uint64(32), apart & np.uint64(2**32 - 1)
    bits = np.where(
        high > 0, 32 + np.frexp(high.astype(np.float64))[1], np.frexp(low.astype(np.float64))[1]
    )
    remaining = 1 + len(bits) - np.cumsum(np.bincount(bits, minlength=65))
    more = int(np.argmax(remaining <= MOST_CELLS))
    return dropped + more, _distinct(cells >> more)


def _distinct(ordered: Keys) -> Keys:
    if len(ordered) == 0:
        return ordered
    distinct: Keys = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    return distinct


def _to_keys(values: npt.NDArray[np.float64]) -> Keys:
    bits = np.ascontiguousarray(values + 0.0).view(np.int64)  # −0.0 and 0.0 are one number
    return np.where(bits < 0, bits ^ _ALL_BUT_SIGN, bits)


def _to_floats(keys: Keys) -> npt.NDArray[np.float64]:
    return np.where(keys < 0, keys ^ _ALL_BUT_SIGN, keys).astype(np.int64).view(np.float64)
