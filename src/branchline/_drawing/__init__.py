"""What every drawing shares: the elements of SVG, and text that fits into a width."""

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
from branchline._drawing._text_fit import clean, list_lines, shorten, text_width

__all__ = [
    "clean",
    "document",
    "list_lines",
    "missing_mark",
    "number",
    "path",
    "rect",
    "shorten",
    "text",
    "text_pair",
    "text_width",
    "title",
]
