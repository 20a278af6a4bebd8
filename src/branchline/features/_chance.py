"""Mutual information that a column has by chance: its mean when the classes are shuffled.

With N rows, n_c of class c, a value of n rows shares k of them with class c, where k is
hypergeometric. Its mean part of the information is

    e(n) = Σ_c Σ_k P(k) · k/N · ln(k N / (n n_c)),

and a column has Σ e(n_v) by chance (Vinh, Epps and Bailey 2010). For values of many rows, e(n) is
(1 − n/N) (classes − 1) / 2N, which is Miller's correction.
"""

import numpy as np
from scipy import stats

from branchline._arrays import Floats

__all__ = ["ChanceInformation"]

_MOST_EXACT = 200


class ChanceInformation:
    """Mean information of shuffled classes; each size of a value is worked out once.

    Parameters
    ----------
    of_class
        The number of rows of each class.
    """

    def __init__(self, of_class: Floats) -> None:
        whole = np.rint(of_class).astype(np.int64)
        self._of_class = whole[whole > 0]
        self._n_rows = int(self._of_class.sum())
        self._known: dict[int, float] = {}

    def of(self, sizes: Floats) -> Floats:
        """Return the mean information of columns; a row of ``sizes`` for each, 0 for no value."""
        whole, place = np.unique(np.rint(sizes).astype(np.int64), return_inverse=True)
        parts = np.array([self._part(int(size)) for size in whole])
        return np.asarray(parts[place].reshape(sizes.shape).sum(axis=1))

    def _part(self, size: int) -> float:
        if size not in self._known:
            is_few = size <= _MOST_EXACT
            self._known[size] = self._exact(size) if is_few else self._limit(size)
        return self._known[size]

    def _exact(self, size: int) -> float:
        if size == 0:
            return 0.0
        n_rows, total = self._n_rows, 0.0
        for of_class in self._of_class.tolist():
            shared = np.arange(max(1, size + of_class - n_rows), min(size, of_class) + 1)
            share = stats.hypergeom.pmf(shared, n_rows, of_class, min(size, n_rows))
            logs = np.log(shared * n_rows / (size * of_class))
            total += float((share * shared / n_rows * logs).sum())
        return total

    def _limit(self, size: int) -> float:
        return (1 - size / self._n_rows) * (len(self._of_class) - 1) / (2 * self._n_rows)
