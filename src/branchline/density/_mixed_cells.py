"""A mixed table as standardized numbers and levels of categories: what mixtures are fitted to.

1. Columns are taken in the order of their names, so that their order in the table does not matter.
2. Numbers (dates are numbers of days) are centered and divided by their standard deviation; a
   missing cell stays NaN. Columns that do not vary are left out.
3. Categories that few rows have share one level; a missing or unseen category is −1. A column
   with one level left, such as an identifier, is left out.
4. A number cannot vary less than it was rounded: with a smallest step h between different values,
   h²/12 is the least variance that the values of a column can show (Sheppard's correction).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Ints, Places
from branchline._memory import refuse_over_budget
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline.table import Schema, Table

__all__ = [
    "Cells",
    "MixedCells",
    "NumberScales",
    "fit_levels",
    "fit_mixed_cells",
    "level_of_row",
]

_NOTHING = 1e-9  # a column that varies less than this share of its size is constant
_FARTHEST = 1e100  # standard deviations: squares and products of two such numbers stay finite
_FEW_ROWS = 10.0
_LEVELS = np.dtype(np.int32)


@dataclass(frozen=True, eq=False)
class NumberScales:
    """How numbers become standardized ones: (x / 2^exponent − center) / scale.

    Parameters
    ----------
    places
        The columns of the schema, in the order of their names.
    exponent
        A power of two for each column, so that no sum overflows.
    center, scale
        Mean and standard deviation, after the division.
    step
        The smallest distance between different values, in standard deviations.
    """

    places: Places
    exponent: Ints
    center: Floats
    scale: Floats
    step: Floats

    def standardized(self, table: Table) -> Floats:
        """Return the numbers of rows (NaN: missing), at most 1e100 standard deviations away."""
        with np.errstate(over="ignore"):
            numbers = np.ldexp(_numbers(table, self.places), -self.exponent)
            standardized = (numbers - self.center) / self.scale
        return np.asarray(np.clip(standardized, -_FARTHEST, _FARTHEST))

    def in_units(self, values: Floats) -> Floats:
        """Return standardized numbers in the units of the table."""
        return np.asarray(np.ldexp(values * self.scale + self.center, self.exponent))

    @property
    def units(self) -> Floats:
        """The standard deviations, in the units of the table."""
        return np.asarray(np.ldexp(self.scale, self.exponent))

    @property
    def log_units(self) -> Floats:
        """The logarithm of each standard deviation."""
        return np.asarray(np.log(self.scale) + np.log(2.0) * self.exponent)


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows as standardized numbers (NaN: missing) and levels (−1: missing)."""

    numbers: Floats
    levels: Ints


@dataclass(frozen=True, eq=False)
class MixedCells:
    """How rows of a table become ``Cells``.

    Parameters
    ----------
    scales
        The numbers.
    category_places
        The category columns of the schema that are kept, in the order of their names.
    level_of_code
        For each of these, the level of each category of the schema; −1: no training row had it.
    share_of_code
        For each of these, the share that each category has of the rows of its level.
    """

    scales: NumberScales
    category_places: Places
    level_of_code: tuple[Ints, ...]
    share_of_code: tuple[Floats, ...]

    @property
    def n_numbers(self) -> int:
        """How many columns of numbers there are."""
        return len(self.scales.places)

    @property
    def n_levels(self) -> tuple[int, ...]:
        """The number of levels of each column of categories."""
        return tuple(int(levels.max()) + 1 for levels in self.level_of_code)

    def cells(self, table: Table) -> Cells:
        """Return the rows of a table of the schema as numbers and levels."""
        levels = [
            level_of_row(table.columns[place].values, codes)
            for place, codes in zip(self.category_places, self.level_of_code, strict=True)
        ]
        shape = (table.n_rows, len(levels))
        stacked = np.stack(levels, axis=1) if levels else np.zeros(shape, dtype=np.int64)
        return Cells(self.scales.standardized(table), stacked)

    def log_volumes(self, cells: Cells) -> Floats:
        """Return for each row the log of the units of its known numbers, multiplied."""
        return np.asarray(np.isfinite(cells.numbers) @ self.scales.log_units)

    def level_names(self, schema: Schema, column: int) -> list[str]:
        """Return what the levels of a column of categories are called."""
        names = schema.fields[self.category_places[column]].type.categories or ()
        codes = self.level_of_code[column]
        of_level = [
            [str(name) for name, level in zip(names, codes, strict=True) if level == at]
            for at in range(self.n_levels[column])
        ]
        return [held[0] if len(held) == 1 else "other" for held in of_level]

    def pack(self) -> dict[str, Any]:
        """Return everything as plain values."""
        scales = self.scales
        return {
            "number_places": scales.places.astype(np.int32),
            "exponent": scales.exponent.astype(np.int32),
            "center": scales.center,
            "scale": scales.scale,
            "step": scales.step,
            "category_places": self.category_places.astype(np.int32),
            "levels": np.concatenate([*self.level_of_code, np.zeros(0)]).astype(_LEVELS),
            "shares": np.concatenate([*self.share_of_code, np.zeros(0)]),
        }

    @staticmethod
    def unpack(state: Mapping[str, Any], schema: Schema) -> "MixedCells":
        """Check packed values and return what they stand for."""
        scales = _scales_from_state(state, schema)
        places = _places_from_state(state, "category_places", schema, "category")
        sizes = [len(schema.fields[place].type.categories or ()) for place in places]
        levels = array_from_state(state, "levels", _LEVELS, length=sum(sizes))
        shares = numbers_from_state(state, "shares", length=sum(sizes), low=0.0, high=1.0)
        ends = np.cumsum(sizes)[:-1]
        level_of_code = tuple(np.split(levels.astype(np.int64), ends)) if sizes else ()
        for codes in level_of_code:
            known = np.unique(codes[codes >= 0])
            if codes.min() < -1 or len(known) < 2 or not (known == np.arange(len(known))).all():
                raise malformed("the levels of a column are not numbered")
        share_of_code = tuple(np.split(shares, ends)) if sizes else ()
        return MixedCells(scales, places, level_of_code, share_of_code)


def fit_mixed_cells(table: Table, weights: Floats) -> tuple[MixedCells, Cells]:
    """Learn how a table becomes numbers and levels; return it and the training rows."""
    order = sorted(range(table.n_columns), key=lambda place: str(table.names[place]))
    kinds = [field.type.kind for field in table.schema.fields]
    numeric = np.array([place for place in order if kinds[place] == "numeric"], dtype=np.intp)
    scales = _fit_scales(table, numeric, weights)
    found = [
        (place, *fit_levels(table, place, weights)) for place in order if kinds[place] != "numeric"
    ]
    kept = [(place, levels, shares) for place, levels, shares in found if levels.max(initial=0) > 0]
    places = np.array([place for place, _, _ in kept], dtype=np.intp)
    levels = tuple(levels for _, levels, _ in kept)
    mixed = MixedCells(scales, places, levels, tuple(shares for _, _, shares in kept))
    return mixed, mixed.cells(table)


def _numbers(table: Table, places: Places) -> Floats:
    refuse_over_budget(16 * table.n_rows * len(places), "the table as numbers")
    if table.matrix is not None:
        return np.array(table.matrix[:, places], dtype=np.float64)
    if table.sparse is not None:
        dense = np.asarray(table.sparse.toarray(), dtype=np.float64)
        return dense[:, places]
    found = np.empty((table.n_rows, len(places)))
    for at, place in enumerate(places):
        found[:, at] = table.columns[place].numbers()
    return found


def _fit_scales(table: Table, places: Places, weights: Floats) -> NumberScales:
    numbers = _numbers(table, places)
    known = np.isfinite(numbers)
    filled = np.where(known, numbers, 0.0)
    size = np.abs(filled).max(axis=0, initial=0.0)
    exponent = np.frexp(size)[1].astype(np.int64)
    filled = np.ldexp(filled, -exponent)
    weight_of = np.maximum(weights @ known, np.finfo(np.float64).tiny)
    center = weights @ filled / weight_of
    moved = np.where(known, filled - center, 0.0)
    scale = np.sqrt(weights @ moved**2 / weight_of)
    kept = scale > _NOTHING
    step = _steps(filled[:, kept], known[:, kept]) / scale[kept]
    return NumberScales(places[kept], exponent[kept], center[kept], scale[kept], step)


def _steps(values: Floats, known: Any) -> Floats:
    """Return the smallest distance between different values of each column."""
    found = np.zeros(values.shape[1])
    for at in range(values.shape[1]):
        gaps = np.diff(np.unique(values[known[:, at], at]))
        found[at] = gaps.min() if len(gaps) else 0.0
    return found


def fit_levels(table: Table, place: int, weights: Floats) -> tuple[Ints, Floats]:
    """Return the level of each category of a column by name, and its share of the level."""
    column = table.columns[place]
    names, codes = column.categories, column.values
    rows = codes >= 0
    size = np.bincount(codes[rows], weights=weights[rows], minlength=len(names))
    least = min(_FEW_ROWS, max(2.0, float(weights.sum()) / 50))
    by_name = sorted(range(len(names)), key=lambda code: str(names[code]))
    common = [code for code in by_name if size[code] >= least]
    levels = np.full(len(names), -1, dtype=np.int64)
    levels[common] = np.arange(len(common))
    levels[(size > 0) & (levels < 0)] = len(common)
    total = np.bincount(levels[levels >= 0], weights=size[levels >= 0], minlength=1)
    shares = np.where(levels >= 0, size / np.maximum(total[levels], 1e-300), 0.0)
    return levels, np.minimum(shares, 1.0)


def level_of_row(codes: Any, level_of_code: Ints) -> Ints:
    """Return the level of each row; −1 where the category is missing or unseen."""
    return np.where(codes >= 0, level_of_code[np.maximum(codes, 0)], -1)


def _scales_from_state(state: Mapping[str, Any], schema: Schema) -> NumberScales:
    places = _places_from_state(state, "number_places", schema, "numeric")
    length = len(places)
    exponent = array_from_state(state, "exponent", np.dtype(np.int32), length=length)
    if (np.abs(exponent) > 1100).any():
        raise malformed("a power of two is out of range")
    center = numbers_from_state(state, "center", length=length, low=-2.0, high=2.0)
    scale = numbers_from_state(state, "scale", length=length, low=_NOTHING, high=2.0)
    step = numbers_from_state(state, "step", length=length, low=0.0)
    return NumberScales(places, exponent.astype(np.int64), center, scale, step)


def _places_from_state(state: Mapping[str, Any], name: str, schema: Schema, kind: str) -> Places:
    found = state.get(name)
    length = len(found) if isinstance(found, np.ndarray) and found.ndim == 1 else 0
    places = array_from_state(state, name, np.dtype(np.int32), length=length).astype(np.intp)
    is_place = bool(((places >= 0) & (places < len(schema))).all())
    if not is_place or len(np.unique(places)) < len(places):
        raise malformed(f"{name!r} are not columns of the table")
    if any(schema.fields[place].type.kind != kind for place in places):
        raise malformed(f"{name!r} are columns of another kind")
    return places
