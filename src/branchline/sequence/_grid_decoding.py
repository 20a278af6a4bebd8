"""The best labeling of a small grid, found exactly.

The score of a labeling is the sum of a weight for each cell and label, and of weights for the
labels of two cells side by side and of two cells one above the other.

1. Cells are added line by line along the longer side. The *front* is the last cell that was added
   in each column of the shorter side: only its labels matter for what comes.
2. For each labeling of the front the best labeling of all cells before is kept. A cell that is
   added takes the place of the one above it: the maximum over that one's labels.
3. The best front of the last line is followed back.

With L labels and a shorter side of s cells a front has L^s labelings; up to 65,536 are allowed.
Grids of the same layout are worked on together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats, Ints

__all__ = ["MOST_FRONTS", "Layout", "best_labels"]

MOST_FRONTS = 2**16
_NUMBERS_AT_ONCE = 2**22  # of all backward steps of the grids that are worked on together
Labels = npt.NDArray[np.intp]
# For each front after a step, the label of the cell that was replaced; sizes of the front's places.
Step = tuple[npt.NDArray[np.uint8], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Layout:
    """The places of a grid's cells, in the order in which they are added.

    Parameters
    ----------
    places
        The line and the column of each cell, ordered by line and column.
    """

    places: Ints

    @cached_property
    def is_turned(self) -> bool:
        """Whether cells are added column by column: the grid is wider than high."""
        high, wide = self.places.max(axis=0)
        return bool(wide > high)

    @cached_property
    def sides(self) -> tuple[int, int]:
        """The number of lines along which cells are added, and of places in each."""
        high, wide = (self.places.max(axis=0) + 1).tolist()
        return (wide, high) if self.is_turned else (high, wide)

    @cached_property
    def steps(self) -> list[tuple[int, int]]:
        """The place in the front and the cell of each step; −1: there is no cell."""
        lines, across = self.sides
        cell_at = np.full((lines, across), -1, dtype=np.intp)
        first, second = self.places.T[::-1] if self.is_turned else self.places.T
        cell_at[first, second] = np.arange(len(self.places))
        return [(place, int(cell)) for line in cell_at for place, cell in enumerate(line)]

    def n_fronts(self, n_labels: int) -> int:
        """Return the largest number of labelings of the front."""
        sizes, most = [1] * self.sides[1], 1
        for place, cell in self.steps:
            sizes[place] = n_labels if cell >= 0 else 1
            most = max(most, prod(sizes))
        return most


def best_labels(
    layout: Layout, cells: Floats, pairs: tuple[Floats, Floats]
) -> tuple[Labels, Floats]:
    """Return the best labels of grids of one layout, and their scores.

    Parameters
    ----------
    layout
        Where the cells stand.
    cells
        The weight of each label: grids × cells × labels.
    pairs
        The weights of a label before another: side by side, and one above the other.
    """
    n_grids, n_cells, n_labels = cells.shape
    room = layout.n_fronts(n_labels) * len(layout.steps)
    at_once = max(1, _NUMBERS_AT_ONCE // room)
    labels, scores = np.empty((n_grids, n_cells), dtype=np.intp), np.empty(n_grids)
    across, down = pairs[::-1] if layout.is_turned else pairs
    for begin in range(0, n_grids, at_once):
        part = slice(begin, begin + at_once)
        labels[part], scores[part] = _best_of_some(layout, cells[part], across, down)
    return labels, scores


def _best_of_some(
    layout: Layout, cells: Floats, across: Floats, down: Floats
) -> tuple[Labels, Floats]:
    n_grids, _, n_labels = cells.shape
    sizes = [1] * layout.sides[1]
    table = np.zeros((n_grids, 1))
    back: list[Step] = []
    for place, cell in layout.steps:
        added = cells[:, cell] if cell >= 0 else None
        table, replaced = _add(table, sizes, place, added, (across, down))
        sizes[place] = n_labels if cell >= 0 else 1
        back.append((replaced, tuple(sizes)))
    best = table.reshape(n_grids, -1).argmax(axis=1)
    scores = table.reshape(n_grids, -1)[np.arange(n_grids), best]
    front = np.stack(np.unravel_index(best, sizes), axis=1)
    return _follow(layout, back, front), scores


def _add(
    table: Floats,
    sizes: Sequence[int],
    place: int,
    cell: Floats | None,
    pairs: tuple[Floats, Floats],
) -> tuple[Floats, npt.NDArray[np.uint8]]:
    """Return the scores of fronts with one more cell, and the best label of the one it replaces."""
    n_grids, old = len(table), sizes[place]
    left = sizes[place - 1] if place else 1
    before, after = prod(sizes[: max(place - 1, 0)]), prod(sizes[place + 1 :])
    known = table.reshape(n_grids, before, left, old, after)
    new = 1 if cell is None else cell.shape[1]
    shape = (n_grids, before, left, new, after)
    found, best = np.empty(shape), np.zeros(shape, dtype=np.uint8)
    for label in range(new):
        above = np.zeros(old) if cell is None or old == 1 else pairs[1][:, label]
        highest = known[:, :, :, 0] + above[0]
        for other in range(1, old):
            candidate = known[:, :, :, other] + above[other]
            np.copyto(best[:, :, :, label], np.uint8(other), where=candidate > highest)
            np.maximum(highest, candidate, out=highest)
        found[:, :, :, label] = highest
    if cell is not None:
        found += cell[:, None, None, :, None]
        if left > 1:
            found += pairs[0][None, None, :, :, None]
    return found, best


def _follow(layout: Layout, back: Sequence[Step], front: Labels) -> Labels:
    """Return the labels of cells, from the labels of the last front."""
    n_grids = len(front)
    labels = np.empty((n_grids, len(layout.places)), dtype=np.intp)
    for (place, cell), (replaced, sizes) in zip(layout.steps[::-1], back[::-1], strict=True):
        if cell >= 0:
            labels[:, cell] = front[:, place]
        at = np.ravel_multi_index(tuple(front.T), sizes)
        front[:, place] = replaced.reshape(n_grids, -1)[np.arange(n_grids), at]
    return labels
