"""Bars to the left and right of zero, with whiskers where an interval is known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from branchline._drawing import rect, text, title
from branchline.report.charts._frame import Scale, chart, fit, line, scale_for, tick_words, ticks

__all__ = ["Bar", "bar_chart"]

_WIDE, _NARROW = 860.0, 350.0
_LABELS, _VALUES = 240.0, 110.0
_HEIGHT, _NARROW_HEIGHT, _FOOT = 24.0, 38.0, 44.0


@dataclass(frozen=True)
class Bar:
    """One bar: what it is called, how long it is, its interval if there is one, and its words."""

    label: str
    amount: float
    words: str
    low: float = math.nan
    high: float = math.nan


def bar_chart(bars: Sequence[Bar], axis: str, words: str, *, narrow: bool = False) -> str:
    """Draw bars from top to bottom."""
    width = _NARROW if narrow else _WIDE
    begin, end = (10.0, width - 10) if narrow else (_LABELS, width - _VALUES)
    ends = [value for bar in bars for value in (bar.amount, bar.low, bar.high)]
    scale = scale_for(ends, begin, end, zero=True)
    body, y = [], 4.0
    for bar in bars:
        body.append(_bar(bar, scale, y, width, narrow=narrow))
        y += _NARROW_HEIGHT if narrow else _HEIGHT
    zero = line(scale(0), 2, scale(0), y + 4, "axis")
    whole = all(float(bar.amount).is_integer() for bar in bars)  # counts have no halves
    return chart([*body, zero, _axis(scale, axis, y, whole=whole)], width, y + _FOOT, words)


def _bar(bar: Bar, scale: Scale, y: float, width: float, *, narrow: bool) -> str:
    top = y + (21 if narrow else 4)
    baseline = y + 15 if narrow else y + 16
    x, zero = scale(bar.amount), scale(0)
    look = "usual fill" if bar.amount >= 0 else "second fill"
    room = width - _VALUES if narrow else _LABELS - 12
    parts = [
        title([f"{bar.label}: {bar.words}"]),
        fit(0, baseline, bar.label, room, "ink"),
        text(width, baseline, bar.words, "ink end"),
        rect(min(x, zero), top, max(1.0, abs(x - zero)), 14, look, 1),
    ]
    if math.isfinite(bar.low) and math.isfinite(bar.high):
        middle, low, high = top + 7, scale(bar.low), scale(bar.high)
        parts.append(line(low, middle, high, middle, "whisker"))
        parts += [line(at, middle - 4, at, middle + 4, "whisker") for at in (low, high)]
    return f"<g>{''.join(parts)}</g>"


def _axis(scale: Scale, words: str, y: float, *, whole: bool) -> str:
    places = [place for place in ticks(scale.low, scale.high, 5) if not whole or place % 1 == 0]
    marks = [
        text(scale(place), y + 19, label, "quiet small mid")
        for place, label in zip(places, tick_words(places), strict=True)
    ]
    # Words longer than the bars' part of the chart would leave it on one side.
    middle = (scale.begin + scale.end) / 2
    return "".join(marks) + fit(middle, y + 36, words, 1.2 * (scale.end - scale.begin), "quiet mid")
