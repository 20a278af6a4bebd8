"""The points of one numeric column: scaled numbers, and a direction of their own for missing cells.

A column of scaled numbers has the mean 0; a missing cell stands there, and one standard deviation
away from all others in its own direction (``_space`` says why).
"""

import math
from dataclasses import dataclass

import numpy as np

from branchline.neighbors._responses import Numbers
from branchline.table import Column

__all__ = ["FARTHEST", "NumberPoints", "missing_of_constant", "number_points", "top_of"]

FARTHEST = 1e5


@dataclass(frozen=True)
class NumberPoints:
    """A numeric column's points: clip((x / 2^exponent − mean) / spread) · size.

    ``missing_distance`` is the coordinate of missing values in a direction of their own; 0: none.
    """

    place: int
    exponent: int
    mean: float
    spread: float
    size: float
    missing_distance: float

    @property
    def width(self) -> int:
        """The number of coordinates."""
        return int(self.size > 0) + int(self.missing_distance > 0)

    @property
    def is_plain(self) -> bool:
        """Whether a column has one coordinate, its number."""
        return self.size > 0 and self.missing_distance == 0

    def of(self, column: Column) -> Numbers:
        """Return the points of a column's cells."""
        numbers = np.asarray(column.numbers(), dtype=np.float64)
        missing = np.isnan(numbers)
        with np.errstate(over="ignore", under="ignore"):
            steps = (np.ldexp(numbers, -self.exponent) - self.mean) / self.spread
        points = np.clip(steps, -FARTHEST, FARTHEST) * self.size
        points[missing] = 0.0
        parts = [points] if self.size > 0 else []
        return np.column_stack(
            [*parts, missing * self.missing_distance] if self.missing_distance > 0 else parts
        )

    def of_cell(self, column: Column) -> list[float]:
        """Return the coordinates of a column's only cell."""
        return self.of_one(float(column.numbers()[0]))

    def of_one(self, number: float) -> list[float]:
        """Return the coordinates of a number, the same bits as ``of`` gives."""
        is_missing = number != number
        try:
            steps = (math.ldexp(number, -self.exponent) - self.mean) / self.spread
        except OverflowError:
            steps = math.copysign(FARTHEST, number)
        place = 0.0 if is_missing else min(max(steps, -FARTHEST), FARTHEST) * self.size
        found = [place] if self.size > 0 else []
        if self.missing_distance > 0:
            found.append(self.missing_distance if is_missing else 0.0)
        return found


def number_points(
    place: int, column: Column, weight: float, scale: str, unit: int
) -> NumberPoints | None:
    """Learn the points of a column; None when it has no value."""
    numbers = np.asarray(column.numbers(), dtype=np.float64)
    known = numbers[~np.isnan(numbers)]
    if len(known) == 0:
        return None
    exponent = math.frexp(top_of(known))[1]
    scaled = np.ldexp(known, -exponent)
    mean = float(scaled.mean())
    spread = math.sqrt(float(((scaled - mean) ** 2).mean()))
    has_missing = len(known) < len(numbers)
    if spread == 0.0 or scaled.min() == scaled.max():  # only which cells are missing tells anything
        missing_distance = weight * missing_of_constant(len(known) / len(numbers), scale, unit)
        return NumberPoints(
            place, exponent, mean, 1.0, 0.0, missing_distance if has_missing else 0.0
        )
    size = weight
    if scale == "range":
        size = weight * spread / float(scaled.max() - scaled.min())
    elif scale == "none":
        size = weight * math.ldexp(spread, exponent - unit)
    return NumberPoints(place, exponent, mean, spread, size, size if has_missing else 0.0)


def missing_of_constant(known: float, scale: str, unit: int) -> float:
    """Return how far missing cells are from the one value that a column takes."""
    if scale == "sd":
        return 1.0 / math.sqrt(known * (1.0 - known)) if known < 1.0 else 0.0
    return math.ldexp(1.0, -unit)


def top_of(numbers: Numbers) -> float:
    """Return the largest size of a number that is known."""
    return float(np.abs(numbers[~np.isnan(numbers)]).max(initial=0.0))
