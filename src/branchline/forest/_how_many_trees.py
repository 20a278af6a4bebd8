"""How many trees a forest grows: the number given, or as many as are worth it.

1. A number that is given must be at least that of the trees of a warm start.
2. "auto" grows a few trees, and twice as many; from n to 2n trees, half of what was lacking is
   gained, so the gain says what is lacking still (``_out_of_bag``).
3. More are grown until a quarter more would not be worth it, or the time is over.
"""

from typing import Any

from branchline.errors import ParameterError, Repair
from branchline.forest._many_trees import Trees
from branchline.forest._out_of_bag import lacking, trees_to_grow
from branchline.forest._settings import MOST_TREES

__all__ = ["grow_enough", "grow_given"]

# "auto" looks at the first trees twice before it estimates how many are needed.
_FIRST_TREES = 25


def grow_given(trees: Trees, n_estimators: Any) -> None:
    """Grow as many trees as a user asks for."""
    if trees.n_trees > int(n_estimators):
        raise ParameterError(
            f"With a warm start n_estimators must be at least the {trees.n_trees} trees there are "
            f"already. Got {n_estimators!r} instead.",
            code="P143",
            values=[n_estimators],
            repair=Repair("model.set_params(warm_start=False)"),
        )
    trees.grow_to(int(n_estimators))


def grow_enough(trees: Trees) -> None:
    """Grow a few trees, then as many as their disagreement asks for."""
    if not trees.growth.leaves_rows_out:
        raise ParameterError(
            'n_estimators="auto" looks at rows that trees have not seen, but every tree sees '
            "every row.",
            code="P142",
            repair=Repair("model.set_params(bootstrap=True)"),
        )
    trees.has_oob = True
    trees.grow_to(_FIRST_TREES)
    wanted = 2 * _FIRST_TREES
    while trees.n_trees < wanted:
        half, n_before = trees.predicted, trees.n_trees
        trees.grow_to(wanted)
        if trees.n_trees < wanted or half is None or trees.predicted is None:
            return  # the time is over
        gain, error = lacking(trees.growth.data, half, trees.predicted)
        # From n to 2n trees half of what was lacking is gained; other steps scale alike.
        gain *= n_before / (wanted - n_before)
        wanted = trees_to_grow(trees.n_trees, gain, error, MOST_TREES)
        if wanted < 1.25 * trees.n_trees:
            return
