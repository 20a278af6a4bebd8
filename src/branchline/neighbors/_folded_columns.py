"""What numeric columns explain and how they spread, for all rows but each fold, in one native pass.

The formulas are those of ``_column_weights`` and ``_number_points``; a column is sorted once for
all folds (``native/include/branchline/fold_columns.hpp``). It is for few rows and many columns.
"""

from dataclasses import dataclass

import numpy as np

from branchline import _core
from branchline.neighbors._number_points import FARTHEST
from branchline.neighbors._responses import Mask, Numbers, Outcomes, Whole
from branchline.table import Table

__all__ = ["FoldedColumns", "can_fold", "folded_columns"]

# Numbers for each row and output are looked at for each fold: beyond, counting by NumPy is faster.
_MOST_OUTPUTS = 64
_FEWEST_COLUMNS = 64


@dataclass(frozen=True)
class FoldedColumns:
    """Numeric columns; arrays have a row for each fold that is left out, and one for all rows.

    Parameters
    ----------
    n_columns
        The number of columns of the table.
    places
        Where the numeric columns stand in it.
    shares
        What each column explains by itself.
    spreads, ranges
        Standard deviation and range in units of 2^exponent; 0 where a column does not vary.
    moved
        A row for each row of the table: values less the mean of the column, in the same units.
    is_complete
        Whether the three before are there: no value is missing or very far from all others.
    """

    n_columns: int
    places: Whole
    shares: Numbers
    spreads: Numbers
    ranges: Numbers
    moved: Numbers
    exponents: Whole
    is_complete: Mask

    @property
    def others(self) -> Whole:
        """The places of columns that are not complete, or not numeric."""
        is_other = np.ones(self.n_columns, dtype=bool)
        is_other[self.places[self.is_complete]] = False
        return np.flatnonzero(is_other).astype(np.int64)

    def shares_of_all(self, fold: int) -> Numbers:
        """Return the share of each column of the table, 0 where it is not numeric."""
        shares = np.zeros(self.n_columns)
        shares[self.places] = self.shares[fold]
        return shares

    def sizes(self, weights: Numbers, scale: str) -> Numbers:
        """Return what moved values are multiplied with in each fold; 0 for other columns."""
        n_folds = len(weights)
        varies = (self.ranges[:n_folds] > 0) & self.is_complete
        if scale == "none":
            largest = self.exponents.max(initial=0, where=self.is_complete)
            unit = np.broadcast_to(np.ldexp(1.0, self.exponents - largest), varies.shape)
        else:
            widths = self.spreads if scale == "sd" else self.ranges
            unit = 1.0 / np.where(varies, widths[:n_folds], 1.0)
        return np.asarray(np.where(varies, weights * unit, 0.0))


def can_fold(table: Table, responses: Outcomes) -> bool:
    """Whether a table has the shape that the native pass is for."""
    if not isinstance(responses, np.ndarray) or table.sparse is not None:
        return False
    is_small = table.n_rows <= _core.MOST_FOLDED_ROWS and responses.shape[1] <= _MOST_OUTPUTS
    return is_small and len(_numeric(table)) >= _FEWEST_COLUMNS


def folded_columns(
    table: Table, responses: Numbers, fold_of_row: Whole, n_folds: int, n_threads: int
) -> FoldedColumns:
    """Return what the numeric columns tell, for all rows but each fold, and for all rows."""
    places = _numeric(table)
    matrix = table.matrix
    if matrix is None:
        columns = table.columns
        matrix = np.column_stack([columns[at].numbers() for at in places.tolist()])
    usable = matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(np.float64)
    answer = _core.fold_columns(
        usable,
        fold_of_row.astype(np.int32),
        n_folds,
        np.ascontiguousarray(responses),
        FARTHEST,
        n_threads,
    )
    shares, spreads, ranges, moved, exponents, is_complete, has_far = answer
    shape = (n_folds + 1, len(places))
    return FoldedColumns(
        table.n_columns,
        places,
        shares.reshape(shape),
        spreads.reshape(shape),
        ranges.reshape(shape),
        moved.reshape(table.n_rows, len(places)),
        exponents,
        (is_complete == 1) & (has_far == 0),
    )


def _numeric(table: Table) -> Whole:
    if table.matrix is not None:
        return np.arange(table.n_columns, dtype=np.int64)
    is_number = [field.type.kind != "category" for field in table.schema]
    return np.flatnonzero(is_number).astype(np.int64)
