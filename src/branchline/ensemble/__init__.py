"""Several learners that decide together: votes, stacks, bags, Bayesian averages."""

from branchline.ensemble._ambiguity import Ambiguity, ambiguity_decomposition
from branchline.ensemble._bagging import BaggingClassifier, BaggingRegressor
from branchline.ensemble._bayesian_average import (
    BayesianAverageClassifier,
    BayesianAverageRegressor,
)
from branchline.ensemble._stacking import StackingClassifier, StackingRegressor
from branchline.ensemble._threshold import ThresholdClassifier
from branchline.ensemble._voting import VotingClassifier, VotingRegressor

__all__ = [
    "Ambiguity",
    "BaggingClassifier",
    "BaggingRegressor",
    "BayesianAverageClassifier",
    "BayesianAverageRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "ThresholdClassifier",
    "VotingClassifier",
    "VotingRegressor",
    "ambiguity_decomposition",
]
