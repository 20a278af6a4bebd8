"""Lines along which a function of two numbers has a given value, from its values on a grid.

Marching squares: in each square of four grid points, the line enters and leaves through the sides
whose ends lie on different sides of the level; the crossing is found by a straight line between the
two ends. In a saddle the value in the middle decides which two sides belong together.
"""

import numpy as np
import numpy.typing as npt

from branchline.charts._marks import Segments

__all__ = ["contour"]

Floats = npt.NDArray[np.float64]
Point = tuple[float, float]


def contour(
    x: Floats, y: Floats, values: Floats, level: float, name: str = "", color: str = "ink"
) -> Segments:
    """Return the line of a level.

    Parameters
    ----------
    x, y
        The grid, ascending.
    values
        A row for each y, a column for each x.
    level, name, color
        The value, and what the line is called and colored.
    """
    above = values > level
    mixed = (above[:-1, :-1] != above[:-1, 1:]) | (above[:-1, :-1] != above[1:, :-1])
    mixed |= above[:-1, :-1] != above[1:, 1:]
    pieces = [
        piece
        for row, column in np.argwhere(mixed & np.isfinite(values[:-1, :-1])).tolist()
        for piece in _pieces(x, y, values, level, (row, column))
    ]
    begin = np.array([first for first, _ in pieces]).reshape(-1, 2)
    end = np.array([last for _, last in pieces]).reshape(-1, 2)
    return Segments(begin[:, 0], begin[:, 1], end[:, 0], end[:, 1], name, color)  # type: ignore[arg-type]


def _pieces(
    x: Floats, y: Floats, values: Floats, level: float, at: tuple[int, int]
) -> list[tuple[Point, Point]]:
    row, column = at
    corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
    given = [float(values[corner]) for corner in corners]
    places = [(float(x[c]), float(y[r])) for r, c in corners]
    crossed = []
    for side in range(4):
        first, last = given[side], given[(side + 1) % 4]
        if (first > level) != (last > level):
            share = (level - first) / (last - first)
            (x0, y0), (x1, y1) = places[side], places[(side + 1) % 4]
            crossed.append((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
    if len(crossed) == 2:
        return [(crossed[0], crossed[1])]
    if len(crossed) < 4:  # a missing value
        return []
    if (sum(given) / 4 > level) == (given[0] > level):
        return [(crossed[0], crossed[1]), (crossed[2], crossed[3])]
    return [(crossed[3], crossed[0]), (crossed[1], crossed[2])]
