"""Where numbers stand: scales for whole arrays, linear, logarithmic and of categories."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from branchline._drawing import log_ticks, number, percent_words, tick_words, ticks
from branchline.charts._axis import Axis

__all__ = ["Place", "ends_of", "joined", "tick_places", "tick_texts"]

Floats = npt.NDArray[np.float64]
_ROOM = 0.05
_FARTHEST = 1e5  # pixels; farther numbers would only make a file larger


@dataclass(frozen=True, eq=False)
class Place:
    """A map from numbers to pixels.

    Parameters
    ----------
    low, high
        The ends of the axis.
    begin, end
        Their pixels.
    log
        Whether equal ratios have equal lengths.
    centers
        The pixels of categories; empty for numbers.
    """

    low: float
    high: float
    begin: float
    end: float
    log: bool = False
    centers: tuple[float, ...] = ()

    def __call__(self, values: npt.ArrayLike) -> Floats:
        """Return the pixels of numbers; NaN where there is none."""
        given = np.asarray(values, dtype=np.float64)
        if self.centers:
            return self._of_categories(given)
        low, high = self.low, self.high
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                given = np.where(given > 0, np.log10(given), np.nan)
            low, high = math.log10(low), math.log10(high)
        half = high / 2 - low / 2
        with np.errstate(over="ignore", invalid="ignore"):
            share = (given / 2 - low / 2) / half if half > 0 else np.where(given == low, 0.5, given)
            pixels: Floats = self.begin + share * (self.end - self.begin)
        clipped: Floats = np.clip(pixels, -_FARTHEST, _FARTHEST)
        return clipped

    def _of_categories(self, given: Floats) -> Floats:
        centers = np.array(self.centers)
        step = centers[1] - centers[0] if len(centers) > 1 else self.end - self.begin
        known = np.arange(len(centers), dtype=np.float64)
        inside: Floats = np.interp(given, known, centers)
        below, above = np.minimum(given, 0.0), np.maximum(given - known[-1], 0.0)
        placed: Floats = inside + (below + above) * step
        return placed

    def one(self, value: float) -> float:
        """Return the pixel of one number."""
        return float(self(np.array([value]))[0])

    def holds(self, values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether numbers lie between the ends of the axis."""
        given = np.asarray(values, dtype=np.float64)
        room = 1e-9 * (self.high / 2 - self.low / 2)
        inside: npt.NDArray[np.bool_] = (given >= self.low - room) & (given <= self.high + room)
        return inside


def ends_of(axis: Axis, values: Sequence[Floats], *, tight: bool = False) -> tuple[float, float]:
    """Return the ends of an axis: those it states, or those of all numbers with a little room."""
    if axis.categories:
        return -0.5, len(axis.categories) - 0.5
    if axis.ends is not None:
        return float(axis.ends[0]), float(axis.ends[1])
    known = np.concatenate([np.zeros(0), *(np.ravel(one) for one in values)])
    known = known[np.isfinite(known)]
    if axis.log:
        known = known[known > 0]
        low, high = (known.min(), known.max()) if len(known) else (0.1, 10.0)
        room = 1.0 if tight and low < high else max(1.05, (high / low) ** _ROOM)
        return float(low / room), float(high * room)
    if axis.zero or not len(known):
        known = np.append(known, 0.0)
    low, high = float(known.min()), float(known.max())
    if low == high == 0:
        return 0.0, 1.0
    if tight and low < high:
        return low, high
    room = _ROOM * (high / 2 - low / 2) * 2 or 0.5 * abs(high) or 0.5
    room = room if math.isfinite(room) else 0.0
    # An end at zero, where bars begin and shares end, needs no room.
    return low - room * (low != 0), high + room * (high != 0)


def tick_places(axis: Axis, low: float, high: float, wanted: int) -> list[float]:
    """Return the numbers that stand at an axis."""
    if axis.log:
        return log_ticks(low, high, wanted)
    places = ticks(low, high, wanted)
    if axis.form == "whole":
        places = [place for place in places if place % 1 == 0]
    return places


def tick_texts(axis: Axis, places: Sequence[float]) -> list[str]:
    """Return the words of ticks."""
    if axis.form == "percent":
        return percent_words(places)
    if axis.log:
        return [tick_words([place])[0] for place in places]
    return tick_words(places)


def joined(x: Floats, y: Floats) -> str:
    """Return the steps of a path through points; a missing number interrupts it."""
    known = np.isfinite(x) & np.isfinite(y)
    steps, begin = [], True
    for one, other, is_known in zip(x.tolist(), y.tolist(), known.tolist(), strict=True):
        if is_known:
            steps.append(f"{'M' if begin else 'L'}{number(one)} {number(other)}")
        begin = not is_known
    return "".join(steps)
