"""The readable summary of a table: facts about each column, what is suspicious, text and HTML."""

from branchline.table.looking._identifiers import Finding, likely_identifiers

__all__ = ["Finding", "likely_identifiers"]
