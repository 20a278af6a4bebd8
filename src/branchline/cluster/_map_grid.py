"""The grid of a self-organizing map: places of units, their distances, the cells of a picture."""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Bools, Floats
from branchline._memory import refuse_over_budget
from branchline._state import malformed

__all__ = ["MapGrid"]

# Neighbors are this near on the grid; the next units are farther.
_NEXT = 1.01


@dataclass(frozen=True)
class MapGrid:
    """Units in rows and columns; in a hexagonal grid, every second row is moved by a half."""

    n_rows: int
    n_columns: int
    is_hexagonal: bool

    @property
    def n_units(self) -> int:
        """The number of units."""
        return self.n_rows * self.n_columns

    def places(self) -> Floats:
        """Return the place of each unit, row after row: right, up."""
        row, column = np.divmod(np.arange(self.n_units), self.n_columns)
        if not self.is_hexagonal:
            return np.stack([column, row], axis=1).astype(np.float64)
        return np.stack([column + 0.5 * (row % 2), row * np.sqrt(0.75)], axis=1)

    def squared_distances(self) -> Floats:
        """Return the squared distance of each unit from each other on the grid."""
        refuse_over_budget(24 * self.n_units**2, "the distances of all units of the map")
        right, up = self.places().T
        return np.asarray(np.subtract.outer(right, right) ** 2 + np.subtract.outer(up, up) ** 2)

    def plane(self, matrix: Floats, weights: Floats) -> Floats:
        """Return codes on the plane of the first two principal components; missing is the mean.

        The row with the largest score of a component is on its positive side.
        """
        filled = np.where(np.isfinite(matrix), matrix, 0.0)
        scaled = filled * np.sqrt(weights / weights.sum())[:, None]
        axes = np.zeros((2, filled.shape[1]))
        sizes = np.zeros(2)
        _, found, directions = np.linalg.svd(scaled, full_matrices=False)
        for at in range(min(2, len(found))):
            scores = filled @ directions[at]
            sign = np.sign(scores[np.argmax(np.abs(scores))]) or 1.0
            axes[at], sizes[at] = sign * directions[at], found[at]
        places = self.places()
        spread = places.max(axis=0) - places.min(axis=0)
        centered = (places - places.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        long = np.argsort(-spread, kind="stable")  # the first component goes along the longer side
        return np.ascontiguousarray(4 * centered[:, long] @ (sizes[:, None] * axes))

    def gaps(self, codes: Floats) -> Floats:
        """Return the mean distance of each unit's code from those of its neighbors."""
        return np.array(
            [
                np.sqrt(((codes[here] - codes[unit]) ** 2).sum(axis=1)).mean() if here.any() else 0
                for unit, here in enumerate(self.neighbors())
            ]
        )

    def neighbors(self) -> Bools:
        """Return which units are neighbors on the grid."""
        near = self.squared_distances() < _NEXT
        np.fill_diagonal(near, val=False)
        return np.asarray(near)

    def cells(self, values: Floats) -> Floats:
        """Return values as cells of a picture; in a hexagonal grid, each unit has two halves."""
        table = np.asarray(values, dtype=np.float64).reshape(self.n_rows, self.n_columns)
        if not self.is_hexagonal:
            return table
        halves = np.repeat(table, 2, axis=1)
        made = np.empty((self.n_rows, halves.shape[1] + 1))
        made[0::2, :-1], made[0::2, -1] = halves[0::2], halves[0::2, -1]
        made[1::2, 1:], made[1::2, 0] = halves[1::2], halves[1::2, 0]
        return made

    def edges(self) -> tuple[Floats, Floats]:
        """Return the edges of the cells: right, up."""
        n_halves = 2 * self.n_columns + 1
        across = np.arange(n_halves + 1.0) / 2
        if not self.is_hexagonal:
            across = np.arange(self.n_columns + 1.0)
        return across - 0.5, np.arange(self.n_rows + 1.0) - 0.5

    def pack(self) -> Floats:
        """Return the grid as numbers."""
        return np.array([self.n_rows, self.n_columns, self.is_hexagonal], dtype=np.float64)

    @staticmethod
    def unpack(values: Floats) -> "MapGrid":
        """Check packed numbers and return the grid."""
        is_size = (values == np.rint(values)).all() and (values[:2] >= 1).all()
        if not is_size or (values[:2] > 200).any() or values[2] not in (0.0, 1.0):
            raise malformed("the grid has no size")
        return MapGrid(int(values[0]), int(values[1]), bool(values[2]))
