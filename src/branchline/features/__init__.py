"""Choosing inputs: rankings, and selectors that are repeated inside every training set."""

from branchline.features._ranking import ColumnRanking, rank_columns

__all__ = ["ColumnRanking", "rank_columns"]
