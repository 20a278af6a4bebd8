"""Measures of regression trees: which parameters go with them.

"variance" and "squared_error" are one; "absolute_error" predicts medians; "poisson" predicts means
of counts.
"""

from branchline._trees._grow_options import OTHER_MEASURES
from branchline._trees._node_losses import MEASURES
from branchline.errors import ParameterError, Repair
from branchline.tree.growing._single_columns import makes_tests
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = ["check_measure", "measure_of"]


def measure_of(criterion: str) -> str:
    """Return the measure of a criterion of numbers."""
    return criterion if criterion in OTHER_MEASURES else "squared_error"


def check_measure(settings: TreeSettings) -> None:
    """Refuse parameters that a criterion of numbers does not go with."""
    measure = measure_of(settings.criterion)
    if measure in OTHER_MEASURES and makes_tests(settings):
        raise ParameterError(
            f"criterion={measure!r} compares tests of single columns, but sums, centers or "
            "look-ahead are asked for, which are compared by the variance.",
            code="P610",
            repair=Repair("model.set_params(tests='axis', lookahead=1)"),
        )
    if settings.stop_by in MEASURES and settings.stop_by != measure:
        raise ParameterError(
            f"stop_by={settings.stop_by!r} is another measure than criterion="
            f"{settings.criterion!r}, which the tree is grown by.",
            code="P610",
            repair=Repair(f"model.set_params(stop_by={measure!r})"),
        )
