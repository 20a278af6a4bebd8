"""A large sparse table stays sparse: each column is divided by its spread, zeros stay zeros.

The spread is the weighted standard deviation; columns that do not vary are left out. A stored cell
that is missing counts as zero, which is what a cell that is not stored is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from branchline._arrays import Floats
from branchline._encoding._block import LARGEST, Options, Term
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline.table import Schema, Table

__all__ = ["SparseColumns", "fit_sparse_columns"]

_PLACE = np.dtype(np.int64)


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """The columns of a sparse table that vary, and what each is divided by."""

    places: npt.NDArray[np.int64]
    names: tuple[str, ...]
    spread: Floats

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """One number per column."""
        pairs = zip(self.names, self.spread.tolist(), strict=True)
        return tuple(Term(name, name, None, unit) for name, unit in pairs)

    def encode(self, table: Table) -> Any:
        """Return the scaled columns as a sparse matrix."""
        cells = table.sparse if table.sparse is not None else sparse.csc_array(table.to_numpy())
        kept = sparse.csc_array(cells)[:, self.places].astype(np.float64)
        of_cell = np.repeat(self.spread, np.diff(kept.indptr))
        with np.errstate(over="ignore"):
            scaled = np.nan_to_num(kept.data, nan=0.0) / of_cell
        kept.data = np.clip(scaled, -LARGEST, LARGEST)
        return kept.tocsr()

    def pack(self) -> Mapping[str, Any]:
        """Return the columns as plain values."""
        return {"places": self.places, "spread": self.spread}

    @staticmethod
    def unpack(state: Any, schema: Schema) -> "SparseColumns":
        """Check packed values and return the columns."""
        if not isinstance(state, dict) or set(state) != {"places", "spread"}:
            raise malformed("the columns of a sparse table are not places and spreads")
        places = array_from_state(state, "places", _PLACE)
        if len(places) and (places[0] < 0 or places[-1] >= len(schema)):
            raise malformed("a column of a sparse table is not there")
        if (np.diff(places) <= 0).any() or any(f.type.kind != "numeric" for f in schema):
            raise malformed("the columns of a sparse table are not in order, or no numbers")
        least = np.nextafter(0.0, 1.0)
        spread = numbers_from_state(state, "spread", length=len(places), low=least)
        names = tuple(schema.names[place] for place in places)
        return SparseColumns(places, names, spread)


def fit_sparse_columns(table: Table, weights: Floats, options: Options) -> SparseColumns:
    """Learn the spread of each column that varies."""
    occupied, cells = _occupied_columns(table)
    total = weights.sum()
    mean = weights @ cells / total
    largest = np.maximum.reduceat(np.abs(cells.data), cells.indptr[:-1]) if cells.nnz else mean
    unit = np.where(largest > 0, largest, 1.0)  # squares of large numbers would overflow
    scaled = cells.data * np.repeat(1.0 / unit, np.diff(cells.indptr))
    squares = sparse.csc_array((scaled**2, cells.indices, cells.indptr), shape=cells.shape)
    square = weights @ squares / total - (mean / unit) ** 2
    varies = square > 1e-12
    places = occupied[varies].astype(_PLACE)
    spread = unit[varies] * np.sqrt(square[varies])
    if options.scale == "none":
        spread = np.ones(len(places))
    elif options.scale == "range":
        spread = unit[varies]
    names = table.names
    return SparseColumns(places, tuple(names[place] for place in places.tolist()), spread)


def _occupied_columns(table: Table) -> tuple[npt.NDArray[np.intp], Any]:
    """Return the columns that have stored cells, and those cells: hashed texts leave most empty."""
    cells = sparse.csc_array(table.sparse).astype(np.float64)
    cells.sum_duplicates()
    cells.data = np.nan_to_num(cells.data, nan=0.0)
    occupied = np.flatnonzero(np.diff(cells.indptr))
    starts = np.append(cells.indptr[occupied], cells.indptr[-1])
    shape = (cells.shape[0], len(occupied))
    return occupied, sparse.csc_array((cells.data, cells.indices, starts), shape=shape)
