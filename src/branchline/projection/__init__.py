"""Axes: a few numbers for each row that keep most of what differs between rows, or classes."""

from branchline.projection._how_many_axes import AxisCounts
from branchline.projection._ica import ICA
from branchline.projection._loading_intervals import LoadingIntervals
from branchline.projection._mds import MDS
from branchline.projection._pca import PCA
from branchline.projection._sparse_pca import SparsePCA
from branchline.svm import KernelFisherDiscriminant, KernelPCA

__all__ = [
    "ICA",
    "MDS",
    "PCA",
    "AxisCounts",
    "KernelFisherDiscriminant",
    "KernelPCA",
    "LoadingIntervals",
    "SparsePCA",
]
