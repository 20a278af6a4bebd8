"""A number that changes step by step, as a line across the page, with one step marked."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._drawing import number, path, text
from branchline.report.charts._frame import Scale, chart, fit, line, scale_for, tick_words, ticks

__all__ = ["LineOfSteps", "line_plot"]

_WIDE, _NARROW = 860.0, 350.0
_HEIGHT, _NARROW_HEIGHT = 220.0, 190.0
_LEFT, _RIGHT, _TOP, _FOOT = 58.0, 14.0, 46.0, 46.0
_MOST_POINTS = 400


@dataclass(frozen=True, eq=False)
class LineOfSteps:
    """What a line plot shows.

    Parameters
    ----------
    values
        The number after each step; the first is that of step 1.
    steps, measure
        What a step is, and what the number measures.
    marked
        The step to mark, counted from 1.
    mark
        The words at the mark.
    """

    values: npt.NDArray[np.float64]
    steps: str
    measure: str
    marked: int
    mark: str


def line_plot(shown: LineOfSteps, words: str, *, narrow: bool = False) -> str:
    """Draw the line; its height is the range of the values, so its end need not be zero."""
    width, height = (_NARROW, _NARROW_HEIGHT) if narrow else (_WIDE, _HEIGHT)
    bottom = _TOP + height
    across = Scale(0.0, float(len(shown.values)), _LEFT, width - _RIGHT)
    up = scale_for(shown.values.tolist(), bottom, _TOP)
    body = [
        fit(0, 12, shown.measure, width, "quiet"),
        _levels(up, across),
        _steps_axis(across, bottom, shown.steps),
        _line(shown.values, across, up),
        _mark(shown, across, up),
    ]
    return chart(body, width, bottom + _FOOT, words)


def _levels(up: Scale, across: Scale) -> str:
    places = ticks(up.low, up.high, 6)
    return "".join(
        line(across.begin, up(place), across.end, up(place), "rule")
        + text(across.begin - 7, up(place) + 4, label, "quiet small end")
        for place, label in zip(places, tick_words(places), strict=True)
    )


def _steps_axis(across: Scale, bottom: float, words: str) -> str:
    places = [place for place in ticks(across.low, across.high) if place % 1 == 0]
    marks = [
        line(across(place), bottom, across(place), bottom + 4, "axis")
        + text(across(place), bottom + 17, label, "quiet small mid")
        for place, label in zip(places, tick_words(places), strict=True)
    ]
    name = text((across.begin + across.end) / 2, bottom + 37, words, "quiet mid")
    return line(across.begin, bottom, across.end, bottom, "axis") + "".join(marks) + name


def _line(values: npt.NDArray[np.float64], across: Scale, up: Scale) -> str:
    last = len(values) - 1
    kept = np.unique(np.linspace(0, last, min(last + 1, _MOST_POINTS)).round().astype(np.intp))
    points = zip((kept + 1).tolist(), values[kept].tolist(), strict=True)
    drawn = "L".join(f"{number(across(step))} {number(up(value))}" for step, value in points)
    return path(f"M{drawn}", "curve")


def _mark(shown: LineOfSteps, across: Scale, up: Scale) -> str:
    x, y = across(shown.marked), up(float(shown.values[shown.marked - 1]))
    at_right = x > (across.begin + across.end) / 2
    side, away = (" end", -7) if at_right else ("", 7)
    return (
        line(x, _TOP - 16, x, up.begin, "guide")
        + text(x + away, _TOP - 8, shown.mark, "ink strong halo" + side)
        + f'<circle cx="{number(x)}" cy="{number(y)}" r="5" class="chosen fill"/>'
    )
