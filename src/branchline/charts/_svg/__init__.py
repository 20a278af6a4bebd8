"""Charts as SVG: layout, axes, legend and marks, in the colors of a theme."""

from branchline.charts._svg._render import to_svg
from branchline.charts._svg._style import Theme, page_style

__all__ = ["Theme", "page_style", "to_svg"]
