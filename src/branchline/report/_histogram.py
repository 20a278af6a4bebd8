"""How often numbers fall into bins with round ends; a few far-out values do not empty the bins.

1. Few different values: one bin each.
2. Otherwise about twelve bins between round numbers cover the core: all values within three widths
   of the middle half around it, as a box plot has them.
3. What lies beyond the core is counted in one bin on each side ("50 to 99,999 (far out)").
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from branchline._drawing import tick_words, ticks
from branchline.report._words import number_words

__all__ = ["histogram"]

Floats = npt.NDArray[np.float64]
_N_BINS = 12
_REACH = 3.0  # widths of the middle half
_WORTH_CUTTING = 2.0  # how many times wider than the core all values must reach


def histogram(values: Floats) -> list[tuple[str, int]]:
    """Return the words and the number of values of each bin, from the lowest to the highest."""
    known = np.unique(values)
    if len(known) <= _N_BINS:
        return [(number_words(float(value)), int((values == value).sum())) for value in known]
    edges = _edges(*_core(values))
    place = np.searchsorted(edges, values, side="right") - 1
    place[values == edges[-1]] = len(edges) - 2  # the last bin holds its upper end
    counts = np.bincount(place + 1, minlength=len(edges) + 1)
    ends = tick_words(edges.tolist())
    words = [f"{low} to {high}" for low, high in pairwise(ends)]
    pairs = list(zip(words, counts[1:-1].tolist(), strict=True))
    lowest, highest = tick_words([float(known[0]), float(known[-1])])
    below = [(f"{lowest} to {ends[0]} (far out)", int(counts[0]))] if counts[0] else []
    above = [(f"{ends[-1]} to {highest} (far out)", int(counts[-1]))] if counts[-1] else []
    return [*below, *pairs, *above]


def _core(values: Floats) -> tuple[float, float]:
    """Return the ends of the values that are not far out."""
    low, first, third, high = np.quantile(values, [0.0, 0.25, 0.75, 1.0]).tolist()
    # Halves: the span of numbers near the largest float would overflow.
    reach = _REACH * 2 * (third / 2 - first / 2)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    core = float(inside.min()), float(inside.max())
    is_cut = core[0] < core[1] and high / 2 - low / 2 > _WORTH_CUTTING * (core[1] / 2 - core[0] / 2)
    return core if is_cut else (low, high)


def _edges(low: float, high: float) -> Floats:
    """Return the ends of bins that hold everything from ``low`` to ``high``."""
    marks = np.array(ticks(low, high, _N_BINS))
    if len(marks) <= 2:
        return 2 * np.linspace(low / 2, high / 2, _N_BINS + 1)
    step = marks[1] - marks[0]  # one more bin at each end where values lie beyond
    first, last = marks[0] - step * (low < marks[0]), marks[-1] + step * (high > marks[-1])
    return np.linspace(first, last, round((last - first) / step) + 1)
