"""Gaussian processes: exact and sparse regression on kernels whose parameters are learned."""

from branchline.svm.gaussian._gaussian_process import GaussianProcessRegressor

__all__ = ["GaussianProcessRegressor"]
