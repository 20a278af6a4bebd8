"""Distances of rows: what a metric learns, given matrices, rows that a model keeps to compare."""

from branchline._row_distances._comparison import METRICS, Comparison, fit_comparison
from branchline._row_distances._given_distances import given_distances, numbers_of
from branchline._row_distances._kept_rows import KeptRows

__all__ = [
    "METRICS",
    "Comparison",
    "KeptRows",
    "fit_comparison",
    "given_distances",
    "numbers_of",
]
