"""Rows of bars and rows of estimates with intervals, one for each name, from top to bottom.

Estimates that lie far out do not squeeze the others: an arrow points to where they would be.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Bars, Mark, Points, Rule

__all__ = ["Bar", "IntervalRow", "bar_rows", "interval_rows"]

# An estimate this many times farther from the middle half of all than they are wide lies far out.
_FAR = 6.0


@dataclass(frozen=True)
class Bar:
    """One bar: what it is called, how long it is, its interval if there is one, and its words.

    See Also
    --------
    bar_rows : return bars to the left and right of zero, with whiskers where an interval is known.
    Bars : bars from zero, each with an interval where one is known.

    Examples
    --------
    >>> from branchline.charts import Bar, bar_rows
    >>> len(bar_rows([Bar("age", 0.4, "+0.4"), Bar("sex", -0.1, "−0.1")], "log-odds").marks)
    1
    """

    label: str
    amount: float
    words: str
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class IntervalRow:
    """One row: what it is called, its estimate and interval, and the words next to it.

    See Also
    --------
    interval_rows : return estimates with intervals, from top to bottom, in groups.

    Examples
    --------
    >>> from branchline.charts import IntervalRow, interval_rows
    >>> row = IntervalRow("tree", 0.84, 0.80, 0.88, "0.84 [0.80, 0.88]")
    >>> len(interval_rows([row], "accuracy").marks)
    1
    """

    label: str
    estimate: float
    low: float
    high: float
    words: str
    group: str = ""
    is_chosen: bool = False


def bar_rows(
    bars: Sequence[Bar], axis: str, title: str = "", *, note: str = "", words: str = ""
) -> Chart:
    """Return bars to the left and right of zero, with whiskers where an interval is known.

    Parameters
    ----------
    bars
        The bars, from top to bottom.
    axis
        What their length measures.
    title, note, words
        As in a ``Chart``. Default "".

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import Bar, bar_rows
    >>> chart = bar_rows([Bar("age", 0.4, "+0.4"), Bar("sex", -0.1, "−0.1")], "log-odds")
    >>> len(chart.marks)
    1
    """
    whole = all(float(bar.amount).is_integer() for bar in bars)  # counts have no halves
    has_ends = any(math.isfinite(bar.low) for bar in bars)
    mark = Bars(
        np.arange(len(bars)),
        [bar.amount for bar in bars],
        low=[bar.low for bar in bars] if has_ends else None,
        high=[bar.high for bar in bars] if has_ends else None,
        words=tuple(bar.words for bar in bars),
        signed=True,
    )
    labels = tuple(bar.label for bar in bars)
    return Chart(
        (mark,),
        Axis(axis, form="whole" if whole else "number"),
        Axis(categories=labels),
        title,
        note,
        words,
    )


def interval_rows(
    rows: Sequence[IntervalRow],
    axis: str,
    title: str = "",
    *,
    reference: float | None = None,
    reference_words: str = "",
    note: str = "",
    words: str = "",
) -> Chart:
    """Return estimates with intervals, from top to bottom, in groups.

    Parameters
    ----------
    rows
        The rows; those of one group stand under its name, a chosen one is brought out.
    axis
        What is estimated.
    title, note, words
        As in a ``Chart``. Default "".
    reference, reference_words
        Where a dashed line stands, for comparison, and what it is. Default None: no line.

    See Also
    --------
    Chart : a chart, as data.

    Examples
    --------
    >>> from branchline.charts import IntervalRow, interval_rows
    >>> scores = {"tree": 0.7, "forest": 0.8}
    >>> rows = [IntervalRow(name, x, x - 0.1, x + 0.1, f"{x}") for name, x in scores.items()]
    >>> len(interval_rows(rows, "accuracy", reference=0.5, reference_words="a coin").marks)
    2
    """
    marks: list[Mark] = [
        _points(rows, chosen=chosen) for chosen in (False, True) if _any(rows, chosen)
    ]
    if reference is not None and math.isfinite(reference):
        marks.insert(0, Rule(reference, "x", reference_words))
    categories = Axis(
        categories=tuple(row.label for row in rows),
        groups=tuple(row.group for row in rows) if any(row.group for row in rows) else (),
        marked=tuple(place for place, row in enumerate(rows) if row.is_chosen),
    )
    return Chart(
        tuple(marks), Axis(axis, ends=_ends(rows, reference)), categories, title, note, words
    )


def _any(rows: Sequence[IntervalRow], chosen: bool) -> bool:
    return any(row.is_chosen == chosen for row in rows)


def _points(rows: Sequence[IntervalRow], *, chosen: bool) -> Points:
    shown = [(place, row) for place, row in enumerate(rows) if row.is_chosen == chosen]
    return Points(
        [row.estimate for _, row in shown],
        [place for place, _ in shown],
        low=[row.low for _, row in shown],
        high=[row.high for _, row in shown],
        along="x",
        words=tuple(row.words for _, row in shown),
        color=1 if chosen else 0,
        size=10.0 if chosen else 8.0,
        symbol="circle",
    )


def _ends(rows: Sequence[IntervalRow], reference: float | None) -> tuple[float, float] | None:
    """Return the ends of the axis: all rows but those that lie far out, with a little room."""
    known = sorted(row.estimate for row in rows if math.isfinite(row.estimate))
    shown = list(rows)
    if len(known) >= 3:
        lower, upper = known[len(known) // 4], known[(3 * len(known)) // 4]
        reach = _FAR * max(upper - lower, 1e-3 * max(abs(upper), abs(lower)))
        shown = [row for row in rows if lower - reach <= row.estimate <= upper + reach]
    values = [end for row in shown for end in (row.low, row.estimate, row.high)]
    values = [value for value in values if math.isfinite(value)]
    values += [] if reference is None or not math.isfinite(reference) else [reference]
    if not values:
        return None
    low, high = min(values), max(values)
    room = 0.05 * (high / 2 - low / 2) * 2 or 0.5 * abs(high) or 0.5
    return low - room, high + room
