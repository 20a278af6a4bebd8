"""A chart in words, from its numbers.

What the axes measure, and where each mark begins, ends, and is highest or lowest: a few sentences.
The frame of the chart holds every number.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import cell, count, joined, percent
from branchline.charts._axis import Axis
from branchline.charts._marks import Band, Bars, Cells, Line, Mark, Points, Rule, Segments, Stack

if TYPE_CHECKING:
    from branchline.charts._chart import Chart

__all__ = ["describe"]

Floats = npt.NDArray[np.float64]
_MOST_MARKS, _MOST_LISTED = 8, 12


def describe(chart: "Chart") -> str:
    """Return a few sentences about a chart."""
    axes = " against ".join(name for name in (chart.y.name, chart.x.name) if name)
    told = [chart.title, axes if axes != chart.title else ""]
    said = [words for mark in chart.marks if (words := _mark(mark, chart))]
    told += said[:_MOST_MARKS]
    if len(said) > _MOST_MARKS:
        told.append(f"And {count(len(said) - _MOST_MARKS, 'more mark', 'more marks')}")
    told.append(chart.full_note)
    return " ".join(_sentence(part) for part in told if part)


def _sentence(words: str) -> str:
    return words if words.endswith((".", "?", "!")) else f"{words}."


def _mark(mark: Mark, chart: "Chart") -> str:
    tell = _TELL.get(type(mark))
    return tell(mark, chart) if tell else ""


def _line(mark: Line, chart: "Chart") -> str:
    return "" if mark.faint and not mark.name else _curve(mark.name, mark.x, mark.y, chart)


def _stack(mark: Stack, chart: "Chart") -> str:
    return " ".join(_sentence(_curve(name, mark.x, part, chart)) for name, part in mark.parts)


def _points(mark: Points, chart: "Chart") -> str:
    return _listed(mark.name, mark.x, mark.y, mark, chart)


def _bars(mark: Bars, chart: "Chart") -> str:
    x, y = (mark.values, mark.at) if mark.along == "x" else (mark.at, mark.values)
    return _listed(mark.name, x, y, mark, chart)


def _segments(mark: Segments, chart: "Chart") -> str:
    return f"{mark.name}: {count(len(mark.x), 'straight line')}".removeprefix(": ")


def _rule(mark: Rule, chart: "Chart") -> str:
    axis = chart.x if mark.axis == "x" else chart.y
    return f"Dashed line at {_number(mark.at, axis)}: {mark.words}" if mark.words else ""


def _band(mark: Band, chart: "Chart") -> str:
    known = np.isfinite(mark.high - mark.low)
    if not mark.name or not known.any():
        return ""
    width = float(np.median((mark.high - mark.low)[known]))
    return f"{mark.name}: a band, usually {_number(width, chart.y)} wide"


def _number(value: float, axis: Axis) -> str:
    if axis.categories:
        place = round(value)
        return axis.categories[place] if 0 <= place < len(axis.categories) else cell(value)
    return percent(value, fine=True) if axis.form == "percent" else cell(value, 4)


def _curve(name: str, x: Floats, y: Floats, chart: "Chart") -> str:
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if not len(known):
        return ""
    first, last = known[0], known[-1]

    def told(row: int) -> str:
        return f"{_number(float(y[row]), chart.y)} at {_number(float(x[row]), chart.x)}"

    at = list(dict.fromkeys([told(int(first)), told(int(last))]))
    low, high = int(known[y[known].argmin()]), int(known[y[known].argmax()])
    ends = ", ".join(at)
    extreme = []
    if y[low] < min(y[first], y[last]) or y[low] == y[high]:
        extreme = [f"lowest {told(low)}"]
    if y[high] > y[low]:
        extreme.append(f"highest {told(high)}")
    before = f"{name}: " if name else ""
    return before + "; ".join([ends, *extreme])


def _listed(name: str, x: Floats, y: Floats, mark: Points | Bars, chart: "Chart") -> str:
    before = f"{name}: " if name else ""
    if len(x) > _MOST_LISTED and not chart.y.categories:
        return f"{before}{count(len(x), 'point')}"
    told = []
    for row in range(min(len(x), _MOST_LISTED)):
        place, value = (y[row], x[row]) if mark.along == "x" else (x[row], y[row])
        axes = (chart.y, chart.x) if mark.along == "x" else (chart.x, chart.y)
        said = mark.words[row] if len(mark.words) > row else _number(float(value), axes[1])
        told.append(f"{_number(float(place), axes[0])}: {said}")
    more = [f"and {len(x) - _MOST_LISTED:,} more"] if len(x) > _MOST_LISTED else []
    return before + "; ".join(told + more)


def _regions(mark: Cells, chart: "Chart") -> str:
    known = mark.values[np.isfinite(mark.values)]
    if mark.words:
        return ""
    if mark.names:
        shares = [float((known == place).mean()) for place in range(len(mark.names))]
        told = [
            f"{name} {percent(share)}"
            for name, share in zip(mark.names, shares, strict=True)
            if share
        ]
        return f"Shares of the area: {joined(told, 8)}" if told else ""
    before = f"{mark.name}: " if mark.name else ""
    return (
        f"{before}from {cell(float(known.min()), 4)} to {cell(float(known.max()), 4)}"
        if len(known)
        else ""
    )


_TELL: dict[type, Callable[[Any, "Chart"], str]] = {
    Band: _band,
    Bars: _bars,
    Cells: _regions,
    Line: _line,
    Points: _points,
    Rule: _rule,
    Segments: _segments,
    Stack: _stack,
}
