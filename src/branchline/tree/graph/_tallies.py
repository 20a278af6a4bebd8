"""What rows hold, as exact integers, and how well a node that holds them predicts.

1. A row has units of weight, and units of its class or fixed-point sums of its numbers.
2. A node with units W and sums S_k *explains* Σ_k S_k² / W. What it explains less than its rows one
   by one is its impurity: W · Gini for classes, the sum of squares for numbers. So the impurities
   of two partitions of the same rows differ by what they explain, with the sign turned.
3. Sums are integers: neither the order of rows nor threads change a decision.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline.tree.growing._growth import Growth, Sample

__all__ = ["Rows", "Tallies", "Units", "explained"]

Floats = npt.NDArray[np.float64]
Groups = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint32]
Units = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tallies:
    """Units and sums of each row of a table.

    Parameters
    ----------
    units
        The weight of each row, in units.
    classes
        The class of each row; None for numbers.
    sums
        Numbers: the fixed-point sums of each row; None for classes.
    n_columns
        The number of classes or of outputs.
    """

    units: Units
    classes: npt.NDArray[np.int64] | None
    sums: Units | None
    n_columns: int

    @classmethod
    def of(cls, growth: Growth, sample: Sample) -> "Tallies":
        """Return the tallies of the rows of a sample."""
        units = growth.weights.units if sample.units is None else sample.units
        held = np.ones(growth.n_rows, dtype=np.int64) if units is None else units.astype(np.int64)
        if growth.numbers is None:
            classes = growth.data.class_target.class_of_row.astype(np.int64)
            return cls(held, classes, None, growth.n_classes)
        sums = growth.sums_of(sample)
        return cls(held, None, sums, sums.shape[1])

    def of_rows(self, rows: Rows) -> Units:
        """Return units, then the units of each class or the sum of each output, of some rows."""
        tally: Units = self.in_groups(rows, np.zeros(len(rows), dtype=np.int64), 1)[0]
        return tally

    def in_groups(self, rows: Rows, group: Groups, n_groups: int) -> Units:
        """Return the same for each group of rows; ``group`` has the group of each one."""
        found = np.zeros((n_groups, 1 + self.n_columns), dtype=np.int64)
        if self.classes is not None:
            place = group * self.n_columns + self.classes[rows]
            # Exact: a table has fewer than 2^53 units.
            counts = np.bincount(place, self.units[rows], minlength=n_groups * self.n_columns)
            found[:, 1:] = counts.reshape(n_groups, self.n_columns)
            found[:, 0] = found[:, 1:].sum(axis=1)
        elif len(rows):
            assert self.sums is not None
            np.add.at(found[:, 0], group, self.units[rows])
            for output in range(self.n_columns):  # many small calls: adding beats sorting
                np.add.at(found[:, 1 + output], group, self.sums[rows, output])
        return found


def explained(tallies: Units) -> Floats:
    """Return Σ S² / W of each node, the last axis being its tally; 0 of a node without rows."""
    sums, units = tallies[..., 1:].astype(np.float64), tallies[..., 0].astype(np.float64)
    squares = sums[..., 0] ** 2 if sums.shape[-1] == 1 else (sums * sums).sum(axis=-1)
    whole: Floats = squares / np.maximum(units, 1.0)
    return whole
