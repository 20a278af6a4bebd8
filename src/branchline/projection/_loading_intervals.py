"""How certain the weights of axes are: the same axes found again in bootstrap samples of the rows.

1. A bootstrap sample counts each row Poisson(1) times, keyed by content: a row of weight k is k
   rows, and the order of rows does not matter.
2. Terms are centered and scaled anew in the sample, and its axes are found.
3. Each axis of the sample is matched with one of the model: the pairs of the largest |cosine| in
   all. Its sign is turned to agree.
4. The interval of a weight w is w ± z·√(mean of (w_b − w)²) over the samples b. The middle of the
   samples' own weights would be too short: all weights of a direction are scaled to length 1, so
   noise in small ones makes large ones smaller, in each sample once more.

Axes of nearly equal variance change places between samples: their intervals are wide, because the
table does not tell them apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import ndtri

from branchline._arrays import Floats
from branchline._drawable import Drawable
from branchline._plain_numbers import cell, count, percent
from branchline._result_frame import Library, result_frame
from branchline.charts import Bar, Chart, bar_rows
from branchline.projection._components import axes_of, filled_by_axes

__all__ = ["LoadingIntervals", "loading_intervals"]

_MOST_BARS = 25
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class LoadingIntervals(Drawable):
    """Weights of axes with intervals.

    Parameters
    ----------
    terms
        What weights belong to.
    weights, low, high
        The weights of each axis (rows) for each term (columns), and the ends of their intervals.
    agreement
        How well each axis is found again: the mean ``|cosine|`` with its match; 1 is always
        the same.
    level
        The confidence level of the intervals.
    n_bootstraps
        The number of samples.

    See Also
    --------
    PCA : ``loading_intervals`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.projection import PCA
    >>> X, _ = load_dataset("iris").split_target("species")
    >>> found = PCA(n_components=2).fit(X).loading_intervals(X, n_bootstraps=20)
    >>> found.weights.shape
    (2, 4)
    """

    terms: list[str]
    weights: Floats
    low: Floats
    high: Floats
    agreement: Floats
    level: float
    n_bootstraps: int

    @property
    def is_clear(self) -> Any:
        """Whether the interval of each weight is on one side of 0."""
        return (self.low > 0) | (self.high < 0)

    def to_frame(self, library: Library = "pandas") -> Any:
        """Return a frame with one row for each axis and term."""
        n_axes, n_terms = self.weights.shape
        return result_frame(
            {
                "axis": np.repeat(np.arange(1, n_axes + 1), n_terms),
                "term": self.terms * n_axes,
                "weight": self.weights.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
            },
            library,
        )

    def __str__(self) -> str:
        lines = []
        for axis, clear in enumerate(self.is_clear):
            again = f"found again with agreement {cell(float(self.agreement[axis]), 2)}"
            order = np.argsort(-np.abs(self.weights[axis]), kind="stable")
            shown = [at for at in order if clear[at]]
            lines.append(f"Axis {axis + 1}: {again}; weights on one side of 0: {len(shown)}")
            lines += [f"  {self._words(axis, at)}" for at in shown[:_MOST_BARS]]
        return "\n".join(lines)

    def _words(self, axis: int, at: int) -> str:
        ends = f"[{cell(self.low[axis, at], 2)}, {cell(self.high[axis, at], 2)}]"
        return f"{cell(self.weights[axis, at], 2):>6} {ends}  {self.terms[at]}"

    def draw(self, ax: Any = None, axis: int = 0) -> Any:
        """Draw the weights of one axis as bars with intervals; see ``Drawable.draw``."""
        chart = self._chart(axis)
        return chart if ax is None else chart.on(ax)

    def _chart(self, axis: int = 0) -> Chart:
        order = np.argsort(-np.abs(self.weights[axis]), kind="stable")
        bars = [
            Bar(
                self.terms[at],
                float(self.weights[axis, at]),
                cell(self.weights[axis, at], 2),
                float(self.low[axis, at]),
                float(self.high[axis, at]),
            )
            for at in order[:_MOST_BARS]
        ]
        n_more = len(order) - len(bars)
        samples = count(self.n_bootstraps, "bootstrap sample")
        told = f"Whiskers are {percent(self.level)} intervals from {samples}."
        told += f" {count(n_more, 'smaller weight')} not shown." if n_more else ""
        return bar_rows(bars, "weight", f"What axis {axis + 1} is made of", note=told)


def loading_intervals(
    matrix: Floats, counts: Iterable[Floats], directions: Floats, terms: list[str], level: float
) -> LoadingIntervals:
    """Return the weights of axes with intervals.

    Parameters
    ----------
    matrix
        Prepared rows; NaN where a cell is missing.
    counts
        How often each sample holds each row.
    directions
        The axes of the model, one a row.
    terms
        The names of the terms.
    level
        The confidence level of the intervals.
    """
    found = np.array([_matched(matrix, drawn, directions) for drawn in counts if drawn.any()])
    error = float(ndtri((1 + level) / 2)) * np.sqrt(((found - directions) ** 2).mean(axis=0))
    low, high = directions - error, directions + error
    cosine = np.abs(np.einsum("bat,at->ba", found, directions))
    return LoadingIntervals(terms, directions, low, high, cosine.mean(axis=0), level, len(found))


def _matched(matrix: Floats, drawn: Floats, directions: Floats) -> Floats:
    """Return the axes of a sample in the order and with the signs of the model's."""
    rows, weights = matrix[drawn > 0], drawn[drawn > 0]
    known = np.isfinite(rows)
    weight_of = np.maximum(weights @ known, _TINY)
    moved = rows - (weights @ np.where(known, rows, 0.0)) / weight_of
    size = np.sqrt(weights @ np.where(known, moved, 0.0) ** 2 / weight_of)
    whole = np.sqrt(np.nanmean(np.where(np.isfinite(matrix), matrix, np.nan) ** 2, axis=0))
    scaled = moved * np.divide(whole, size, out=np.zeros_like(size), where=size > 0)
    scaled = np.where(known, scaled, np.nan)
    n_axes = len(directions)
    filled = filled_by_axes(scaled, weights, n_axes)
    axes = axes_of(filled - weights @ filled / weights.sum(), weights, n_axes).first(n_axes)
    cosine = directions @ axes.directions
    mine, theirs = linear_sum_assignment(-np.abs(cosine))
    found = np.zeros_like(directions)
    signs = np.where(cosine[mine, theirs] < 0, -1.0, 1.0)
    found[mine] = (axes.directions[:, theirs] * signs).T
    return found
