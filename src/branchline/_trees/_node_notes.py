"""What a tree's nodes have besides a test and a mean: models in leaves, soft thresholds.

Readers (text, rules, paths, drawings) ask these questions of ``TreeArrays.notes``. A plain tree has
no notes; a kind of leaf or of threshold answers the questions that concern it.
"""

__all__ = ["NodeNotes"]


class NodeNotes:
    """Answers to what readers ask; here none has an answer."""

    def value(self, node: int) -> str | None:
        """Return what a node predicts in words; None: its class or its mean."""
        return None

    def short_value(self, node: int) -> str | None:
        """Return the same in the few words that a drawing has room for."""
        return None

    def margin(self, node: int) -> float:
        """Return how far a soft threshold reaches to each side; 0: a row goes one way."""
        return 0.0

    def first_share(self, node: int, value: float) -> float:
        """Return the share of a number that takes the first branch of a soft threshold."""
        raise NotImplementedError
