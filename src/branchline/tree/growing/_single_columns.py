"""What works only for tests of single columns of the table, and is refused for others."""

from branchline._trees._tree_arrays import TreeArrays
from branchline.errors import ParameterError, Repair
from branchline.tree.growing._tree_settings import TreeSettings

__all__ = ["makes_tests", "only_of_single_columns", "refuse_derived"]


def makes_tests(settings: TreeSettings) -> bool:
    """Whether tests are made node by node: sums, centers, or by looking ahead."""
    return settings.tests != "axis" or settings.lookahead > 1


def refuse_derived(tree: TreeArrays, call: str) -> None:
    """Refuse a tree that tests derived columns."""
    if tree.derived is not None:
        raise only_of_single_columns(call)


def only_of_single_columns(call: str) -> ParameterError:
    """Return the error of a call that cannot work with other tests."""
    return ParameterError(
        f"{call} works for trees that test single columns of the table. This tree has sums, "
        "centers, named intervals or questions among its tests, or looks ahead.",
        code="P554",
        repair=Repair(
            "model.set_params(tests='axis', lookahead=1, questions=None, intervals=None).fit(X, y)"
        ),
    )
