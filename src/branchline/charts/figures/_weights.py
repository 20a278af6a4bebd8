"""Linear models: weights as bars with intervals, odds ratios, weights along a path."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from branchline._plain_numbers import cell, count, fixed
from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._marks import Line, Mark, Points, Rule
from branchline.charts.figures._rows import Bar, IntervalRow, bar_rows, interval_rows

__all__ = ["draw_coefficients", "draw_odds_ratios", "draw_path", "draw_summary"]

_MOST_BARS, _MOST_LINES = 25, 8


def draw_coefficients(listed: Any, *, scale: Any = None) -> Chart:
    """Draw the largest coefficients as bars, with intervals where they are known.

    Parameters
    ----------
    listed
        The ``Coefficients`` of a linear model.
    scale
        The standard deviation of each term, to draw what one standard deviation changes; None: what
        one unit changes.
    """
    rows = [
        (row, 1.0 if scale is None else float(scale[place]))
        for place, row in enumerate(listed.rows)
    ]
    rows = [(row, by) for row, by in rows if math.isfinite(row.value * by)]
    largest = sorted(rows, key=lambda each: -abs(each[0].value * each[1]))[:_MOST_BARS]
    several = len(listed.intercepts) > 1
    bars = [
        Bar(
            f"{row.output}: {row.term}" if several else row.term,
            row.value * by,
            cell(row.value * by, 3),
            math.nan if row.low is None else row.low * by,
            math.nan if row.high is None else row.high * by,
        )
        for row, by in largest
    ]
    unit = "one unit" if scale is None else "one standard deviation"
    n_more = len(rows) - len(bars)
    told = [f"By how much the sum changes for {unit} of a term."]
    told += ["Whiskers are 95 % intervals."] if any(math.isfinite(bar.low) for bar in bars) else []
    told += [f"{count(n_more, 'smaller weight')} not shown."] if n_more else []
    return bar_rows(bars, "weight", "Weights of the model", note=" ".join(told))


def draw_summary(summary: Any) -> Chart:
    """Draw coefficients divided by their standard errors (``RegressionSummary``)."""
    rows = [row for row in summary.rows[1:] if row.t is not None and math.isfinite(row.t)]
    largest = sorted(rows, key=lambda row: -abs(row.t))[:_MOST_BARS]
    bars = [
        Bar(row.term, row.t, f"{cell(row.coefficient, 3)} ± {cell(row.error, 2)}")
        for row in largest
    ]
    n_more = len(rows) - len(bars)
    note = (
        "Coefficients divided by their standard errors; at the right, coefficient ± standard error."
    )
    note += f" {count(n_more, 'smaller one')} not shown." if n_more else ""
    return bar_rows(bars, "t", "Which terms differ from 0", note=note)


def draw_odds_ratios(listed: Any) -> Chart:
    """Draw odds ratios with intervals, by their ratios (``OddsRatios``)."""
    rows = [row for row in listed.rows if 0 < row.ratio < math.inf]
    largest = sorted(rows, key=lambda row: -abs(math.log(row.ratio)))[:_MOST_BARS]
    several = len({row.output for row in rows}) > 1
    shown = [
        IntervalRow(
            row.term,
            row.ratio,
            row.low or math.nan,
            row.high or math.nan,
            fixed(row.ratio, 2) if 0.1 <= row.ratio < 100 else cell(row.ratio, 3),
            f"odds of {row.output}" if several else "",
        )
        for row in largest
    ]
    shown.sort(key=lambda row: row.group)
    note = [f"What one unit of a term multiplies the odds by, against {listed.against}."]
    note += [f"Lines: {listed.interval}."] if listed.interval else []
    n_more = len(rows) - len(shown)
    note += [f"{count(n_more, 'ratio')} nearer to 1 not shown."] if n_more else []
    chart = interval_rows(
        shown,
        "odds ratio",
        "Odds ratios",
        reference=1.0,
        reference_words="no change",
        note=" ".join(note),
    )
    ends = [end for row in shown for end in (row.low, row.estimate, row.high) if end > 0]
    low, high = min([*ends, 0.5]), max([*ends, 2.0])
    return Chart(
        chart.marks,
        Axis("odds ratio", (low / 1.1, high * 1.1), log=True),
        chart.y,
        chart.title,
        chart.note,
    )


def draw_path(
    prices: Any,
    weights: Any,
    names: Sequence[str],
    *,
    chosen: float | None = None,
    price: str = "alpha",
) -> Chart:
    """Draw the weight of each term along falling prices: a lasso or ridge path.

    Parameters
    ----------
    prices
        The prices, such as α of a lasso.
    weights
        A row for each price, a column for each term.
    names
        The names of the terms.
    chosen
        The price that was taken.
    price
        What a price is called.
    """
    table = np.asarray(weights, dtype=np.float64)
    largest = np.argsort(-np.abs(table).max(axis=0, initial=0.0), kind="stable")
    named = largest[:_MOST_LINES]
    order = np.argsort(prices, kind="stable")
    at = np.asarray(prices, dtype=np.float64)[order]
    others = [
        Line(at, table[order, term], "others" if not place else "", "quiet", faint=True)
        for place, term in enumerate(largest[_MOST_LINES:])
        if np.abs(table[:, term]).any()
    ]
    marks: list[Mark] = [*others, *(Line(at, table[order, term], names[term]) for term in named)]
    if chosen is not None and chosen > 0:
        marks.append(Rule(float(chosen), "x", f"{cell(float(chosen), 3)} taken"))
    if len(at) == 1:
        marks += [Points(at, table[0, [term]], names[term]) for term in named]
    note = f"Smaller {price}, larger weights."
    if others:
        note += f" The {_MOST_LINES} terms with the largest weights have a color of their own."
    is_log = bool((at > 0).all())
    return Chart(
        tuple(marks), Axis(price, log=is_log), Axis("weight"), "Weights along a path", note
    )
