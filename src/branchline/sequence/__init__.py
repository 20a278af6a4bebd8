"""Labels of sequences: each row is a token, and its neighbors' labels matter."""

from branchline.sequence._sequence_explanation import SequenceExplanation, TokenExplanation
from branchline.sequence._sequence_labeler import SequenceLabeler
from branchline.sequence._sequence_scores import SequenceScores

__all__ = ["SequenceExplanation", "SequenceLabeler", "SequenceScores", "TokenExplanation"]
