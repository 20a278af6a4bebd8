"""The pictures of a report: charts of ``branchline.charts``, drawn for its page."""

from branchline.charts import Bar, IntervalRow
from branchline.report.charts._for_page import (
    LineOfSteps,
    Square,
    bar_chart,
    confusion_grid,
    interval_plot,
    line_plot,
    page_chart,
    square_plot,
)

__all__ = [
    "Bar",
    "IntervalRow",
    "LineOfSteps",
    "Square",
    "bar_chart",
    "confusion_grid",
    "interval_plot",
    "line_plot",
    "page_chart",
    "square_plot",
]
