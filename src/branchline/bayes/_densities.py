"""Numeric columns: a normal distribution, a kernel density or intervals for each class.

With n_c rows of class c, N in all, s the deviation of all rows, s_c that of the class:

1. Gaussian: variance (n_c s_c² + p s²) / (n_c + p); p rows' worth of the overall variance keep a
   class of equal values from having a variance of 0.
2. Kernel: Gaussian kernels of bandwidth h_c around the values; h_c = 1.06 s_w n_c^(−1/5), where s_w
   is the deviation within classes; at least a sixth of the mean gap between values. A share
   1 / (1 + N/K) of a wide normal density, the same for all K classes, is mixed in: where no value
   is near, no class is preferred.
3. Binned: intervals of about equal weight; half a row is added to each.
4. Auto: the one of the three with the least leave-one-out log loss of the column alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.ndimage import convolve1d

from branchline.bayes._gaussian_columns import relative_sd
from branchline.bayes._summary import Summary
from branchline.bayes._terms import (
    LOG_SQRT_2_PI,
    BinnedTerm,
    GaussianTerm,
    KernelTerm,
    half_way_down,
    squared_distances,
)
from branchline.bayes._value_weights import ValueWeights

__all__ = ["DENSITIES", "NumberColumn", "number_term"]

Floats: TypeAlias = npt.NDArray[np.float64]
NumberTerm: TypeAlias = GaussianTerm | KernelTerm | BinnedTerm

_NORMAL_SCALE = 1.06
_GAPS_PER_WIDTH = 6.0
_MOST_GAPS = 1_023
_POINTS_PER_WIDTH = 8.0
_REACH = 5.0  # kernels end after this many bandwidths
_WIDE = 2.0
_HALF_ROW = 0.5


@dataclass(frozen=True)
class NumberColumn:
    """A numeric column as densities see it: its summary, its values and their weights by class."""

    summary: Summary
    seen: ValueWeights
    n_bins: int
    variance_prior: float

    @property
    def values(self) -> Floats:
        """The values, ascending."""
        return self.seen.values

    @property
    def weights(self) -> Floats:
        """Their weights, with a row for each value and a column for each class."""
        return self.seen.table()


@dataclass(frozen=True)
class Scored:
    """A term, and a function that returns two tables of scores, with a row for each value.

    The first holds the scores as they are; the second leaves one row of the value's class out.
    """

    term: NumberTerm
    scores: Callable[[], tuple[Floats, Floats]]


def number_term(column: NumberColumn, how: str, log_prior: Floats) -> NumberTerm:
    """Return the term of a column; ``how`` is a key of ``DENSITIES`` or "auto"."""
    if how == "gaussian":
        return gaussian(column)
    if how != "auto":
        return DENSITIES[how](column).term
    scored = [make(column) for make in DENSITIES.values()]
    losses = [_log_loss(one, column.weights, log_prior) for one in scored]
    return scored[int(np.argmin(losses))].term


def _log_loss(scored: Scored, weights: Floats, log_prior: Floats) -> float:
    """Return the leave-one-out log loss of the training rows."""
    total = 0.0
    scores, left_out = scored.scores()
    for kind in range(weights.shape[1]):
        rows = weights[:, kind] > 0
        joint = scores[rows] + log_prior
        joint[:, kind] = own = left_out[rows, kind] + log_prior[kind]
        surprise = np.logaddexp.reduce(joint, axis=1) - own
        total += float((weights[rows, kind] * surprise).sum())
    return total


# -- normal distributions -------------------------------------------------------------------------


def gaussian(column: NumberColumn) -> GaussianTerm:
    """Return a Gaussian curve for each class."""
    summary = column.summary
    relative = relative_sd(summary.weight, summary.relative_sd**2, column.variance_prior)
    return GaussianTerm(summary.overall_sd, summary.mean, summary.overall_sd * relative)


def _score_gaussian(column: NumberColumn) -> Scored:
    term = gaussian(column)

    def scores() -> tuple[Floats, Floats]:
        squared = squared_distances(column.values[:, None], term.mean, term.sd)
        return -0.5 * squared - term.constants, _left_out_gaussian(column)

    return Scored(term, scores)


def _left_out_gaussian(column: NumberColumn) -> Floats:
    """Return the scores of values under the curve of their class's other rows."""
    summary = column.summary
    offset = _differences(column.values, summary.mean, summary.overall_sd)
    n = summary.weight
    fewer = np.maximum(n - 1.0, 0.0)
    safe = np.maximum(fewer, 1.0)
    squares = n * summary.relative_sd**2 - offset**2 * n / safe
    variance = np.maximum(squares, 0.0) / safe
    sd = relative_sd(np.broadcast_to(fewer, offset.shape), variance, column.variance_prior)
    apart = np.where(fewer > 0, offset * (1.0 + 1.0 / safe), offset)
    found: Floats = -0.5 * (apart / sd) ** 2 - np.log(sd) - LOG_SQRT_2_PI
    return found


def _differences(values: Floats, means: Floats, scale: float) -> Floats:
    """Return (value − mean) / scale for all pairs, without overflow."""
    found: Floats = (0.5 * values[:, None] - 0.5 * means) / (0.5 * scale)
    return found


# -- kernel densities -----------------------------------------------------------------------------


def _score_kernel(column: NumberColumn) -> Scored:
    summary, scale = column.summary, _Scale.of(column.values)
    width = _widths(summary, scale, len(column.values))
    grid = _Grid.of(scale.down(column.values), width)
    spread = zip(grid.share_out(column.seen).T, width / grid.step, strict=True)
    sums = np.column_stack([_smooth(*one) for one in spread]) / width
    wide = _wide_curve(summary, scale, grid.points)
    share = len(width) / (len(width) + float(summary.weight.sum()))
    unit = scale.down_length(summary.overall_sd)

    def log_density(sums: Floats, weight: Floats, wide: Floats) -> Floats:
        own = np.where(weight > 0, sums / np.where(weight > 0, weight, 1.0), wide)
        return np.log(((1.0 - share) * own + share * wide) * unit)

    def scores() -> tuple[Floats, Floats]:
        alone = np.maximum(grid.at_values(sums) - np.exp(-LOG_SQRT_2_PI) / width, 0.0)
        fewer = np.maximum(summary.weight - 1.0, 0.0)
        return grid.at_values(density), log_density(alone, fewer, grid.at_values(wide))

    density = log_density(sums, summary.weight, wide)
    bandwidth = 2.0 * np.ldexp(width, scale.exponent)
    where = (summary.overall_sd, scale.low, scale.exponent, float(grid.points[0]), grid.step)
    return Scored(KernelTerm(*where, bandwidth, density), scores)


@dataclass(frozen=True)
class _Grid:
    """Points of equal distance, eight to the narrowest width, and where values lie among them."""

    step: float
    points: Floats
    below: npt.NDArray[np.intp]  # the last point at or below each value
    part: Floats  # how far each value is on its way to the next point, as a column

    @staticmethod
    def of(values: Floats, width: Floats) -> "_Grid":
        step = float(width.min()) / _POINTS_PER_WIDTH
        margin = int(np.ceil(_REACH * float(width.max()) / step)) + 2
        place = values / step
        below = place.astype(np.intp)
        n_points = int(below[-1]) + 2 * margin + 1
        points = step * np.arange(-margin, n_points - margin, dtype=np.float64)
        return _Grid(step, points, below + margin, (place - below)[:, None])

    def share_out(self, seen: ValueWeights) -> Floats:
        """Return the weights of points: a value's weight is shared by the two around it."""
        size, upper = len(self.points), seen.weight * self.part[seen.place, 0]
        lower = seen.sums_at(self.below, seen.weight - upper, size)
        return lower + seen.sums_at(self.below + 1, upper, size)

    def at_values(self, curves: Floats) -> Floats:
        """Return curves, known at the points, at the values."""
        found: Floats = curves[self.below] * (1.0 - self.part) + curves[self.below + 1] * self.part
        return found


@dataclass(frozen=True)
class _Scale:
    """Brings values from ``low`` upwards into 0 … 1 by a power of two: nothing overflows."""

    low: float
    exponent: int
    range: float

    @staticmethod
    def of(values: Floats) -> "_Scale":
        low, half = float(values[0]), 0.5 * float(values[-1]) - 0.5 * float(values[0])
        exponent = int(np.frexp(half)[1])
        return _Scale(low, exponent, float(np.ldexp(half, -exponent)))

    def down(self, values: Floats) -> Floats:
        return half_way_down(values, self.low, self.exponent)

    def down_length(self, length: float) -> float:
        return float(np.ldexp(0.5 * length, -self.exponent))


def _widths(summary: Summary, scale: _Scale, n_values: int) -> Floats:
    """Return the width of the kernels of each class."""
    gap = scale.range / min(n_values - 1, _MOST_GAPS)
    found = _NORMAL_SCALE * scale.down_length(summary.within)
    widths: Floats = np.maximum(
        found * np.maximum(summary.weight, 1.0) ** -0.2, gap / _GAPS_PER_WIDTH
    )
    return widths


def _wide_curve(summary: Summary, scale: _Scale, points: Floats) -> Floats:
    """Return the density of a Gaussian curve twice as wide as all rows, as a column."""
    sd = _WIDE * scale.down_length(summary.overall_sd)
    center = scale.down(np.array([summary.overall_mean]))
    distance = np.clip((points - center) / sd, -8.0, 8.0)  # never 0: its logarithm is taken
    density: Floats = np.exp(-0.5 * distance**2 - LOG_SQRT_2_PI) / sd
    return density[:, None]


def _smooth(weights: Floats, width: float) -> Floats:
    """Return the weights spread by Gaussian curves of ``width`` points."""
    reach = int(np.ceil(_REACH * width))
    distance = np.arange(-reach, reach + 1) / width
    kernel = np.exp(-0.5 * distance**2 - LOG_SQRT_2_PI)
    # Not np.convolve, whose products are summed in another order on another processor.
    spread: Floats = convolve1d(weights, kernel, mode="constant")
    return spread


# -- intervals ------------------------------------------------------------------------------------


def _score_binned(column: NumberColumn) -> Scored:
    edges, bin_of_value = _bins(column)
    counts = column.seen.sums_at(bin_of_value, column.seen.weight, len(edges) + 1)

    def log_frequency(counts: Floats, weight: Floats) -> Floats:
        return np.log(counts + _HALF_ROW) - np.log(weight + _HALF_ROW * len(counts))

    def scores() -> tuple[Floats, Floats]:
        fewer = np.maximum(column.summary.weight - 1.0, 0.0)
        left_out = log_frequency(np.maximum(counts - 1.0, 0.0), fewer)
        return found[bin_of_value], left_out[bin_of_value]

    found = log_frequency(counts, column.summary.weight)
    silent = np.zeros((1, found.shape[1]))
    return Scored(BinnedTerm(edges, np.concatenate([found, silent])), scores)


def _bins(column: NumberColumn) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the edges between intervals of about equal weight, and each value's interval."""
    values, n_bins = column.values, column.n_bins
    if len(values) <= n_bins:
        last = np.arange(len(values) - 1)
    else:
        reached = np.cumsum(column.weights.sum(axis=1))
        wanted = np.arange(1, n_bins) * (reached[-1] / n_bins)
        last = np.unique(np.minimum(np.searchsorted(reached, wanted), len(values) - 2))
    edges = 0.5 * values[last] + 0.5 * values[last + 1]
    edges = np.maximum(edges, np.nextafter(values[last], np.inf))  # neighbors have no middle
    return edges, np.searchsorted(edges, values, side="right")


DENSITIES: dict[str, Callable[[NumberColumn], Scored]] = {
    "gaussian": _score_gaussian,
    "kernel": _score_kernel,
    "binned": _score_binned,
}
