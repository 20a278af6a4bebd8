"""Reports of comparisons and of groups: one file for people, or for programs.

Names that are imported "as themselves" are for the command line; users have ``__all__``.
"""

from branchline.report._findings_page import FindingsPage as FindingsPage
from branchline.report._findings_page import check_page as check_page
from branchline.report._findings_page import write_findings_page as write_findings_page
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
