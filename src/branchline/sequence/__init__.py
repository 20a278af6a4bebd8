"""Labels of sequences and of small grids: the labels of neighboring rows matter."""

from branchline.sequence._grid_labeler import GridLabeler
from branchline.sequence._sequence_explanation import SequenceExplanation, TokenExplanation
from branchline.sequence._sequence_labeler import SequenceLabeler
from branchline.sequence._sequence_scores import SequenceScores

__all__ = [
    "GridLabeler",
    "SequenceExplanation",
    "SequenceLabeler",
    "SequenceScores",
    "TokenExplanation",
]
