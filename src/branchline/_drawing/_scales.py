"""Scales and ticks: numbers become pixels, and round numbers stand at an axis.

1. A scale maps numbers to pixels along one side of the chart.
2. Ticks are multiples of 1, 2 or 5 times a power of ten, five or so of them; on a logarithmic
   scale they are powers of ten, with 2 and 5 times as much between them where there is room.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from branchline._plain_numbers import fixed, percent
from branchline._plain_numbers import number as plain

__all__ = ["Scale", "log_ticks", "percent_words", "scale_for", "tick_words", "ticks"]

_MOST_STEPS = 12


@dataclass(frozen=True)
class Scale:
    """A map from numbers between ``low`` and ``high`` to pixels."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        # Halves keep the span of numbers near the largest float finite.
        span = self.high / 2 - self.low / 2
        share = (value / 2 - self.low / 2) / span if span > 0 else 0.5
        return self.begin + min(1.0, max(0.0, share)) * (self.end - self.begin)

    def holds(self, value: float) -> bool:
        """Whether a number lies between the ends."""
        return self.low <= value <= self.high


def scale_for(values: Sequence[float], begin: float, end: float, *, zero: bool = False) -> Scale:
    """Return a scale that holds all finite values, with a little room on both sides."""
    known = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.05 * (high / 2 - low / 2) * 2 or 0.5 * abs(high) or 0.5
    if not math.isfinite(room):
        room = 0.0
    if zero:
        return Scale(low - room * (low < 0), high + room * (high > 0), begin, end)
    return Scale(low - room, high + room, begin, end)


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Return round numbers between two ends."""
    span = high - low
    if not math.isfinite(span) or span <= 0 or span < 1e-12 * max(abs(low), abs(high)):
        return [low] if math.isfinite(low) else []
    size = 10.0 ** math.floor(math.log10(span / wanted))
    step = next((size * by for by in (1, 2, 5) if span / (size * by) <= wanted), size * 10)
    if not step > 0:
        return [low]
    first = math.ceil(low / step - 1e-9)
    count = min(_MOST_STEPS, math.floor(high / step + 1e-9) - first + 1)
    return [(first + place) * step + 0.0 for place in range(count)]


def log_ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """Return powers of ten between two positive ends, or 1, 2 and 5 times them, or round numbers.

    Examples
    --------
    >>> from branchline._drawing import log_ticks
    >>> log_ticks(0.02, 200.0), log_ticks(3.0, 60.0)
    ([0.1, 1.0, 10.0, 100.0], [3.0, 10.0, 30.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    skip = max(1, math.ceil((last - first) / max(wanted, 1)))
    for factors in ((1,), (1, 3), (1, 2, 5)):
        made = [by * 10.0**power for power in range(first, last + 1, skip) for by in factors]
        inside = [value for value in made if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(inside) >= min(3, wanted):
            return inside
    return ticks(low, high, wanted)


def tick_words(values: Sequence[float]) -> list[str]:
    """Return ticks as words, all with the same decimals."""
    if len(values) > 1:
        step = values[1] - values[0]
        largest = max(abs(value) for value in values)
        if step >= 1e-4 and largest < 1e6:
            decimals = max(0, -math.floor(math.log10(step) + 1e-9))
            return [fixed(value + 0.0, decimals) for value in values]
    return [plain(value) for value in values]


def percent_words(values: Sequence[float]) -> list[str]:
    """Return shares as ticks in per cent, all with the same decimals."""
    step = abs(values[1] - values[0]) if len(values) > 1 else 0.1
    decimals = min(3, max(0, -math.floor(math.log10(100 * step) + 1e-9))) if step > 0 else 0
    return [percent(value, decimals=decimals) for value in values]
