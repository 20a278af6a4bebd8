"""Errors and scores against rows, a parameter, leaves, rounds, trees or inputs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from branchline._plain_numbers import cell, count
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Band, Line, Mark, Points, Rule

__all__ = [
    "draw_choice",
    "draw_pruning",
    "draw_rounds",
    "draw_scores",
    "draw_selection",
    "draw_steps",
]

_MANY_LINES = 6  # classes whose lines can be told apart
_MANY_TIMES = 20.0  # values that span more than this are drawn by their ratios


def draw_scores(curve: Any) -> Chart:
    """Draw a learning or validation curve (``assess.curves.Curve``): training and test rows."""
    values = [point.at for point in curve.points]
    places, axis = value_axis(curve.axis, values)
    test = [point.test for point in curve.points]
    marks = (
        Band(places, [one.low for one in test], [one.high for one in test], "95 % interval", 0),
        Line(places, [one.estimate for one in test], "test rows", 0, dots=True),
        Line(
            places, [one.train for one in curve.points], "training rows", 1, dashed=True, dots=True
        ),
    )
    title = "Learning curve" if curve.axis == "rows" else f"{curve.metric} for each {curve.axis}"
    note = "" if curve.axis == "rows" else (
        "The best of the curve was chosen by looking at the test rows, so it is too good to be "
        "true."
    )  # fmt: skip
    return Chart(marks, axis, Axis(curve.metric), title, note)


def value_axis(name: str, values: Sequence[Any]) -> tuple[Any, Axis]:
    """Return where values stand on an axis: numbers (by ratios if these are large) or names."""
    numbers = [_as_number(value) for value in values]
    if any(one is None for one in numbers):
        return np.arange(len(values)), Axis(name, categories=tuple(str(one) for one in values))
    found = np.array(numbers, dtype=np.float64)
    is_log = bool(
        found.min(initial=1.0) > 0 and found.max(initial=1.0) > _MANY_TIMES * found.min(initial=1.0)
    )
    is_whole = not is_log and bool((found == np.round(found)).all())
    return found, Axis(name, log=is_log, form="whole" if is_whole else "number")


def _as_number(value: Any) -> float | None:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return float(value) if is_number and np.isfinite(value) else None


def draw_rounds(history: Any) -> Chart:
    """Draw how many rows of each class self-training labeled, round by round."""
    steps = np.arange(1, len(history.rounds) + 1)
    many = len(history.classes) > _MANY_LINES
    lines = {"all classes": [one.n_labeled for one in history.rounds]} if many else {
        name: [one.of_class[place] for one in history.rounds]
        for place, name in enumerate(history.classes)
    }  # fmt: skip
    marks = tuple(
        Line(steps, values, name, place, dots=True)
        for place, (name, values) in enumerate(lines.items())
    )
    note = f"A row is labeled from a probability of {cell(history.threshold)} on."
    axes = Axis("round", form="whole"), Axis("rows labeled", form="whole")
    return Chart(marks, *axes, "Self-training", note)


def draw_steps(
    steps: Any, lines: Mapping[str, Any], *, unit: str, measure: str, title: str, note: str = ""
) -> Chart:
    """Draw errors after each step: rounds of boosting, trees of a forest.

    Parameters
    ----------
    steps
        The number of steps at each place.
    lines
        The values of each line, by its name.
    unit, measure, title, note
        What a step is, what is measured, and the words of the chart.
    """
    marks: list[Mark] = [
        Line(steps, values, name, place) for place, (name, values) in enumerate(lines.items())
    ]
    last = list(lines.values())[-1]
    if len(last) > 1 and np.isfinite(last).any():
        best = int(np.nanargmin(last))
        marks.append(
            Points([steps[best]], [last[best]], "", len(lines) - 1, size=10.0, symbol="circle")
        )
    return Chart(tuple(marks), Axis(unit, form="whole"), Axis(measure), title, note)


def draw_pruning(path: Any) -> Chart:
    """Draw the pruning sequence of a tree (``PruningPath``): error or price against leaves."""
    order = np.argsort(path.n_leaves, kind="stable")
    leaves = path.n_leaves[order].astype(np.float64)
    is_log = bool(len(leaves) and leaves.max() > _MANY_TIMES)
    axis = Axis("leaves", log=is_log, form="number" if is_log else "whole")
    taken = int(path.n_leaves[path.chosen])
    rule = Rule(float(taken), "x", f"{count(taken, 'leaf', 'leaves')} taken")
    if not len(path.error):
        marks: tuple[Mark, ...] = (
            rule,
            Line(leaves, path.beta[order], "price of a leaf", 0, dots=True),
        )
        return Chart(marks, axis, Axis("price of a leaf"), "Pruning sequence")
    error, spread = path.error[order], path.standard_error[order]
    least = int(np.argmin(error))
    limit = float(error[least] + spread[least])
    marks = (
        Band(leaves, error - spread, error + spread, "± 1 standard error", 0),
        rule,
        Line(leaves, error, "held-out rows", 0, dots=len(leaves) <= 60),
        Line(
            leaves[[0, -1]],
            (limit, limit),
            "1 standard error above the least",
            "quiet",
            dashed=True,
        ),
    )
    return Chart(marks, axis, Axis("loss per row on held-out rows"), "Pruning sequence")


def draw_selection(curve: Any) -> Chart:
    """Draw estimates of the error against the number of inputs kept (``SelectionCurve``)."""
    places, axis = value_axis("inputs kept", list(curve.n_kept))
    marks = tuple(
        Line(places, values, name, place, dots=True, dashed=name == "training")
        for place, (name, values) in enumerate(curve.errors.items())
    )
    return Chart(
        marks,
        axis,
        Axis("error", zero=True, form="percent"),
        "Choosing inputs deceives",
        "Estimates for which the inputs were chosen on all rows are far too low.",
    )


def draw_choice(
    values: Any, error: Any, spread: Any = None, *, chosen: float, name: str, measure: str
) -> Chart:
    """Draw the error of each value of a parameter on rows left out, and the value taken."""
    values, error = np.asarray(values, dtype=np.float64), np.asarray(error, dtype=np.float64)
    marks: list[Mark] = [Rule(chosen, "x", f"{cell(chosen, 3)} taken")]
    if spread is not None:
        band = (error - np.asarray(spread), error + np.asarray(spread))
        marks.insert(0, Band(values, *band, "± 1 standard error", 0))
    marks.append(Line(values, error, "rows left out", 0))
    is_log = bool(len(values) and (values > 0).all() and values.max() > _MANY_TIMES * values.min())
    return Chart(tuple(marks), Axis(name, log=is_log), Axis(measure), f"{measure} against {name}")
