"""Where everything of a chart stands, from the widths of its words.

1. From top to bottom: title, legend, name of the vertical axis, the marks, ticks and name of the
   horizontal axis, the note.
2. Left of the marks there is room for the longest tick; right of them for words about rows.
3. Rows of categories have a fixed height, so a chart of 30 rows is higher than one of 3. Below 480
   pixels their labels stand above them. Otherwise the marks are 0.45 times as high as wide, or
   square.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from branchline._drawing import clean, text_width, wrapped
from branchline.charts._extent import x_numbers, y_numbers
from branchline.charts._looks import Entry, entries_of
from branchline.charts._marks import Bars, Cells, Points, Rule
from branchline.charts._svg._legend import legend_height, legend_lines
from branchline.charts._svg._place import Place, ends_of, tick_places, tick_texts
from branchline.charts._svg._plot import Plot
from branchline.charts._svg._style import LETTERS, SMALL

if TYPE_CHECKING:
    from branchline.charts._chart import Chart

__all__ = ["Layout", "Ticks", "lay_out"]

_NARROW = 480.0
_ROW, _NARROW_ROW, _CELL, _GROUP = 26.0, 42.0, 34.0, 22.0
_LEAST_HEIGHT, _MOST_HEIGHT, _MOST_SQUARE, _MOST_CELL = 170.0, 300.0, 360.0, 92.0
_MOST_TURNED = 110.0
# Turned labels: at 40 degrees lines of letters need 19 pixels each, upright ones 13.
_TURN, _TURNED_SLOT, _UPRIGHT_SLOT = 40, 19.0, 13.0
_COSINE = 0.77


@dataclass(frozen=True, eq=False)
class Ticks:
    """Ticks of an axis: their numbers, their words, and by how many degrees words are turned."""

    places: tuple[float, ...]
    words: tuple[str, ...]
    degrees: int = 0


@dataclass(frozen=True, eq=False)
class Layout:
    """The sizes and places of all parts of a chart, in pixels."""

    width: float
    height: float
    margin: float
    plot: Plot
    x_ticks: Ticks
    y_ticks: Ticks
    title: tuple[str, ...]
    legend: tuple[tuple[tuple[Entry, float], ...], ...]
    y_name_at: float
    x_name_at: float
    note: tuple[str, ...]
    note_at: float
    group_heads: tuple[tuple[float, str], ...] = ()


def lay_out(chart: "Chart", width: float, *, framed: bool) -> Layout:
    """Return where everything stands in a chart of a width."""
    margin = 14.0 if framed else 2.0
    y_ends = ends_of(chart.y, y_numbers(chart))
    x_ends = ends_of(chart.x, x_numbers(chart), tight=chart.is_tight)
    is_narrow = width < _NARROW and bool(chart.y.categories) and not _has_cells(chart)
    y_ticks = _y_ticks(chart, y_ends)
    left = margin + _left(chart, y_ticks, width, is_narrow=is_narrow)
    right = width - margin - _right(chart, is_narrow=is_narrow)
    left = max(left, _room_for_turned(chart, left, right))
    right, width = _shrunken(chart, left, right, width)
    inside = width - 2 * margin
    title = tuple(wrapped(chart.title, inside, 14.0, bold=True)) if framed else ()
    legend = legend_lines(entries_of(chart.marks), inside)
    top = margin + 18.0 * len(title) + legend_height(legend) + (3 if title else 0)
    has_name = bool(chart.y.name)
    y_name_at, top = top + 13, top + (24.0 if has_name else 8.0) + _rule_room(chart)
    x_ticks = _x_ticks(chart, x_ends, right - left)
    y_place, row, heads = _y_place(chart, y_ends, top, right - left, is_narrow=is_narrow)
    plot = Plot(_x_place(chart, x_ends, left, right), y_place, row, width - margin, is_narrow)
    bottom = max(y_place.begin, y_place.end)
    x_name_at = bottom + _tick_height(x_ticks) + 16.0
    under = x_name_at + (6.0 if chart.x.name else -14.0)
    note = tuple(wrapped(chart.full_note, inside, SMALL)) if framed else ()
    height = under + (6 + 15.0 * len(note) if note else 0) + margin
    return Layout(
        width, height, margin, plot, x_ticks, y_ticks, title, legend, y_name_at, x_name_at,
        note, under + 15, heads,
    )  # fmt: skip


def _has_cells(chart: "Chart") -> bool:
    return any(isinstance(mark, Cells) for mark in chart.marks)


def _y_ticks(chart: "Chart", ends: tuple[float, float]) -> Ticks:
    if chart.y.categories:
        return Ticks(tuple(range(len(chart.y.categories))), chart.y.categories)
    places = tick_places(chart.y, *ends, 6)
    return Ticks(tuple(places), tuple(tick_texts(chart.y, places)))


def _left(chart: "Chart", ticks: Ticks, width: float, *, is_narrow: bool) -> float:
    if is_narrow:
        return 8.0
    widest = max((text_width(clean(words), LETTERS) for words in ticks.words), default=0.0)
    if chart.y.marked:
        widest = 1.1 * widest + 14
    return min(widest, 0.34 * width) + 12.0 if chart.y.categories else widest + 9.0


def _room_for_turned(chart: "Chart", left: float, right: float) -> float:
    """Return where the marks must begin so that the first turned name does not leave the chart."""
    if not chart.x.categories or _x_ticks(chart, (0.0, 1.0), right - left).degrees != _TURN:
        return left
    first = min(text_width(clean(chart.x.categories[0]), SMALL), _MOST_TURNED)
    return _COSINE * first - 0.5 * (right - left) / len(chart.x.categories)


def _rule_room(chart: "Chart") -> float:
    """Return the room for words of dashed lines above rows of categories."""
    said = [mark.words for mark in chart.marks if isinstance(mark, Rule) and mark.axis == "x"]
    return 10.0 if chart.y.categories and any(said) else 0.0


def _right(chart: "Chart", *, is_narrow: bool) -> float:
    """Return the room for words about rows, at the right."""
    if is_narrow or not chart.y.categories:
        return 8.0
    said = [
        words for mark in chart.marks if isinstance(mark, Points | Bars) for words in mark.words
    ]
    return max((text_width(clean(words), SMALL) for words in said), default=-8.0) + 16.0


def _shrunken(chart: "Chart", left: float, right: float, width: float) -> tuple[float, float]:
    """Return the right end and the width of a chart that would be too wide for its shape."""
    most = right - left
    if chart.shape == "square":
        most = _MOST_SQUARE
    elif chart.x.categories and chart.y.categories and _has_cells(chart):
        most = _MOST_CELL * len(chart.x.categories)
    shrunken = min(right, left + max(most, 40.0))
    return shrunken, width - (right - shrunken)


def _x_ticks(chart: "Chart", ends: tuple[float, float], room: float) -> Ticks:
    """Return ticks whose words do not touch: fewer of them, or turned names of categories."""
    if chart.x.categories:
        return _category_ticks(chart.x.categories, room)
    for wanted in (7, 6, 5, 4, 3, 2):
        places = tick_places(chart.x, *ends, wanted)
        words = tick_texts(chart.x, places)
        if _do_not_touch(chart, ends, room, places, words):
            return Ticks(tuple(places), tuple(words))
    kept = list(zip(places, words, strict=True))[:: max(1, len(places) - 1)]
    return Ticks(tuple(place for place, _ in kept), tuple(said for _, said in kept))


def _do_not_touch(
    chart: "Chart",
    ends: tuple[float, float],
    room: float,
    places: Sequence[float],
    words: Sequence[str],
) -> bool:
    at = _x_place(chart, ends, 0.0, room)(np.array(places, dtype=np.float64))
    half = np.array([text_width(said, SMALL) / 2 for said in words])
    return bool((at[1:] - half[1:] - at[:-1] - half[:-1] >= 8).all())


def _category_ticks(names: tuple[str, ...], room: float) -> Ticks:
    slot = room / len(names)
    widest = max(text_width(clean(name), SMALL) for name in names)
    if widest + 6 <= slot:
        return Ticks(tuple(range(len(names))), names)
    every = max(1, int(np.ceil(_UPRIGHT_SLOT / slot)))
    kept = range(0, len(names), every)
    degrees = _TURN if slot >= _TURNED_SLOT else 90
    return Ticks(tuple(kept), tuple(names[place] for place in kept), degrees)


def _tick_height(ticks: Ticks) -> float:
    if not ticks.degrees:
        return 20.0
    widest = max(text_width(clean(words), SMALL) for words in ticks.words)
    return 12.0 + math.sin(math.radians(ticks.degrees)) * min(widest, _MOST_TURNED)


def _x_place(chart: "Chart", ends: tuple[float, float], left: float, right: float) -> Place:
    n_names = len(chart.x.categories)
    slot = (right - left) / max(1, n_names)
    centers = tuple(left + (place + 0.5) * slot for place in range(n_names))
    return Place(*ends, left, right, chart.x.log, centers)


def _y_place(
    chart: "Chart", ends: tuple[float, float], top: float, across: float, *, is_narrow: bool
) -> tuple[Place, float, tuple[tuple[float, str], ...]]:
    """Return the vertical axis, the height of a row, and the heads of groups."""
    if not chart.y.categories:
        high = across if chart.shape == "square" else 0.45 * across
        if chart.shape != "square":
            high = min(max(high, _LEAST_HEIGHT), _MOST_HEIGHT)
        return Place(*ends, top + high, top, chart.y.log), 0.0, ()
    row = (
        _CELL + 10 * _two_lines(chart) if _has_cells(chart) else _NARROW_ROW if is_narrow else _ROW
    )
    shift = 8.0 if is_narrow else 0.0
    centers, heads, y, group = [], [], top, ""
    for place in range(len(chart.y.categories)):
        named = chart.y.groups[place] if chart.y.groups else ""
        if named != group:
            heads.append((y + 15, named))
            y, group = y + _GROUP, named
        centers.append(y + row / 2 + shift)
        y += row
    place_of = Place(*ends, top, y + (4 if not _has_cells(chart) else 0), False, tuple(centers))
    return place_of, row, tuple(heads)


def _two_lines(chart: "Chart") -> bool:
    return any(
        "\n" in words
        for mark in chart.marks
        if isinstance(mark, Cells)
        for row in mark.words
        for words in row
    )
