"""Few labels: classifiers that learn from rows whose target is missing, too.

``S3VM`` lives with the other machines in ``branchline.svm`` and is listed here as well.
"""

from branchline.semi._label_propagation import LabelPropagation
from branchline.semi._label_spreading import LabelSpreading
from branchline.semi._labeling_history import LabelingHistory, LabelingRound
from branchline.semi._self_training import SelfTraining
from branchline.semi._transduction import Transduction, transduce
from branchline.svm import S3VM

__all__ = [
    "S3VM",
    "LabelPropagation",
    "LabelSpreading",
    "LabelingHistory",
    "LabelingRound",
    "SelfTraining",
    "Transduction",
    "transduce",
]
