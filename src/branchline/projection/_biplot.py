"""A biplot: rows on two axes, with an arrow for each term that differs along them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import fine_percent
from branchline.charts import Axis, Chart, Label, Points, Segments

if TYPE_CHECKING:
    from branchline.projection._pca import PCA

__all__ = ["draw_biplot"]

_MOST_ARROWS = 8
_MOST_COLORS = 8
# Arrows reach this share of the way to the outermost rows.
_REACH = 0.8
# Labels are at least this share of the height apart.
_GAP = 0.045


def draw_biplot(model: "PCA", places: Floats, color: Sequence[Any] | None) -> Chart:
    """Draw rows, and the terms that differ most along the first two axes."""
    if places.shape[1] == 1:
        places = np.column_stack([places[:, 0], np.zeros(len(places))])
    arrows = _arrows(model, places)
    marks = [*_rows(places, color), *arrows]
    shares = [*model.explained_variance_ratio_, 0.0]
    x, y = (Axis(f"axis {at + 1} ({fine_percent(shares[at])} of the variance)") for at in (0, 1))
    note = "Arrows: where rows lie that have more of a term. First axes need not concern a target."
    return Chart(tuple(marks), x, y, "Rows on the first two axes", note=note, shape="square")


def _rows(places: Floats, color: Sequence[Any] | None) -> list[Points]:
    if color is None:
        return [Points(places[:, 0], places[:, 1], "rows")]
    if len(color) != len(places):
        raise ValueError(f"{len(color)} colors for {len(places)} rows")
    texts = np.array([str(value) for value in color])
    names, n_rows = np.unique(texts, return_counts=True)
    shown = names[np.argsort(-n_rows, kind="stable")][:_MOST_COLORS]
    marks = [
        Points(places[texts == name, 0], places[texts == name, 1], str(name), at)
        for at, name in enumerate(sorted(shown))
    ]
    others = ~np.isin(texts, shown)
    if others.any():
        marks.append(Points(places[others, 0], places[others, 1], "others", "quiet"))
    return marks


def _arrows(model: "PCA", places: Floats) -> list[Segments | Label]:
    directions = np.zeros((2, model.components_.shape[1]))
    directions[: min(2, len(model.components_))] = model.components_[:2]
    length = np.hypot(*directions)
    chosen = np.argsort(-length, kind="stable")[:_MOST_ARROWS]
    reach = _REACH * float(np.abs(places).max(initial=0.0)) / max(float(length.max()), 1e-12)
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


def _apart(heights: Floats, gap: float) -> Floats:
    """Return heights that are at least a gap apart, in the same order."""
    order = np.argsort(heights, kind="stable")
    moved = heights.astype(np.float64)
    for below, above in pairwise(order):
        moved[above] = max(moved[above], moved[below] + gap)
    return moved
