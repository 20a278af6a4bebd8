"""Randomness that depends on what it is for, not on the order of rows or on threads.

1. A row's key is a hash of its codes and its target (``row_keys``).
2. Rows with equal keys are numbered as copies; a row of weight k stands for k copies.
3. A draw is a function of (seed, task, row key, copy number): Philox 4×64-10, a counter-based
   generator. So a fit does not depend on row order, and weight k equals k copies.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._dtypes import RANDOM_WORD, UNITS

__all__ = ["KeyedRows", "key_rows", "target_bits"]


@dataclass(frozen=True)
class KeyedRows:
    """Rows with their keys and copy numbers, ready for draws."""

    keys: npt.NDArray[np.uint64]
    copies: npt.NDArray[np.int64]
    first_copy: npt.NDArray[np.int64]

    def bootstrap_counts(
        self, seed: int, task: int, *, n_threads: int = 1
    ) -> npt.NDArray[np.uint32]:
        """Return how often a bootstrap sample holds each row: Poisson(1), summed over copies."""
        return _core.bootstrap_counts(
            self.keys, self.copies, self.first_copy, seed, task, n_threads
        )


def key_rows(
    codes: Codes,
    target: npt.NDArray[Any],
    copies: npt.NDArray[np.int64] | None = None,
    *,
    n_threads: int = 1,
) -> KeyedRows:
    """Give each row its key and copy numbers.

    Parameters
    ----------
    codes
        The coded table.
    target
        Class indices or numbers, one a row.
    copies
        Integer weights of at least 1; None counts every row once.
    n_threads
        Threads to use; the result does not depend on it.
    """
    keys = _core.row_keys(list(codes.columns), target_bits(target), n_threads)
    each = np.ones(len(keys), dtype=UNITS) if copies is None else copies
    return KeyedRows(keys, each, _core.first_copies(keys, each))


def target_bits(target: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Return each target as 64 bits; −0.0 and 0.0 are one number."""
    if target.dtype.kind == "f":
        return (target.astype(np.float64) + 0.0).view(RANDOM_WORD)
    return target.astype(np.int64).view(RANDOM_WORD)
