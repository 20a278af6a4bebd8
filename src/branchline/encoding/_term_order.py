"""An order of encoded terms that depends on nothing but their content.

Where weights are drawn for terms, or rows sorted by a mixture of them, the order in which a table
lists its columns would change the fit. So terms are taken in the order of a hash. With

    x_rc    the number of row r in term c, as the bits of its 32-bit float: the last digits of an
            encoded number depend on the order in which a mean was summed,
    t_r     a scramble of the class of row r, where there is one,

all sums modulo 2^64, a term is known by s_c = Σ_r t_r x_rc. Where two terms have one sum, as
indicators may, all are known by the rows as well:

    k_r = scramble(t_r ^ Σ_c scramble(x_rc ^ s_c)),    s_c ← scramble(s_c) + Σ_r k_r scramble(x_rc).

Cells of 0 add nothing. Terms that still have one hash are equal, or no row tells them apart.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._row_keys import Words, scramble

__all__ = ["term_order"]


def term_order(matrix: Any, class_of_row: npt.NDArray[Any] | None = None) -> npt.NDArray[np.intp]:
    """Return the places of terms in canonical order.

    Parameters
    ----------
    matrix
        The encoded rows: an array, or a SciPy CSR matrix.
    class_of_row
        The class of each row; None: classes do not tell terms apart.
    """
    cells = _Cells(matrix)
    classes = np.zeros(matrix.shape[0]) if class_of_row is None else class_of_row
    rows = scramble(classes.astype(np.uint64))
    sums = cells.sums(cells.bits, rows)
    if len(np.unique(sums)) < len(sums):
        rows = scramble(rows ^ cells.row_sums(scramble(cells.bits ^ cells.of_columns(sums))))
        with np.errstate(over="ignore"):
            sums = scramble(sums) + cells.sums(scramble(cells.bits), rows)
    return np.argsort(sums, kind="stable")


class _Cells:
    """The cells that are not 0: of a sparse matrix, those stored."""

    def __init__(self, matrix: Any) -> None:
        self.is_sparse = sparse.issparse(matrix)
        self.shape = matrix.shape
        self._places = (matrix.indices, matrix.indptr) if self.is_sparse else None
        values = matrix.data if self.is_sparse else matrix
        with np.errstate(over="ignore", under="ignore"):
            numbers = np.ascontiguousarray(values, dtype=np.float32) + np.float32(0)  # no −0.0
        self.bits: Words = numbers.view(np.uint32).astype(np.uint64)

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
