"""A tree of clusters: which rows are joined at which height, where to cut, how to draw it.

Rows with equal cells are one leaf of the tree that is learned. ``merges`` are about the rows as
they were given: equal rows are joined first, at height 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from branchline._arrays import Floats, Places
from branchline._state import malformed, numbers_from_state
from branchline.cluster._numbering import by_weight

__all__ = ["ClusterTree", "merges_from_state"]


@dataclass(frozen=True, eq=False)
class ClusterTree:
    """Merges of leaves, in the order of heights.

    Parameters
    ----------
    first, second
        The two clusters of each merge; those below the number of leaves are leaves, and leaf n + i
        is what merge i made.
    height
        The height of each merge, ascending.
    """

    first: Places
    second: Places
    height: Floats

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return len(self.first) + 1

    def cut(self, n_merges: int, weights: Floats) -> Places:
        """Return the cluster of each leaf after the first merges; 0 is the heaviest."""
        n_leaves = self.n_leaves
        cluster = np.arange(n_leaves + n_merges)
        for at in range(n_merges - 1, -1, -1):  # children take the number of their parent
            parent = cluster[n_leaves + at]
            cluster[self.first[at]] = cluster[self.second[at]] = parent
        labels = cluster[:n_leaves]
        found = np.unique(labels, return_inverse=True)[1].reshape(-1)
        return by_weight(labels, weights)[found]

    def of_rows(self, leaf_of_row: Places) -> Floats:
        """Return merges of rows in SciPy's form: two clusters, the height, the number of rows."""
        n_rows, n_leaves = len(leaf_of_row), self.n_leaves
        number = np.full(n_leaves + len(self.first), -1)
        size = np.ones(2 * n_rows - 1)
        merges = np.zeros((n_rows - 1, 4))
        n_done = 0

        def join(one: int, other: int, height: float) -> int:
            nonlocal n_done
            size[n_rows + n_done] = size[one] + size[other]
            pair = sorted((one, other))
            merges[n_done] = (pair[0], pair[1], height, size[n_rows + n_done])
            n_done += 1
            return n_rows + n_done - 1

        for row, leaf in enumerate(leaf_of_row.tolist()):
            before = int(number[leaf])
            number[leaf] = row if before < 0 else join(before, row, 0.0)
        for at in range(len(self.first)):
            one, other = int(number[self.first[at]]), int(number[self.second[at]])
            number[n_leaves + at] = join(one, other, float(self.height[at]))
        return merges


def merges_from_state(state: Mapping[str, Any]) -> Floats:
    """Check packed merges of rows and return them: each cluster is joined once, heights rise."""
    packed = state.get("merges")
    size = len(packed) if isinstance(packed, np.ndarray) and packed.ndim == 1 else -1
    if size % 4:
        raise malformed("merges are missing")
    merges = numbers_from_state(state, "merges", length=size, low=0.0).reshape(-1, 4)
    n_rows, pairs = len(merges) + 1, merges[:, :2]
    made = n_rows + np.arange(len(merges))
    is_tree = (pairs == np.rint(pairs)).all() and (pairs < made[:, None]).all()
    if not is_tree or len(np.unique(pairs)) != pairs.size:
        raise malformed("merges are not a tree")
    sizes = np.concatenate([np.ones(n_rows), merges[:, 3]])
    if (sizes[pairs.astype(np.intp)].sum(axis=1) != merges[:, 3]).any():
        raise malformed("the rows of merges do not add up")
    if (np.diff(merges[:, 2]) < 0).any():
        raise malformed("heights of merges fall")
    return merges
