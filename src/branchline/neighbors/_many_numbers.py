"""Numeric columns of wide tables, many at a time: their relevance, and their points.

A table of thousands of columns is learned from again in each fold; column by column, most of the
time would go into calls. All steps here go along the cells of each column, so that a column has the
same bits alone and among others.

1. ``shares_of_numbers``: how much each column explains by itself (``_column_weights``).
2. ``fit_many_numbers``: mean, spread and size of each complete column (``_space``).
3. ``ManyNumbers`` is the list of these columns' points, as arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np

from branchline._encoding._number_blocks import gathered_numbers
from branchline.neighbors._folded_columns import can_fold, folded_columns
from branchline.neighbors._number_points import FARTHEST, NumberPoints
from branchline.neighbors._responses import Numbers, Outcomes, Whole, explained_by_classes
from branchline.table import Table

__all__ = ["MANY", "ManyNumbers", "fit_many_numbers", "many_of", "shares_of_numbers"]

# From this many columns on, points are computed together.
MANY = 64
BINS = 8
_CELLS_AT_ONCE = 2**16
_MODERATE = 900  # powers of two that floats hold, and that turn no float into a rounded one

Columns: TypeAlias = dict[int, NumberPoints]


@dataclass(frozen=True, eq=False)
class ManyNumbers(Sequence[NumberPoints]):
    """The points of numeric columns that vary and had no missing cell when they were learned."""

    places: Whole
    exponent: Whole
    mean: Numbers
    spread: Numbers
    size: Numbers

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> NumberPoints: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[NumberPoints]: ...
    def __getitem__(self, index: int | slice) -> NumberPoints | Sequence[NumberPoints]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place, exponent = int(self.places[index]), int(self.exponent[index])
        scale = float(self.mean[index]), float(self.spread[index]), float(self.size[index])
        return NumberPoints(place, exponent, *scale, missing_distance=0.0)

    def of(self, table: Table) -> Numbers:
        """Return the points of a table's rows, a coordinate a column."""
        points = _cells(table, self.places)
        step = max(1, _CELLS_AT_ONCE // max(1, len(self)))
        for first in range(0, len(points), step):
            self._place(points[first : first + step])
        return points

    def _place(self, cells: Numbers) -> None:
        """Turn the cells of some rows into coordinates, where they are."""
        missing = np.isnan(cells)
        with np.errstate(over="ignore", under="ignore"):
            _scale(cells, -self.exponent)
            cells -= self.mean
            cells /= self.spread
        np.clip(cells, -FARTHEST, FARTHEST, out=cells)
        cells *= self.size
        if missing.any():
            cells[missing] = 0.0


def _scale(numbers: Numbers, exponent: Whole) -> None:
    """Multiply numbers by powers of two, where they are."""
    if np.abs(exponent).max(initial=0) < _MODERATE:
        numbers *= np.ldexp(1.0, exponent)  # the same digits as ldexp, faster
    else:
        np.ldexp(numbers, exponent, out=numbers)


def _cells(table: Table, places: Whole) -> Numbers:
    if table.matrix is not None:
        cells = table.matrix if len(places) == table.n_columns else table.matrix[:, places]
        return np.array(cells, dtype=np.float64, order="C")
    matrix = np.empty((table.n_rows, len(places)))
    names = table.names
    for at, place in enumerate(places.tolist()):
        matrix[:, at] = table.column(names[place]).numbers()
    return matrix


def many_of(parts: Sequence[NumberPoints]) -> ManyNumbers:
    """Return the points of columns without missing cells as arrays."""
    return ManyNumbers(
        np.array([part.place for part in parts], dtype=np.int64),
        np.array([part.exponent for part in parts], dtype=np.int64),
        np.array([part.mean for part in parts], dtype=np.float64),
        np.array([part.spread for part in parts], dtype=np.float64),
        np.array([part.size for part in parts], dtype=np.float64),
    )


def fit_many_numbers(
    table: Table, weights: Numbers, scale: str, unit: int
) -> tuple[ManyNumbers, Whole]:
    """Learn the points of complete columns that weigh something.

    Returns them, without those that do not vary, and the places of columns with missing cells.
    """
    found: list[ManyNumbers] = []
    incomplete: list[Whole] = [np.zeros(0, dtype=np.int64)]
    for places, columns in gathered_numbers(table):
        counts = weights[places] > 0
        is_complete = ~np.isnan(columns).any(axis=1)
        incomplete.append(places[counts & ~is_complete])
        used = counts & is_complete
        if used.any():
            rows = columns if used.all() else columns[used]
            found.append(_fit(places[used], rows, weights[places[used]], scale, unit))
    return _joined(found), np.concatenate(incomplete)


def _fit(places: Whole, columns: Numbers, weights: Numbers, scale: str, unit: int) -> ManyNumbers:
    tops = np.abs(columns).max(axis=1)
    exponent = np.frexp(tops)[1].astype(np.int64)
    scaled = columns.copy()
    _scale(scaled, -exponent[:, None])
    mean = scaled.mean(axis=1)
    least, most = scaled.min(axis=1), scaled.max(axis=1)
    scaled -= mean[:, None]
    np.square(scaled, out=scaled)
    spread = np.sqrt(scaled.mean(axis=1))
    varies = (spread > 0) & (least < most)
    safe = np.where(varies, spread, 1.0)
    size = weights.copy()
    if scale == "range":
        size = weights * spread / np.where(varies, most - least, 1.0)
    elif scale == "none":
        size = weights * np.ldexp(spread, exponent - unit)
    kept = (part[varies] for part in (places, exponent, mean, safe, size))
    return ManyNumbers(*kept)


def _joined(found: Sequence[ManyNumbers]) -> ManyNumbers:
    if not found:
        return many_of(())
    return ManyNumbers(
        np.concatenate([part.places for part in found]),
        np.concatenate([part.exponent for part in found]),
        np.concatenate([part.mean for part in found]),
        np.concatenate([part.spread for part in found]),
        np.concatenate([part.size for part in found]),
    )


# -- relevance ------------------------------------------------------------------------------------


def shares_of_numbers(table: Table, responses: Outcomes) -> Numbers:
    """Return the explained share of each numeric column, 0 for the others."""
    if isinstance(responses, np.ndarray) and can_fold(table, responses):
        one_fold = np.zeros(table.n_rows, dtype=np.int64)
        return folded_columns(table, responses, one_fold, 0, 1).shares_of_all(0)
    shares = np.zeros(table.n_columns)
    for places, columns in gathered_numbers(table):
        groups = _groups(columns)
        if isinstance(responses, np.ndarray):
            shares[places] = _shares(groups, responses)
        else:
            shares[places] = [explained_by_classes(one, responses) for one in groups]
    return shares


def _groups(columns: Numbers) -> Whole:
    """Return the group of each cell: 0 for missing, then bins of about equally many cells."""
    missing = np.isnan(columns)
    n_known = columns.shape[1] - missing.sum(axis=1)
    in_order = np.sort(columns, axis=1)  # missing cells come last
    at = (n_known[:, None] * np.arange(1, BINS)) // BINS
    cuts = np.take_along_axis(in_order, np.minimum(at, columns.shape[1] - 1), axis=1)
    cuts[:, 1:][cuts[:, 1:] == cuts[:, :-1]] = np.inf  # a repeated cut makes no group
    groups = np.ones(columns.shape, dtype=np.int8)
    for place in range(BINS - 1):
        groups += columns >= cuts[:, place, None]
    groups[missing] = 0
    return groups.astype(np.int64)


def _shares(groups: Whole, responses: Numbers) -> Numbers:
    """Return the share of the responses' variance that the groups of each column explain.

    The formula is that of ``explained_share``.
    """
    n_columns, n_rows = groups.shape
    n_groups, mean = BINS + 1, responses.mean(axis=0)
    total = float(((responses - mean) ** 2).sum())
    flat = (groups + n_groups * np.arange(n_columns)[:, None]).ravel()
    size = n_columns * n_groups
    counts = np.bincount(flat, minlength=size).astype(np.float64)
    safe, between = np.maximum(counts, 1.0), np.zeros(size)
    for output, center in zip(responses.T, mean.tolist(), strict=True):
        sums = np.bincount(flat, np.tile(output, n_columns), minlength=size)
        between += np.where(counts > 0, counts * (sums / safe - center) ** 2, 0.0)
    n_filled = (counts > 0).reshape(n_columns, n_groups).sum(axis=1)
    chance = (n_filled - 1) / max(n_rows - 1, 1)
    if total <= 0:
        return np.zeros(n_columns)
    explained = between.reshape(n_columns, n_groups).sum(axis=1) / total
    shares = (explained - chance) / np.where(chance < 1, 1.0 - chance, 1.0)
    return np.asarray(np.where(chance < 1, np.clip(shares, 0.0, 1.0), 0.0))
