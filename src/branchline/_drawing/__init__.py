"""What every drawing shares: SVG elements, scales, colors, and text that fits into a width."""

from branchline._drawing._layers import Layers, curve_through, lay_out_layers
from branchline._drawing._not_a_file import refuse_file_name
from branchline._drawing._palette import DARK, LIGHT, N_COLORS
from branchline._drawing._scales import (
    Scale,
    log_ticks,
    percent_words,
    scale_for,
    tick_words,
    ticks,
)
from branchline._drawing._sparkline import SPARK_PLACES, spark_svg, spark_text
from branchline._drawing._svg import (
    document,
    missing_mark,
    number,
    path,
    rect,
    text,
    text_pair,
    title,
)
from branchline._drawing._text_fit import clean, list_lines, shorten, text_width, wrapped

__all__ = [
    "DARK",
    "LIGHT",
    "N_COLORS",
    "SPARK_PLACES",
    "Layers",
    "Scale",
    "clean",
    "curve_through",
    "document",
    "lay_out_layers",
    "list_lines",
    "log_ticks",
    "missing_mark",
    "number",
    "path",
    "percent_words",
    "rect",
    "refuse_file_name",
    "scale_for",
    "shorten",
    "spark_svg",
    "spark_text",
    "text",
    "text_pair",
    "text_width",
    "tick_words",
    "ticks",
    "title",
    "wrapped",
]
