"""Columns and values become places in a long vector by hashing their names.

1. A category is hashed as "column=value", a missing value as "column missing"; the place gets ±1,
   the sign by the hash too, so that values that share a place do not add up on average.
2. A number is hashed as "column" with its scaled value, cut at 8 standard deviations; or, in bins
   of about equal weight, as "column in bin b". Scales and bins are learned from the first rows in
   which the column varies, and then stay.
3. A large sparse table is taken as it is: each column's name is hashed, values are not scaled.
Nothing else is kept, so new categories need no room.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction import FeatureHasher

from branchline._arrays import Floats
from branchline._encoding._block import LARGEST, Options
from branchline._encoding._encoded_blocks import is_large
from branchline._encoding._large_scales import fit_large_number
from branchline._encoding._number_block import NumberBlock, fit_number, is_scale
from branchline._encoding._number_blocks import NumberBlocks
from branchline._encoding._number_matrix import encode_matrix
from branchline._encoding._number_scales import Scales, has_missing
from branchline._state import array_from_state, malformed
from branchline.linear._hashed_numbers import N_BINS, constant_columns, edges_of, learn_scales
from branchline.table import Column, Schema, Table

__all__ = ["Hashing", "first_hashing", "hash_names", "text_of"]

Places = npt.NDArray[np.intp]

_FURTHEST = 8.0
_DENSE_CELLS = 2**22
_WHOLE = np.dtype(np.int64)
_NUMBER = np.dtype(np.float64)
_EXPONENTS = 1100
_OF_BOOLEAN = {"0": "False", "1": "True", "false": "False", "true": "True"}


def hash_names(names: Sequence[str], n_features: int) -> tuple[Places, Floats]:
    """Return the place and the sign of each name."""
    if not names:
        return np.zeros(0, dtype=np.intp), np.zeros(0)
    hasher = FeatureHasher(n_features, input_type="string")
    hashed = sparse.csr_array(hasher.transform([[name] for name in names]))
    return hashed.indices.astype(np.intp), hashed.data.astype(np.float64)


def text_of(name: Any, *, is_boolean: bool = False) -> str:
    """Return the text by which a category is hashed: 1, 1.0 and "1" are the same."""
    text = str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)
    return _OF_BOOLEAN.get(text, text) if is_boolean else text


@dataclass(frozen=True, eq=False)
class Hashing:
    """How rows become places and values.

    Parameters
    ----------
    n_features
        The number of places.
    is_sparse
        Whether rows come as a large sparse table, whose columns have no scales.
    bins
        Whether numbers are put in bins.
    used
        Whether each column takes part: one that did not vary in ``fit`` says nothing.
    exponent, scale
        Of each number: z = (x / 2^exponent − center) / spread, and the median; spread 0 while it
        has not varied. Categories have none.
    edges
        The upper ends of each number's bins; infinite beyond the last.
    """

    n_features: int
    is_sparse: bool
    bins: bool
    used: npt.NDArray[np.int64]
    exponent: npt.NDArray[np.int64]
    scale: Floats
    edges: Floats

    def learn(self, table: Table, *, skip_constant: bool) -> "Hashing":
        """Return the hashing with the scales of numbers that vary for the first time."""
        if self.is_sparse:
            return self
        used, exponent = self.used.copy(), self.exponent.copy()
        scale, edges = self.scale.copy(), self.edges.copy()
        is_long = is_large(table)
        if table.matrix is not None and not is_long:
            learn_scales(table, exponent, scale, edges)
            used |= ~constant_columns(table.matrix) if skip_constant else True
            return replace(self, used=used, exponent=exponent, scale=scale, edges=edges)
        for place, name in enumerate(table.names):
            column = table.column(name).renamed(name)  # it is not to remember missing cells
            used[place] = used[place] or not (skip_constant and _is_constant(column))
            if column.kind == "category" or scale[place, 1] > 0:
                continue
            block = _scale(place, column, is_long=is_long)
            if block is not None and block.spread > 0:
                exponent[place] = block.exponent
                scale[place] = block.center, block.spread, block.fill
                edges[place] = edges_of(column.numbers())
        return replace(self, used=used, exponent=exponent, scale=scale, edges=edges)

    def encode(self, table: Table) -> sparse.csr_array:
        """Return the rows as a sparse matrix of places."""
        if table.matrix is not None and not self.bins and not has_missing(table.matrix):
            return self._encode_numbers(table)
        parts = list(self.parts(table))
        if not parts:
            return sparse.csr_array((table.n_rows, self.n_features))
        rows, _, places, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        # scikit-learn's descent wants indices of 32 bits.
        where = rows.astype(np.int32), places.astype(np.int32)
        return sparse.coo_array((values, where), (table.n_rows, self.n_features)).tocsr()

    def _encode_numbers(self, table: Table) -> sparse.csr_array:
        """Return rows without a missing value, whose columns are all numbers."""
        varying = np.flatnonzero((self.used == 1) & (self.scale[:, 1] > 0))
        names = [table.names[place] for place in varying.tolist()]
        places, signs = hash_names(names, self.n_features)
        scales = Scales(self.exponent[varying], *np.ascontiguousarray(self.scale[varying].T))
        values = encode_matrix(NumberBlocks(varying, tuple(names), scales), table)
        np.clip(values, -_FURTHEST, _FURTHEST, out=values)
        values *= signs
        # scikit-learn's descent wants indices of 32 bits.
        narrow = np.int32 if values.size < 2**31 else np.int64
        starts = (np.arange(table.n_rows + 1) * len(varying)).astype(narrow)
        where = np.tile(places.astype(narrow), table.n_rows)
        rows = sparse.csr_array(
            (values.reshape(-1), where, starts), (table.n_rows, self.n_features)
        )
        rows.sum_duplicates()
        return rows

    def parts(self, table: Table) -> Iterator[tuple[Places, Places, Places, Floats]]:
        """Yield for each column its cells that count: rows, columns, places, values."""
        if self.is_sparse:
            yield self._sparse_cells(table)
            return
        for column_place in np.flatnonzero(self.used):
            column = table.column(table.names[column_place])
            is_category = column.kind == "category"
            cells = self._names(column) if is_category else self._numbers(int(column_place), column)
            for rows, places, values in cells:
                yield rows, np.full(len(rows), column_place), places, values

    def _names(self, column: Column) -> Iterable[tuple[Places, Places, Floats]]:
        is_boolean = column.type.source == "boolean"
        codes, used = column.values, np.unique(column.values[column.values >= 0])
        texts = [text_of(column.categories[code], is_boolean=is_boolean) for code in used]
        places, signs = hash_names([f"{column.name}={text}" for text in texts], self.n_features)
        rows = np.flatnonzero(codes >= 0)
        at = np.searchsorted(used, codes[rows])
        return [(rows, places[at], signs[at]), self._holes(column)]

    def _numbers(self, place: int, column: Column) -> Iterable[tuple[Places, Places, Floats]]:
        center, spread, fill = self.scale[place].tolist()
        if spread == 0:
            return [self._holes(column)]
        rows = np.flatnonzero(~column.is_missing)
        if self.bins:
            found = np.searchsorted(self.edges[place], column.numbers()[rows].astype(np.float64))
            names = [f"{column.name} in bin {number}" for number in range(N_BINS)]
            places, signs = hash_names(names, self.n_features)
            return [(rows, places[found], signs[found]), self._holes(column)]
        exponent = int(self.exponent[place])
        block = NumberBlock(place, column.name, exponent, center, spread, fill, has_indicator=False)
        values = np.clip(block.encode(column)[rows, 0], -_FURTHEST, _FURTHEST)
        places, signs = hash_names([column.name], self.n_features)
        return [(rows, np.full(len(rows), places[0]), signs[0] * values), self._holes(column)]

    def _holes(self, column: Column) -> tuple[Places, Places, Floats]:
        rows = np.flatnonzero(column.is_missing)
        places, signs = hash_names([f"{column.name} missing"], self.n_features)
        return rows, np.full(len(rows), places[0]), np.full(len(rows), signs[0])

    def _sparse_cells(self, table: Table) -> tuple[Places, Places, Places, Floats]:
        stored = table.sparse if table.sparse is not None else table.to_numpy()
        cells = sparse.coo_array(stored)
        columns = cells.coords[1].astype(np.intp)
        used, at = np.unique(columns, return_inverse=True)
        places, signs = hash_names([table.names[place] for place in used], self.n_features)
        values = np.clip(np.nan_to_num(cells.data.astype(np.float64), nan=0.0), -LARGEST, LARGEST)
        return cells.coords[0].astype(np.intp), columns, places[at], signs[at] * values

    # -- saving ---------------------------------------------------------------------------------

    def pack(self) -> Mapping[str, Any]:
        """Return the hashing as plain values."""
        return {
            "n_features": self.n_features,
            "is_sparse": self.is_sparse,
            "bins": self.bins,
            "used": self.used,
            "exponent": self.exponent,
            "scale": self.scale,
            "edges": self.edges,
        }

    @staticmethod
    def unpack(state: Any, schema: Schema, n_features: int, *, bins: bool) -> "Hashing":
        """Check packed values and return the hashing."""
        if not isinstance(state, dict) or set(state) != set(Hashing.__dataclass_fields__):
            raise malformed("a hashing lacks a part, or has one too many")
        is_sparse = state["is_sparse"]
        if type(is_sparse) is not bool or (is_sparse and any(f.type.categories for f in schema)):
            raise malformed("a hashing does not say whether its table is sparse")
        n_places = state["n_features"]
        if type(n_places) is not int or n_places != n_features or state["bins"] is not bins:
            raise malformed("a hashing is not of its model's parameters")
        n_columns = 0 if is_sparse else len(schema)
        used = array_from_state(state, "used", _WHOLE, length=n_columns)
        exponent = array_from_state(state, "exponent", _WHOLE, length=n_columns)
        is_far = (exponent < -_EXPONENTS) | (exponent > _EXPONENTS)
        if not np.isin(used, (0, 1)).all() or is_far.any():
            raise malformed("the columns of a hashing are out of range")
        scale, edges = (
            _table(state, "scale", n_columns, 3),
            _table(state, "edges", n_columns, N_BINS),
        )
        if not all(is_scale(row) for row in scale):
            raise malformed("a scale of a hashing is not positive and finite")
        is_open = len(edges) == 0 or bool((edges[:, -1] == np.inf).all())
        if np.isnan(edges).any() or (edges[:, 1:] < edges[:, :-1]).any() or not is_open:
            raise malformed("the bins of a hashing are not in order")
        return Hashing(n_features, is_sparse, bins, used, exponent, scale, edges)


def first_hashing(table: Table, n_features: int, *, bins: bool) -> Hashing:
    """Return a hashing that has learned nothing yet."""
    is_sparse = table.sparse is not None and table.n_rows * table.n_columns > _DENSE_CELLS
    n_columns = 0 if is_sparse else table.n_columns
    nothing = np.zeros(n_columns, dtype=_WHOLE)
    edges = np.full((n_columns, N_BINS), np.inf)
    scale = np.zeros((n_columns, 3))
    return Hashing(n_features, is_sparse, bins, nothing, nothing.copy(), scale, edges)


def _scale(place: int, column: Column, *, is_long: bool) -> NumberBlock | None:
    if is_long:
        return fit_large_number(place, column, None, Options())
    return fit_number(place, column, np.ones(len(column)), Options())


def _is_constant(column: Column) -> bool:
    """Whether all cells are the same, or all are missing."""
    missing = column.is_missing
    if missing.any():
        return bool(missing.all())
    values = column.values if column.kind == "category" else column.numbers()
    return bool((values == values[0]).all())


def _table(state: Mapping[str, Any], name: str, n_rows: int, n_columns: int) -> Floats:
    found = state[name]
    is_table = isinstance(found, np.ndarray) and found.dtype == _NUMBER
    if not is_table or found.shape != (n_rows, n_columns):
        raise malformed(f"the {name!r} of a hashing is not a table of numbers")
    return np.ascontiguousarray(found)
