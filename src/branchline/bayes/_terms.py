"""The distributions of one column within the classes: a term of the sum over columns.

A term's ``scores`` gives log p(value | class), with a row for each class and a column for each
value. A missing value and an unseen category give 0 for every class. The scores of a value depend
on that value alone, so a row has the same prediction alone and in a table. Densities of numbers
are per ``unit``, the standard deviation of all rows, so the unit of a column does not matter.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline.table import Column

__all__ = [
    "LOG_SQRT_2_PI",
    "BinnedTerm",
    "CategoryTerm",
    "GaussianTerm",
    "KernelTerm",
    "SilentTerm",
    "Term",
    "half_way_down",
    "squared_distances",
]

Floats: TypeAlias = npt.NDArray[np.float64]

LOG_SQRT_2_PI = 0.5 * float(np.log(2 * np.pi))
# No square overflows; two classes that are both so far away are equally far.
_FARTHEST = 1e150


@dataclass(frozen=True)
class SilentTerm:
    """A column without influence: all values are equal, or all are missing."""

    kind: ClassVar[str] = "silent"
    n_classes: int

    def scores(self, column: Column) -> Floats:
        """Return zeros."""
        return np.zeros((self.n_classes, len(column)))


@dataclass(frozen=True)
class GaussianTerm:
    """A normal density for each class: −½ ((x − mean) / sd)² − log (sd / unit) − ½ log 2π."""

    kind: ClassVar[str] = "gaussian"
    unit: float
    mean: Floats
    sd: Floats

    @property
    def constants(self) -> Floats:
        """What each class takes off whatever the cell: log (sd / unit) + ½ log 2π."""
        return np.log(self.sd / self.unit) + LOG_SQRT_2_PI

    def scores(self, column: Column) -> Floats:
        """Return the log density of each cell in each class."""
        values = column.numbers().astype(np.float64)
        squares = squared_distances(values, self.mean[:, None], self.sd[:, None])
        found = -0.5 * squares - self.constants[:, None]
        return np.where(np.isnan(values), 0.0, found)


@dataclass(frozen=True)
class KernelTerm:
    """A kernel density for each class, kept at equally spaced points and interpolated linearly.

    A number x is looked up at (½ (x − low) · 2^−exponent − origin) / step; one beyond the first or
    the last point counts as if it were there.
    """

    kind: ClassVar[str] = "kernel"
    unit: float
    low: float
    exponent: int
    origin: float
    step: float
    bandwidth: Floats  # of each class, in the column's own unit
    log_density: Floats  # a row for each point, a column for each class

    def scores(self, column: Column) -> Floats:
        """Return the log density of each cell in each class."""
        values = column.numbers().astype(np.float64)
        missing = np.isnan(values)
        with np.errstate(over="ignore"):  # far away is at the end of the curve
            place = (half_way_down(values, self.low, self.exponent) - self.origin) / self.step
        last = len(self.log_density) - 1
        place = np.clip(np.where(missing, 0.0, place), 0.0, last)
        below = np.minimum(place.astype(np.intp), last - 1)
        part = (place - below)[:, None]
        found = self.log_density.take(below, axis=0)
        found *= 1.0 - part
        found += self.log_density.take(below + 1, axis=0) * part
        found[missing] = 0.0
        by_class: Floats = found.T
        return by_class


@dataclass(frozen=True)
class BinnedTerm:
    """Frequencies of intervals for each class; a number on an edge lies above it."""

    kind: ClassVar[str] = "binned"
    edges: Floats
    log_frequency: Floats  # a row for each interval and one of zeros, a column for each class

    def scores(self, column: Column) -> Floats:
        """Return the log frequency of each cell's interval in each class."""
        values = column.numbers().astype(np.float64)
        place = np.searchsorted(self.edges, values, side="right")
        place[np.isnan(values)] = len(self.log_frequency) - 1
        return self.log_frequency.take(place, axis=0).T


@dataclass(frozen=True)
class CategoryTerm:
    """Frequencies of categories for each class.

    ``smoothing`` is how many rows' worth of the column's own frequencies each class was given.
    """

    kind: ClassVar[str] = "category"
    smoothing: float
    frequency: Floats  # a row for each category, a column for each class
    log_frequency: Floats  # the same, and two rows of zeros that the codes −1 and −2 end up at

    def scores(self, column: Column) -> Floats:
        """Return the log frequency of each cell's category in each class."""
        found: Floats = self.log_frequency[column.values].T
        return found


Term: TypeAlias = SilentTerm | GaussianTerm | KernelTerm | BinnedTerm | CategoryTerm


def half_way_down(values: Floats, low: float, exponent: int) -> Floats:
    """Return ½ (x − low) · 2^−exponent: the halves first, as the whole might overflow."""
    found: Floats = 0.5 * values - 0.5 * low
    with np.errstate(over="ignore", under="ignore"):
        if abs(exponent) < 1_000:
            found *= 2.0**-exponent  # the same as ldexp, faster
        else:
            found = np.ldexp(found, -exponent)
    return found


def squared_distances(values: Floats, mean: Floats, sd: Floats) -> Floats:
    """Return ((x − mean) / sd)² without overflow; NaN stays NaN."""
    with np.errstate(over="ignore", under="ignore"):
        half = (0.5 * values - 0.5 * mean) / sd  # the difference of two huge numbers would overflow
    distances = np.clip(half, -_FARTHEST, _FARTHEST) * 2.0
    squares: Floats = distances * distances
    return squares
