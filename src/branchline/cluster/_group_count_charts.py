"""How many groups, as charts: a curve for each rule, with its answer."""

from typing import TYPE_CHECKING

import numpy as np

from branchline._arrays import Floats
from branchline.charts import Axis, Chart, Line, Panels, Points, Rule

if TYPE_CHECKING:
    from branchline.cluster._group_counts import GroupCounts

__all__ = ["draw_counts"]


def draw_counts(counts: "GroupCounts") -> Panels:
    """Return the curves of all rules, with the verdict below them."""
    charts = [_knee_chart(counts), _gap_chart(counts)]
    if len(counts.sizes) > 1:
        charts += [
            _curve(counts, counts.silhouette, "silhouette", "Mean silhouette"),
            _stability_chart(counts),
        ]
    if np.isfinite(counts.bic).any():
        charts.append(_curve(counts, counts.bic, "BIC of a mixture", "BIC of a mixture"))
    return Panels(tuple(charts), 2, "How many groups", counts.verdict())


def _axis() -> Axis:
    return Axis("groups", form="whole")


def _marks(counts: "GroupCounts", rule: str) -> tuple[Rule, ...]:
    found = counts.by_rule[rule]
    return (Rule(float(found), "x", f"{found} found"),)


def _curve(counts: "GroupCounts", values: Floats, rule: str, title: str) -> Chart:
    known = np.isfinite(values)
    line = Line(counts.sizes[known], values[known], title, 0, dots=True)
    return Chart((*_marks(counts, rule), line), _axis(), Axis(), title)


def _knee_chart(counts: "GroupCounts") -> Chart:
    within, expected = np.exp(counts.test.log_within), np.exp(counts.test.expected)
    lines = (
        Line(counts.sizes, within, "this table", 0, dots=True),
        Line(counts.sizes, expected, "tables of one group", 1, dashed=True),
    )
    title, share = "Squared distances in groups", Axis("share of the total", zero=True)
    return Chart((*_marks(counts, "knee"), *lines), _axis(), share, title)


def _gap_chart(counts: "GroupCounts") -> Chart:
    ends, gap, title = 2 * counts.test.spread, counts.gap, "Gap to tables of one group"
    dots = Points(counts.sizes, gap, "gap ± 2 deviations", 0, low=gap - ends, high=gap + ends)
    return Chart((*_marks(counts, "gap"), dots), _axis(), Axis("in logarithms"), title)


def _stability_chart(counts: "GroupCounts") -> Chart:
    dots = Points(counts.sizes[1:], counts.stability[1:], "adjusted Rand, 95 % interval", 0,
                  low=counts.rand_low[1:], high=counts.rand_high[1:])  # fmt: skip
    title = "Stability under the bootstrap"
    return Chart((*_marks(counts, "stability"), dots), _axis(), Axis("adjusted Rand"), title)
