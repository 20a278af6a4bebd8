"""The legend: a sample of each mark with its name, in lines above the chart."""

from collections.abc import Sequence

from branchline._drawing import clean, number, path, rect, shorten, text, text_width
from branchline.charts._looks import Entry, color_class
from branchline.charts._svg._shapes import symbols
from branchline.charts._svg._style import SMALL

__all__ = ["draw_legend", "legend_height", "legend_lines"]

_SAMPLE, _GAP, _BETWEEN, _LINE = 20.0, 6.0, 16.0, 18.0
_MOST_NAME = 200.0
_MOST_ENTRIES = 14

Lines = tuple[tuple[tuple[Entry, float], ...], ...]


def legend_lines(entries: Sequence[Entry], width: float) -> Lines:
    """Return the entries in lines, each with its place in the line."""
    lines: list[list[tuple[Entry, float]]] = []
    at = width
    for entry in _shown(entries):
        needs = _SAMPLE + _GAP + text_width(_name(entry), SMALL) + _BETWEEN
        if not lines or at + needs - _BETWEEN > width:
            lines.append([])
            at = 0.0
        lines[-1].append((entry, at))
        at += needs
    return tuple(tuple(line) for line in lines)


def _shown(entries: Sequence[Entry]) -> list[Entry]:
    if len(entries) <= _MOST_ENTRIES:
        return list(entries)
    n_more = len(entries) - _MOST_ENTRIES + 1
    return [*entries[: _MOST_ENTRIES - 1], Entry(f"and {n_more} more", "quiet", ("region",))]


def _name(entry: Entry) -> str:
    return shorten(clean(entry.name), _MOST_NAME, SMALL)


def legend_height(lines: Lines) -> float:
    """Return the height of the legend."""
    return _LINE * len(lines) + 6.0 if lines else 0.0


def draw_legend(lines: Lines, left: float, top: float) -> str:
    """Return the legend."""
    drawn = []
    for place, line in enumerate(lines):
        y = top + _LINE * place + 12
        for entry, at in line:
            drawn.append(_sample(entry, left + at, y - 4))
            drawn.append(text(left + at + _SAMPLE + _GAP, y, _name(entry), "ink small"))
    return "".join(drawn)


def _sample(entry: Entry, x: float, y: float) -> str:
    look, middle = color_class(entry.color), x + _SAMPLE / 2
    drawn = []
    for kind in dict.fromkeys(" ".join(entry.kinds).split()):
        if kind in {"band", "part", "bar", "region"}:
            style = {"bar": "fill", "region": "band"}.get(kind, kind)
            drawn.append(rect(x, y - 6, _SAMPLE, 12, f"{style} {look}", 2))
        elif kind.startswith("cell:"):
            drawn.append(rect(x, y - 6, _SAMPLE, 12, "cell rule", 2))
            shade = f'class="fill {look}" fill-opacity="{float(kind[5:]):.2f}"'
            box = f'x="{number(x)}" y="{number(y - 6)}" width="{number(_SAMPLE)}" height="12"'
            drawn.append(f"<rect {box} {shade}/>")
        elif kind in {"line", "dashed", "faint"}:
            # A faint line is one of many: its sample alone would hardly be seen.
            thin = {"line": "", "faint": " thin"}.get(kind, f" {kind}")
            looks = f"line{thin} {look}"
            drawn.append(path(f"M{number(x)} {number(y)}h{number(_SAMPLE)}", looks))
        else:
            drawn.append(symbols([(middle, y)], kind, 8.0, look, many=False))
    return "".join(drawn)
