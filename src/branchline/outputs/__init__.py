"""Several targets at once: independent models, chains, trees and forests of all outputs."""

from branchline.outputs._chain import ClassifierChain, RegressorChain
from branchline.outputs._cross_validate_outputs import cross_validate_outputs
from branchline.outputs._multi_output import MultiOutput
from branchline.outputs._multi_output_forest import MultiOutputForest, MultiOutputTree
from branchline.outputs._output_scores import OutputScores

__all__ = [
    "ClassifierChain",
    "MultiOutput",
    "MultiOutputForest",
    "MultiOutputTree",
    "OutputScores",
    "RegressorChain",
    "cross_validate_outputs",
]
