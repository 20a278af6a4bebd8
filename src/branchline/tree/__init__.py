"""One tree: growing, pruning, reading and drawing decision trees."""

from branchline._trees._tree_arrays import TreeArrays
from branchline.tree._decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from branchline.tree._induction_graph import InductionGraphClassifier, InductionGraphRegressor
from branchline.tree._linear_tree import LinearTreeRegressor
from branchline.tree._model_tree import ModelTreeClassifier, ModelTreeRegressor
from branchline.tree._optimal_tree import OptimalTreeClassifier, OptimalTreeRegressor
from branchline.tree._presets import C45, CART, ID3, M5, ObliqueTree, OneRule, Stump
from branchline.tree._rule_list_classifier import RuleListClassifier
from branchline.tree._soft_tree import SoftTreeClassifier, SoftTreeRegressor
from branchline.tree.editing._editor import TreeEditor
from branchline.tree.optimal._proof import OptimalityProof
from branchline.tree.pruning._cost_complexity import PruningPath
from branchline.tree.sequences._flip_flop import flip_flop_trace
from branchline.tree.sequences._pruning_sequence import PruningSequence

__all__ = [
    "C45",
    "CART",
    "ID3",
    "M5",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "InductionGraphClassifier",
    "InductionGraphRegressor",
    "LinearTreeRegressor",
    "ModelTreeClassifier",
    "ModelTreeRegressor",
    "ObliqueTree",
    "OneRule",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "OptimalityProof",
    "PruningPath",
    "PruningSequence",
    "RuleListClassifier",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "Stump",
    "TreeArrays",
    "TreeEditor",
    "flip_flop_trace",
]
