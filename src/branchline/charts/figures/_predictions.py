"""Predicted numbers with their intervals, from the least to the greatest."""

from typing import Any

import numpy as np

from branchline._plain_numbers import percent
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Band, Line, Mark, Points

__all__ = ["draw_intervals"]

_FEW = 60


def draw_intervals(found: Any, truth: Any = None) -> Chart:
    """Draw predictions in order of size with their intervals, and the truth where it is known.

    Parameters
    ----------
    found
        ``NumberIntervals``: ``prediction``, ``lower``, ``upper`` and ``level``.
    truth
        The true numbers of the rows, to see how many are inside.
    """
    order = np.argsort(found.prediction, kind="stable")
    place = np.arange(1, len(order) + 1)
    middle, low, high = (side[order] for side in (found.prediction, found.lower, found.upper))
    name = f"{percent(found.level, fine=True)} interval"
    marks: list[Mark]
    if len(order) <= _FEW:
        marks = [Points(place, middle, f"prediction and {name}", 0, low=low, high=high)]
    else:
        marks = [Band(place, low, high, name, 0), Line(place, middle, "prediction", 0)]
    note = "" if found.is_finite else "Intervals are infinite: too few errors are known."
    if truth is not None:
        given = np.asarray(truth, dtype=np.float64)[order]
        inside = (given >= low) & (given <= high)
        marks.append(
            Points(place, given, "truth", 1, symbol="cross" if len(order) <= _FEW else "circle")
        )
        note = f"{percent(float(inside.mean()))} of {len(order):,} rows are inside. {note}".strip()
    axes = Axis("rows, by prediction", form="whole"), Axis("prediction")
    return Chart(tuple(marks), *axes, f"Predictions with {name}s", note)
