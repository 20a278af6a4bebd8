"""ROC, precision and recall, calibration, gain, lift and net benefit, each with its band."""

from typing import Any

import numpy as np

from branchline._plain_numbers import fixed, percent
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Band, Line, Points

__all__ = ["draw_calibration", "draw_decision", "draw_gain", "draw_lift", "draw_ranking"]

_UNIT = (0.0, 1.0)
_FIRST = 0.02  # the lift of fewer rows is hardly known
_BAND = "95 % band"


def draw_ranking(curve: Any) -> Chart:
    """Draw a ROC or precision-recall curve (``assess.curves.RankingCurve``)."""
    is_roc = curve.kind == "roc"
    axes = ("false positive rate", "recall") if is_roc else ("recall", "precision")
    guide = (np.array(_UNIT), np.array(_UNIT) if is_roc else np.full(2, curve.rate))
    area = "area" if is_roc else "average precision"
    marks = (
        Band(curve.grid, curve.low, curve.high, _BAND, 0),
        Line(*guide, "random order", "quiet", dashed=True),
        Line(curve.x, curve.y, "model", 0),
    )
    return Chart(
        marks,
        Axis(axes[0], _UNIT),
        Axis(axes[1], _UNIT),
        "ROC curve" if is_roc else "Precision and recall",
        f"{area.capitalize()} {curve.area} (95 % interval).",
        shape="square",
    )


def draw_calibration(curve: Any) -> Chart:
    """Draw predicted probabilities against observed frequencies (``assess.curves.Calibration``)."""
    marks = (
        Line(_UNIT, _UNIT, "perfect", "quiet", dashed=True),
        Points(curve.predicted, curve.seen, "bins of rows", 0, low=curve.low, high=curve.high),
    )
    return Chart(
        marks,
        Axis("predicted probability", _UNIT),
        Axis("observed frequency", _UNIT),
        "Calibration",
        f"Mean distance from the line: {fixed(curve.error)}. Bars are 95 % intervals.",
        shape="square",
    )


def draw_gain(curve: Any) -> Chart:
    """Draw cumulative gain (``assess.curves.GainCurve``)."""
    first = curve.gain_at(0.1)
    marks = (
        Band(curve.share, curve.low, curve.high, _BAND, 0),
        Line(curve.share, curve.perfect, "perfect order", "quiet"),
        Line(curve.share, curve.share, "random order", "quiet", dashed=True),
        Line(curve.share, curve.gain, "model", 0),
    )
    return Chart(
        marks,
        Axis("share of rows, most probable first", _UNIT, form="percent"),
        Axis(f"share of {curve.positive} found", _UNIT, form="percent"),
        "Cumulative gain",
        f"The first 10 % of rows hold {percent(first.estimate)} of all that are {curve.positive} "
        f"(95 % interval: {percent(first.low)} to {percent(first.high)}).",
        shape="square",
    )


def draw_lift(curve: Any) -> Chart:
    """Draw lift (``assess.curves.GainCurve``), from the first 2 % of rows on."""
    kept = curve.share >= _FIRST
    share = curve.share[kept]
    middle, low, high = (side[kept] / share for side in (curve.gain, curve.low, curve.high))
    first = curve.lift_at(0.1)
    marks = (
        Band(share, low, high, _BAND, 0),
        Line(_UNIT, (1.0, 1.0), "random order", "quiet", dashed=True),
        Line(share, middle, "model", 0),
    )
    top = float(np.ceil(2 * max(1.5, high.max())) / 2)
    return Chart(
        marks,
        Axis("share of rows, most probable first", _UNIT, form="percent"),
        Axis(f"lift for {curve.positive}", (0.0, top)),
        "Lift",
        f"Among the first 10 % of rows, {curve.positive} is {first} times as frequent as among "
        "all.",
        shape="square",
    )


def draw_decision(curve: Any) -> Chart:
    """Draw net benefit against the threshold (``assess.curves.DecisionCurve``)."""
    bottom = min(-0.02, max(-0.15, float(curve.low.min())))
    top = float(max(curve.high.max(), curve.treat_all.max(), 0.02)) * 1.05
    low, high = (np.clip(side, bottom, top) for side in (curve.low, curve.high))
    marks = (
        Band(curve.threshold, low, high, _BAND, 0),
        Line(curve.threshold, _inside(curve.treat_all, bottom), "act on all rows", 1, dashed=True),
        Line(curve.threshold[[0, -1]], (0.0, 0.0), "act on none", "quiet", dashed=True),
        Line(curve.threshold, np.clip(curve.net_benefit, bottom, top), "model", 0),
    )
    useful = [f"{percent(low)} to {percent(high)}" for low, high in curve.useful_ranges()]
    told = f"Shown to be better than both at thresholds of {', '.join(useful)}." if useful else ""
    return Chart(
        marks,
        Axis("threshold: act from this probability on", form="percent"),
        Axis("net benefit", (bottom, top)),
        "Decision curve",
        told or "Not shown to be better than acting on all or on none at any threshold.",
    )


def _inside(values: Any, bottom: float) -> Any:
    """Return a curve that ends where it leaves the chart."""
    return np.where(values >= bottom, values, np.nan)
