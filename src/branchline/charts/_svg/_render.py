"""A chart as SVG.

1. Lay out the parts for a width.
2. Draw the axes, then regions and bands, then lines, dots and words, in the order of the marks.
3. Put the style around them: rules of its own, or none where the page states them once.
"""

from collections.abc import Callable
from hashlib import blake2s
from html import escape
from typing import TYPE_CHECKING, Any

from branchline._drawing import clean, number, text
from branchline.charts._looks import colors_of
from branchline.charts._marks import (
    Band,
    Bars,
    Cells,
    Label,
    Line,
    Points,
    Rule,
    Segments,
    Stack,
)
from branchline.charts._svg._axes import draw_axes, draw_row_labels
from branchline.charts._svg._draw_cells import draw_cells
from branchline.charts._svg._draw_lines import (
    draw_band,
    draw_label,
    draw_line,
    draw_rule,
    draw_segments,
    draw_stack,
)
from branchline.charts._svg._draw_points import draw_bars, draw_points
from branchline.charts._svg._layout import Layout, lay_out
from branchline.charts._svg._legend import draw_legend
from branchline.charts._svg._style import Theme, style

if TYPE_CHECKING:
    from branchline.charts._chart import Chart

__all__ = ["to_svg", "wrap_svg"]

_DRAW: dict[type, Callable[[Any, Any, Any], str]] = {
    Band: draw_band,
    Bars: draw_bars,
    Cells: draw_cells,
    Label: draw_label,
    Line: draw_line,
    Points: draw_points,
    Rule: draw_rule,
    Segments: draw_segments,
    Stack: draw_stack,
}
_CLIPPED = (Line, Band, Stack, Segments, Cells)
_LONGEST_WORDS = 1200


def to_svg(chart: "Chart", width: float, theme: Theme) -> str:
    """Return the chart as SVG text."""
    body, across, high = drawn_body(chart, width, framed=theme != "page")
    return wrap_svg(body, across, high, chart.text, theme)


def drawn_body(chart: "Chart", width: float, *, framed: bool) -> tuple[str, float, float]:
    """Return the elements of a chart, its width and its height."""
    layout = lay_out(chart, width, framed=framed)
    parts = [draw_axes(chart, layout), _marks(chart, layout), draw_row_labels(chart, layout)]
    top = layout.margin + 12
    for line in layout.title:
        parts.append(text(layout.margin, top, line, "ink head"))
        top += 18
    parts.append(draw_legend(layout.legend, layout.margin, top - 12 + (3 if layout.title else 0)))
    for place, line in enumerate(layout.note):
        parts.append(text(layout.margin, layout.note_at + 15 * place, line, "quiet small"))
    return "".join(parts), layout.width, layout.height


def _marks(chart: "Chart", layout: Layout) -> str:
    """Return the marks; what could leave the axes is cut off at them, dots are whole."""
    plot = layout.plot
    top, bottom = sorted((plot.y.begin, plot.y.end))
    box = (plot.x.begin - 3, top - 3, plot.x.end - plot.x.begin + 6, bottom - top + 6)
    size = " ".join(number(value) for value in box)
    x, y, width, height = map(number, box)
    begin = f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{size}">'
    parts = []
    for mark, color in zip(chart.marks, colors_of(chart.marks), strict=True):
        drawn = _DRAW[type(mark)](mark, plot, color)
        parts.append(f"{begin}{drawn}</svg>" if isinstance(mark, _CLIPPED) else drawn)
    return "".join(parts).replace(f"</svg>{begin}", "")


def wrap_svg(body: str, width: float, height: float, words: str, theme: Theme) -> str:
    """Return a whole SVG; its styles hold for it alone, under a name made of its content."""
    size = f"{number(width)} {number(height)}"
    label = escape(clean(words[:_LONGEST_WORDS]))
    head = (
        f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {size}" role="img" '
        f'aria-label="{label}"'
    )
    if theme == "page":
        return f'<svg xmlns="http://www.w3.org/2000/svg" class="blc" {head}>{body}</svg>'
    name = "blc-" + blake2s((size + theme + body).encode(), digest_size=5).hexdigest()
    ground = f'<rect width="{number(width)}" height="{number(height)}" class="ground"/>'
    fluid = f"#{name}{{max-width:100%;height:auto}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" {head}>'
        f"<style>{fluid}{style(f'#{name}', theme)}</style>{ground}{body}</svg>"
    )
