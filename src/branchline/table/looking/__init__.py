"""The readable summary of a table: facts about each column, what is suspicious, text and HTML."""

from branchline.table.looking._identifiers import Finding, likely_identifiers
from branchline.table.looking._look import ColumnLook
from branchline.table.looking._look_text import headline, remarks, values_words
from branchline.table.looking._look_words import range_words
from branchline.table.looking._tells_target import is_varied, names_cases
from branchline.table.looking._time_series import time_series
from branchline.table.looking._told_alone import Goal, told_alone, told_by_missing

__all__ = [
    "ColumnLook",
    "Finding",
    "Goal",
    "headline",
    "is_varied",
    "likely_identifiers",
    "names_cases",
    "range_words",
    "remarks",
    "time_series",
    "told_alone",
    "told_by_missing",
    "values_words",
]
