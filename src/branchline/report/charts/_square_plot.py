"""Two numbers against each other: ROC, precision and recall, calibration, true and predicted."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from branchline._drawing import number, path, text
from branchline.report.charts._frame import Scale, chart, line, tick_words, ticks

__all__ = ["Square", "square_plot"]

Floats = npt.NDArray[np.float64]

_SIDE, _LEFT, _FOOT, _TOP = 300.0, 58.0, 46.0, 10.0
_MOST_POINTS = 300


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
    guide: tuple[Floats, Floats] | None = field(default=None)


def square_plot(square: Square, words: str) -> str:
    """Draw a square plot."""
    x_scale = Scale(*square.x_ends, _LEFT, _LEFT + _SIDE)
    y_scale = Scale(*square.y_ends, _TOP + _SIDE, _TOP)
    body = [_axes(x_scale, y_scale, square)]
    if square.band is not None:
        x, low, high = square.band
        there, back = (
            _steps(x, high, x_scale, y_scale),
            _steps(x[::-1], low[::-1], x_scale, y_scale),
        )
        body.append(path(f"M{there}L{back}z", "usual fill faint"))
    if square.guide is not None:
        body.append(path("M" + _steps(*square.guide, x_scale, y_scale), "guide"))
    if square.line is not None:
        body.append(path("M" + _steps(*_thinned(*square.line), x_scale, y_scale), "curve"))
    if square.points is not None:
        body.append(_dots(square, x_scale, y_scale))
    return chart(body, _LEFT + _SIDE + 14, _TOP + _SIDE + _FOOT, words, "square")


def _steps(x: Floats, y: Floats, x_scale: Scale, y_scale: Scale) -> str:
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return "L".join(f"{number(x_scale(one))} {number(y_scale(other))}" for one, other in pairs)


def _thinned(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    if len(x) <= _MOST_POINTS:
        return x, y
    kept = np.unique(np.linspace(0, len(x) - 1, _MOST_POINTS).round().astype(np.intp))
    return x[kept], y[kept]


def _dots(square: Square, x_scale: Scale, y_scale: Scale) -> str:
    assert square.points is not None
    places = [
        (x_scale(x), y_scale(y))
        for x, y in zip(*(side.tolist() for side in square.points), strict=True)
    ]
    many = len(places) > 60
    # A line of no length with round ends is a dot in a dozen characters.
    steps = "".join(f"M{number(x)} {number(y)}h0" for x, y in places)
    drawn = path(steps, "dots many" if many else "dots")
    if square.bars is None:
        return drawn
    ends = zip(*(side.tolist() for side in square.bars), strict=True)
    bars = [
        line(x, y_scale(low), x, y_scale(high), "whisker usual")
        for (x, _), (low, high) in zip(places, ends, strict=True)
    ]
    return "".join(bars) + drawn


def _axes(x_scale: Scale, y_scale: Scale, square: Square) -> str:
    bottom, right = y_scale.begin, x_scale.end
    parts = []
    places = ticks(x_scale.low, x_scale.high)
    for place, label in zip(places, tick_words(places), strict=True):
        x = x_scale(place)
        parts += [line(x, bottom, x, y_scale.end, "rule"), text(x, bottom + 17, label, _SMALL)]
    places = ticks(y_scale.low, y_scale.high)
    for place, label in zip(places, tick_words(places), strict=True):
        y = y_scale(place)
        parts += [line(x_scale.begin, y, right, y, "rule")]
        parts += [text(x_scale.begin - 7, y + 4, label, "quiet small end")]
    parts.append(text((x_scale.begin + right) / 2, bottom + 38, square.x_axis, "quiet mid"))
    middle = number((bottom + y_scale.end) / 2)
    turn = f'<g transform="translate(12 {middle}) rotate(-90)">'
    parts.append(f"{turn}{text(0, 0, square.y_axis, 'quiet mid')}</g>")
    return "".join(parts)


_SMALL = "quiet small mid"
