"""Training grids in an order of their own: what is wrong with a labeling, and by how much.

Grids with cells at the same places are labeled together. Equal grids become one of summed weight,
and sums are of whole numbers, so neither the order of rows nor copies of a grid change the model.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from branchline._arrays import Floats, Ints, Places
from branchline.errors import DataError
from branchline.sequence._grid_decoding import MOST_FRONTS, Layout, best_labels
from branchline.sequence._grid_marks import GridMarks

__all__ = ["GridWeights", "TrainingGrids", "checked_layouts", "label_grids"]

Indices = Places


@dataclass(frozen=True, eq=False)
class GridWeights:
    """The weights of a score.

    Parameters
    ----------
    features
        A row for each feature, a column for each label.
    across, down
        The weight of a label (row) left of another one, and above it.
    """

    features: Floats
    across: Floats
    down: Floats

    @classmethod
    def of_vector(cls, weights: Floats, n_labels: int) -> "GridWeights":
        """Return weights that stand one after the other."""
        features, across, down = np.split(weights, [-2 * n_labels**2, -(n_labels**2)])
        square = (n_labels, n_labels)
        return cls(features.reshape(-1, n_labels), across.reshape(square), down.reshape(square))

    def of_cells(self, features: Indices) -> Floats:
        """Return the weight of each label of each cell, from the features of cells."""
        found = np.zeros((len(features), self.features.shape[1]))
        for slot in features.T:  # one at a time: less memory, and always the same order
            found += self.features[slot]
        return found


def checked_layouts(grids: GridMarks, n_labels: int) -> list[tuple[Ints, Layout]]:
    """Return the grids of each layout; refuse those that are too large for an exact search."""
    found = [(members, Layout(places)) for members, places in grids.layouts()]
    for members, layout in found:
        if layout.n_fronts(n_labels) > MOST_FRONTS:
            lines, across = layout.sides
            most = int(np.floor(np.log(MOST_FRONTS) / np.log(n_labels) + 1e-9))
            raise DataError(
                f"The best labeling of {grids.marks.name_of(int(members[0]))} of "
                f"{lines} x {across} cells cannot be searched exactly: with {n_labels} labels the "
                f"shorter side can have at most {most} cells. Cut large grids into tiles.",
                code="D942",
                values=[lines, across],
            )
    return found


def label_grids(
    layouts: list[tuple[Ints, Layout]], starts: Ints, cells: Floats, weights: GridWeights
) -> tuple[Places, Floats]:
    """Return the best label of each cell, and the score of each grid."""
    labels, scores = np.empty(len(cells), dtype=np.intp), np.empty(len(starts) - 1)
    for members, layout in layouts:
        rows = starts[members][:, None] + np.arange(len(layout.places))
        labels[rows], scores[members] = best_labels(
            layout, cells[rows], (weights.across, weights.down)
        )
    return labels, scores


@dataclass(frozen=True, eq=False)
class TrainingGrids:
    """Labeled grids as the learner takes them.

    Parameters
    ----------
    grids
        Where cells stand.
    features, labels, units
        The features, the label and the whole weight of each cell.
    n_labels, n_features
        How many there are.
    """

    grids: GridMarks
    features: Indices
    labels: Places
    units: Ints
    n_labels: int
    n_features: int

    @cached_property
    def layouts(self) -> list[tuple[Ints, Layout]]:
        """The grids of each layout."""
        return checked_layouts(self.grids, self.n_labels)

    @cached_property
    def near(self) -> Places:
        """The cell to the right of each cell, and the one below."""
        return self.grids.neighbors([(0, 1), (1, 0)])

    @cached_property
    def right(self) -> Ints:
        """How often each weight counts in the right labeling."""
        return self._counts(self.labels)

    @property
    def n_weights(self) -> int:
        """How many weights there are."""
        return self.n_features * self.n_labels + 2 * self.n_labels**2

    def plane_at(self, weights: Floats) -> tuple[Floats, float]:
        """Return the plane that touches the objective's maximum at some weights."""
        known = GridWeights.of_vector(weights, self.n_labels)
        cells = known.of_cells(self.features) + 1.0
        cells[np.arange(len(cells)), self.labels] -= 1.0
        found, _ = label_grids(self.layouts, self.grids.marks.starts, cells, known)
        total = float(self.units.sum())
        slope = (self.right - self._counts(found)) / total
        return slope, float(self.units[found != self.labels].sum()) / total

    def _counts(self, labels: Places) -> Ints:
        """Return how often each weight counts in a labeling, in whole weights of cells."""
        n_labels, counted = self.n_labels, np.zeros(self.n_weights, dtype=np.int64)
        for slot in self.features.T:
            np.add.at(counted, slot * n_labels + labels, self.units)
        for at, near in enumerate(self.near):
            there = np.flatnonzero(near >= 0)
            place = self.n_weights - (2 - at) * n_labels**2
            pair = place + labels[there] * n_labels + labels[near[there]]
            np.add.at(counted, pair, self.units[there])
        return counted
