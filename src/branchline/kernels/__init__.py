"""Kernels: similarities of rows as formulas, with an algebra, verdicts and explicit features."""

from branchline.kernels._algebra import Constant, Normalized, Power, Product, Scaled, Sum
from branchline.kernels._ard import ARD
from branchline.kernels._definiteness import Definiteness, Witness
from branchline.kernels._feature_map import FeatureMap, feature_map
from branchline.kernels._fitted_kernel import FittedKernel
from branchline.kernels._given_kernels import FunctionKernel, Precomputed
from branchline.kernels._graph_kernel import WeisfeilerLehman
from branchline.kernels._histogram_kernels import ChiSquare, Intersection
from branchline.kernels._kernel import Kernel
from branchline.kernels._kernel_of import kernel_of
from branchline.kernels._low_rank import LowRank, low_rank
from branchline.kernels._match_kernels import Hamming, TreeKernel
from branchline.kernels._number_kernels import RBF, Laplacian, Linear, Polynomial, Sigmoid
from branchline.kernels._packed_kernel import unpack_kernel
from branchline.kernels._points import Points
from branchline.kernels._reweighted import Reweighted
from branchline.kernels._series_kernel import GlobalAlignment
from branchline.kernels._string_kernels import (
    CommonSubstrings,
    Spectrum,
    Subsequence,
    WeightedDegree,
)
from branchline.kernels._trainable import Trainable
from branchline.kernels._trainable_nodes import trainable

__all__ = [
    "ARD",
    "RBF",
    "ChiSquare",
    "CommonSubstrings",
    "Constant",
    "Definiteness",
    "FeatureMap",
    "FittedKernel",
    "FunctionKernel",
    "GlobalAlignment",
    "Hamming",
    "Intersection",
    "Kernel",
    "Laplacian",
    "Linear",
    "LowRank",
    "Normalized",
    "Points",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Reweighted",
    "Scaled",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "Sum",
    "Trainable",
    "TreeKernel",
    "WeightedDegree",
    "WeisfeilerLehman",
    "Witness",
    "feature_map",
    "kernel_of",
    "low_rank",
    "trainable",
    "unpack_kernel",
]
