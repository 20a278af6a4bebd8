"""Charts of labeling: chosen beside random rows, and what further labels are worth."""

from typing import Any

import numpy as np

from branchline.charts import Axis, Band, Chart, Line, Points, Rule

__all__ = ["draw_labeling_curve", "draw_stop_advice"]


def draw_labeling_curve(curve: Any) -> Chart:
    """Draw both curves with their bands, and the score with all labels."""
    sizes = curve.sizes.astype(float)
    marks: list[Any] = []
    for color, (way, name) in enumerate(
        (("chosen", f"chosen ({curve.strategy})"), ("random", "random rows"))
    ):
        found = curve.intervals(way)
        low, high = [one.low for one in found], [one.high for one in found]
        marks.append(Band(sizes, low, high, f"{name}: 95 % interval", color))
        line = [one.estimate for one in found]
        marks.append(Line(sizes, line, name, color, dashed=bool(color)))
    whole = float(curve.all_labels.mean())
    note = f"Mean of {len(curve.chosen)} draws of pool and test rows."
    rule = Rule(whole, "y", "all labels")
    return Chart((*marks, rule), Axis("labels", form="whole"), Axis(curve.metric),
                 "Chosen and random labels", note)  # fmt: skip


def draw_stop_advice(advice: Any) -> Chart:
    """Draw the fitted learning curve: what was gained so far, and what is still to come."""
    at = np.asarray(advice.curve_sizes, dtype=float)
    past, now = at <= advice.n_labeled, float(advice.n_labeled)
    low, mid, high = (np.asarray(one) for one in advice.curve)
    marks: list[Any] = [
        Band(at, low, high, "90 % band", 0),
        Line(at[past], mid[past], "fitted, so far", 0),
        Line(at[~past], mid[~past], "expected", 0, dashed=True),
        Points(advice.seen_sizes, advice.seen, "models of earlier labels", 1),
        Rule(now, "x", "now"),
    ]
    if advice.n_more:
        marks.append(Rule(now + advice.n_more, "x", "stop"))
    note = "Change against the model of today, in the same unit as the score. " + advice.verdict()
    return Chart(tuple(marks), Axis("labels", form="whole"), Axis(f"{advice.metric}, change"),
                 "What further labels are worth", note)  # fmt: skip
