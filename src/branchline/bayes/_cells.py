"""How often each value of a numeric column occurs in each class, in a bounded number of cells.

1. Floats become whole numbers of the same order (their bits; all but the sign turned over below 0).
2. A cell is such a number without its last t bits. While there are at most 4 096 different values,
   t = 0 and nothing is lost; else t is the least that leaves at most 4 096 cells.
3. Cells of a larger t are unions of cells of a smaller one, and more rows never need a smaller t:
   so the cells of batches, added up, are the cells of all rows, whatever the order.

Cells are narrow near 0 and wide far away, like the numbers themselves: long tails need few. With
t = 52 a cell is all numbers of one exponent, so 4 096 cells are always enough.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS
from branchline.bayes._class_rows import ClassRows

__all__ = ["MOST_CELLS", "MOST_DROPPED", "Cells", "count_cells", "key_range"]

MOST_CELLS = 4_096
MOST_DROPPED = 52
# Up to this many pairs of a cell and a class are counted in a table.
_FEW_PAIRS = 2**16
# Many keys are counted by their first bits before any is sorted.
_MANY_KEYS = 4 * MOST_CELLS
_TABLE_BITS = 21
_ALL_BUT_SIGN = np.int64(2**63 - 1)

Keys = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Cells:
    """Weights of cells in classes: an entry for each pair of a cell and a class with rows.

    Entries are in the order of cells, then of classes.
    """

    dropped: int  # the t of the module's words
    keys: Keys  # ascending, one for each cell
    n_classes: int
    place: npt.NDArray[np.int64]  # the cell of each entry
    kind: npt.NDArray[np.int64]  # its class
    weight: npt.NDArray[np.int64]

    @staticmethod
    def of_table(dropped: int, keys: Keys, units: npt.NDArray[np.int64]) -> "Cells":
        """Return cells whose weights are a table, with a row for each cell."""
        place, kind = np.nonzero(units)
        return Cells(dropped, keys, units.shape[1], place, kind, units[place, kind])

    @property
    def units(self) -> npt.NDArray[np.int64]:
        """The weights as a table, with a row for each cell and a column for each class."""
        table = np.zeros((len(self.keys), self.n_classes), dtype=UNITS)
        table[self.place, self.kind] = self.weight
        return table

    def finer(self, times: int) -> "Cells":
        """Return the same weights in smaller units."""
        return replace(self, weight=self.weight * times)

    def with_classes(self, places: npt.NDArray[np.intp], n_classes: int) -> "Cells":
        """Return the cells with their classes at ``places`` (ascending) among more classes."""
        return replace(self, n_classes=n_classes, kind=places[self.kind].astype(np.int64))

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
        keys, kinds, weights = (
            np.concatenate(pair)
            for pair in zip(self._entries(dropped), other._entries(dropped), strict=True)
        )
        return _gather(dropped, keys, kinds, weights, self.n_classes)

    def _entries(self, dropped: int) -> tuple[Keys, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        keys = self.keys >> (dropped - self.dropped)
        return keys[self.place], self.kind, self.weight


def key_range() -> tuple[int, int]:
    """Return the keys of the least and the largest float."""
    most = int(_to_keys(np.array([np.finfo(np.float64).max]))[0])
    return -most - 1, most


def count_cells(values: npt.NDArray[np.float64], rows: ClassRows) -> Cells:
    """Count the values of a column, those that are not missing, in each class."""
    present = ~np.isnan(values)
    keys, kinds, units = _to_keys(values), rows.class_of_row, rows.units
    if not present.all():
        keys, kinds = keys[present], kinds[present]
        units = None if units is None else units[present]
    return _gather(0, keys, kinds.astype(np.int64), units, rows.n_classes)


def _gather(
    dropped: int,
    keys: Keys,
    kinds: npt.NDArray[np.int64],
    weights: npt.NDArray[np.int64] | None,
    n_classes: int,
) -> Cells:
    """Return the cells of keys with their classes and weights (None: 1 each)."""
    more, cells, place = _places(dropped, keys)
    pairs = place * n_classes + kinds
    if len(cells) * n_classes <= max(_FEW_PAIRS, 4 * len(pairs)):
        counted = _counted(pairs, weights, len(cells) * n_classes)
        return Cells.of_table(more, cells, counted.reshape(len(cells), n_classes))
    entries, entry = np.unique(pairs, return_inverse=True)
    counted = _counted(entry, weights, len(entries))
    return Cells(more, cells, n_classes, entries // n_classes, entries % n_classes, counted)


def _places(dropped: int, keys: Keys) -> tuple[int, Keys, npt.NDArray[np.int64]]:
    """Return how many bits are dropped, the cells, and the cell of each key."""
    if len(keys) >= _MANY_KEYS:
        low, span = int(keys.min()), int(keys.max()) - int(keys.min())
        coarse = max(0, span.bit_length() - _TABLE_BITS)
        place = (keys >> coarse) - (low >> coarse)
        is_taken = np.zeros(int(place.max()) + 1, dtype=np.bool_)  # small types: tables are read
        is_taken[place] = True
        taken = np.flatnonzero(is_taken)
        if coarse and len(taken) > MOST_CELLS:  # then these bits are dropped: no sorting
            more, cells = _coarsen(dropped + coarse, taken + (low >> coarse))
            number = np.zeros(len(is_taken), dtype=np.uint16)
            number[taken] = np.searchsorted(
                cells, (taken + (low >> coarse)) >> (more - dropped - coarse)
            )
            return more, cells, number[place].astype(np.int64)
    more, cells = _coarsen(dropped, _distinct(np.sort(keys)))
    return more, cells, np.searchsorted(cells, keys >> (more - dropped))


def _counted(
    places: npt.NDArray[np.int64], weights: npt.NDArray[np.int64] | None, size: int
) -> npt.NDArray[np.int64]:
    if weights is None:
        return np.bincount(places, minlength=size).astype(UNITS)
    found = np.zeros(size, dtype=UNITS)
    np.add.at(found, places, weights)
    return found


def _coarsen(dropped: int, cells: Keys) -> tuple[int, Keys]:
    """Drop as many bits of sorted, distinct keys as leave few enough; none when they are few."""
    if len(cells) <= MOST_CELLS:
        return dropped, cells
    # Neighbors fall together once the highest bit in which they differ is dropped.
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
