"""The few charts of a report, drawn as SVG that takes the page's colors.

Matplotlib would be one more dependency and a second of loading, and its pictures bring colors of
their own; these take light, dark and print from the style of the page, and stay small.
"""

from branchline.report.charts._bars import Bar, bar_chart
from branchline.report.charts._confusion_grid import confusion_grid
from branchline.report.charts._interval_plot import IntervalRow, interval_plot
from branchline.report.charts._line_plot import LineOfSteps, line_plot
from branchline.report.charts._square_plot import Square, square_plot

__all__ = [
    "Bar",
    "IntervalRow",
    "LineOfSteps",
    "Square",
    "bar_chart",
    "confusion_grid",
    "interval_plot",
    "line_plot",
    "square_plot",
]
