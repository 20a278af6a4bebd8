"""Reports of comparisons and of groups: one file for people, or for programs.

Names are imported when they are first used (PEP 562): a report of a comparison does not wait for
the rooms that find groups. Names that are not in ``__all__`` are for the command line.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from branchline.report._findings_page import FindingsPage as FindingsPage
    from branchline.report._findings_page import check_page as check_page
    from branchline.report._findings_page import write_findings_page as write_findings_page
    from branchline.report._groups_report import write_groups_report
    from branchline.report._replay import Replay, ReplayedFigure, read_report, replay_of
    from branchline.report._write import (
        report_document,
        report_html,
        report_markdown,
        write_report,
    )

_HOME_OF_NAME = {
    "FindingsPage": "_findings_page",
    "Replay": "_replay",
    "ReplayedFigure": "_replay",
    "check_page": "_findings_page",
    "read_report": "_replay",
    "replay_of": "_replay",
    "report_document": "_write",
    "report_html": "_write",
    "report_markdown": "_write",
    "write_findings_page": "_findings_page",
    "write_groups_report": "_groups_report",
    "write_report": "_write",
}

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


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _HOME_OF_NAME:
        return getattr(import_module(f"branchline.report.{_HOME_OF_NAME[name]}"), name)
    raise AttributeError(f"module 'branchline.report' has no attribute {name!r}")
