"""Charts: curves, intervals and regions as data, drawn as SVG, PNG, HTML or with matplotlib."""

from branchline.charts._axis import Axis
from branchline.charts._chart import Chart
from branchline.charts._diagram import Diagram, DiagramEdge
from branchline.charts._images import Images
from branchline.charts._marks import (
    Band,
    Bars,
    Cells,
    Label,
    Line,
    Points,
    Rule,
    Segments,
    Stack,
)
from branchline.charts._panels import Panels, drawn
from branchline.charts._picture import save_svg
from branchline.charts._svg import page_style
from branchline.charts.figures._boundaries import boundaries
from branchline.charts.figures._confusion import draw_confusion
from branchline.charts.figures._formulas import (
    impurity_by_threshold,
    impurity_curves,
    margin_losses,
)
from branchline.charts.figures._row_points import row_points
from branchline.charts.figures._rows import Bar, IntervalRow, bar_rows, interval_rows

__all__ = [
    "Axis",
    "Band",
    "Bar",
    "Bars",
    "Cells",
    "Chart",
    "Diagram",
    "DiagramEdge",
    "Images",
    "IntervalRow",
    "Label",
    "Line",
    "Panels",
    "Points",
    "Rule",
    "Segments",
    "Stack",
    "bar_rows",
    "boundaries",
    "draw_confusion",
    "drawn",
    "impurity_by_threshold",
    "impurity_curves",
    "interval_rows",
    "margin_losses",
    "page_style",
    "row_points",
    "save_svg",
]
