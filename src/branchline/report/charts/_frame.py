"""Scales, ticks and the SVG around a chart.

1. A scale maps numbers to pixels along one side of the chart.
2. Ticks are multiples of 1, 2 or 5 times a power of ten, five or so of them.
3. Whatever varies is text and is escaped; colors are names of styles that the page defines.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from branchline._drawing import clean, number, shorten, text, text_width
from branchline._plain_numbers import fixed
from branchline._plain_numbers import number as plain

__all__ = ["LETTERS", "Scale", "chart", "fit", "line", "scale_for", "tick_words", "ticks"]

LETTERS = 12.0  # the size of a chart's letters, in pixels
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


def tick_words(values: Sequence[float]) -> list[str]:
    """Return ticks as words, all with the same decimals."""
    if len(values) > 1:
        step = values[1] - values[0]
        largest = max(abs(value) for value in values)
        if step >= 1e-4 and largest < 1e6:
            decimals = max(0, -math.floor(math.log10(step) + 1e-9))
            return [fixed(value + 0.0, decimals) for value in values]
    return [plain(value) for value in values]


def line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    """Return a straight line."""
    return (
        f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
        f'class="{look}"/>'
    )


def fit(x: float, y: float, words: str, width: float, look: str = "") -> str:
    """Return a line of text, shortened to a width; the pointer shows all of it."""
    whole = clean(words)
    if text_width(whole, LETTERS) <= width:
        return text(x, y, whole, look)
    short = shorten(whole, width, LETTERS)
    hint = f"<title>{escape(whole[:300])}</title>"
    return text(x, y, short, look).replace("</text>", hint + "</text>")


def chart(body: Sequence[str], width: float, height: float, words: str, look: str = "") -> str:
    """Return a whole chart; ``words`` describe it for readers who cannot see it."""
    size = f"{number(width)} {number(height)}"
    styles = f"chart {look}".strip()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{styles}" viewBox="0 0 {size}" '
        f'width="{number(width)}" height="{number(height)}" role="img" '
        f'aria-label="{escape(clean(words))}">{"".join(body)}</svg>'
    )
