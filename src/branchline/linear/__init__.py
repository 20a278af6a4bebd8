"""Linear models on any table: regression and classification, with coefficients to read."""

from branchline.linear._basis import BasisExpansion
from branchline.linear._coefficient_path import CoefficientPath, coefficient_path
from branchline.linear._discriminant import LinearDiscriminantAnalysis
from branchline.linear._hashed_logistic import HashedLogisticRegression
from branchline.linear._lasso import ElasticNet, Lasso
from branchline.linear._least_squares import LinearRegression
from branchline.linear._logistic import LogisticRegression
from branchline.linear._partial_least_squares import PLSRegressor
from branchline.linear._perceptron import Perceptron
from branchline.linear._pls_da import PLSDA
from branchline.linear._quadratic_discriminant import QuadraticDiscriminantAnalysis
from branchline.linear._ridge import Ridge
from branchline.linear._stagewise import ForwardStagewise
from branchline.linear._subset_selection import SubsetSelection

__all__ = [
    "PLSDA",
    "BasisExpansion",
    "CoefficientPath",
    "ElasticNet",
    "ForwardStagewise",
    "HashedLogisticRegression",
    "Lasso",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LogisticRegression",
    "PLSRegressor",
    "Perceptron",
    "QuadraticDiscriminantAnalysis",
    "Ridge",
    "SubsetSelection",
    "coefficient_path",
]
