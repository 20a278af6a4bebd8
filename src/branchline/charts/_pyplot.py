"""The same chart on the axes of matplotlib, for figures that combine charts or need its styles.

Matplotlib is not a dependency: who hands over ``ax`` has it. A PDF is drawn by it as well.
"""

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from branchline._drawing import LIGHT, N_COLORS, refuse_file_name
from branchline.charts._axis import Axis
from branchline.charts._extent import x_numbers, y_numbers
from branchline.charts._images import Images
from branchline.charts._looks import colors_of, entries_of, strongest_cell, symbol_of
from branchline.charts._marks import (
    Band,
    Bars,
    Cells,
    Color,
    Label,
    Line,
    Points,
    Rule,
    Segments,
    Stack,
)
from branchline.charts._svg._draw_cells import strength_of
from branchline.charts._svg._place import ends_of, tick_texts
from branchline.errors import MissingExtra, Repair

if TYPE_CHECKING:
    from branchline.charts._chart import Chart

__all__ = ["draw_on", "to_pdf"]

_MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "x", "plus": "+",
    "ring": "o",
}  # fmt: skip


def draw_on(chart: "Chart", ax: Any) -> Any:
    """Draw a chart on axes of matplotlib; return the axes."""
    refuse_file_name(ax, "axes of matplotlib")
    for mark, color in zip(chart.marks, colors_of(chart.marks), strict=True):
        _DRAW[type(mark)](mark, ax, color)
    _set_axis(ax, "x", chart.x, ends_of(chart.x, x_numbers(chart), tight=chart.is_tight))
    y_ends = ends_of(chart.y, y_numbers(chart))
    _set_axis(ax, "y", chart.y, y_ends[::-1] if chart.y.categories else y_ends)
    if chart.title:
        ax.set_title(chart.title, loc="left")
    if chart.shape == "square":
        ax.set_box_aspect(1)
    if ax.get_legend_handles_labels()[1] and entries_of(chart.marks):
        ax.legend(frameon=False, fontsize="small")
    return ax


def to_pdf(picture: Any, width: float) -> bytes:
    """Return a chart, or panels of charts one on each page, as PDF."""
    try:
        from matplotlib.backends.backend_pdf import PdfPages
        from matplotlib.figure import Figure
    except ImportError as problem:
        command = "pip install matplotlib"
        raise MissingExtra(
            "Writing a PDF needs the library matplotlib, which is not installed.",
            code="X001",
            repair=Repair(command, command),
        ) from problem
    file = BytesIO()
    with PdfPages(file, metadata={"CreationDate": None}) as pages:
        if isinstance(picture, Images):
            pages.savefig(_page_of_images(picture, Figure, width / 96))
        for chart in () if isinstance(picture, Images) else getattr(picture, "charts", (picture,)):
            rows = 0.27 * len(chart.y.categories) + 1.3 if chart.y.categories else 0.56 * width / 96
            figure = Figure(figsize=(width / 96, rows), layout="constrained")
            draw_on(chart, figure.add_subplot())
            pages.savefig(figure)
    return file.getvalue()


def _page_of_images(picture: Images, make: Any, width: float) -> Any:
    """Return a figure of matplotlib with all images."""
    n_lines = -(-len(picture.images) // picture.n_columns)
    figure = make(figsize=(width, 1 + n_lines * width / picture.n_columns), layout="constrained")
    low, high = picture.ends or (None, None)
    for at, image in enumerate(picture.images):
        ax = figure.add_subplot(n_lines, picture.n_columns, at + 1)
        ax.imshow(image, cmap="gray", vmin=low, vmax=high)
        ax.set_axis_off()
        ax.set_title(picture.captions[at] if picture.captions else "", fontsize="small")
    figure.suptitle(picture.title)
    return figure


def _hex(color: Color, shift: int = 0) -> str:
    if isinstance(color, int):
        place = color + shift
        return LIGHT[f"c{place}"] if place < N_COLORS else LIGHT["quiet"]
    return LIGHT[color or "c0"]


def _set_axis(ax: Any, side: str, axis: Axis, ends: tuple[float, float]) -> None:
    if axis.log:
        getattr(ax, f"set_{side}scale")("log")
    getattr(ax, f"set_{side}lim")(*ends)
    getattr(ax, f"set_{side}label")(axis.name)
    if axis.categories:
        getattr(ax, f"set_{side}ticks")(range(len(axis.categories)), axis.categories)
    elif axis.form == "percent":
        from matplotlib.ticker import FuncFormatter

        words = FuncFormatter(lambda value, _: tick_texts(axis, [value])[0])
        getattr(ax, f"{side}axis").set_major_formatter(words)


def _line(mark: Line, ax: Any, color: Color) -> None:
    options: dict[str, Any] = {"color": _hex(color), "label": mark.name or None}
    if mark.steps:
        options["drawstyle"] = "steps-post"
    if mark.dots:
        options["marker"] = _MARKERS["circle"]
    if mark.dashed:
        options["linestyle"] = "--"
    if mark.faint:
        options |= {"alpha": 0.3, "linewidth": 0.8}
    ax.plot(mark.x, mark.y, **options)


def _band(mark: Band, ax: Any, color: Color) -> None:
    ax.fill_between(
        mark.x, mark.low, mark.high, color=_hex(color), alpha=0.2, linewidth=0,
        label=mark.name or None,
    )  # fmt: skip


def _stack(mark: Stack, ax: Any, color: Color) -> None:
    bottom = np.zeros(len(mark.x))
    for shift, ((name, _), top) in enumerate(zip(mark.parts, mark.tops, strict=True)):
        ax.fill_between(mark.x, bottom, top, color=_hex(color, shift), alpha=0.55, label=name)
        bottom = top


def _points(mark: Points, ax: Any, color: Color) -> None:
    shape, shade = symbol_of(mark, color), _hex(color)
    if mark.low is not None and mark.high is not None:
        middle = mark.x if mark.along == "x" else mark.y
        error = np.abs(np.vstack([middle - mark.low, mark.high - middle]))
        sides = {"xerr" if mark.along == "x" else "yerr": error}
        ax.errorbar(mark.x, mark.y, **sides, fmt="none", ecolor=shade, alpha=0.6)
    size = None if mark.size is None else np.asarray(mark.size, dtype=np.float64) ** 2 * 0.56
    look: dict[str, Any] = {"color": shade}
    if shape == "ring":
        look = {"facecolors": "none", "edgecolors": shade}
    ax.scatter(
        mark.x, mark.y, s=size, marker=_MARKERS[shape], label=mark.name or None, zorder=3, **look
    )


def _bars(mark: Bars, ax: Any, color: Color) -> None:
    shades = [_hex(color, int(mark.signed and value < 0)) for value in mark.values]
    draw = ax.barh if mark.along == "x" else ax.bar
    draw(mark.at, mark.values, mark.width, color=shades, label=mark.name or None)
    if mark.low is not None and mark.high is not None:
        error = np.abs(np.vstack([mark.values - mark.low, mark.high - mark.values]))
        x, y = (mark.values, mark.at) if mark.along == "x" else (mark.at, mark.values)
        sides = {"xerr" if mark.along == "x" else "yerr": error}
        ax.errorbar(x, y, **sides, fmt="none", ecolor=LIGHT["ink"], capsize=3)


def _cells(mark: Cells, ax: Any, color: Color) -> None:
    from matplotlib.colors import to_rgba

    if mark.names:
        place = np.nan_to_num(mark.values).astype(np.intp)
        share = np.full(place.shape, 0.28) if mark.strength is None else 0.45 * mark.strength
    else:
        place, share = strength_of(mark)
        share = strongest_cell(mark) * share
    shades = np.array([to_rgba(_hex(at)) for at in range(int(place.max(initial=0)) + 1)])[place]
    shades[..., 3] = np.where(np.isfinite(mark.values), share, 0.0)
    ax.pcolormesh(mark.x_edges, mark.y_edges, shades)
    for row, column in np.ndindex(mark.values.shape) if mark.words else ():
        middle = [
            float(edges[at] + edges[at + 1]) / 2
            for edges, at in ((mark.x_edges, column), (mark.y_edges, row))
        ]
        ax.text(*middle, mark.words[row][column], ha="center", va="center", fontsize="small")


def _segments(mark: Segments, ax: Any, color: Color) -> None:
    ax.plot(
        np.vstack([mark.x, mark.x_to]),
        np.vstack([mark.y, mark.y_to]),
        color=_hex(color),
        linewidth=1,
    )


def _rule(mark: Rule, ax: Any, color: Color) -> None:
    draw = ax.axvline if mark.axis == "x" else ax.axhline
    draw(mark.at, color=LIGHT["quiet"], linestyle="--", linewidth=1)
    if mark.words:
        where = (mark.at, 1.0) if mark.axis == "x" else (1.0, mark.at)
        frame = ax.get_xaxis_transform() if mark.axis == "x" else ax.get_yaxis_transform()
        ax.annotate(
            mark.words, where, xycoords=frame, xytext=(4, -10) if mark.axis == "x" else (-4, 4),
            textcoords="offset points", fontsize="small", color=LIGHT["quiet"],
            ha="left" if mark.axis == "x" else "right",
        )  # fmt: skip


def _label(mark: Label, ax: Any, color: Color) -> None:
    ax.annotate(
        mark.words, (mark.x, mark.y), xytext=(6, 5), textcoords="offset points", fontsize="small"
    )


_DRAW: dict[type, Callable[[Any, Any, Color], None]] = {
    Band: _band,
    Bars: _bars,
    Cells: _cells,
    Label: _label,
    Line: _line,
    Points: _points,
    Rule: _rule,
    Segments: _segments,
    Stack: _stack,
}
