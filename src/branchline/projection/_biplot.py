"""Rows on two axes with arrows for terms (a biplot), and terms in the circle of correlations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._plain_numbers import count, fine_percent
from branchline.charts import Axis, Chart, Label, Line, Segments, row_points

if TYPE_CHECKING:
    from branchline.projection._linear_axes import LinearAxes

__all__ = ["draw_biplot", "draw_correlation_circle"]

_MOST_ARROWS = 8
_MOST_TERMS = 10
# Arrows reach this share of the way to the outermost rows.
_REACH = 0.8
# Labels are at least this share of the height apart.
_GAP = 0.045


def draw_biplot(model: "LinearAxes", places: Floats, color: Sequence[Any] | None) -> Chart:
    """Draw rows, and the terms that differ most along the first two axes."""
    if places.shape[1] == 1:
        places = np.column_stack([places[:, 0], np.zeros(len(places))])
    arrows = _arrows(model, places)
    marks = [*row_points(places, color), *arrows]
    shares = [*model.explained_variance_ratio_, 0.0]
    x, y = (Axis(f"axis {at + 1} ({fine_percent(shares[at])} of the variance)") for at in (0, 1))
    note = (
        "A line points to rows that have more of a column. First axes need not concern a target: "
        "known groups that are not seen here may lie along a later axis."
    )
    return Chart(tuple(marks), x, y, "Rows on the first two axes", note=note, shape="square")


def draw_correlation_circle(model: "LinearAxes", correlations: Floats) -> Chart:
    """Draw the correlation of terms with the first two axes; no arrow leaves the circle."""
    correlations = correlations[:2]
    if len(correlations) == 1:
        correlations = np.vstack([correlations, np.zeros_like(correlations)])
    chosen = np.argsort(-np.hypot(*correlations), kind="stable")[:_MOST_TERMS]
    x, y = correlations[:, chosen]
    angle = np.linspace(0, 2 * np.pi, 181)
    circle = Line(np.cos(angle), np.sin(angle), "correlation 1", "quiet")
    zeros, names = np.zeros(len(chosen)), model.terms_
    reach = 1.0 + 0.09 / np.maximum(np.hypot(x, y), 0.09)
    heights = np.empty(len(chosen))
    for side in (x < 0, x >= 0):  # labels of one side may meet
        heights[side] = _apart((reach * y)[side], 2.6 * _GAP)
    labels = [
        Label(float(along), float(up), names[at])
        for along, up, at in zip(reach * x, heights, chosen, strict=True)
    ]
    shares = [*model.explained_variance_ratio_, 0.0]
    horizontal, vertical = (
        Axis(f"axis {at + 1} ({fine_percent(shares[at])} of the variance)", ends=(-1.3, 1.3))
        for at in (0, 1)
    )
    n_more = correlations.shape[1] - len(chosen)
    note = "Arrows end at the correlation of a term with each axis."
    note += f" {count(n_more, 'shorter arrow')} not shown." if n_more else ""
    arrows = Segments(zeros, zeros, x, y, "terms")
    title = "Correlation of terms with the axes"
    return Chart((circle, arrows, *labels), horizontal, vertical, title, note=note, shape="square")


def _arrows(model: "LinearAxes", places: Floats) -> list[Segments | Label]:
    directions = np.zeros((2, model.components_.shape[1]))
    directions[: min(2, len(model.components_))] = model.components_[:2]
    length = np.hypot(*directions)
    chosen = _chosen(model.components_[:2])
    longest = max(float(length.max(initial=0.0)), 1e-12)
    reach = _REACH * float(np.abs(places).max(initial=0.0)) / longest
    ends = directions[:, chosen] * reach
    zeros = np.zeros(len(chosen))
    names = model.terms_
    gap = _GAP * float(np.ptp(places[:, 1])) if len(places) else 0.0
    heights = _apart(1.06 * ends[1], gap)
    labels = [
        Label(1.06 * float(x), float(y), names[at])
        for x, y, at in zip(ends[0], heights, chosen, strict=True)
    ]
    return [Segments(zeros, zeros, ends[0], ends[1], "terms"), *labels]


def _chosen(directions: Floats) -> Places:
    """Return the terms with the largest weights, in turn from each axis: none is without lines."""
    order = np.argsort(-np.abs(directions), axis=1, kind="stable")
    return np.array(list(dict.fromkeys(order.T.ravel().tolist()))[:_MOST_ARROWS], dtype=np.intp)


def _apart(heights: Floats, gap: float) -> Floats:
    """Return heights that are at least a gap apart, as near as can be to where they were.

    Neighbors that are too near form a block, which stands around the mean of its own places.
    """
    order = np.argsort(heights, kind="stable")
    blocks: list[list[int]] = []
    for at in order:
        blocks.append([int(at)])
        while len(blocks) > 1 and _touch(heights, blocks[-2], blocks[-1], gap):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    moved = np.empty(len(heights))
    for block in blocks:
        moved[block] = heights[block].mean() + gap * (np.arange(len(block)) - (len(block) - 1) / 2)
    return moved


def _touch(heights: Floats, below: list[int], above: list[int], gap: float) -> bool:
    room = heights[above].mean() - heights[below].mean()
    return bool(room < gap * (len(below) + len(above)) / 2)
