"""How rows go down a tree: its arrays, and surrogate tests where values are missing.

Rows without a missing value among the tested columns go down natively. The others, where there are
surrogate tests, go from node to node in NumPy.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Table
from branchline.tree.missing._surrogates import Surrogates

__all__ = ["WayDown"]

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class WayDown:
    """A tree under a policy for missing values, and its surrogate tests (None: not used)."""

    tree: TreeArrays
    surrogates: Surrogates | None

    @property
    def is_native(self) -> bool:
        """Whether the native walker alone is enough."""
        is_plain = self.surrogates is None and self.tree.derived is None
        return is_plain and not self.tree.shares_rows

    def find_leaves(self, table: Table, n_threads: int) -> Nodes:
        """Return the node that each row ends in; a shared row is followed to its largest part."""
        ends = self.tree.find_leaves(table, n_threads)
        if self.surrogates is None:
            return ends
        open_rows = np.flatnonzero(self._lacks_values(table))
        if len(open_rows):
            ends = ends.copy()
            ends[open_rows] = self.surrogates.find_leaves(self.tree, table.rows(open_rows))
        return ends

    def _lacks_values(self, table: Table) -> npt.NDArray[np.bool_]:
        """Return the rows in which some tested column has no known value."""
        lacks = np.zeros(table.n_rows, dtype=bool)
        among = np.unique(self.tree.feature[~self.tree.is_leaf]).tolist()
        for place in among:
            column = table.column(table.names[place])
            if column.kind == "category":
                lacks |= self._is_open(place, column.values)
            else:
                lacks |= np.isnan(column.numbers())
        return lacks

    def _is_open(self, place: int, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Return which categories are missing, unseen, or unknown to some test."""
        tests = np.flatnonzero((self.tree.feature == place) & ~self.tree.is_leaf)
        is_open = np.append(
            np.any([self.tree._pool_of(np.array([test]))[0] < 0 for test in tests], axis=0), True
        )
        result: npt.NDArray[np.bool_] = is_open[np.maximum(codes, -1)]
        return result
