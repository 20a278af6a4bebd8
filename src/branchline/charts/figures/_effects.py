"""Effect curves: how predictions change along a column, with bands and where rows are."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Band, Line, Mark, Points, Rule

__all__ = ["draw_effects"]

_HINTS = {
    "rows": "Band: other rows, the same model (95 %).",
    "refits": "Band: the learner fitted on other rows (95 %).",
}


def draw_effects(curves: Sequence[Any]) -> Chart:
    """Draw the curves of one column, one for each output (``assess.effects.EffectCurve``)."""
    first, several = curves[0], len(curves) > 1
    marks: list[Mark] = []
    for place, curve in enumerate(curves):
        name = curve.output if several else ""
        if first.names:
            shift = 0.0 if not several else 0.12 * (place - (len(curves) - 1) / 2)
            marks.append(
                Points(curve.at + shift, curve.effect, name, place, low=curve.low, high=curve.high)
            )
        else:
            marks += [
                Band(curve.at, curve.low, curve.high, name, place),
                Line(curve.at, curve.effect, name, place, dots=len(curve.at) <= 3),
            ]
        if curve.when_missing is not None:
            told = f"missing: {curve.output}" if several else "missing"
            marks.append(Rule(curve.when_missing.estimate, "y", told))
    return Chart(
        tuple(marks),
        Axis(first.axis or first.column, categories=first.names),
        Axis(_measure(first, several)),
        f"Effect of {first.column}",
        _note(first),
    )


def _measure(curve: Any, several: bool) -> str:
    what = "prediction"
    if curve.output != "prediction":
        what = "probability" if several else f"probability of {curve.output}"
    return f"mean {what}" if curve.method == "partial_dependence" else f"change of {what}"


def _note(curve: Any) -> str:
    told = []
    if bool(np.any(curve.low != curve.high)):
        told.append(_HINTS[curve.band])
    if curve.method == "accumulated":
        told.append("Accumulated local effects: 0 is the mean over rows.")
    return " ".join(told)
