"""One tree: a single test so far (stump and one-rule); growing, pruning and drawing come next."""

from branchline.tree._presets import OneRule
from branchline.tree._stump import StumpClassifier, StumpRegressor
from branchline.tree._tree_arrays import TreeArrays

__all__ = ["OneRule", "StumpClassifier", "StumpRegressor", "TreeArrays"]
