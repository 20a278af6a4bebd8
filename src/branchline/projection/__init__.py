"""Axes: a few numbers for each row that keep most of what differs between rows."""

from branchline.projection._how_many_axes import AxisCounts
from branchline.projection._pca import PCA

__all__ = ["PCA", "AxisCounts"]
