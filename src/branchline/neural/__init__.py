"""Neural networks for tables: perceptrons with hidden layers, and a network that packs rows."""

from branchline.neural._auto_encoder import AutoEncoder
from branchline.neural._multilayer_perceptron import MLPClassifier, MLPRegressor

__all__ = ["AutoEncoder", "MLPClassifier", "MLPRegressor"]
