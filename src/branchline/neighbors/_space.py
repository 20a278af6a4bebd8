"""The space in which rows are near or far: a mixed row becomes a point.

1. A number x becomes (x − mean) / s: s is the standard deviation, the range, or 1 (``scale``).
2. A category becomes a point: by "overlap" each level has a direction of its own, so that two
   levels are 1 apart; by "value-difference" it is the mean response of its rows (how frequent each
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
from dataclasses import dataclass

import numpy as np

from branchline._memory import refuse_over_budget
from branchline.neighbors._responses import Numbers, Whole, group_sums
from branchline.table import Column, Table

__all__ = ["MOST_LEVELS", "LevelPoints", "NumberPoints", "Space", "learn_space", "level_ranks"]

# By overlap, levels beyond the commonest count as one: each needs a direction of its own.
MOST_LEVELS = 64
FARTHEST = 1e5
# A sum of squares of scaled numbers must neither overflow nor vanish.
_MOST_EXPONENT = 1000


@dataclass(frozen=True)
class NumberPoints:
    """A numeric column's points: clip((x / 2^exponent − mean) / spread) · size.

    ``hole`` is how far missing cells stand in a direction of their own; 0: there is none.
    """

    place: int
    exponent: int
    mean: float
    spread: float
    size: float
    hole: float

    @property
    def width(self) -> int:
        """The number of coordinates."""
        return int(self.size > 0) + int(self.hole > 0)

    def of(self, column: Column) -> Numbers:
        """Return the points of a column's cells."""
        numbers = np.asarray(column.numbers(), dtype=np.float64)
        missing = np.isnan(numbers)
        with np.errstate(over="ignore", under="ignore"):
            steps = (np.ldexp(numbers, -self.exponent) - self.mean) / self.spread
        points = np.clip(steps, -FARTHEST, FARTHEST) * self.size
        points[missing] = 0.0
        parts = [points] if self.size > 0 else []
        return np.column_stack([*parts, missing * self.hole] if self.hole > 0 else parts)


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


@dataclass(frozen=True)
class Space:
    """The points of all columns that vary, side by side.

    ``unit`` is the power of two by which all numbers were divided (``scale="none"``).
    """

    parts: tuple[NumberPoints | LevelPoints, ...]
    unit: int

    @property
    def width(self) -> int:
        """The number of coordinates."""
        return sum(part.width for part in self.parts)

    def in_units(self, distances: Numbers) -> Numbers:
        """Return distances in the unit of the columns, none beyond the largest number."""
        with np.errstate(over="ignore"):
            return np.minimum(np.ldexp(distances, self.unit), np.finfo(np.float64).max)

    def of(self, table: Table) -> Numbers:
        """Return a point for each row."""
        refuse_over_budget(8 * table.n_rows * max(self.width, 1), "the points of the rows")
        names = table.names
        points = np.empty((table.n_rows, self.width))
        at = 0
        for part in self.parts:
            points[:, at : at + part.width] = part.of(table.column(names[part.place]))
            at += part.width
        return points


def learn_space(
    table: Table, responses: Numbers, weights: Numbers, *, distance: str, scale: str, metric: str
) -> Space:
    """Learn the points of each column whose weight is not 0."""
    names, fields = table.names, table.schema.fields
    unit = _common_exponent(table) if scale == "none" else 0
    parts: list[NumberPoints | LevelPoints | None] = []
    for place in np.flatnonzero(weights > 0).tolist():
        column, weight = table.column(names[place]), math.ldexp(float(weights[place]), -unit)
        if fields[place].type.kind == "numeric":
            parts.append(_number_points(place, column, float(weights[place]), scale, unit))
        elif distance == "overlap":
            parts.append(_level_points(place, column, *_apart(column, metric), scale, weight))
        else:
            profiles = _profiles(column, responses)
            parts.append(_level_points(place, column, *profiles, scale, weight))
    return Space(tuple(part for part in parts if part is not None and part.width), unit)


def _common_exponent(table: Table) -> int:
    """Return the exponent of the largest number, which brings all of them within ±1."""
    columns = [column for column in table.columns if column.kind == "numeric"]
    tops = [_top(np.asarray(column.numbers(), dtype=np.float64)) for column in columns]
    least = 0 if len(columns) < table.n_columns else -_MOST_EXPONENT  # levels are 1 apart
    exponent = max((math.frexp(top)[1] for top in tops if top > 0), default=0)
    return min(max(exponent, least), _MOST_EXPONENT)


def _top(numbers: Numbers) -> float:
    return float(np.abs(numbers[~np.isnan(numbers)]).max(initial=0.0))


def _number_points(
    place: int, column: Column, weight: float, scale: str, unit: int
) -> NumberPoints | None:
    numbers = np.asarray(column.numbers(), dtype=np.float64)
    known = numbers[~np.isnan(numbers)]
    if len(known) == 0:
        return None
    exponent = math.frexp(_top(known))[1]
    scaled = np.ldexp(known, -exponent)
    mean = float(scaled.mean())
    spread = math.sqrt(float(((scaled - mean) ** 2).mean()))
    has_holes = len(known) < len(numbers)
    if spread == 0.0 or scaled.min() == scaled.max():  # only which cells are missing tells anything
        hole = weight * _hole_of_constant(len(known) / len(numbers), scale, unit)
        return NumberPoints(place, exponent, mean, 1.0, 0.0, hole if has_holes else 0.0)
    size = weight
    if scale == "range":
        size = weight * spread / float(scaled.max() - scaled.min())
    elif scale == "none":
        size = weight * math.ldexp(spread, exponent - unit)
    return NumberPoints(place, exponent, mean, spread, size, size if has_holes else 0.0)


def _hole_of_constant(known: float, scale: str, unit: int) -> float:
    """Return how far missing cells are from the one value that a column takes."""
    if scale == "sd":
        return 1.0 / math.sqrt(known * (1.0 - known)) if known < 1.0 else 0.0
    return math.ldexp(1.0, -unit)


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
    centred = positions - (shares[:, None] * positions).sum(axis=0)
    spread = math.sqrt(float((shares * (centred * centred).sum(axis=1)).sum()))
    has_holes = bool((level_of_row < 0).any())
    hole = spread
    if spread <= 1e-12 * max(float(np.abs(positions).max()), 1e-300):  # all levels at one point
        hole = _hole_of_constant(float((level_of_row >= 0).mean()), scale, 0) if has_holes else 0.0
        centred, spread = centred[:, :0], 1.0
    size = weight / spread if scale == "sd" else weight
    points = np.zeros((len(column.categories) + 1, centred.shape[1] + int(has_holes)))
    if has_holes:
        points[:, -1] = hole * size
        points[present, -1] = 0.0
    points[present, : centred.shape[1]] = centred * size
    return LevelPoints(place, points)
