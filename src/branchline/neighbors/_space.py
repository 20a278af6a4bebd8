"""The space in which rows are near or far: a mixed row becomes a point.

1. A number x becomes (x − mean) / s: s is the standard deviation, the range, or 1 (``scale``).
2. A category becomes a point: by "overlap" each level has a direction of its own, so that two
   levels are 1 apart; by "value_difference" it is the mean response of its rows (how frequent each
   class is among them; one row of the average is added), so levels of like outcome are near.
   With scale="sd" the points of a column are divided by the root of their total variance.
3. A missing cell (and a level never seen) stands at the mean of its column, and one standard
   deviation away from all others in a direction of its own: its squared distance to a value is the
   one expected of a value drawn from the column. Two missing cells are 0 apart.
4. Each column is multiplied by its weight (``_column_weights``); columns that do not vary vanish.
5. The distance of two rows is the Euclidean or Manhattan one between their points.

Numbers are scaled by a power of two first, so that none overflows, and points farther than 100 000
standard deviations from the mean are brought there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from branchline._memory import refuse_over_budget
from branchline._validation import ClassTarget, NumberTarget
from branchline.neighbors._many_numbers import MANY, ManyNumbers, fit_many_numbers, many_of
from branchline.neighbors._number_points import (
    NumberPoints,
    missing_of_constant,
    number_points,
    top_of,
)
from branchline.neighbors._responses import Numbers, Whole, group_sums, responses_of
from branchline.table import Column, Table

__all__ = ["MOST_LEVELS", "LevelPoints", "NumberPoints", "Space", "learn_space", "level_ranks"]

# By overlap, levels beyond the commonest count as one: each needs a direction of its own.
MOST_LEVELS = 64
Target: TypeAlias = ClassTarget | NumberTarget

# A sum of squares of scaled numbers must neither overflow nor vanish.
_MOST_EXPONENT = 1000


@dataclass(frozen=True)
class LevelPoints:
    """A category column's points, a row a level; the last row is for missing and unseen cells."""

    place: int
    points: Numbers

    @property
    def width(self) -> int:
        """The number of coordinates."""
        return int(self.points.shape[1])

    def of(self, column: Column) -> Numbers:
        """Return the points of a column's cells."""
        codes = np.where(column.values < 0, len(self.points) - 1, column.values)
        points: Numbers = self.points[codes]
        return points

    def of_cell(self, column: Column) -> list[float]:
        """Return the coordinates of a column's only cell."""
        code = int(column.values[0])
        coordinates: list[float] = self.points[code if code >= 0 else -1].tolist()
        return coordinates


@dataclass(frozen=True)
class Space:
    """The points of all columns that vary, side by side.

    ``unit`` is the power of two by which all numbers were divided (``scale="none"``).
    """

    parts: Sequence[NumberPoints | LevelPoints]
    unit: int

    @property
    def width(self) -> int:
        """The number of coordinates."""
        if isinstance(self.parts, ManyNumbers):
            return len(self.parts)
        return sum(part.width for part in self.parts)

    @property
    def places(self) -> Whole:
        """Where the columns that count stand in the table, in order."""
        if isinstance(self.parts, ManyNumbers):
            return self.parts.places
        return np.array([part.place for part in self.parts], dtype=np.int64)

    def in_units(self, distances: Numbers) -> Numbers:
        """Return distances in the unit of the columns, none beyond the largest number."""
        with np.errstate(over="ignore"):
            return np.minimum(np.ldexp(distances, self.unit), np.finfo(np.float64).max)

    def of(self, table: Table) -> Numbers:
        """Return a point for each row."""
        if table.n_rows == 1 and not isinstance(self.parts, ManyNumbers):
            return self._of_one(table)
        refuse_over_budget(8 * table.n_rows * max(self.width, 1), "the points of the rows")
        if isinstance(self.parts, ManyNumbers):
            return self.parts.of(table)
        together = self._together
        names, taken = table.names, set(together.places.tolist())
        points = np.empty((table.n_rows, self.width))
        at, where = 0, []
        for part in self.parts:
            if part.place in taken:
                where.append(at)
            else:
                points[:, at : at + part.width] = part.of(table.column(names[part.place]))
            at += part.width
        if where:
            points[:, where] = together.of(table)
        return points

    @cached_property
    def _together(self) -> ManyNumbers:
        """Plain columns of numbers, when they are many."""
        plain = [p for p in self.parts if isinstance(p, NumberPoints) and p.is_plain]
        return many_of(plain) if len(plain) >= MANY else many_of(())

    def _of_one(self, table: Table) -> Numbers:
        """Return the point of one row, number by number: arrays of one cost more."""
        cells = None if table.matrix is None else table.matrix[0].tolist()
        names, point = table.names, []
        for part in self.parts:
            if isinstance(part, NumberPoints) and cells is not None:
                point += part.of_one(cells[part.place])
            else:
                point += part.of_cell(table.column(names[part.place]))
        return np.array([point], dtype=np.float64)


def learn_space(
    table: Table, target: Target, weights: Numbers, *, distance: str, scale: str, metric: str
) -> Space:
    """Learn the points of each column whose weight is not 0."""
    unit = _common_exponent(table) if scale == "none" else 0
    complete, incomplete = fit_many_numbers(table, weights, scale, unit)
    options = distance, scale, metric, unit
    others = _fit_others(table, target, weights, incomplete, options)
    if len(complete) >= MANY and not others:
        return Space(complete, unit)
    parts = sorted([*complete, *others], key=lambda part: part.place)
    return Space(tuple(part for part in parts if part.width), unit)


def _fit_others(
    table: Table,
    target: Target,
    weights: Numbers,
    incomplete: Whole,
    options: tuple[str, str, str, int],
) -> list[NumberPoints | LevelPoints]:
    """Learn the points of categories, and of numbers with missing cells."""
    distance, scale, metric, unit = options
    fields = table.schema.fields
    may_have_levels = enumerate(fields) if table.matrix is None else ()  # a matrix has numbers only
    levels = [at for at, field in may_have_levels if field.type.kind == "category"]
    compares_outcomes = distance != "overlap" and any(weights[at] > 0 for at in levels)
    responses = responses_of(target) if compares_outcomes else np.zeros((0, 0))
    parts: list[NumberPoints | LevelPoints | None] = []
    for place in [*incomplete.tolist(), *(at for at in levels if weights[at] > 0)]:
        column, weight = table.column(fields[place].name), float(weights[place])
        if fields[place].type.kind == "numeric":
            parts.append(number_points(place, column, weight, scale, unit))
            continue
        learned = _apart(column, metric) if distance == "overlap" else _profiles(column, responses)
        parts.append(_level_points(place, column, *learned, scale, math.ldexp(weight, -unit)))
    return [part for part in parts if part is not None]


def _common_exponent(table: Table) -> int:
    """Return the exponent of the largest number, which brings all of them within ±1."""
    columns = [column for column in table.columns if column.kind == "numeric"]
    tops = [top_of(np.asarray(column.numbers(), dtype=np.float64)) for column in columns]
    least = 0 if len(columns) < table.n_columns else -_MOST_EXPONENT  # levels are 1 apart
    exponent = max((math.frexp(top)[1] for top in tops if top > 0), default=0)
    return min(max(exponent, least), _MOST_EXPONENT)


# -- categories -----------------------------------------------------------------------------------


def level_ranks(column: Column) -> tuple[Whole, Whole]:
    """Return each row's level and the codes of the levels that occur, in order of their names.

    Containers number levels differently; sums over levels in order of names are always the same.
    Missing cells have level −1.
    """
    codes = column.values.astype(np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=len(column.categories))
    names = column.categories
    present = sorted(np.flatnonzero(counts).tolist(), key=lambda code: str(names[code]))
    rank = np.full(len(names) + 1, -1, dtype=np.int64)
    rank[present] = np.arange(len(present))
    return rank[np.where(codes < 0, len(names), codes)], np.array(present, dtype=np.int64)


def _apart(column: Column, metric: str) -> tuple[Whole, Whole, Numbers]:
    """Return levels 1 apart from each other; the rarest share a direction when there are many."""
    level_of_row, present = level_ranks(column)
    step = 0.5 if metric == "manhattan" else math.sqrt(0.5)
    if len(present) == 2:
        return level_of_row, present, np.array([[0.0], [1.0]])
    counts = np.bincount(level_of_row[level_of_row >= 0], minlength=len(present))
    order = np.argsort(-counts, kind="stable")  # in order of names where equally common
    direction = np.empty(len(present), dtype=np.int64)
    direction[order] = np.minimum(np.arange(len(present)), MOST_LEVELS - 1)
    return level_of_row, present, np.eye(min(len(present), MOST_LEVELS))[direction] * step


def _profiles(column: Column, responses: Numbers) -> tuple[Whole, Whole, Numbers]:
    """Return the mean response of each level's rows and of one average row."""
    level_of_row, present = level_ranks(column)
    known = level_of_row >= 0
    counts, sums = group_sums(level_of_row[known], len(present), responses[known])
    return level_of_row, present, (sums + responses.mean(axis=0)) / (counts + 1.0)[:, None]


def _level_points(
    place: int,
    column: Column,
    level_of_row: Whole,
    present: Whole,
    positions: Numbers,
    scale: str,
    weight: float,
) -> LevelPoints | None:
    if len(present) == 0:
        return None
    counts = np.bincount(level_of_row[level_of_row >= 0], minlength=len(present))
    shares = counts / counts.sum()
    centered = positions - (shares[:, None] * positions).sum(axis=0)
    spread = math.sqrt(float((shares * (centered * centered).sum(axis=1)).sum()))
    has_missing = bool((level_of_row < 0).any())
    missing_distance = spread
    if spread <= 1e-12 * max(float(np.abs(positions).max()), 1e-300):  # all levels at one point
        missing_distance = (
            missing_of_constant(float((level_of_row >= 0).mean()), scale, 0) if has_missing else 0.0
        )
        centered, spread = centered[:, :0], 1.0
    size = weight / spread if scale == "sd" else weight
    points = np.zeros((len(column.categories) + 1, centered.shape[1] + int(has_missing)))
    if has_missing:
        points[:, -1] = missing_distance * size
        points[present, -1] = 0.0
    points[present, : centered.shape[1]] = centered * size
    return LevelPoints(place, points)
