"""Several targets at once: independent models, chains, trees and forests of all outputs.

Outputs of any kind that have a kernel: output-kernel trees and forests.
"""

from branchline.outputs._chain import ClassifierChain, RegressorChain
from branchline.outputs._cross_validate_kernel_outputs import cross_validate_kernel_outputs
from branchline.outputs._cross_validate_outputs import cross_validate_outputs
from branchline.outputs._kernel_output_scores import KernelOutputScores
from branchline.outputs._multi_output import MultiOutput
from branchline.outputs._multi_output_forest import MultiOutputForest, MultiOutputTree
from branchline.outputs._output_kernel_ridge import OutputKernelRidge
from branchline.outputs._output_kernel_tree import OutputKernelForest, OutputKernelTree
from branchline.outputs._output_scores import OutputScores

__all__ = [
    "ClassifierChain",
    "KernelOutputScores",
    "MultiOutput",
    "MultiOutputForest",
    "MultiOutputTree",
    "OutputKernelForest",
    "OutputKernelRidge",
    "OutputKernelTree",
    "OutputScores",
    "RegressorChain",
    "cross_validate_kernel_outputs",
    "cross_validate_outputs",
]
