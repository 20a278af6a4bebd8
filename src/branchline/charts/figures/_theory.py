"""Where errors come from: structural risk, bias and variance, models of many samples."""

from typing import Any

import numpy as np

from branchline._plain_numbers import cell
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Band, Line, Mark, Rule, Stack
from branchline.charts.figures._error_curves import value_axis

__all__ = ["draw_bias_variance", "draw_sample_curves", "draw_structural_risk"]

_MOST_FITS = 200  # curves; more are one gray area and a larger file


def draw_structural_risk(found: Any) -> Chart:
    """Draw training error and confidence stacked over sizes (``assess.theory.StructuralRisk``)."""
    steps = [step for step in found.steps if np.isfinite(step.bound)]
    places, axis = value_axis(found.unit, [step.size for step in steps])
    marks: list[Mark] = [
        Stack(
            places,
            (
                ("training error", [step.risk for step in steps]),
                ("confidence", [step.confidence for step in steps]),
            ),
            0,
        ),
        Band(places, [s.cv.low for s in steps], [s.cv.high for s in steps], "", 3),
        Line(places, [s.cv.estimate for s in steps], "cross-validation", 3, dots=True),
    ]
    chosen: dict[Any, list[str]] = {}
    for choice in found.choices:
        chosen.setdefault(choice.size, []).append(choice.rule)
    sizes = [step.size for step in steps]
    for size, rules in chosen.items():
        if size in sizes:
            marks.append(Rule(float(places[sizes.index(size)]), "x", ", ".join(rules)))
    top = max((step.bound for step in steps), default=1.0)
    return Chart(
        tuple(marks),
        axis,
        Axis(found.metric, zero=True),
        f"Structural risk along {found.along}",
        "The VC bound is the training error plus the confidence; dashed lines are the sizes "
        "that rules "
        f"choose. The bound is at most {cell(top, 3)} here and far above the error: it holds "
        "for every "
        "distribution.",
    )


def draw_bias_variance(curve: Any) -> Chart:
    """Draw bias², variance and noise stacked (``assess.theory.BiasVarianceCurve``)."""
    places, axis = value_axis(curve.over.replace("_", " "), curve.values)
    known = all(part.noise is not None for part in curve.parts)
    parts: tuple[tuple[str, Any], ...]
    if known:
        parts = (
            ("noise", [part.noise for part in curve.parts]),
            ("bias²", [part.bias2 for part in curve.parts]),
        )
    else:
        parts = (("bias² + noise", [part.bias2_and_noise for part in curve.parts]),)
    stack = Stack(places, (*parts, ("variance", [part.variance for part in curve.parts])), 0)
    errors = [part.error for part in curve.parts]
    marks: tuple[Mark, ...] = (stack, Line(places, errors, "error", "ink", dots=True))
    if len(errors) > 1:
        best = int(np.argmin(errors))
        marks = (*marks, Rule(float(places[best]), "x", "least error"))
    return Chart(marks, axis, Axis("error", zero=True), f"Bias and variance against {axis.name}")


def draw_sample_curves(found: Any) -> Chart:
    """Draw the models of many samples over each other (``assess.theory.SampleCurves``)."""
    shown = found.curves[:_MOST_FITS]
    fits = [
        Line(found.x, curve, "fits" if not place else "", 0, faint=True)
        for place, curve in enumerate(shown)
    ]
    marks = (
        *fits,
        Line(found.x, found.truth, "truth", "ink"),
        Line(found.x, found.mean, "mean of the fits", 1, dashed=True),
    )
    n_more = len(found.curves) - len(shown)
    note = f"{len(shown)} samples of {found.n_rows} rows."
    if n_more:
        note += f" {n_more} more are not drawn."
    return Chart(
        marks, Axis(f"input {found.column + 1}"), Axis("prediction"), "Models of many samples", note
    )
