"""One tree: growing, pruning, reading and drawing decision trees."""

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree._linear_tree import LinearTreeRegressor
from branchline.tree._model_tree import ModelTreeClassifier, ModelTreeRegressor
from branchline.tree._presets import C45, CART, ID3, M5, OneRule, Stump
from branchline.tree._soft_tree import SoftTreeClassifier, SoftTreeRegressor
from branchline.tree.pruning._cost_complexity import PruningPath

__all__ = [
    "C45",
    "CART",
    "ID3",
    "M5",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "LinearTreeRegressor",
    "ModelTreeClassifier",
    "ModelTreeRegressor",
    "OneRule",
    "PruningPath",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "Stump",
    "TreeArrays",
]
