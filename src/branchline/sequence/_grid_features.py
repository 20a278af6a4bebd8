"""Cells of a grid and of the cells around them as features that are present or not.

Bins are those of tokens (``_token_features``); each place around a cell has features of its own,
and beyond the border of the grid there is a bin of its own.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._arrays import Ints
from branchline._memory import refuse_over_budget
from branchline.sequence._grid_marks import GridMarks
from branchline.sequence._token_features import TokenFeatures
from branchline.table import Schema, Table

__all__ = ["GridFeatures"]


@dataclass(frozen=True, eq=False)
class GridFeatures:
    """How cells become features.

    Parameters
    ----------
    own
        The bins of a cell's own values.
    window
        How many cells to each side describe a cell as well.
    """

    own: TokenFeatures
    window: int

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """The places around a cell that describe it: lines down, columns right."""
        steps = range(-self.window, self.window + 1)
        return [(down, right) for down in steps for right in steps]

    @property
    def n_features(self) -> int:
        """The number of different features."""
        return self.own.n_features * len(self.offsets)

    def of_cells(self, table: Table, grids: GridMarks) -> npt.NDArray[np.intp]:
        """Return the features of each cell, a row each.

        Parameters
        ----------
        table
            The cells, in the order of ``grids``.
        grids
            Where they stand.
        """
        n_cells, offsets = table.n_rows, self.offsets
        n_columns = len(self.own.thresholds)
        refuse_over_budget(8 * n_cells * n_columns * len(offsets), "the features of cells")
        starts = grids.marks.starts
        mine = self.own.of_tokens(table, starts).reshape(n_cells, n_columns).astype(np.intp)
        beyond: Ints = np.cumsum(self.own.n_bins) - 1
        near = grids.neighbors(offsets)
        found = np.empty((n_cells, len(offsets), n_columns), dtype=np.intp)
        for at in range(len(offsets)):
            values = np.where((near[at] >= 0)[:, None], mine[near[at]], beyond)
            found[:, at] = values + at * self.own.n_features
        return found.reshape(n_cells, -1)

    def name_of(self, feature: int, schema: Schema) -> str:
        """Return what a feature says: "red > 0.5", "above: red is missing"."""
        at, within = divmod(feature, self.own.n_features)
        where = _direction(*self.offsets[at])
        if within in (np.cumsum(self.own.n_bins) - 1).tolist():
            return f"no cell {where}"
        said = self.own.name_of(within, schema)
        return f"{where}: {said}" if where else said


def _direction(down: int, right: int) -> str:
    """Return where a neighbor stands: "above", "2 below left"."""
    words = [
        f"{abs(steps)} {side}" if abs(steps) > 1 else side
        for steps, side in ((down, "below" if down > 0 else "above"),
                            (right, "right" if right > 0 else "left"))
        if steps
    ]  # fmt: skip
    return " ".join(words)
