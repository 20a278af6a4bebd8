"""The values of a numeric column and their weights in classes, as entries of a sparse table."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from branchline.bayes._cells import Cells

__all__ = ["ValueWeights"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ValueWeights:
    """The weights of values in classes: an entry for each pair with rows, by value then class."""

    values: Floats
    n_classes: int
    place: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int64]
    weight: Floats

    @staticmethod
    def of_cells(cells: Cells, weight_of_unit: float) -> "ValueWeights":
        """Return the weights of cells, each at its middle."""
        weight = np.multiply(cells.weight, weight_of_unit, dtype=np.float64)
        return ValueWeights(cells.values(), cells.n_classes, cells.place, cells.kind, weight)

    def table(self) -> Floats:
        """Return the weights with a row for each value and a column for each class."""
        return self.sums_at(np.arange(len(self.values)), self.weight, len(self.values))

    def sums_at(self, places: npt.NDArray[np.intp], weight: Floats, size: int) -> Floats:
        """Return the sums of the entries' weights by the places of their values, and by class."""
        flat = places[self.place] * self.n_classes + self.kind
        found = np.bincount(flat, weight, size * self.n_classes)
        return np.asarray(found, dtype=np.float64).reshape(size, self.n_classes)
