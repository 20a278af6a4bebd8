"""A mixed table as levels: categories as they are, numbers in bins with stated cut points.

1. Columns are taken in the order of their names, so that their order in the table does not matter.
2. Categories that few rows have share one level. A missing or unseen category is missing.
3. Numbers (dates are numbers of days) become bins of about equal weight; a cut point stands in the
   middle between the neighboring values. A number with few values has a bin for each.
4. A column with one level left (a constant, an identifier of texts) is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from branchline._arrays import AnyArray, Floats, Ints, Places
from branchline._codes import fit_codes
from branchline._plain_numbers import number
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._validation import RowWeights
from branchline.density._mixed_cells import fit_levels, level_of_row
from branchline.density.network._network import MISSING
from branchline.density.network._search import LevelRows
from branchline.table import Schema, Table

__all__ = ["Bins", "Categories", "NetworkColumns", "fit_columns"]

_LEVELS = np.dtype(np.int32)


@dataclass(frozen=True, eq=False)
class Bins:
    """A column of numbers: cut points, and what the training rows of each bin hold."""

    cuts: Floats
    low: Floats
    high: Floats
    mean: Floats
    is_whole: bool

    def __len__(self) -> int:
        return len(self.low)

    def levels(self, values: Floats) -> AnyArray:
        """Return the bin of each number; a number on a cut point is below it."""
        found = np.searchsorted(self.cuts, values, side="left")
        return np.where(np.isnan(values), MISSING, found).astype(np.uint16)

    def names(self, is_date: bool) -> list[str]:
        """Return what the bins are called."""
        say = _day if is_date else number
        if (self.low == self.high).all():
            return [say(float(value)) for value in self.low]
        if self.is_whole and not is_date:
            return self._whole_names()
        cuts = [say(float(cut)) for cut in self.cuts]
        inner = [f"{low} to {high}" for low, high in pairwise(cuts)]
        return [f"≤ {cuts[0]}", *inner, f"> {cuts[-1]}"]

    def _whole_names(self) -> list[str]:
        """Return the names of bins of whole numbers: the numbers that they hold."""
        low, high = [number(value) for value in self.low], [number(value) for value in self.high]
        inner = [a if a == b else f"{a} to {b}" for a, b in zip(low, high, strict=True)]
        first = high[0] if low[0] == high[0] else f"≤ {high[0]}"
        return [first, *inner[1:-1], f"≥ {low[-1]}"]


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories: the level of each category (−1: none), and its share of the level."""

    level_of_code: Ints
    share_of_code: Floats

    def __len__(self) -> int:
        return int(self.level_of_code.max(initial=-1)) + 1

    def levels(self, codes: AnyArray) -> AnyArray:
        """Return the level of each category."""
        found = level_of_row(codes, self.level_of_code)
        return np.where(found < 0, MISSING, found).astype(np.uint16)

    def names(self, categories: tuple[Any, ...]) -> list[str]:
        """Return what the levels are called; categories that share one are "other"."""
        held: list[list[str]] = [[] for _ in range(len(self))]
        for name, level in zip(categories, self.level_of_code, strict=True):
            if level >= 0:
                held[level].append(str(name))
        names = [each[0] if len(each) == 1 else "" for each in held]
        rest = "other" if "other" not in names else "other (rare)"
        return [name or rest for name in names]


@dataclass(frozen=True, eq=False)
class NetworkColumns:
    """How rows of a table become levels.

    Parameters
    ----------
    places
        The columns of the schema that the network describes, in the order of their names.
    columns
        Bins or categories of each.
    """

    places: Places
    columns: tuple[Bins | Categories, ...]

    @property
    def n_levels(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(len(column) for column in self.columns)

    def levels(self, table: Table) -> AnyArray:
        """Return the level of each cell: a row for each row, a column for each column."""
        found = np.empty((table.n_rows, len(self.columns)), dtype=np.uint16)
        for at, (place, column) in enumerate(zip(self.places, self.columns, strict=True)):
            cells = table.columns[place]
            values = cells.numbers() if isinstance(column, Bins) else cells.values
            found[:, at] = column.levels(np.asarray(values))
        return found

    def rows(self, table: Table, weights: RowWeights) -> LevelRows:
        """Return weighted rows as levels."""
        units = _units(weights, table.n_rows)
        return LevelRows(self.levels(table), self.n_levels, units, float(weights.unit))

    def names(self, schema: Schema) -> list[str]:
        """Return the names of the columns."""
        return [schema.names[place] for place in self.places]

    def level_names(self, schema: Schema) -> list[list[str]]:
        """Return the names of the levels of each column."""
        found = []
        for place, column in zip(self.places, self.columns, strict=True):
            kind = schema.fields[place].type
            if isinstance(column, Bins):
                found.append(column.names(kind.source in ("date", "datetime")))
            else:
                found.append(column.names(kind.categories or ()))
        return found

    def pack(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "places": self.places.astype(np.int32),
            "columns": [_pack_column(column) for column in self.columns],
        }

    @staticmethod
    def unpack(state: Mapping[str, Any], schema: Schema) -> "NetworkColumns":
        """Check packed values and return what they stand for."""
        packed = state.get("columns")
        if not isinstance(packed, list) or not all(isinstance(each, dict) for each in packed):
            raise malformed("the columns of the network are missing")
        places = array_from_state(state, "places", np.dtype(np.int32), length=len(packed))
        is_place = bool(((places >= 0) & (places < len(schema))).all())
        if not is_place or len(np.unique(places)) < len(places):
            raise malformed("the columns of the network are not columns of the table")
        columns = tuple(
            _unpack_column(each, schema, int(place))
            for each, place in zip(packed, places, strict=True)
        )
        return NetworkColumns(places.astype(np.intp), columns)


def fit_columns(table: Table, row_weights: RowWeights, n_bins: int) -> NetworkColumns:
    """Learn how a table becomes levels."""
    units, weights = _units(row_weights, table.n_rows), row_weights.of_rows(table.n_rows)
    order = sorted(range(table.n_columns), key=lambda place: str(table.names[place]))
    found: list[tuple[int, Bins | Categories]] = []
    for place in order:
        column: Bins | Categories | None
        if table.schema.fields[place].type.kind == "numeric":
            column = _fit_bins(table, place, units, weights, n_bins)
        else:
            column = Categories(*fit_levels(table, place, weights))
        if column is not None and len(column) > 1:
            found.append((place, column))
    places = np.array([place for place, _ in found], dtype=np.intp)
    return NetworkColumns(places, tuple(column for _, column in found))


def _units(weights: RowWeights, n_rows: int) -> Ints:
    return np.ones(n_rows, dtype=np.int64) if weights.units is None else weights.units


def _fit_bins(table: Table, place: int, units: Ints, weights: Floats, n_bins: int) -> Bins | None:
    one = table.select(table.names[place]) if table.n_columns > 1 else table
    codes = fit_codes(one, units=units, max_bins=n_bins)
    low, high = codes.lowest[0], codes.highest[0]
    if len(low) < 2:
        return None
    values = np.asarray(table.columns[place].numbers(), dtype=np.float64)
    middle = high[:-1] / 2 + low[1:] / 2
    cuts = np.where(middle < low[1:], np.maximum(middle, high[:-1]), high[:-1])
    bins = np.searchsorted(cuts, values[~np.isnan(values)], side="left")
    known = values[~np.isnan(values)]
    size = np.bincount(bins, weights=weights[~np.isnan(values)], minlength=len(low))
    moved = known / max(1.0, float(np.abs(known).max()))
    sums = np.bincount(bins, weights=moved * weights[~np.isnan(values)], minlength=len(low))
    mean = sums / size * max(1.0, float(np.abs(known).max()))
    is_whole = bool((known == np.rint(known)).all())
    return Bins(cuts, low.copy(), high.copy(), np.clip(mean, low, high), is_whole)


def _day(value: float) -> str:
    return str(np.datetime64(int(np.floor(value)), "D"))


def _pack_column(column: Bins | Categories) -> dict[str, Any]:
    if isinstance(column, Categories):
        return {
            "levels": column.level_of_code.astype(_LEVELS),
            "shares": np.asarray(column.share_of_code, dtype=np.float64),
        }
    return {
        "cuts": column.cuts,
        "low": column.low,
        "high": column.high,
        "mean": column.mean,
        "is_whole": column.is_whole,
    }


def _unpack_column(state: Mapping[str, Any], schema: Schema, place: int) -> Bins | Categories:
    kind = schema.fields[place].type
    if kind.kind != "numeric":
        size = len(kind.categories or ())
        levels = array_from_state(state, "levels", _LEVELS, length=size).astype(np.int64)
        shares = numbers_from_state(state, "shares", length=size, low=0.0, high=1.0)
        known = np.unique(levels[levels >= 0])
        is_numbered = len(known) >= 2 and bool((known == np.arange(len(known))).all())
        if not is_numbered or levels.min() < -1 or len(known) >= MISSING:
            raise malformed("the levels of a column are not numbered")
        return Categories(levels, shares)
    low = state.get("low")
    n_bins = len(low) if isinstance(low, np.ndarray) and low.ndim == 1 else 0
    if n_bins < 2 or n_bins >= MISSING:
        raise malformed("a column has no bins")
    low, high, mean = (
        numbers_from_state(state, name, length=n_bins) for name in ("low", "high", "mean")
    )
    cuts = numbers_from_state(state, "cuts", length=n_bins - 1)
    inside = (low <= mean).all() and (mean <= high).all()
    between = (high[:-1] <= cuts).all() and (cuts < low[1:]).all()
    if not (inside and between) or type(state.get("is_whole")) is not bool:
        raise malformed("the bins of a column do not follow each other")
    return Bins(cuts, low, high, mean, bool(state["is_whole"]))
