"""Yes-no answers of rows, collected as bits: 64 answers to a word of each row, repeats left out."""

import hashlib

import numpy as np
import numpy.typing as npt

from branchline._memory import refuse_over_budget

__all__ = ["BitWriter"]

Bools = npt.NDArray[np.bool_]

_BITS = 64  # of a word


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
        self._words: list[npt.NDArray[np.uint64]] = []
        self._waiting: list[Bools] = []
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
        if not self._waiting:
            refuse_over_budget(8 * self._n_rows * (len(self._words) + 1), "the tests of the rows")
        self._waiting.append(passed)
        if len(self._waiting) == _BITS:
            self._words.append(self._packed())
            self._waiting.clear()

    def _packed(self) -> npt.NDArray[np.uint64]:
        """Return one word of each row: the answers that wait, the first in the lowest bit."""
        octets = np.zeros((self._n_rows, _BITS // 8), dtype=np.uint8)
        packed = np.packbits(np.array(self._waiting), axis=0, bitorder="little")
        octets[:, : len(packed)] = packed.T
        return octets.view("<u8")[:, 0].astype(np.uint64)

    def bits(self) -> npt.NDArray[np.uint64]:
        """Return the words of each row."""
        words = [*self._words, self._packed()] if self._waiting else self._words
        if not words:
            return np.empty((self._n_rows, 0), dtype=np.uint64)
        return np.ascontiguousarray(np.stack(words, axis=1))
