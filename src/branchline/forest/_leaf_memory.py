"""Whether the leaves of a forest of many classes fit the memory, estimated from its first tree.

A leaf holds a number for each class. The first tree shows how many leaves a tree has; all trees
together need

    trees × leaves × classes × bytes,

with 8 bytes for what is counted while trees grow, 8 for the frequencies that predictions use, 1 for
what is kept, and 8 more where out-of-bag rows are counted, too.
"""

import os

from branchline._memory import available_bytes, budget_bytes
from branchline._trees._forest_arrays import ForestArrays
from branchline.errors import NotEnoughMemoryError, Repair

__all__ = ["MANY_CLASSES", "refuse_many_leaves"]

# With fewer classes leaves are small beside everything else.
MANY_CLASSES = 100
_BYTES, _OUT_OF_BAG_BYTES = 17, 8
_FEWEST_LEAVES = 2


def refuse_many_leaves(first: ForestArrays, n_trees: int, *, has_oob: bool) -> None:
    """Raise an error when trees like the first one would need more memory than there is.

    Parameters
    ----------
    first
        The first tree.
    n_trees
        The number of trees that are wanted.
    has_oob
        Whether out-of-bag rows are counted in the leaves, too.
    """
    n_leaves, n_classes = int(first.n_leaves[0]), first.n_values
    a_leaf = n_classes * (_BYTES + (_OUT_OF_BAG_BYTES if has_oob else 0))
    room = budget_bytes() if "BRANCHLINE_MEMORY" in os.environ else available_bytes()
    if n_trees * n_leaves * a_leaf <= room:
        return
    most = room // (n_trees * a_leaf)
    change = f"max_leaf_nodes={most}" if most >= _FEWEST_LEAVES else "n_estimators=1"
    raise NotEnoughMemoryError(
        f"A tree has {n_leaves} leaves with a number for each of {n_classes} classes, so {n_trees} "
        f"trees need {n_trees * n_leaves * a_leaf / 2**30:.1f} GiB; {room / 2**30:.1f} GiB are "
        "available.",
        code="D440",
        repair=Repair(f"model.set_params({change})"),
    )
