"""Regions and heat maps as SVG: equal cells become one rectangle, colors have few strengths."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from branchline._drawing import clean, number, text, text_width, title
from branchline.charts._looks import color_class, strongest_cell
from branchline.charts._marks import Cells, Color
from branchline.charts._svg._place import Floats
from branchline.charts._svg._plot import Plot
from branchline.charts._svg._style import LETTERS

__all__ = ["LEVELS", "draw_cells", "strength_of"]

LEVELS = 12
_MOST_CELLS = 150  # of a side
_REGION = 0.28  # how strong the color of a region is: points and words stay readable on it


def draw_cells(mark: Cells, plot: Plot, color: Color) -> str:
    """Return the rectangles of a grid; many cells are drawn as those that stand for them."""
    x, y = plot.x(mark.x_edges), plot.y(mark.y_edges)
    if mark.words:
        return _worded(mark, x, y)
    place, strength = _levels(mark)
    x, y, place, strength = _coarse(x, y, place, strength)
    # Whole pixels: neighbors with a fraction of a pixel between them show a seam.
    x, y = np.round(x), np.round(y)
    drawn: list[str] = []
    for left, right, low, high, which, level in _merged(place, strength):
        top, bottom = sorted((float(y[low]), float(y[high])))
        drawn.append(
            f'<rect x="{number(x[left])}" y="{number(top)}" '
            f'width="{number(x[right] - x[left])}" height="{number(bottom - top)}" '
            f'class="fill {color_class(which)}" fill-opacity="{level:.2f}"/>'
        )
    return f'<g shape-rendering="crispEdges">{"".join(drawn)}</g>'


def strength_of(mark: Cells) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return the color of each cell (0 or 1) and its strength between 0 and 1, for numbers."""
    values = mark.values
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    if mark.center is None:
        span = high / 2 - low / 2
        share = (values / 2 - low / 2) / span if span > 0 else np.full(values.shape, 0.5)
        return np.zeros(values.shape, dtype=np.intp), share
    reach = max(high - mark.center, mark.center - low) or 1.0
    return (values < mark.center).astype(np.intp), np.abs(values - mark.center) / reach


def _levels(mark: Cells) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return a color and an opacity for each cell; NaN where nothing is drawn."""
    if mark.names:
        known = np.isfinite(mark.values)
        place = np.where(known, mark.values, 0).astype(np.intp)
        share = np.ones(place.shape) if mark.strength is None else mark.strength
        strongest = _REGION if mark.strength is None else 0.45
        return place, np.where(known, strongest * np.round(share * 10) / 10, np.nan)
    place, share = strength_of(mark)
    return place, strongest_cell(mark) * np.round(share * LEVELS) / LEVELS


def _coarse(
    x: Floats, y: Floats, place: npt.NDArray[np.intp], strength: Floats
) -> tuple[Floats, Floats, npt.NDArray[np.intp], Floats]:
    """Return at most 150 rows and columns, each the middle one of those it stands for."""
    for axis, edges in ((0, y), (1, x)):
        n_cells = place.shape[axis]
        if n_cells > _MOST_CELLS:
            cuts = np.linspace(0, n_cells, _MOST_CELLS + 1).round().astype(np.intp)
            middle = (cuts[:-1] + cuts[1:]) // 2
            place, strength = np.take(place, middle, axis), np.take(strength, middle, axis)
            x, y = (x, edges[cuts]) if axis == 0 else (edges[cuts], y)
    return x, y, place, strength


def _merged(
    place: npt.NDArray[np.intp], strength: Floats
) -> list[tuple[int, int, int, int, int, float]]:
    """Return rectangles of equal cells: runs in a row that are equal to those of the row below."""
    open_runs: dict[tuple[int, int, int, float], int] = {}
    done = []
    for row in range(place.shape[0] + 1):
        runs = _row_runs(place[row], strength[row]) if row < place.shape[0] else set()
        for run in [run for run in open_runs if run not in runs]:
            left, right, which, level = run
            done.append((left, right, open_runs.pop(run), row, which, level))
        for run in runs:
            open_runs.setdefault(run, row)
    return sorted(done)


def _row_runs(place: npt.NDArray[np.intp], strength: Floats) -> set[tuple[int, int, int, float]]:
    shown = np.where(np.isfinite(strength), strength, -1.0)
    changes = np.flatnonzero((np.diff(place) != 0) | (np.diff(shown) != 0)) + 1
    edges = [0, *changes.tolist(), len(place)]
    return {
        (left, right, int(place[left]), float(shown[left]))
        for left, right in pairwise(edges)
        if shown[left] > 0
    }


def _worded(mark: Cells, x: Floats, y: Floats) -> str:
    """Return cells with words in them, each by itself."""
    place, level = _levels(mark)
    drawn = []
    for row, column in np.ndindex(mark.values.shape):
        top, bottom = sorted((float(y[row]), float(y[row + 1])))
        left, width = float(x[column]), float(x[column + 1] - x[column])
        box = (
            f'<rect x="{number(left + 1)}" y="{number(top + 1)}" width="{number(width - 2)}" '
            f'height="{number(bottom - top - 2)}"'
        )
        strength = float(np.nan_to_num(level[row, column]))
        lines = mark.words[row][column].split("\n")
        drawn += [f'{box} class="fill {color_class(int(place[row, column]))}" ']
        drawn += [f'fill-opacity="{strength:.2f}">{title([clean(" ".join(lines))])}</rect>']
        drawn += [f'{box} class="cell rule"/>']
        first = (top + bottom) / 2 + 4 - 7 * (len(lines) - 1)
        for at, line in enumerate(lines):
            look = "ink mid" if not at else "quiet small mid"
            drawn.append(text(left + width / 2, first + 14 * at, _fitting(line, width - 6), look))
    return "".join(drawn)


def _fitting(line: str, room: float) -> str:
    """Return the words of a cell if they fit, else those before a bracket, else nothing."""
    for words in (clean(line), clean(line.partition(" (")[0])):
        if text_width(words, LETTERS) <= room:
            return words
    return ""
