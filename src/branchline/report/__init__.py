"""Reports of comparisons and of groups: one file for people, or for programs."""

from branchline.report._groups_report import write_groups_report
from branchline.report._replay import Replay, ReplayedFigure, read_report, replay_of
from branchline.report._write import report_document, report_html, report_markdown, write_report

__all__ = [
    "Replay",
    "ReplayedFigure",
    "read_report",
    "replay_of",
    "report_document",
    "report_html",
    "report_markdown",
    "write_groups_report",
    "write_report",
]
