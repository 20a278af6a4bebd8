"""Yes-no answers of rows, collected as bits: 64 answers to a word of each row, repeats left out."""

import hashlib

import numpy as np
import numpy.typing as npt

from branchline._memory import refuse_over_budget

__all__ = ["BitWriter"]

Bools = npt.NDArray[np.bool_]


class BitWriter:
    """Collects answers that differ.

    Parameters
    ----------
    n_rows
        The number of rows.
    joins_opposites
        Whether an answer and its opposite count as one.
    """

    def __init__(self, n_rows: int, *, joins_opposites: bool) -> None:
        self._n_rows, self._joins_opposites = n_rows, joins_opposites
        self._n_written = 0
        self._words: list[npt.NDArray[np.uint64]] = []
        self._seen: set[bytes] = set()

    def add(self, passed: Bools) -> bool:
        """Write an answer of all rows, unless it is constant or known; return whether it is new."""
        if int(np.count_nonzero(passed)) in (0, len(passed)):
            return False
        known = passed ^ passed[0] if self._joins_opposites else passed
        digest = hashlib.blake2b(np.packbits(known).tobytes(), digest_size=16).digest()
        if digest in self._seen:
            return False
        self._seen.add(digest)
        self._write(passed)
        return True

    def _write(self, passed: Bools) -> None:
        place = self._n_written % 64
        if place == 0:
            refuse_over_budget(8 * self._n_rows * (len(self._words) + 1), "the tests of the rows")
            self._words.append(np.zeros(self._n_rows, dtype=np.uint64))
        self._words[-1] |= passed.astype(np.uint64) << np.uint64(place)
        self._n_written += 1

    def bits(self) -> npt.NDArray[np.uint64]:
        """Return the words of each row."""
        if not self._words:
            return np.empty((self._n_rows, 0), dtype=np.uint64)
        return np.ascontiguousarray(np.stack(self._words, axis=1))
