"""The rows that learners in sequence learn from: in an order of their own, weighed anew each round.

1. Rows are put into canonical order and equal ones merged (``_canonical_rows``), so that sums of
   floats depend neither on the order of rows nor on whether copies or weights were given.
2. Held out for early stopping: of each row a share of its copies.
3. Draws, for learners that take no weights: with masses m_i and a start u in [0, 1) row i is drawn
   ⌊m_1 + … + m_i + u⌋ − ⌊m_1 + … + m_(i−1) + u⌋ times, which is m_i on average and never off by one
   or more. Start and order are keyed by (seed, round, place in canonical order): by content.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._canonical_rows import canonical_rows
from branchline._exact_sum import exact_sum
from branchline._row_keys import scramble
from branchline._validation import TrainingData
from branchline.table import Table

__all__ = ["Floats", "SequenceRows", "draw", "sequence_rows"]

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

# Rows are held out as if in a round of their own, which no fit reaches.
_HELD_OUT = 2**62


@dataclass(frozen=True)
class SequenceRows:
    """Distinct rows in canonical order.

    Parameters
    ----------
    data
        The rows.
    weight
        What each row counts in learning: whole weights as copies, others with a mean of 1.
    held
        What each row counts in validation; None: nothing is held out.
    """

    data: TrainingData
    weight: Floats
    held: Floats | None = None

    @property
    def table(self) -> Table:
        """The inputs."""
        return self.data.table

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return self.data.table.n_rows

    @property
    def total(self) -> float:
        """What all rows count in learning: the number of rows, copies included."""
        return exact_sum(self.weight)

    @property
    def is_whole(self) -> bool:
        """Whether weights are copies."""
        return self.data.weights.unit == 1.0

    def without(self, fraction: float, seed: int) -> "SequenceRows":
        """Return the rows with about ``fraction`` of their copies held out; all if too few."""
        copies = self.weight if self.is_whole else np.ones(self.n_rows)
        held = np.minimum(draw(copies * fraction, seed, _HELD_OUT), copies)
        if held.sum() in (0, copies.sum()):
            return self
        left = self.weight * (1 - held / copies)
        return SequenceRows(self.data, left, self.weight - left)


def sequence_rows(data: TrainingData, n_threads: int) -> SequenceRows:
    """Return the distinct rows of checked training data in canonical order."""
    rows = canonical_rows(data, merge=True, n_threads=n_threads)
    return SequenceRows(rows, rows.weights.of_rows(rows.table.n_rows))


def draw(mass: Floats, seed: int, task: int) -> Counts:
    """Return how often each row is drawn: by its mass, up or down to a whole number."""
    key = scramble(scramble(np.array([seed], dtype=np.uint64)) ^ np.uint64(task))
    order = np.argsort(scramble(np.arange(len(mass), dtype=np.uint64) ^ key), kind="stable")
    start = float(scramble(key)[0] >> np.uint64(11)) / 2.0**53
    ends = np.floor(np.cumsum(mass[order]) + start)
    counts = np.zeros(len(mass), dtype=np.int64)
    counts[order] = np.diff(ends, prepend=0.0)
    return counts
