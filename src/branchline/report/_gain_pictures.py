"""Gain, lift and net benefit of the recommended model, with bands."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import fixed, joined, percent
from branchline.report._blocks import Grid, Picture
from branchline.report._words import interval_words, named
from branchline.report.charts import Square, square_plot

if TYPE_CHECKING:
    from branchline.assess.curves import DecisionCurve, GainCurve
    from branchline.report._findings import Findings

__all__ = ["gain_pictures"]

Floats = npt.NDArray[np.float64]

_SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
_THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_FIRST = 0.02  # the lift of fewer rows is hardly known


def gain_pictures(findings: "Findings") -> list[Picture]:
    """Return gain, lift and the decision curve, where there are two classes and probabilities."""
    gain, decision = findings.gain, findings.decision_curve
    if gain is None or decision is None or findings.is_baseline:
        return []
    about = named(gain.positive)
    return [_gain(gain, about), _lift(gain, about), _decision(decision, about)]


def _gain(curve: "GainCurve", about: str) -> Picture:
    title = f"How many of {about} are among the first rows?"
    first = curve.gain_at(0.1)
    words = (
        f"Cumulative gain with 95 % band: rows are ranked by the probability of {about}. The first "
        f"10 % of them hold {percent(first.estimate)} of all that are {about} (95 % interval: "
        f"{percent(first.low)} to {percent(first.high)}). The dashed line is a random order."
    )
    axes = ("share of rows, most probable first", f"share of {about} found")
    square = Square(
        *axes,
        line=(curve.share, curve.gain),
        band=(curve.share, curve.low, curve.high),
        guide=(curve.share, curve.share),
    )
    rows = tuple(
        (percent(share), *(fixed(end) for end in (one.estimate, one.low, one.high)))
        for share in _SHARES
        for one in [curve.gain_at(share)]
    )
    numbers = Grid(title, ("rows", "found", "from", "to"), rows, 0)
    return Picture(title, square_plot(square, f"{title} {words}"), words, numbers)


def _lift(curve: "GainCurve", about: str) -> Picture:
    title = f"How much better than picking rows at random to find {about}?"
    first = curve.lift_at(0.1)
    words = (
        f"Lift with 95 % band. Among the first 10 % of rows {about} is "
        f"{interval_words(first)} times as frequent as among all rows "
        f"({percent(curve.rate)}). The dashed line is a random order."
    )
    axes = ("share of rows, most probable first", "lift")
    kept = curve.share >= _FIRST
    share = curve.share[kept]
    sides = [side[kept] / share for side in (curve.gain, curve.low, curve.high)]
    highest = float(np.ceil(max(1.5, sides[2].max())))
    square = Square(
        *axes,
        y_ends=(0.0, highest),
        line=(share, sides[0]),
        band=(share, sides[1], sides[2]),
        guide=(np.array([0.0, 1.0]), np.array([1.0, 1.0])),
    )
    rows = tuple(
        (percent(at), *(fixed(end, 2) for end in (one.estimate, one.low, one.high)))
        for at in _SHARES
        for one in [curve.lift_at(at)]
    )
    numbers = Grid(title, ("rows", "lift", "from", "to"), rows, 0)
    return Picture(title, square_plot(square, f"{title} {words}"), words, numbers)


def _decision(curve: "DecisionCurve", about: str) -> Picture:
    title = f"Is it worth acting on its probabilities of {about}?"
    useful = [f"{percent(low)} to {percent(high)}" for low, high in curve.useful_ranges()]
    where = (
        f"It is shown to be better than both at thresholds of {joined(useful)}."
        if useful
        else "It is not shown to be better than both at any threshold."
    )
    words = (
        "Decision curve with 95 % band: the net benefit of acting on every row whose probability "
        "is at least the threshold, in true positives per row less false alarms. To act from a "
        "probability of 20 % on means that a miss is four times as bad as a false alarm. The "
        f"dashed line is acting on all rows or on none, whichever is better. {where}"
    )
    at_best = np.maximum(curve.treat_all, 0.0)
    bottom = min(-0.02, max(-0.15, float(curve.low.min())))
    top = float(max(curve.high.max(), at_best.max(), 0.02)) * 1.05
    sides = [np.clip(side, bottom, top) for side in (curve.net_benefit, curve.low, curve.high)]
    square = Square(
        "threshold: act from this probability on",
        "net benefit",
        y_ends=(bottom, top),
        line=(curve.threshold, sides[0]),
        band=(curve.threshold, sides[1], sides[2]),
        guide=(curve.threshold, at_best),
    )
    rows = tuple(_decision_row(curve, at) for at in _THRESHOLDS)
    heads = ("threshold", "net benefit", "from", "to", "act on all", "gained", "from", "to")
    numbers = Grid(title, heads, rows, 0)
    return Picture(title, square_plot(square, f"{title} {words}"), words, numbers)


def _decision_row(curve: "DecisionCurve", at: float) -> tuple[str, ...]:
    own, gained = curve.at(at), curve.gained_at(at)
    place = int(np.argmin(np.abs(curve.threshold - at)))
    numbers = (own.estimate, own.low, own.high, float(curve.treat_all[place]))
    more = (gained.estimate, gained.low, gained.high)
    return (percent(at), *(fixed(one) for one in (*numbers, *more)))
