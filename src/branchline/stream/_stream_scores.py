"""Predictions of a stream counted in bounded memory: a curve, fading shares, an interval.

1. Rows are counted in blocks; when there are more than ``_MOST_BLOCKS``, pairs become one.
2. The fading share of hits counts a row less the more rows came after it: by f to the power of
   their number.
3. Two simple rules stand beside the model: the most frequent class so far, and the class of the
   row before. A model that is no better than them has learned nothing of use.
4. The interval allows for errors that are alike in time (``_row_scores``).
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

from branchline._arrays import Floats, Ints
from branchline._intervals import Interval
from branchline._row_scores import Origin, interval_of_rows, ratio_of_rows

__all__ = ["StreamScores"]

_MOST_BLOCKS = 2048


@dataclass(eq=False)
class StreamScores:
    """Hits of a model and of two simple rules, counted in blocks of rows.

    Parameters
    ----------
    n_classes
        The number of classes.
    fading
        What a row counts when one more came after it.
    """

    n_classes: int
    fading: float
    n_rows: int = 0
    block: int = 16
    counted: list[Ints] = field(default_factory=list)  # rows, hits, of majority, of the last class
    faded: list[float] = field(default_factory=list)  # at the end of each block

    def __post_init__(self) -> None:
        self._of_class = np.zeros(self.n_classes, dtype=np.int64)
        self._last = -1
        self._filter = np.zeros(2)
        self._rest = np.zeros((4, 0), dtype=np.int64)
        self._rest_faded: Floats = np.zeros(0)

    def add(self, truth: npt.NDArray[np.intp], predicted: npt.NDArray[np.intp]) -> None:
        """Count rows, in their order."""
        if not len(truth):
            return
        hits = truth == predicted
        rows = np.vstack(
            [np.ones(len(truth)), hits, self._majority(truth), self._persistence(truth)]
        )
        self._rest = np.hstack([self._rest, rows.astype(np.int64)])
        self._rest_faded = np.append(self._rest_faded, self._fade(hits))
        self.n_rows += len(truth)
        self._fill_blocks()

    def _majority(self, truth: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return where the most frequent class of all rows before is right; the first on ties."""
        known = np.zeros((len(truth) + 1, self.n_classes), dtype=np.int64)
        known[0] = self._of_class
        np.add.at(known[1:], (np.arange(len(truth)), truth), 1)
        known = np.cumsum(known, axis=0)
        self._of_class = known[-1]
        right: npt.NDArray[np.bool_] = known[:-1].argmax(axis=1) == truth
        return right

    def _persistence(self, truth: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        before = np.append(self._last, truth[:-1])
        self._last = int(truth[-1])
        right: npt.NDArray[np.bool_] = before == truth
        return right

    def _fade(self, hits: npt.NDArray[np.bool_]) -> Floats:
        parts = [hits.astype(float), np.ones(len(hits))]
        sums = []
        for place, part in enumerate(parts):
            found, end = lfilter([1.0], [1.0, -self.fading], part, zi=[self._filter[place]])
            self._filter[place] = end[0]
            sums.append(found)
        faded: Floats = sums[0] / sums[1]
        return faded

    def _fill_blocks(self) -> None:
        while self._rest.shape[1] >= self.block:
            n_blocks = self._rest.shape[1] // self.block
            end = n_blocks * self.block
            whole = self._rest[:, :end].reshape(4, n_blocks, self.block).sum(axis=2)
            self.counted += list(whole.T)
            self.faded += self._rest_faded[self.block - 1 : end : self.block].tolist()
            self._rest, self._rest_faded = self._rest[:, end:], self._rest_faded[end:]
            while len(self.counted) >= _MOST_BLOCKS:
                self._join_pairs()

    def _join_pairs(self) -> None:
        n_pairs = len(self.counted) // 2
        left = self.counted[2 * n_pairs :], self.faded[2 * n_pairs :]
        self.counted = [
            self.counted[2 * at] + self.counted[2 * at + 1] for at in range(n_pairs)
        ] + left[0]
        self.faded = self.faded[1 : 2 * n_pairs : 2] + left[1]
        self.block *= 2

    # -- reading ------------------------------------------------------------------------------

    def table(self) -> Ints:
        """Return rows, hits, hits of the majority and of the last class, for each block."""
        rows = [*self.counted]
        if self._rest.shape[1]:
            rows.append(self._rest.sum(axis=1))
        return np.array(rows, dtype=np.int64).reshape(-1, 4)

    def faded_at(self) -> Floats:
        """Return the fading share of hits at the end of each block."""
        last = self._rest_faded[-1:].tolist()
        return np.array([*self.faded, *last])

    def shares(self) -> tuple[Interval, float, float]:
        """Return the share of hits with its interval, and those of the two simple rules."""
        blocks = self.table()
        return self._interval(blocks), *(blocks[:, 2:].sum(axis=0) / self.n_rows).tolist()

    def _interval(self, blocks: Ints) -> Interval:
        found = ratio_of_rows(blocks[:, 1].astype(float), blocks[:, 0].astype(float))
        assert found is not None
        found = type(found)(found.score, found.deviations, self.n_rows)
        n = len(blocks)
        origin = Origin(np.arange(n), np.inf, times=np.arange(n))
        return interval_of_rows(found, origin)
