"""The levels of a tree: nodes of one depth.

In a tree's arrays levels stand one after the other, and each is the children of the one above.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["level_starts", "levels"]

Nodes = npt.NDArray[np.int32]


def level_starts(n_children: Nodes) -> list[int]:
    """Return the first node of each depth of a whole tree; takes a step a level, not a call."""
    end = (1 + np.cumsum(n_children, dtype=np.int64)).tolist()
    starts, following = [0], 1
    while following < len(end):
        starts.append(following)
        following = end[following - 1]
    return starts


def levels(first_child: Nodes, n_children: Nodes) -> list[npt.NDArray[np.int64]]:
    """Return the nodes of each depth of a tree of which some nodes may be left out."""
    level = np.zeros(1, dtype=np.int64)
    found = []
    while len(level):
        found.append(level)
        inner = level[n_children[level] > 0]
        count = n_children[inner].astype(np.int64)
        before = np.cumsum(count) - count
        level = np.repeat(first_child[inner] - before, count) + np.arange(count.sum())
    return found
