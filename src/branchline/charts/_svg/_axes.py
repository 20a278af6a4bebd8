"""Axes: lines, ticks with their words, names of categories and of groups."""

from html import escape
from typing import TYPE_CHECKING

from branchline._drawing import clean, number, path, shorten, text, text_width
from branchline.charts._marks import Cells
from branchline.charts._svg._layout import Layout
from branchline.charts._svg._style import LETTERS, SMALL

if TYPE_CHECKING:
    from branchline.charts._chart import Chart

__all__ = ["draw_axes", "draw_row_labels", "fitted"]


def draw_axes(chart: "Chart", layout: Layout) -> str:
    """Return both axes, except labels of rows; the marks come over them."""
    plot = layout.plot
    bottom = max(plot.y.begin, plot.y.end)
    parts = [_y_axis(chart, layout), _x_axis(chart, layout, bottom)]
    if not chart.y.categories and not any(isinstance(mark, Cells) for mark in chart.marks):
        parts.append(
            path(
                f"M{number(plot.x.begin)} {number(bottom)}H{number(plot.x.end)}", "line thin quiet"
            )
        )
    if chart.y.name:
        room = layout.width - 2 * layout.margin
        parts.append(fitted(layout.margin, layout.y_name_at, chart.y.name, room, "quiet"))
    if chart.x.name:
        middle = (plot.x.begin + plot.x.end) / 2
        room = 2 * min(middle, layout.width - middle) - 4
        parts.append(fitted(middle, layout.x_name_at, chart.x.name, room, "quiet mid"))
    return "".join(parts)


def fitted(x: float, y: float, words: str, room: float, look: str, size: float = LETTERS) -> str:
    """Return a line of text, shortened to the room; the pointer shows all of it."""
    whole = clean(words)
    bold = "strong" in look
    if text_width(whole, size, bold=bold) <= room:
        return text(x, y, whole, look)
    hint = f"<title>{escape(whole[:300])}</title>"
    shown = shorten(whole, room, size, bold=bold)
    return text(x, y, shown, look).replace("</text>", hint + "</text>")


def _y_axis(chart: "Chart", layout: Layout) -> str:
    plot, ticks = layout.plot, layout.y_ticks
    if chart.y.categories:
        return ""
    parts = []
    for place, words in zip(ticks.places, ticks.words, strict=True):
        y = plot.y.one(place)
        parts.append(
            path(f"M{number(plot.x.begin)} {number(y)}H{number(plot.x.end)}", "line thin rule")
        )
        parts.append(text(plot.x.begin - 7, y + 4, words, "quiet small end"))
    return "".join(parts)


def draw_row_labels(chart: "Chart", layout: Layout) -> str:
    """Return the names of rows and of their groups, which stand before everything else."""
    if not chart.y.categories:
        return ""
    plot, parts = layout.plot, []
    has_cells = any(isinstance(mark, Cells) for mark in chart.marks)
    for y, words in layout.group_heads:
        parts.append(
            fitted(layout.margin, y, words, layout.width - 2 * layout.margin, "quiet small halo")
        )
    for place, name in enumerate(chart.y.categories):
        is_marked = place in chart.y.marked
        words, look = (f"→ {name}", "ink strong halo") if is_marked else (name, "ink halo")
        y = plot.y.one(float(place))
        if plot.is_narrow:
            parts.append(fitted(layout.margin, y - 15, words, 0.6 * layout.width, look))
        elif has_cells:
            room = plot.x.begin - layout.margin - 8
            parts.append(fitted(plot.x.begin - 8, y + 4, words, room, f"{look} end"))
        else:
            room = plot.x.begin - layout.margin - 8
            parts.append(fitted(layout.margin, y + 4, words, room, look))
    return "".join(parts)


def _x_axis(chart: "Chart", layout: Layout, bottom: float) -> str:
    plot, ticks, parts = layout.plot, layout.x_ticks, []
    top = min(plot.y.begin, plot.y.end)
    for place, words in zip(ticks.places, ticks.words, strict=True):
        x = plot.x.one(place)
        if (chart.y.categories and not chart.x.categories) or chart.shape == "square":
            parts.append(path(f"M{number(x)} {number(top)}V{number(bottom)}", "line thin rule"))
        elif not chart.x.categories:
            parts.append(path(f"M{number(x)} {number(bottom)}v4", "line thin quiet"))
        parts.append(_x_words(x, bottom, words, layout))
    return "".join(parts)


def _x_words(x: float, bottom: float, words: str, layout: Layout) -> str:
    if degrees := layout.x_ticks.degrees:
        turn = f"translate({number(x + 4)} {number(bottom + 12)}) rotate({-degrees})"
        turned = f'<g transform="{turn}">'
        return turned + fitted(0, 0, words, 110.0, "quiet small end", SMALL) + "</g>"
    # Words at the end of the axis do not leave the chart.
    half = text_width(words, SMALL) / 2
    at = min(max(x, half), layout.width - half)
    return text(at, bottom + 17, clean(words), "quiet small mid")
