"""Many learners in sequence: AdaBoost, residual fitting, gradient boosting."""

from branchline.boosting._adaboost import AdaBoostClassifier
from branchline.boosting._adaboost_regressor import AdaBoostRegressor
from branchline.boosting._gradient_boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from branchline.boosting._residual_booster import ResidualBooster

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "ResidualBooster",
]
