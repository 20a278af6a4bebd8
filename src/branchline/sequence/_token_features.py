"""Cells of tokens and of their neighbors as features that are present or not.

1. A number falls into one of a few bins of about equal weight, a category is its own bin; rare and
   unseen categories share one, missing cells have one.
2. Each token has a feature for each column and each place of the window: "the bin of this column,
   two tokens earlier". Beyond the ends of the sequence there is a bin of its own.
So only the order of numbers matters, and missing cells are known like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._arrays import Floats, Ints
from branchline._codes import fit_codes
from branchline._memory import refuse_over_budget
from branchline._plain_numbers import cell
from branchline._state import array_from_state, malformed
from branchline.table import Column, ColumnType, Schema, Table

__all__ = ["TokenFeatures", "fit_features"]

Codes = npt.NDArray[np.uint32]
_MISSING, _EXTRA = 0, 3  # missing before the bins; other and beyond the ends after them
_ROWS_OF_A_BIN = 10
_FARTHEST_DAY = 2_000_000  # beyond it, no date is written


@dataclass(frozen=True, eq=False)
class TokenFeatures:
    """How tokens become features.

    Parameters
    ----------
    thresholds
        For each column of numbers, the values between its bins; None for a category.
    kept
        For each column of categories, the codes that have a bin of their own; None for numbers.
    window
        How many neighbors on either side count.
    """

    thresholds: tuple[Floats | None, ...]
    kept: tuple[Ints | None, ...]
    window: int

    @property
    def n_bins(self) -> Ints:
        """The number of bins of each column, with those for missing, other and beyond the ends."""
        counted = [
            _EXTRA + (len(names) if names is not None else len(cuts) + 1 if cuts is not None else 0)
            for cuts, names in zip(self.thresholds, self.kept, strict=True)
        ]
        return np.array(counted, dtype=np.int64)

    @property
    def n_slots(self) -> int:
        """The number of features of a token."""
        return len(self.thresholds) * (2 * self.window + 1)

    @property
    def n_features(self) -> int:
        """The number of different features."""
        return int(self.n_bins.sum()) * (2 * self.window + 1)

    @property
    def slots(self) -> list[tuple[int, int]]:
        """The offset and the column of each feature of a token."""
        offsets = range(-self.window, self.window + 1)
        return [(offset, place) for offset in offsets for place in range(len(self.thresholds))]

    def of_tokens(self, table: Table, starts: Ints) -> Codes:
        """Return the features of each token, one after the other.

        Parameters
        ----------
        table
            The tokens, sequence after sequence.
        starts
            Where sequences begin.
        """
        n_tokens = table.n_rows
        refuse_over_budget(4 * n_tokens * self.n_slots, "the features of tokens")
        bins = [
            self._bins(table.column(name), place).astype(np.int64)
            for place, name in enumerate(table.names)
        ]
        found = np.empty((n_tokens, self.n_slots), dtype=np.uint32)
        first, base, n_bins = np.arange(n_tokens), 0, self.n_bins
        owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        begin, end = starts[owner], starts[owner + 1]
        for slot, (offset, place) in enumerate(self.slots):
            there = first + offset
            inside = (there >= begin) & (there < end)
            near = bins[place][np.where(inside, there, 0)]
            found[:, slot] = base + np.where(inside, near, n_bins[place] - 1)
            base += int(n_bins[place])
        return found.reshape(-1)

    def _bins(self, column: Column, place: int) -> npt.NDArray[np.intp]:
        cuts, kept = self.thresholds[place], self.kept[place]
        if cuts is not None:
            numbers = np.asarray(column.numbers(), dtype=np.float64)
            bins = 1 + np.searchsorted(cuts, numbers, side="left")
            return np.where(np.isnan(numbers), _MISSING, bins)
        assert kept is not None
        n_codes = max(int(kept.max(initial=-1)), int(column.values.max(initial=-1))) + 1
        bin_of = np.full(n_codes + 2, len(kept) + 1, dtype=np.intp)  # −2: not seen in training
        bin_of[-1] = _MISSING
        bin_of[kept] = 1 + np.arange(len(kept))
        return bin_of[column.values]

    # -- words ------------------------------------------------------------------------------------

    def name_of(self, feature: int, schema: Schema) -> str:
        """Return what a feature says: "word = the", "next age missing"."""
        n_bins = self.n_bins
        offset, within = divmod(feature, int(n_bins.sum()))
        place = int(np.searchsorted(np.cumsum(n_bins), within, side="right"))
        what = within - int(n_bins[:place].sum())
        field = schema.fields[place]
        where = f"{_neighbor(offset - self.window)}{field.name}"
        if what == _MISSING:
            return f"{where} is missing"
        if what == n_bins[place] - 1:
            return _beyond(offset - self.window)
        if what == n_bins[place] - 2:
            return f"{where} is rare or new"
        return f"{where} {self._bin_name(place, what - 1, field.type)}"

    def _bin_name(self, place: int, at: int, kind: ColumnType) -> str:
        cuts, kept = self.thresholds[place], self.kept[place]
        if kept is not None:
            return f"= {(kind.categories or ())[int(kept[at])]}"
        assert cuts is not None
        if len(cuts) == 0:
            return "is known"
        ends = [_number_or_date(float(cut), kind) for cut in cuts[max(0, at - 1) : at + 1]]
        if at == 0:
            return f"≤ {ends[0]}"
        return f"from {ends[0]} to {ends[1]}" if at < len(cuts) else f"> {ends[0]}"

    # -- saving -----------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return the features as plain values."""
        return {
            "columns": [
                cuts if cuts is not None else names
                for cuts, names in zip(self.thresholds, self.kept, strict=True)
            ]
        }

    @staticmethod
    def unpack(state: Any, schema: Schema, window: int) -> "TokenFeatures":
        """Check packed values and return the features."""
        columns = state.get("columns") if isinstance(state, dict) else None
        if not isinstance(columns, list) or len(columns) != len(schema):
            raise malformed("there are not features for each column")
        thresholds: list[Floats | None] = []
        kept: list[Ints | None] = []
        for field, values in zip(schema.fields, columns, strict=True):
            is_category = field.type.kind == "category"
            dtype = np.dtype(np.int64 if is_category else np.float64)
            array = array_from_state({"bins": values}, "bins", dtype)
            if len(array) > 1 and not (array[1:] > array[:-1]).all():
                raise malformed("the bins of a column are not in order")
            n_categories = len(field.type.categories or ())
            if is_category and len(array) and not 0 <= array[0] <= array[-1] < n_categories:
                raise malformed("a category of a feature is not one of its column")
            if not is_category and not np.isfinite(array).all():
                raise malformed("a threshold of a feature is not finite")
            thresholds.append(None if is_category else array)
            kept.append(array if is_category else None)
        return TokenFeatures(tuple(thresholds), tuple(kept), window)


def _number_or_date(value: float, kind: ColumnType) -> str:
    """Return a threshold as people read it; days since 1970 as a date."""
    if kind.source in ("date", "datetime") and abs(value) < _FARTHEST_DAY:
        if kind.source == "date" or value == int(value):
            return str(np.datetime64(int(np.floor(value)), "D"))
        return str(np.datetime64(int(np.floor(value * 1440)), "m"))
    return f"{cell(value)} days" if kind.is_time else cell(value)


def _neighbor(offset: int) -> str:
    """Return which token a column is of: "", "previous ", "3 later: "."""
    if abs(offset) <= 1:
        return ("previous ", "", "next ")[offset + 1]
    return f"{abs(offset)} {'earlier' if offset < 0 else 'later'}: "


def _beyond(offset: int) -> str:
    side = "before" if offset < 0 else "after"
    return f"no token {side}" if abs(offset) == 1 else f"no token {abs(offset)} places {side}"


def fit_features(
    table: Table, units: Ints | None, rules: Mapping[str, int], unit: float
) -> TokenFeatures:
    """Learn the bins of tokens.

    Parameters
    ----------
    table
        The tokens.
    units
        Integer weights; None counts every token once.
    rules
        The window, the minimum frequency of a category, the maximum number of bins.
    unit
        What one unit weighs.
    """
    weight = table.n_rows if units is None else float(units.sum()) * unit
    most = max(2, min(rules["max_bins"], int(weight / _ROWS_OF_A_BIN)))
    thresholds: list[Floats | None] = []
    kept: list[Ints | None] = []
    for name in table.names:
        column = table.column(name)
        if column.kind == "category":
            thresholds.append(None)
            kept.append(_frequent(column, units, rules["min_frequency"] / unit))
        else:
            thresholds.append(_cuts(table.select(name), units, most))
            kept.append(None)
    return TokenFeatures(tuple(thresholds), tuple(kept), rules["window"])


def _frequent(column: Column, units: Ints | None, least: float) -> Ints:
    known = column.values >= 0
    weights = None if units is None else units[known]
    counts = np.bincount(column.values[known], weights, minlength=len(column.categories))
    return np.flatnonzero((counts >= least) & (counts > 0)).astype(np.int64)


def _cuts(one: Table, units: Ints | None, most: int) -> Floats:
    codes = fit_codes(one, units=units, max_bins=most)
    low, high = codes.lowest[0], codes.highest[0]
    cuts = high[:-1] / 2 + low[1:] / 2
    # Halves may round onto the larger value; the smaller one then separates them as well.
    return np.where(cuts < low[1:], cuts, high[:-1])
