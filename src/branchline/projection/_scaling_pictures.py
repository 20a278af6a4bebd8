"""Pictures of multidimensional scaling: the places of rows, and distances against each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._arrays import Floats
from branchline._plain_numbers import cell
from branchline.charts import Axis, Chart, Label, Line, Points, row_points

__all__ = ["draw_places", "draw_shepard"]

_MOST_LABELS = 60


def draw_places(places: Floats, stress: float, color: Sequence[Any] | None, labels: Any) -> Chart:
    """Draw rows at their places; both axes have one unit."""
    if places.shape[1] == 1:
        places = np.column_stack([places[:, 0], np.zeros(len(places))])
    marks: list[Any] = list(row_points(places, color))
    if labels is not None:
        if len(labels) != len(places):
            raise ValueError(f"{len(labels)} labels for {len(places)} rows")
        chosen = range(min(len(places), _MOST_LABELS))
        marks += [Label(float(places[at, 0]), float(places[at, 1]), str(labels[at]))
                  for at in chosen]  # fmt: skip
    middle = (places[:, :2].max(axis=0) + places[:, :2].min(axis=0)) / 2
    reach = 0.55 * float(np.ptp(places[:, :2], axis=0).max()) or 1.0
    x, y = (
        Axis(f"axis {at + 1}", ends=(float(middle[at] - reach), float(middle[at] + reach)))
        for at in (0, 1)
    )
    note = (
        f"Stress {cell(stress, 3)} (0: distances match). Only distances between places mean "
        "something; axes may be turned."
    )
    return Chart(tuple(marks), x, y, "Rows placed by their distances", note, shape="square")


def draw_shepard(shown: Floats, stress: float, kind: str) -> Chart:
    """Draw the distances of places against those of rows."""
    given, apart, aimed = shown
    name = "only their order counts" if kind == "ordinal" else "distances match"
    marks = (
        Points(given, apart, "pairs of rows", 0, size=3.0),
        Line(given, aimed, name, "ink"),
    )
    note = f"Stress {cell(stress, 3)}. The nearer dots are to the line, the better the places are."
    return Chart(
        marks,
        Axis("distance of rows", zero=True),
        Axis("distance of places", zero=True),
        "Distances of places against distances of rows",
        note,
    )
