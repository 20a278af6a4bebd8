"""Which color each mark has, and what the legend says: decided once for every renderer.

Marks of one name have one color. A mark without a color takes the next free one, one without a
name that of the mark before it. More names than colors: the others are gray ("quiet").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from branchline._drawing import N_COLORS
from branchline._plain_numbers import cells
from branchline.charts._marks import (
    Band,
    Bars,
    Cells,
    Color,
    Label,
    Line,
    Mark,
    Points,
    Rule,
    Segments,
    Stack,
)

__all__ = [
    "SYMBOLS",
    "Entry",
    "color_class",
    "colors_of",
    "entries_of",
    "strongest_cell",
    "symbol_of",
]

SYMBOLS = ("circle", "square", "triangle", "diamond", "cross", "plus", "ring", "circle")


@dataclass(frozen=True)
class Entry:
    """A line of the legend: a name, its color, and the marks that show it."""

    name: str
    color: Color
    kinds: tuple[str, ...]


def colors_of(marks: Sequence[Mark]) -> list[Color]:
    """Return the color of each mark; of a stack or of regions, that of its first part."""
    taken = {mark.color for mark in marks if not isinstance(mark, Cells | Rule | Label)}
    free = [place for place in range(N_COLORS) if place not in taken]
    by_name: dict[str, Color] = {}
    colors: list[Color] = []
    last: Color = 0
    for mark in marks:
        names = _names_of(mark)
        if isinstance(mark, Cells):
            by_name |= {name: _color_at(place) for place, name in enumerate(mark.names)}
            free = [place for place in free if place >= len(mark.names)]
        last = _color_of(mark, names, by_name, free, last)
        if isinstance(last, int) and names:
            free = [place for place in free if place not in range(last, last + len(names))]
        if names and not isinstance(mark, Stack):
            by_name.setdefault(names[0], last)
        colors.append(last)
    return colors


def _color_of(
    mark: Mark, names: tuple[str, ...], by_name: dict[str, Color], free: list[int], last: Color
) -> Color:
    if isinstance(mark, Cells | Rule | Label):
        return last
    if mark.color is not None:
        return mark.color
    if not names:
        return last
    return by_name[names[0]] if names[0] in by_name else free[0] if free else "quiet"


def _names_of(mark: Mark) -> tuple[str, ...]:
    if isinstance(mark, Stack):
        return tuple(name for name, _ in mark.parts)
    name = getattr(mark, "name", "")
    return (name,) if name else ()


def _color_at(place: int) -> Color:
    return place if place < N_COLORS else "quiet"


def color_class(color: Color, shift: int = 0) -> str:
    """Return the style of a color."""
    if isinstance(color, int):
        place = color + shift
        return f"c{place}" if place < N_COLORS else "quiet"
    return color or "c0"


def symbol_of(mark: Points, color: Color) -> str:
    """Return the shape of points: by their color, so that shapes tell what colors tell."""
    if mark.symbol is not None:
        return mark.symbol
    return SYMBOLS[color] if isinstance(color, int) and color < len(SYMBOLS) else "circle"


def entries_of(marks: Sequence[Mark]) -> list[Entry]:
    """Return what the legend lists; nothing where there is only one thing to tell."""
    found: dict[str, tuple[Color, list[str]]] = {}
    for mark, color in zip(marks, colors_of(marks), strict=True):
        if isinstance(mark, Cells):
            for name, shade, kind in _cell_entries(mark):
                found.setdefault(name, (shade, []))[1].append(kind)
        elif isinstance(mark, Stack):
            # From top to bottom, as the parts stand in the picture.
            for place, (name, _) in reversed(list(enumerate(mark.parts))):
                shifted = color + place if isinstance(color, int) else color
                found.setdefault(name, (shifted, []))[1].append("part")
        elif _names_of(mark) and not isinstance(mark, Segments):
            found.setdefault(mark.name, (color, []))[1].append(_kind(mark, color))  # type: ignore[union-attr]
    entries = [Entry(name, color, tuple(kinds)) for name, (color, kinds) in found.items()]
    return entries if len(entries) > 1 else []


def strongest_cell(mark: Cells) -> float:
    """Return the opacity of the strongest cell: words stay readable on a paler one."""
    return 0.45 if mark.words else 0.85


def _cell_entries(mark: Cells) -> list[tuple[str, Color, str]]:
    """Return names with their colors, or a few numbers with the strengths that stand for them."""
    if mark.names:
        return [(name, _color_at(place), "region") for place, name in enumerate(mark.names)]
    known = mark.values[np.isfinite(mark.values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    if mark.center is None:
        shown = [(low, 0, 0.0), (low / 2 + high / 2, 0, 0.5), (high, 0, 1.0)]
    else:
        reach = max(high - mark.center, mark.center - low) or 1.0
        ends = [mark.center - reach, mark.center - reach / 2, mark.center, mark.center + reach / 2]
        shown = [(at, int(at < mark.center), abs(at - mark.center) / reach) for at in ends]
        shown.append((mark.center + reach, 0, 1.0))
    words = cells([at for at, _, _ in shown], 3)
    return [
        (said, shade, f"cell:{strongest_cell(mark) * part}")
        for said, (_, shade, part) in zip(words, shown, strict=True)
    ]


def _kind(mark: Mark, color: Color) -> str:
    if isinstance(mark, Line):
        shown = "dashed" if mark.dashed else "faint" if mark.faint else "line"
        return (
            f"{shown} {SYMBOLS[color] if isinstance(color, int) else 'circle'}"
            if mark.dots
            else shown
        )
    if isinstance(mark, Points):
        return symbol_of(mark, color)
    return {Band: "band", Bars: "bar"}.get(type(mark), "line")
