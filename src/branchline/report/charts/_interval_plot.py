"""Estimates with intervals, one row each, in groups.

A wide chart has labels at the left and values at the right of the intervals; a narrow one, for
phones, has both above them. Rows that lie far out do not squeeze the others: an arrow points to
where they would be.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from branchline._drawing import number, path, rect, text, title
from branchline.report.charts._frame import Scale, chart, fit, line, scale_for, tick_words, ticks

__all__ = ["IntervalRow", "interval_plot"]

_WIDE, _NARROW = 860.0, 350.0
_LABELS, _VALUES = 190.0, 150.0
_HEIGHT, _NARROW_HEIGHT, _GAP, _FOOT = 26.0, 40.0, 22.0, 44.0
# An estimate this many times farther from the middle half of all than they are wide lies far out.
_FAR = 6.0


@dataclass(frozen=True)
class IntervalRow:
    """One row: what it is called, its estimate and interval, and the words next to it."""

    label: str
    estimate: float
    low: float
    high: float
    words: str
    group: str = ""
    is_chosen: bool = False


def interval_plot(
    rows: Sequence[IntervalRow],
    axis: str,
    words: str,
    *,
    reference: float | None = None,
    reference_words: str = "",
    labels: float = _LABELS,
    narrow: bool = False,
) -> str:
    """Draw rows from top to bottom; a dashed line marks the ``reference``."""
    width = _NARROW if narrow else _WIDE
    begin, end = (10.0, width - 10) if narrow else (labels, width - _VALUES)
    shown = _without_far_ones(rows)
    ends = [value for row in shown for value in (row.low, row.estimate, row.high)]
    scale = scale_for([*ends, *([] if reference is None else [reference])], begin, end)
    body, y, group = [], 18.0 if reference_words else 4.0, None
    for row in rows:
        if row.group != group:
            body.append(_group_head(row.group, y, width))
            y, group = y + (_GAP if row.group else 0), row.group
        body.append(_row(row, scale, y, width, narrow=narrow))
        y += _NARROW_HEIGHT if narrow else _HEIGHT
    guide = _reference(scale, reference, reference_words, y)
    return chart([guide, *body, _axis(scale, axis, y)], width, y + _FOOT, words)


def _without_far_ones(rows: Sequence[IntervalRow]) -> list[IntervalRow]:
    known = sorted(row.estimate for row in rows if math.isfinite(row.estimate))
    if len(known) < 3:
        return list(rows)
    lower, upper = known[len(known) // 4], known[(3 * len(known)) // 4]
    reach = _FAR * max(upper - lower, 1e-3 * max(abs(upper), abs(lower)))
    return [row for row in rows if lower - reach <= row.estimate <= upper + reach]


def _group_head(name: str, y: float, width: float) -> str:
    if not name:
        return ""
    rule = line(0, y + 5, width, y + 5, "rule") if y > 20 else ""
    return rule + fit(0, y + 18, name, width, "quiet small halo")


def _row(row: IntervalRow, scale: Scale, y: float, width: float, *, narrow: bool) -> str:
    middle = y + (29 if narrow else 13)
    strong = " strong" if row.is_chosen else ""
    label = f"→ {row.label}" if row.is_chosen else row.label
    parts = [title([f"{row.label}: {row.words}"])]
    if narrow:
        parts += [fit(0, y + 15, label, width - _VALUES, "ink halo" + strong)]
    else:
        parts += [fit(0, middle + 4, label, scale.begin - 14, "ink" + strong)]
    parts.append(
        text(width, (y + 15) if narrow else middle + 4, row.words, "ink end halo" + strong)
    )
    return f"<g>{''.join(parts)}{_mark(row, scale, middle)}</g>"


def _mark(row: IntervalRow, scale: Scale, middle: float) -> str:
    look = "chosen" if row.is_chosen else "usual"
    if not math.isfinite(row.estimate):
        return ""
    if not scale.holds(row.estimate):
        x, way = (scale.begin, -1) if row.estimate < scale.low else (scale.end, 1)
        tip = f"M{number(x - 8 * way)} {number(middle - 5)}l{8 * way} 5l{-8 * way} 5z"
        return path(tip, f"{look} fill")
    low, high = scale(row.low), scale(row.high)
    x = scale(row.estimate)
    size = 5.0 if row.is_chosen else 4.0
    bar = rect(low, middle - 2, max(1.0, high - low), 4, f"{look} fill faint", 2)
    return (
        bar
        + f'<circle cx="{number(x)}" cy="{number(middle)}" r="{number(size)}" class="{look} fill"/>'
    )


def _reference(scale: Scale, value: float | None, words: str, bottom: float) -> str:
    if value is None or not scale.holds(value):
        return ""
    x = scale(value)
    near_end = x > (scale.begin + scale.end) / 2
    side = " end" if near_end else ""
    label = text(x + (-5 if near_end else 5), 11, words, "quiet small" + side) if words else ""
    return line(x, 2, x, bottom, "guide") + label


def _axis(scale: Scale, words: str, y: float) -> str:
    places = ticks(scale.low, scale.high)
    marks = [
        line(scale(place), y + 4, scale(place), y + 8, "axis")
        + text(scale(place), y + 21, label, "quiet small mid")
        for place, label in zip(places, tick_words(places), strict=True)
    ]
    middle = (scale.begin + scale.end) / 2
    name = text(middle, y + 38, words, "quiet mid")
    return line(scale.begin, y + 4, scale.end, y + 4, "axis") + "".join(marks) + name
