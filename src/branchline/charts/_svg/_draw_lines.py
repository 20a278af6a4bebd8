"""Lines, bands, stacks, segments, rules and labels as SVG."""

import numpy as np

from branchline._drawing import clean, number, path, text, text_width
from branchline.charts._looks import SYMBOLS, color_class
from branchline.charts._marks import Band, Color, Label, Line, Rule, Segments, Stack
from branchline.charts._svg._place import Floats, joined
from branchline.charts._svg._plot import Plot
from branchline.charts._svg._shapes import symbols
from branchline.charts._svg._style import SMALL
from branchline.charts._thin import thin_band, thin_line

__all__ = ["draw_band", "draw_label", "draw_line", "draw_rule", "draw_segments", "draw_stack"]

_MOST_SEGMENTS = 4000
_MOST_DOTS = 80


def draw_line(mark: Line, plot: Plot, color: Color) -> str:
    """Return a curve; where a line has dots they stand on it."""
    x, y = plot.x(mark.x), plot.y(mark.y)
    look = color_class(color)
    if mark.steps and len(x):
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    kind = "faint" if mark.faint else "dashed" if mark.dashed else ""
    drawn = path(joined(*thin_line(x, y)), f"line {kind} {look}".replace("  ", " "))
    if not mark.dots or len(mark.x) > _MOST_DOTS:
        return drawn
    known = np.isfinite(mark.x) & np.isfinite(mark.y)
    places = zip(plot.x(mark.x)[known].tolist(), plot.y(mark.y)[known].tolist(), strict=True)
    shape = SYMBOLS[color] if isinstance(color, int) and color < len(SYMBOLS) else "circle"
    return drawn + symbols(places, shape, 7.0, look, many=False)


def draw_band(mark: Band, plot: Plot, color: Color) -> str:
    """Return the space between two curves; missing ends interrupt it."""
    known = np.isfinite(mark.x) & np.isfinite(mark.low) & np.isfinite(mark.high)
    drawn = []
    for run in _runs(known):
        x, low, high = thin_band(mark.x[run], mark.low[run], mark.high[run])
        there = joined(plot.x(x), plot.y(high))
        back = joined(plot.x(x[::-1]), plot.y(low[::-1]))
        drawn.append(f"{there}L{back[1:]}z" if back else "")
    return path("".join(drawn), f"band {color_class(color)}") if drawn else ""


def _runs(known: Floats) -> list[slice]:
    """Return the runs of places that are known."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def draw_stack(mark: Stack, plot: Plot, color: Color) -> str:
    """Return parts above each other, each with a line on top and its name where it is high."""
    drawn, bottom = [], np.zeros(len(mark.x))
    x = plot.x(mark.x)
    for shift, ((name, _), top) in enumerate(zip(mark.parts, mark.tops, strict=True)):
        look = color_class(color, shift)
        there, back = joined(x, plot.y(top)), joined(x[::-1], plot.y(bottom)[::-1])
        drawn.append(path(f"{there}L{back[1:]}z", f"part {look}"))
        drawn.append(path(there, f"line {look}"))
        drawn.append(_name_inside(name, plot, x, plot.y(top), plot.y(bottom)))
        bottom = top
    return "".join(drawn)


def _name_inside(name: str, plot: Plot, x: Floats, top: Floats, bottom: Floats) -> str:
    """Return the name of a part at its highest place, if there is room for it."""
    words = clean(name)
    half = text_width(words, SMALL) / 2 + 6
    places = np.linspace(plot.x.begin + half, plot.x.end - half, 41)
    order = np.argsort(x)
    up, down = np.interp(places, x[order], top[order]), np.interp(places, x[order], bottom[order])
    at = int(np.argmax(down - up))
    if down[at] - up[at] < 20 or half * 2 > plot.x.end - plot.x.begin:
        return ""
    return text(float(places[at]), float(up[at] + down[at]) / 2 + 4, words, "ink small mid")


def draw_segments(mark: Segments, plot: Plot, color: Color) -> str:
    """Return straight lines, each from one point to another, as one path."""
    ends = [plot.x(mark.x), plot.y(mark.y), plot.x(mark.x_to), plot.y(mark.y_to)]
    known = np.isfinite(np.column_stack(ends)).all(axis=1)
    rows = np.column_stack(ends)[known][:_MOST_SEGMENTS].tolist()
    steps = "".join(f"M{number(a)} {number(b)}L{number(c)} {number(d)}" for a, b, c, d in rows)
    return path(steps, f"line thin {color_class(color)}")


def draw_rule(mark: Rule, plot: Plot, color: Color) -> str:
    """Return a dashed line across the chart, with its words at the end that has more room."""
    place = plot.x if mark.axis == "x" else plot.y
    if not bool(place.holds(mark.at)):
        return ""
    at = place.one(mark.at)
    if mark.axis == "x":
        top, bottom = sorted((plot.y.begin, plot.y.end))
        drawn = path(f"M{number(at)} {number(top)}V{number(bottom)}", "line dashed quiet")
        at_right = at > (plot.x.begin + plot.x.end) / 2
        side, away = (" end", -5) if at_right else ("", 5)
        down = -4 if plot.row_height else 11  # rows begin below the words
        return drawn + _words(at + away, top + down, mark.words, side)
    drawn = path(f"M{number(plot.x.begin)} {number(at)}H{number(plot.x.end)}", "line dashed quiet")
    near_top = at < min(plot.y.begin, plot.y.end) + 16
    return drawn + _words(plot.x.end - 3, at + (13 if near_top else -5), mark.words, " end")


def _words(x: float, y: float, words: str, side: str) -> str:
    return text(x, y, clean(words), f"quiet small halo{side}") if words else ""


def draw_label(mark: Label, plot: Plot, color: Color) -> str:
    """Return words at a place, turned inward near the right end."""
    x, y = plot.x.one(mark.x), plot.y.one(mark.y)
    near_end = x + text_width(clean(mark.words), SMALL) + 8 > plot.x.end
    side, away = (" end", -7) if near_end else ("", 7)
    return text(x + away, y - 6, clean(mark.words), f"ink small halo{side}")
