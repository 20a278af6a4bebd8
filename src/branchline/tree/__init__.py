"""One tree: growing, pruning, reading and drawing decision trees."""

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree._presets import C45, CART, ID3, ObliqueTree, OneRule, Stump
from branchline.tree.pruning._cost_complexity import PruningPath

__all__ = [
    "C45",
    "CART",
    "ID3",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ObliqueTree",
    "OneRule",
    "PruningPath",
    "Stump",
    "TreeArrays",
]
