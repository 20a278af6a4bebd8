"""Trees as arrays of tests on coded columns: what forests and boosting share.

1. All tests are binary, so the j-th inner node of a tree (from 0) has its children at the places
   1 + 2j and 2 + 2j of that tree; nothing else about the shape is stored.
2. A threshold stands between two codes of its column, l = highest[left_code] and
   r = lowest[right_code]: at l + (r − l) · fraction / 256, or at l where rounding would reach r.
   No right code: the threshold is +inf, and only missing values go right.
3. A category test is a row of bits, one for each code of its column; a bit that is set means right.
4. Rows go down in ``native/include/branchline/forest_walker.hpp``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Pooling, native_columns
from branchline._dtypes import NODE_INDEX
from branchline._state import malformed
from branchline._trees._tree_arrays import LEAF
from branchline._validation import count_threads
from branchline.table import Table

__all__ = ["CodedTrees", "by_column", "first_children", "starts"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]
Wholes = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class CodedTrees:
    """Trees, one after another.

    Parameters
    ----------
    n_nodes
        The nodes of each tree, leaves included.
    kind
        For each node LEAF, THRESHOLD_TEST or CATEGORIES.
    feature
        For each inner node, in the order of nodes, the column tested.
    left_code, right_code
        For each inner node the codes between which its threshold stands; both 0 for categories.
        A right code of 0 sends only missing values to the right.
    fraction
        For each inner node where between them it stands, in 256ths; 128 is the midpoint.
    missing_left
        For each inner node whether missing values and unseen categories go left (1) or right (0).
    pool
        The bits of the category tests, in the order of nodes, each from a new byte on.
    lowest, highest
        The smallest and largest value of each code of each column; empty for categories.
    n_codes
        The number of codes of each column.
    pooling
        For a category column with too many names the code of each of them (minus one); else None.
    """

    # What leaves hold, by name: arrays with an entry a leaf.
    of_leaves: ClassVar[tuple[str, ...]] = ()

    n_nodes: Longs
    kind: npt.NDArray[np.uint8]
    feature: Wholes
    left_code: Wholes
    right_code: Wholes
    fraction: npt.NDArray[np.uint8]
    missing_left: npt.NDArray[np.uint8]
    pool: npt.NDArray[np.uint8]
    lowest: tuple[Floats, ...]
    highest: tuple[Floats, ...]
    n_codes: Longs
    pooling: tuple[Pooling | None, ...]

    @property
    def leaf_value(self) -> Floats:
        """One row of numbers for each leaf: what it predicts."""
        raise NotImplementedError

    def ready(self) -> Self:
        """Make what sends rows down the trees: once, at the end of a fit or when it is loaded.

        Not when rows are first predicted, for several threads may do that at once.
        """
        if "_walker" not in self.__dict__:
            object.__setattr__(self, "_walker", self._make_walker())
        return self

    def _make_walker(self) -> _core.ForestWalker:
        return _core.ForestWalker(self.view(), count_threads(None, 8 * len(self.kind)))

    def view(self) -> _core.TreesView:
        """Return the trees as kernels take them."""
        leaf_value = self.leaf_value
        return _core.TreesView(
            n_nodes=self.n_nodes,
            kind=self.kind,
            feature=self.feature.astype(NODE_INDEX),
            threshold=self.thresholds(),
            missing_left=self.missing_left,
            pool=self.pool,
            n_codes=self.n_categories,
            leaf_value=np.ravel(leaf_value),
            width=leaf_value.shape[1],
        )

    def __setstate__(self, state: Any) -> None:
        raise malformed("the arrays of trees are not packed")

    # -- where things stand -----------------------------------------------------------------------

    @property
    def n_trees(self) -> int:
        """The number of trees."""
        return len(self.n_nodes)

    @property
    def n_columns(self) -> int:
        """The number of columns the forest was fitted on."""
        return len(self.n_codes)

    @property
    def n_leaves(self) -> Longs:
        """The leaves of each tree: one more than its inner nodes."""
        leaves: Longs = (self.n_nodes + 1) // 2
        return leaves

    @cached_property
    def first_node(self) -> Longs:
        """Where each tree's nodes begin, and after the last tree their number."""
        return starts(self.n_nodes)

    @cached_property
    def first_inner(self) -> Longs:
        """Where each tree's inner nodes begin, and after the last tree their number."""
        return starts(self.n_nodes // 2)

    @cached_property
    def first_leaf(self) -> Longs:
        """Where each tree's leaves begin, and after the last tree their number."""
        return starts(self.n_leaves)

    @cached_property
    def first_byte(self) -> Longs:
        """Where each tree's bits begin in the pool, and after the last tree their number."""
        n_bytes = self.bytes_of_tests(slice(None))
        return np.concatenate([[0], np.cumsum(n_bytes, dtype=np.int64)])[self.first_inner]

    def bytes_of_tests(self, inner: slice) -> Longs:
        """Return how many bytes of the pool each test has; none for a threshold."""
        return ((self.n_categories + 7) // 8)[self.feature[inner]]

    @property
    def n_categories(self) -> Longs:
        """The categories of each column; 0 for a numeric one."""
        is_number = np.array([len(values) > 0 for values in self.lowest], dtype=np.bool_)
        return np.where(is_number, 0, self.n_codes)

    def depths(self) -> Longs:
        """Return the depth of each tree; takes one step for each level of all trees."""
        inner_before = np.concatenate([[0], np.cumsum(self.kind != LEAF, dtype=np.int64)])
        begin, end = self.first_node[:-1], self.first_node[:-1] + 1
        depth = np.zeros(self.n_trees, dtype=np.int64)
        while (n_inner := inner_before[end] - inner_before[begin]).any():
            depth += n_inner > 0
            begin, end = end, end + 2 * n_inner
        return depth

    def thresholds(self, inner: slice = slice(None)) -> Floats:
        """Return the thresholds of some inner nodes; +inf where there is no right code."""
        return _core.forest_thresholds(
            self.feature[inner].astype(np.uint32),
            self.left_code[inner].astype(np.uint32),
            self.right_code[inner].astype(np.uint32),
            np.ascontiguousarray(self.fraction[inner]),
            list(self.lowest),
            list(self.highest),
        )

    def nodes_of(self, tree: int) -> slice:
        """Return where the nodes of a tree stand."""
        return slice(self.first_node[tree], self.first_node[tree + 1])

    def leaf_numbers(self, leaves: Nodes) -> Nodes:
        """Return which leaf of the forest each row ends in, one column per tree.

        Parameters
        ----------
        leaves
            The node of each row (a row each) in each tree (a column each): ``find_leaves``.
        """
        numbers = np.empty(leaves.shape, dtype=NODE_INDEX)
        for tree in range(self.n_trees):
            rank = np.cumsum(self.kind[self.nodes_of(tree)] == LEAF) - 1
            numbers[:, tree] = self.first_leaf[tree] + rank[leaves[:, tree]]
        return numbers

    # -- rows go down -----------------------------------------------------------------------------

    @property
    def walker(self) -> _core.ForestWalker:
        """What sends rows down the trees."""
        walker: _core.ForestWalker = self.ready()._walker  # type: ignore[attr-defined]
        return walker

    def find_leaves(self, table: Table, n_threads: int) -> Nodes:
        """Return the node of each row (a row each) in each tree (a column each)."""
        columns, n_categories = native_columns(table, self.pooling)
        leaves = self.walker.find_leaves(columns, n_categories, n_threads)
        return leaves.reshape(table.n_rows, self.n_trees)

    # -- some of the trees ------------------------------------------------------------------------

    def first(self, n_trees: int) -> Self:
        """Return the first trees alone."""
        inner, leaves = slice(self.first_inner[n_trees]), slice(self.first_leaf[n_trees])
        return replace(
            self,
            n_nodes=self.n_nodes[:n_trees],
            kind=self.kind[: self.first_node[n_trees]],
            feature=self.feature[inner],
            left_code=self.left_code[inner],
            right_code=self.right_code[inner],
            fraction=self.fraction[inner],
            missing_left=self.missing_left[inner],
            pool=self.pool[: self.first_byte[n_trees]],
            **{name: getattr(self, name)[leaves] for name in self.of_leaves},
        )


def starts(sizes: Longs) -> Longs:
    """Return where parts of some sizes begin, and after the last one where it ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def first_children(kind: npt.NDArray[np.uint8]) -> tuple[Nodes, Nodes]:
    """Return where the children of each node of one tree stand, and how many they are."""
    is_inner = kind != LEAF
    first = np.where(is_inner, 2 * np.cumsum(is_inner) - 1, -1)
    return first.astype(NODE_INDEX), np.where(is_inner, 2, 0).astype(NODE_INDEX)


def by_column(feature: Wholes) -> Iterator[tuple[int, Longs]]:
    """Yield each column that is tested, and which tests ask about it."""
    order = np.argsort(feature, kind="stable")
    changes = np.flatnonzero(np.diff(feature[order])) + 1
    for tests in np.split(order, changes) if len(order) else []:
        yield int(feature[tests[0]]), tests
