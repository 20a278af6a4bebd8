"""An order of encoded terms that depends on nothing but their content.

Where weights are drawn for terms, or rows sorted by a mixture of them, the order in which a table
lists its columns would change the fit. So terms are taken in the order of a hash. With

    x_rc    the number of row r in term c, as the bits of its 32-bit float: the last digits of an
            encoded number depend on the order in which a mean was summed,
    t_r     a scramble of the class of row r, where there is one,

all sums modulo 2^64, a term is known by s_c = Σ_r t_r x_rc. Where two terms have one sum, as
indicators may, all are known by the rows as well:

    k_r = scramble(t_r ^ Σ_c scramble(x_rc ^ s_c)),    s_c ← scramble(s_c) + Σ_r k_r scramble(x_rc).

Cells of 0 add nothing. Terms that still have one hash are equal, or no row tells them apart: they
are in the order of their names, where these are given.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._row_keys import Words, scramble

__all__ = ["term_order"]

# Up to this many classes, bits are summed class by class.
_FEW_CLASSES = 16
_MOST_ROWS = 2**20
_CELLS_AT_ONCE = 2**14  # stay in the cache


def term_order(
    matrix: Any,
    class_of_row: npt.NDArray[Any] | None = None,
    names: Sequence[str] | None = None,
) -> npt.NDArray[np.intp]:
    """Return the places of terms in canonical order.

    Parameters
    ----------
    matrix
        The encoded rows: an array, or a SciPy CSR matrix.
    class_of_row
        The class of each row; None: classes do not tell terms apart.
    names
        The names of terms, for those that nothing else tells apart.
    """
    cells = _Cells(matrix)
    classes = np.zeros(matrix.shape[0]) if class_of_row is None else class_of_row
    rows = scramble(classes.astype(np.uint64))
    sums = cells.bit_sums(classes, rows)
    order = np.argsort(sums, kind="stable")
    if (np.diff(sums[order]) == 0).any():
        rows = scramble(rows ^ cells.row_sums(scramble(cells.bits ^ cells.of_columns(sums))))
        with np.errstate(over="ignore"):
            sums = scramble(sums) + cells.sums(scramble(cells.bits), rows)
        order = np.argsort(sums, kind="stable")
        if names is not None and (np.diff(sums[order]) == 0).any():
            order = np.lexsort((np.asarray(names, dtype=str), sums))
    return order


class _Cells:
    """The cells that are not 0: of a sparse matrix, those stored."""

    def __init__(self, matrix: Any) -> None:
        self.is_sparse = sparse.issparse(matrix)
        self.shape = matrix.shape
        self._places = (matrix.indices, matrix.indptr) if self.is_sparse else None
        self._values = matrix.data if self.is_sparse else matrix

    @cached_property
    def bits(self) -> Words:
        """The bits of each cell as a word."""
        return _bits(self._values).astype(np.uint64)

    def bit_sums(self, classes: npt.NDArray[Any], rows: Words) -> Words:
        """Return Σ_r rows_r bits_rc for each column, where rows of one class have one word."""
        kinds, kind_of_row = np.unique(classes, return_inverse=True)
        if self.is_sparse or len(kinds) > _FEW_CLASSES or len(rows) > _MOST_ROWS:
            return self.sums(self.bits, rows)
        is_of_kind = kind_of_row == np.arange(len(kinds))[:, None]
        words = rows[is_of_kind.argmax(axis=1)]
        total = np.zeros(self.shape[1], dtype=np.uint64)
        step = max(1, _CELLS_AT_ONCE // max(1, len(rows)))
        for first in range(0, self.shape[1], step):
            some = slice(first, first + step)
            # Sums of so few whole numbers below 2^32 are exact in floats, and so BLAS can add them.
            sums = is_of_kind.astype(np.float64) @ _bits(self._values[:, some]).astype(np.float64)
            total[some] = words @ sums.astype(np.uint64)
        return total

    def of_columns(self, words: Words) -> Words:
        """Return the word of each cell's column."""
        return words[self._places[0]] if self._places is not None else words[None, :]

    def sums(self, words: Words, rows: Words) -> Words:
        """Return Σ_r rows_r words_rc for each column."""
        if self._places is not None:
            return np.asarray(self._matrix(words).T @ rows)
        total: Words = rows @ np.where(self.bits == 0, np.uint64(0), words)
        return total

    def row_sums(self, words: Words) -> Words:
        """Return Σ_c words_rc for each row."""
        if self._places is not None:
            return np.asarray(self._matrix(words) @ np.ones(self.shape[1], dtype=np.uint64))
        total: Words = np.where(self.bits == 0, np.uint64(0), words).sum(axis=1, dtype=np.uint64)
        return total

    def _matrix(self, words: Words) -> Any:
        return sparse.csr_array((np.where(self.bits == 0, 0, words), *self._places), self.shape)  # type: ignore[misc]


def _bits(values: Any) -> npt.NDArray[np.uint32]:
    """Return numbers as the bits of 32-bit floats."""
    with np.errstate(over="ignore", under="ignore"):
        numbers = np.array(values, dtype=np.float32, order="C")
    numbers += np.float32(0)  # no −0.0
    return numbers.view(np.uint32)
