"""The rows of a batch by class, with their weights as whole units."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import UNITS

__all__ = ["ClassRows"]


@dataclass(frozen=True)
class ClassRows:
    """The class of each row, and its weight in whole units; None when every row weighs 1."""

    class_of_row: npt.NDArray[np.uint32]
    n_classes: int
    units: npt.NDArray[np.int64] | None

    @staticmethod
    def of(class_of_row: npt.NDArray[Any], n_classes: int, units: Any) -> "ClassRows":
        """Return rows whose classes are contiguous 32-bit numbers."""
        return ClassRows(np.ascontiguousarray(class_of_row, dtype=np.uint32), n_classes, units)

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """Rows in the order of their classes."""
        narrow = self.class_of_row.astype(np.min_scalar_type(self.n_classes))  # sorted by digits
        return np.argsort(narrow, kind="stable")

    @cached_property
    def begins(self) -> npt.NDArray[np.intp]:
        """Where each class begins in that order, and where the last one ends."""
        counts = np.bincount(self.class_of_row, minlength=self.n_classes)
        return np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def weights(self) -> npt.NDArray[np.int64]:
        """The weight of each class."""
        if self.units is None:
            return np.bincount(self.class_of_row, minlength=self.n_classes).astype(UNITS)
        found = np.zeros(self.n_classes, dtype=UNITS)
        np.add.at(found, self.class_of_row, self.units)
        return found
