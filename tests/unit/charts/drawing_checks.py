"""What every chart must satisfy, whatever it shows."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np

from branchline._drawing import text_width
from branchline.charts import Chart
from branchline.charts._svg._layout import lay_out

__all__ = ["check_picture"]

WIDTHS = (350.0, 640.0, 860.0)
SVG = "{http://www.w3.org/2000/svg}"


def check_picture(picture, most_bytes=120_000):
    """Well-formed, described, bounded, and no two ticks touch, at every width and theme."""
    for width in WIDTHS:
        for theme in ("auto", "light", "dark", "page"):
            svg = picture.to_svg(width, theme)
            root = ET.fromstring(svg)
            assert root.tag == f"{SVG}svg"
            assert root.get("role") == "img"
            assert len(root.get("aria-label")) > 10
            assert "nan" not in re.sub(r">[^<]*<|aria-label=\"[^\"]*\"", "", svg)
            assert len(svg) < most_bytes
            assert float(root.get("width")) <= width + 0.1
    charts = (picture,) if isinstance(picture, Chart) else getattr(picture, "charts", ())
    for chart in charts:
        check_ticks(chart)


def check_ticks(chart: Chart) -> None:
    for width in WIDTHS:
        layout = lay_out(chart, width, framed=True)
        at = [layout.plot.x.one(place) for place in layout.x_ticks.places]
        half = [text_width(words, 11.0) / 2 for words in layout.x_ticks.words]
        if degrees := layout.x_ticks.degrees:  # lines of letters are as far apart as they are high
            half = [5.5 / np.sin(np.radians(degrees))] * len(at)
        ends = [(x - h, x + h) for x, h in zip(at, half, strict=True)]
        assert all(b[0] > a[1] for a, b in pairwise(ends)), (width, ends)
        rows = sorted(layout.plot.y.one(place) for place in layout.y_ticks.places)
        assert all(b - a > 10 for a, b in pairwise(rows)), (width, rows)
        widest = max((text_width(words, 11.0) for words in layout.y_ticks.words), default=0)
        if not chart.y.categories:
            assert layout.plot.x.begin - 7 - widest >= 0
        assert layout.plot.x.end > layout.plot.x.begin
