"""One tree: growing, pruning, reading and drawing decision trees."""

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree._optimal_tree import OptimalTreeClassifier, OptimalTreeRegressor
from branchline.tree._presets import C45, CART, ID3, ObliqueTree, OneRule, Stump
from branchline.tree._rule_list_classifier import RuleListClassifier
from branchline.tree.editing._editor import TreeEditor
from branchline.tree.optimal._proof import OptimalityProof
from branchline.tree.pruning._cost_complexity import PruningPath
from branchline.tree.sequences._flip_flop import flip_flop_trace
from branchline.tree.sequences._pruning_sequence import PruningSequence

__all__ = [
    "C45",
    "CART",
    "ID3",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ObliqueTree",
    "OneRule",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "OptimalityProof",
    "PruningPath",
    "PruningSequence",
    "RuleListClassifier",
    "Stump",
    "TreeArrays",
    "TreeEditor",
    "flip_flop_trace",
]
