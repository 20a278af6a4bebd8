"""Margins: support vector machines with a certificate, and other learners on kernels."""

from branchline.svm._kernel_fisher import KernelFisherDiscriminant
from branchline.svm._kernel_logistic import KernelLogisticRegression
from branchline.svm._kernel_pca import KernelPCA
from branchline.svm._kernel_ridge import KernelRidge
from branchline.svm._linear_svc import LinearSVC
from branchline.svm._linear_svr import LinearSVR
from branchline.svm._nearest_center import NearestCenter
from branchline.svm._nu_svc import NuSVC
from branchline.svm._one_class import OneClassSVM
from branchline.svm._s3vm import S3VM
from branchline.svm._svc import SVC
from branchline.svm._svc_grid import SVCGrid
from branchline.svm._svr import SVR, NuSVR
from branchline.svm._svr_grid import SVRGrid
from branchline.svm.gaussian import GaussianProcessRegressor

__all__ = [
    "S3VM",
    "SVC",
    "SVR",
    "GaussianProcessRegressor",
    "KernelFisherDiscriminant",
    "KernelLogisticRegression",
    "KernelPCA",
    "KernelRidge",
    "LinearSVC",
    "LinearSVR",
    "NearestCenter",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "SVCGrid",
    "SVRGrid",
]
