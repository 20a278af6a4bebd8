"""Charts of any number of points stay small: what is drawn when there are more than a page shows.

1. A line is cut into runs of equal length; each keeps its first, lowest, highest and last point, so
   no peak is lost.
2. A band keeps the lowest and the highest end of each run.
3. Points fall onto pixels. A pixel's key is −ln(u) / n, where n points fall onto it and u in (0, 1)
   is a hash of its place; the pixels with the smallest keys are drawn. So crowded places keep more
   points, and neither the order of the rows nor a seed matters (Efraimidis and Spirakis 2006).
"""

import numpy as np
import numpy.typing as npt

from branchline._row_keys import scramble

__all__ = ["MOST_POINTS", "thin_band", "thin_line", "thin_points"]

Floats = npt.NDArray[np.float64]
MOST_STEPS, MOST_POINTS = 480, 2000
_FAR = 2**20  # more pixels than a chart is high


def thin_line(x: Floats, y: Floats, most: int = MOST_STEPS) -> tuple[Floats, Floats]:
    """Return at most ``most`` points of a line; missing ones stay missing."""
    if len(x) <= most:
        return x, y
    kept = []
    for run in np.array_split(np.arange(len(x)), max(1, most // 4)):
        values = y[run]
        known = np.isfinite(values)
        if not known.any():
            kept += [run[0]]
            continue
        low = np.where(known, values, np.inf).argmin()
        high = np.where(known, values, -np.inf).argmax()
        kept += sorted({int(run[0]), int(run[low]), int(run[high]), int(run[-1])})
    return x[kept], y[kept]


def thin_band(
    x: Floats, low: Floats, high: Floats, most: int = MOST_STEPS
) -> tuple[Floats, Floats, Floats]:
    """Return at most ``most`` places of a band; it never becomes narrower."""
    if len(x) <= most:
        return x, low, high
    runs = np.array_split(np.arange(len(x)), most)
    places = np.array([x[run[len(run) // 2]] for run in runs])
    places[0], places[-1] = x[0], x[-1]
    return (
        places,
        np.array([np.min(low[run]) for run in runs]),
        np.array([np.max(high[run]) for run in runs]),
    )


def thin_points(x: Floats, y: Floats, most: int = MOST_POINTS) -> npt.NDArray[np.intp]:
    """Return which points to draw, given their pixels; all of them if there are not too many."""
    if len(x) <= most:
        return np.arange(len(x))
    pixels = np.round(x).astype(np.int64) * _FAR + np.round(y).astype(np.int64)
    distinct, first, counts = np.unique(pixels, return_index=True, return_counts=True)
    if len(distinct) <= most:
        return np.sort(first)
    mixed = scramble(distinct.view(np.uint64))
    share = (mixed.astype(np.float64) + 0.5) / 2.0**64
    keys = -np.log(np.clip(share, 1e-300, 1 - 1e-16)) / counts
    return np.sort(first[np.argsort(keys, kind="stable")[:most]])
