"""The rows of a linear tree: codes to split by, terms to add up, the target.

1. Rows are canonical (``_canonical_rows``): equal ones merged, in an order of their own, so that
   sums of floats depend on nothing but their content.
2. Columns are coded in up to ``max_bins`` bins of about equal weight; categories as they are.
3. The linear models use the encoded table (``_encoding``). Of more than ``max_terms`` terms those
   are kept whose correlation with the target is largest.
4. The target is divided by a power of two, so that no square overflows, and its mean is taken off.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline import _core
from branchline._arrays import Floats
from branchline._codes import Codes, fit_codes
from branchline._encoding._encoded import EncodedRows
from branchline._encoding._encoding import Encoding
from branchline._power_of_two import power_of_two_scale
from branchline._validation import TrainingData

__all__ = ["LinearRows", "linear_rows", "take_terms"]

Places = npt.NDArray[np.int32]

# The finder of tests counts codes in 16 bits.
_MOST_CODES = 2**16 - 2


@dataclass(frozen=True)
class LinearRows:
    """Training rows of a linear tree.

    Parameters
    ----------
    data
        The rows in canonical order.
    encoding
        How a table becomes terms.
    places
        The terms of the encoding that models may use.
    terms
        A row for each case, one column for each of them.
    target
        The target divided by 2^exponent, minus ``center``.
    center, exponent
        See ``target``.
    weight
        The weight of each row.
    """

    data: TrainingData
    encoding: Encoding
    places: Places
    terms: Floats
    target: Floats
    center: float
    exponent: int
    weight: Floats

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return len(self.target)

    @cached_property
    def column_of_term(self) -> npt.NDArray[np.intp]:
        """The column of the table that each kept term comes from."""
        return self.encoding.column_of_term(self.data.table.schema)[self.places]

    def coded(self, max_bins: int, n_threads: int) -> tuple[Codes, npt.NDArray[np.uint16]]:
        """Return the codes of the table, and the same as one array, a row for each column."""
        table = self.data.table
        units = self.data.weights.units
        codes = fit_codes(table, units=units, max_bins=max_bins, n_threads=n_threads)
        packed = np.zeros((table.n_columns, table.n_rows), dtype=np.uint16)
        for place, column in enumerate(codes.columns):
            packed[place] = np.where(column > _MOST_CODES, 0, column)
        return codes, packed

    def table(self, codes: Codes, packed: npt.NDArray[np.uint16]) -> _core.LinearTable:
        """Return what the native finder of tests takes."""
        own = np.full(len(codes.columns), -1, dtype=np.int32)
        for term in range(len(self.places) - 1, -1, -1):  # the first term of a column is its number
            column = int(self.column_of_term[term])
            if not codes.is_category[column]:
                own[column] = term
        return _core.LinearTable(
            np.ravel(packed),
            np.minimum(codes.n_codes, _MOST_CODES).astype(np.uint32),
            codes.is_category.astype(np.uint8),
            own,
            np.ravel(self.terms),
            self.target,
            self.weight,
        )


def linear_rows(rows: EncodedRows, max_terms: int) -> LinearRows:
    """Return encoded training rows as a linear tree takes them."""
    target = rows.data.number_target.matrix[:, 0]
    exponent = int(power_of_two_scale(target))
    scaled = np.ldexp(target, -exponent)
    weight = np.ones(len(target)) if rows.weights is None else np.asarray(rows.weights)
    center = float(weight @ scaled / weight.sum())
    places = _strongest(rows.matrix, scaled - center, weight, max_terms)
    terms = take_terms(rows.matrix, places)
    return LinearRows(
        rows.data, rows.encoding, places, terms, scaled - center, center, exponent, weight
    )


def take_terms(matrix: Any, places: Places) -> Floats:
    """Return some columns of an encoded table as an array."""
    taken = matrix[:, places]
    dense = taken.toarray() if sparse.issparse(taken) else taken
    return np.ascontiguousarray(dense, dtype=np.float64)


def _strongest(matrix: Any, target: Floats, weight: Floats, max_terms: int) -> Places:
    """Return the places of the terms whose correlation with the target is largest, in order."""
    n_terms = matrix.shape[1]
    if n_terms <= max_terms:
        return np.arange(n_terms, dtype=np.int32)
    total = weight.sum()
    squares = matrix.multiply(matrix) if sparse.issparse(matrix) else matrix**2
    mean = np.asarray(weight @ matrix) / total
    variance = np.maximum(np.asarray(weight @ squares) / total - mean**2, 0.0)
    together = np.abs(np.asarray((weight * target) @ matrix))
    strength = np.divide(together, np.sqrt(variance), out=np.zeros(n_terms), where=variance > 1e-12)
    chosen = np.argsort(-strength, kind="stable")[:max_terms]
    return np.sort(chosen).astype(np.int32)
