"""The readable summary of a table: facts about each column, what is suspicious, text and HTML."""

from branchline.table.looking._identifiers import Finding, likely_identifiers
from branchline.table.looking._look import ColumnLook
from branchline.table.looking._look_text import headline, remarks, values_words
from branchline.table.looking._look_words import clean, percent, range_words, shorten

__all__ = [
    "ColumnLook",
    "Finding",
    "clean",
    "headline",
    "likely_identifiers",
    "percent",
    "range_words",
    "remarks",
    "shorten",
    "values_words",
]
