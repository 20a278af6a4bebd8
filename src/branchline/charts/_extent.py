"""Which numbers an axis must hold: those of all marks, and zero where bars begin."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline.charts._marks import (
    Band,
    Bars,
    Cells,
    Label,
    Line,
    Mark,
    Points,
    Rule,
    Segments,
    Stack,
)

if TYPE_CHECKING:
    from branchline.charts._chart import Chart

__all__ = ["x_numbers", "y_numbers"]

Floats = npt.NDArray[np.float64]


def x_numbers(chart: "Chart") -> list[Floats]:
    """Return the numbers along the horizontal axis."""
    return [numbers for mark in chart.marks for numbers in _x_of(mark)]


def y_numbers(chart: "Chart") -> list[Floats]:
    """Return the numbers along the vertical axis."""
    return [numbers for mark in chart.marks for numbers in _y_of(mark)]


def _x_of(mark: Mark) -> list[Floats]:
    return _X[type(mark)](mark)


def _y_of(mark: Mark) -> list[Floats]:
    return _Y[type(mark)](mark)


def _of_bars(mark: Bars, side: str) -> list[Floats]:
    if mark.along == side:
        return [np.zeros(1), mark.values, *_ends(mark)]
    return [mark.at - mark.width / 2, mark.at + mark.width / 2]


def _ends(mark: Points | Bars) -> list[Floats]:
    return [ends for ends in (mark.low, mark.high) if ends is not None]


_X: dict[type, Callable[[Any], list[Floats]]] = {
    Cells: lambda mark: [mark.x_edges],
    Segments: lambda mark: [mark.x, mark.x_to],
    Bars: lambda mark: _of_bars(mark, "x"),
    Points: lambda mark: [mark.x, *(_ends(mark) if mark.along == "x" else [])],
    Rule: lambda mark: [np.array([mark.at])] if mark.axis == "x" else [],
    Label: lambda mark: [np.array([mark.x])],
    Band: lambda mark: [mark.x],
    Line: lambda mark: [mark.x],
    Stack: lambda mark: [mark.x],
}
_Y: dict[type, Callable[[Any], list[Floats]]] = {
    Cells: lambda mark: [mark.y_edges],
    Segments: lambda mark: [mark.y, mark.y_to],
    Bars: lambda mark: _of_bars(mark, "y"),
    Points: lambda mark: [mark.y, *(_ends(mark) if mark.along == "y" else [])],
    Rule: lambda mark: [np.array([mark.at])] if mark.axis == "y" else [],
    Label: lambda mark: [np.array([mark.y])],
    Band: lambda mark: [mark.low, mark.high],
    Line: lambda mark: [mark.y],
    Stack: lambda mark: [np.zeros(1), *mark.tops],
}
