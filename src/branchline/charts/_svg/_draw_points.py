"""Dots with or without intervals, and bars, as SVG."""

import numpy as np
import numpy.typing as npt

from branchline._drawing import clean, number, path, rect, text, title
from branchline.charts._looks import color_class, symbol_of
from branchline.charts._marks import Bars, Color, Points
from branchline.charts._svg._place import Floats, Place
from branchline.charts._svg._plot import Plot
from branchline.charts._svg._shapes import symbols
from branchline.charts._thin import thin_points

__all__ = ["draw_bars", "draw_points"]

_FEW, _MANY = 60, 400
_MOST_INTERVALS = 400


def draw_points(mark: Points, plot: Plot, color: Color) -> str:
    """Return dots; their intervals lie behind them. Points beyond the axes become arrows."""
    known = np.isfinite(mark.x) & np.isfinite(mark.y)
    look = color_class(color)
    inside = known & plot.x.holds(mark.x) & plot.y.holds(mark.y)
    drawn = _intervals(mark, plot, look, inside)
    drawn += "".join(_arrow(mark, plot, look, at) for at in np.flatnonzero(known & ~inside)[:50])
    rows = np.flatnonzero(inside)
    x, y = plot.x(mark.x[rows]), plot.y(mark.y[rows])
    kept = thin_points(x, y)
    sizes = _sizes(mark, len(rows), rows)
    shape = symbol_of(mark, color)
    many = len(kept) > _FEW and mark.symbol != "ring"
    for size in np.unique(sizes[kept]):
        same = kept[sizes[kept] == size]
        places = zip(x[same].tolist(), y[same].tolist(), strict=True)
        drawn += symbols(places, shape, float(size), look, many=many)
    return drawn + _row_words(mark.words, mark.x, mark.y, plot)


def _sizes(mark: Points, n_points: int, rows: npt.NDArray[np.intp]) -> Floats:
    """Return diameters, in half pixels so that equal ones can share a path."""
    if mark.size is None:
        usual = 8.0 if n_points <= _FEW else 5.5 if n_points <= _MANY else 4.0
        return np.full(len(rows), usual)
    given = np.broadcast_to(np.asarray(mark.size, dtype=np.float64), mark.x.shape)[rows]
    return np.round(2 * given) / 2


def _intervals(mark: Points, plot: Plot, look: str, inside: npt.NDArray[np.bool_]) -> str:
    if mark.low is None or mark.high is None:
        return ""
    rows = np.flatnonzero(inside & np.isfinite(mark.low) & np.isfinite(mark.high))
    if mark.along == "x":
        place, at = plot.x, plot.y(mark.y)
    else:
        place, at = plot.y, plot.x(mark.x)
    low, high = (np.clip(side, place.low, place.high) for side in (mark.low, mark.high))
    ends = [place(low), place(high)]
    drawn = []
    for row in rows[:_MOST_INTERVALS]:
        begin, end = sorted((float(ends[0][row]), float(ends[1][row])))
        if mark.along == "x":
            bar = rect(begin, at[row] - 2, max(1.0, end - begin), 4, f"interval {look}", 2)
        else:
            bar = path(f"M{number(at[row])} {number(begin)}V{number(end)}", f"whisker {look}")
        drawn.append(bar)
    return "".join(drawn)


def _arrow(mark: Points, plot: Plot, look: str, row: np.intp) -> str:
    """Return an arrow at the end of the axis beyond which a point with an interval lies."""
    if mark.along != "x" or mark.low is None:
        return ""
    value, y = float(mark.x[row]), plot.y.one(float(mark.y[row]))
    x, way = (plot.x.begin, -1) if value < plot.x.low else (plot.x.end, 1)
    tip = f"M{number(x - 8 * way)} {number(y - 5)}l{8 * way} 5l{-8 * way} 5z"
    return path(tip, f"fill {look}")


def draw_bars(mark: Bars, plot: Plot, color: Color) -> str:
    """Return bars from zero; whiskers show intervals."""
    across, along = (plot.y, plot.x) if mark.along == "x" else (plot.x, plot.y)
    zero = along.one(min(max(0.0, along.low), along.high))
    ends = along(np.clip(mark.values, along.low, along.high))
    sides = [across(mark.at - mark.width / 2), across(mark.at + mark.width / 2)]
    if plot.row_height and mark.along == "x":  # rows on a phone keep room for their labels
        middle = across(mark.at)
        sides = [middle - 7, middle + 7]
    drawn = []
    for row in np.flatnonzero(np.isfinite(mark.values) & np.isfinite(ends)):
        look = color_class(color, int(mark.signed and mark.values[row] < 0))
        begin, end = sorted((zero, float(ends[row])))
        low, high = sorted((float(sides[0][row]), float(sides[1][row])))
        box = (begin, low, max(1.0, end - begin), high - low)
        if mark.along == "y":
            box = (low, begin, high - low, max(1.0, end - begin))
        hint = title([clean(mark.words[row])]) if len(mark.words) > row else ""
        shape = rect(*box, f"fill {look}", 1)
        drawn.append(shape.replace("/>", f">{hint}</rect>") if hint else shape)
    whiskers = _whiskers(mark, along, across) if mark.low is not None else ""
    return "".join(drawn) + whiskers + _row_words(mark.words, mark.values, mark.at, plot)


def _whiskers(mark: Bars, along: Place, across: Place) -> str:
    low = along(np.clip(mark.low, along.low, along.high))
    high = along(np.clip(mark.high, along.low, along.high))
    middle, steps = across(mark.at), []
    for row in np.flatnonzero(np.isfinite(low) & np.isfinite(high)):
        begin, end, at = float(low[row]), float(high[row]), float(middle[row])
        if mark.along == "x":
            steps.append(f"M{number(begin)} {number(at)}H{number(end)}")
            steps += [f"M{number(tip)} {number(at - 4)}v8" for tip in (begin, end)]
        else:
            steps.append(f"M{number(at)} {number(begin)}V{number(end)}")
            steps += [f"M{number(at - 4)} {number(tip)}h8" for tip in (begin, end)]
    return path("".join(steps), "whisker ink")


def _row_words(words: tuple[str, ...], x: Floats, y: Floats, plot: Plot) -> str:
    """Return what is said about each row, at the right end, where rows are categories."""
    if not plot.row_height or not words:
        return ""
    lift = -15 if plot.is_narrow else 4
    return "".join(
        text(plot.width, plot.y.one(float(at)) + lift, clean(said), "ink small end halo")
        for said, at in zip(words, y.tolist(), strict=False)
        if said
    )
