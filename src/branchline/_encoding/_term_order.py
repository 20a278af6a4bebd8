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

from branchline import _core
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
    cells = _StoredCells(matrix) if sparse.issparse(matrix) else _Cells(matrix)
    classes = np.zeros(matrix.shape[0]) if class_of_row is None else class_of_row
    rows = scramble(classes.astype(np.uint64))
    sums = cells.bit_sums(rows)
    order = np.argsort(sums, kind="stable")
    if (np.diff(sums[order]) == 0).any():
        rows = scramble(rows ^ cells.row_sums(sums))
        with np.errstate(over="ignore"):
            sums = scramble(sums) + cells.word_sums(rows)
        order = np.argsort(sums, kind="stable")
    return order


class _Cells:
    """The numbers of a dense matrix, summed in the core."""

    def __init__(self, matrix: Any) -> None:
        self._numbers = np.ascontiguousarray(matrix, dtype=np.float64)

    def bit_sums(self, rows: Words) -> Words:
        """Return Σ_r rows_r x_rc for each term."""
        return _core.term_bit_sums(self._numbers, rows)

    def word_sums(self, rows: Words) -> Words:
        """Return Σ_r rows_r scramble(x_rc) for each term."""
        return _core.term_word_sums(self._numbers, rows)

    def row_sums(self, terms: Words) -> Words:
        """Return Σ_c scramble(x_rc ^ terms_c) for each row."""
        return _core.term_row_sums(self._numbers, terms)


class _StoredCells:
    """The stored cells of a sparse matrix."""

    def __init__(self, matrix: Any) -> None:
        self._shape, self._places = matrix.shape, (matrix.indices, matrix.indptr)
        self._bits = _bits(matrix.data).astype(np.uint64)

    def bit_sums(self, rows: Words) -> Words:
        """Return Σ_r rows_r x_rc for each term."""
        return np.asarray(self._matrix(self._bits).T @ rows)

    def word_sums(self, rows: Words) -> Words:
        """Return Σ_r rows_r scramble(x_rc) for each term."""
        return np.asarray(self._matrix(scramble(self._bits)).T @ rows)

    def row_sums(self, terms: Words) -> Words:
        """Return Σ_c scramble(x_rc ^ terms_c) for each row."""
        words = scramble(self._bits ^ terms[self._places[0]])
        return np.asarray(self._matrix(words) @ np.ones(self._shape[1], dtype=np.uint64))

    def _matrix(self, words: Words) -> Any:
        stored = np.where(self._bits == 0, 0, words)
        return sparse.csr_array((stored, *self._places), self._shape)


def _bits(values: Any) -> npt.NDArray[np.uint32]:
    """Return numbers as the bits of 32-bit floats."""
    with np.errstate(over="ignore", under="ignore"):
        numbers = np.array(values, dtype=np.float32, order="C")
    numbers += np.float32(0)  # no −0.0
    return numbers.view(np.uint32)
