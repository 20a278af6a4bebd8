"""Reports of comparisons: one file for people, or for programs."""

from branchline.report._write import report_document, report_html, report_markdown, write_report

__all__ = ["report_document", "report_html", "report_markdown", "write_report"]
