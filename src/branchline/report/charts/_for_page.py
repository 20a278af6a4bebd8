"""Charts drawn for the page of a report: one for wide screens and paper, one for phones.

The page states the style once, and shows titles, explanations and numbers around a chart itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.charts import (
    Axis,
    Band,
    Bar,
    Chart,
    IntervalRow,
    Line,
    Points,
    Rule,
    bar_rows,
    draw_confusion,
    interval_rows,
)

__all__ = [
    "LineOfSteps",
    "Square",
    "bar_chart",
    "confusion_grid",
    "interval_plot",
    "line_plot",
    "page_chart",
    "square_plot",
]

Floats = npt.NDArray[np.float64]

_WIDE, _NARROW, _SQUARE, _GRID = 860.0, 350.0, 400.0, 700.0


def _drawn(chart: Chart, *, narrow: bool) -> str:
    return chart.to_svg(_NARROW if narrow else _WIDE, "page")


def page_chart(chart: Chart, *, narrow: bool = False) -> str:
    """Draw a chart without its title and note, which the page shows itself."""
    return _drawn(replace(chart, title="", note=""), narrow=narrow)


def bar_chart(bars: Sequence[Bar], axis: str, words: str, *, narrow: bool = False) -> str:
    """Draw bars from top to bottom; ``words`` describe them."""
    return _drawn(bar_rows(bars, axis, words=words), narrow=narrow)


def interval_plot(
    rows: Sequence[IntervalRow],
    axis: str,
    words: str,
    *,
    reference: float | None = None,
    reference_words: str = "",
    narrow: bool = False,
) -> str:
    """Draw estimates with intervals; a dashed line marks the ``reference``."""
    chart = interval_rows(
        rows, axis, reference=reference, reference_words=reference_words, words=words
    )
    return _drawn(chart, narrow=narrow)


def confusion_grid(
    counts: npt.NDArray[np.int64],
    names: list[str],
    words: str,
    costs: npt.NDArray[np.float64] | None = None,
) -> str:
    """Draw the confusion matrix; with costs, what each cell costs a row."""
    return draw_confusion(counts, names, costs=costs, words=words).to_svg(_GRID, "page")


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

    values: Floats
    steps: str
    measure: str
    marked: int
    mark: str


def line_plot(shown: LineOfSteps, words: str, *, narrow: bool = False) -> str:
    """Draw a number that changes step by step, with one step marked."""
    steps = np.arange(1, len(shown.values) + 1)
    marked = float(shown.values[shown.marked - 1])
    marks = (
        Rule(shown.marked, "x", shown.mark),
        Line(steps, shown.values, color=0),
        Points([shown.marked], [marked], color=1, size=10.0, symbol="circle"),
    )
    across = Axis(shown.steps, ends=(0.0, float(len(shown.values))), form="whole")
    return _drawn(Chart(marks, across, Axis(shown.measure), words=words), narrow=narrow)


@dataclass(frozen=True, eq=False)
class Square:
    """What a square plot shows.

    Parameters
    ----------
    x_axis, y_axis
        What the axes measure.
    x_ends, y_ends
        The lowest and highest number of each axis.
    line
        A curve: x and y.
    band
        The ends of a band: x, low and high.
    points
        Dots: x and y.
    bars
        The ends of each dot's interval.
    guide
        A dashed line for comparison: x and y.
    """

    x_axis: str
    y_axis: str
    x_ends: tuple[float, float] = (0.0, 1.0)
    y_ends: tuple[float, float] = (0.0, 1.0)
    line: tuple[Floats, Floats] | None = None
    band: tuple[Floats, Floats, Floats] | None = None
    points: tuple[Floats, Floats] | None = None
    bars: tuple[Floats, Floats] | None = None
    guide: tuple[Floats, Floats] | None = None


def square_plot(square: Square, words: str) -> str:
    """Draw two numbers against each other: ROC, calibration, true and predicted."""
    marks: list[Any] = []
    if square.band is not None:
        marks.append(Band(*square.band, color=0))
    if square.guide is not None:
        marks.append(Line(*square.guide, color="quiet", dashed=True))
    if square.line is not None:
        marks.append(Line(*square.line, color=0))
    if square.points is not None:
        low, high = square.bars or (None, None)
        marks.append(Points(*square.points, low=low, high=high, color=0, symbol="circle"))
    x, y = Axis(square.x_axis, ends=square.x_ends), Axis(square.y_axis, ends=square.y_ends)
    return Chart(tuple(marks), x, y, words=words, shape="square").to_svg(_SQUARE, "page")
