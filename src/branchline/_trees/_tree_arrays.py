"""A fitted tree is arrays: one entry per node, siblings together, children after their parent.

Node kinds: a leaf; a *threshold* (branch 0 when value ≤ threshold, else 1; a branch 2 holds missing
values only); *categories* (the branch of each category stands in ``pool``). A row with a missing
value takes ``missing_branch``: a branch, STAY (the node's own value is used), or EVERY_BRANCH (the
row is shared among the branches by their weights). The category tests share ``pool``: in the order
of their nodes, each has one entry for each category of its column: a branch, STAY or EVERY_BRANCH.
Fields that a node does not use are −1 (``feature``, ``first_child``, ``missing_branch``) or 0.

What a node holds of the training rows is kept as integers (``content``), so that an inner node is
exactly the sum of its children: class weights, or the weight and fixed-point sums of the target.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import native_columns
from branchline._state import malformed
from branchline._trees._derived import DerivedColumns, blocks_of_rows
from branchline._trees._levels import level_starts, levels
from branchline._trees._node_losses import NodeLosses
from branchline._trees._node_notes import NodeNotes
from branchline.table import Schema, Table

__all__ = ["CATEGORIES", "EVERY_BRANCH", "LEAF", "STAY", "THRESHOLD_TEST", "Scale", "TreeArrays"]

LEAF = int(_core.NodeKind.leaf.value)
THRESHOLD_TEST = int(_core.NodeKind.threshold.value)
CATEGORIES = int(_core.NodeKind.categories.value)
STAY, EVERY_BRANCH = -1, -2

_FEW_CLASSES = 64
_MOST_IN_A_BYTE = np.iinfo(np.int8).max
# Squares of very large numbers are beyond all floats; so large a number can still be added up.
_MOST_VARIANCE = 1e300

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]
Units = npt.NDArray[Any]  # int64; of many classes uint8 or uint16
Branches = npt.NDArray[Any]  # int8 or int32


@dataclass(frozen=True)
class Scale:
    """What the integers of ``content`` stand for.

    Parameters
    ----------
    unit
        What one unit of weight weighs.
    center
        Regression: what was taken off each output before rounding; None for classes.
    bits
        Regression: sums were multiplied by 2^bits.
    exponent
        Regression: spreads are counted in units of (2^exponent)², so that they neither overflow nor
        vanish whatever the target's range.
    """

    unit: float = 1.0
    center: tuple[float, ...] | None = None
    bits: int = 0
    exponent: int = 0


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """The nodes of a tree.

    Parameters
    ----------
    kind
        LEAF, THRESHOLD_TEST or CATEGORIES.
    feature
        The column tested; −1 at a leaf.
    threshold
        The threshold of a threshold test; +inf asks only whether the value is present.
    first_child, n_children
        Where a node's children stand; −1 and 0 at a leaf.
    missing_branch
        The branch of missing values and unseen categories, STAY or EVERY_BRANCH.
    pool_offset, pool
        The branches of a category test, one for each category of its column; bytes, unless a test
        has more than 127 branches.
    content
        A row for each node: units of each class; or units, then the sum of each output. Of more
        than 64 classes an array as narrow as the units allow.
    spread
        A row for each node: the sum of squared deviations from the mean of each output, in units
        of the scale; no columns for classes.
    scale
        What the integers of ``content`` stand for.
    notes
        What nodes have besides: models in leaves, soft thresholds. None in a plain tree.
    derived
        Columns that the tree tests beside those of the table (``_derived``); None: there are none.
    losses
        What nodes lose by absolute error or Poisson deviance; None: classes, or squared error.

    See Also
    --------
    ForestArrays : ``tree`` returns it.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import DecisionTreeClassifier
    >>> X, y = load_dataset("iris").split_target("species")
    >>> DecisionTreeClassifier().fit(X, y).tree_.n_leaves
    3
    """

    kind: npt.NDArray[np.uint8]
    feature: Nodes
    threshold: Floats
    first_child: Nodes
    n_children: Nodes
    missing_branch: Nodes
    pool_offset: npt.NDArray[np.int64]
    pool: Branches
    content: Units
    spread: Floats
    scale: Scale
    notes: NodeNotes | None = None
    derived: DerivedColumns | None = None
    losses: NodeLosses | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pool", narrow_branches(self.pool, self.n_children))
        if self.is_classification:
            object.__setattr__(self, "content", narrow_units(self.content))
        # Made now, not when first needed: several threads may predict at once.
        object.__setattr__(self, "_walker", self._make_walker())

    def _make_walker(self) -> _core.TreeWalker:
        return _core.TreeWalker(
            kind=self.kind,
            feature=self.feature,
            threshold=self.threshold,
            first_child=self.first_child,
            n_children=self.n_children,
            missing_branch=self.missing_branch,
            pool_offset=self.pool_offset,
            pool=self.pool,
            weight=self.weight,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what makes up the tree; the rest is worked out anew, and checked."""
        from branchline._trees._tree_state import pack_alone, unpack_alone

        return unpack_alone, (pack_alone(self),)

    def __setstate__(self, state: Any) -> None:
        raise malformed("a tree's arrays are not packed")

    # -- what nodes hold ------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self.kind == LEAF).sum())

    @property
    def max_depth(self) -> int:
        """The depth: the number of tests on the longest path."""
        return int(self.depth.max())

    @property
    def is_classification(self) -> bool:
        """Whether leaves hold classes, not numbers."""
        return self.scale.center is None

    @cached_property
    def is_leaf(self) -> Bools:
        """Which nodes are leaves."""
        leaves: Bools = np.equal(self.kind, LEAF)
        return leaves

    @cached_property
    def parent(self) -> Nodes:
        """The parent of each node; −1 for the root."""
        inner = np.flatnonzero(~self.is_leaf)
        first = self.first_child[inner]
        order = np.argsort(first, kind="stable")
        parents = np.repeat(inner[order], self.n_children[inner][order])
        return np.concatenate([[-1], parents]).astype(np.int32)

    @cached_property
    def depth(self) -> Nodes:
        """The number of tests above each node."""
        size = np.diff([*level_starts(self.n_children), self.n_nodes])
        return np.repeat(np.arange(len(size), dtype=np.int32), size)

    def levels(self) -> list[npt.NDArray[np.int64]]:
        """Return the nodes of each depth, the root first."""
        starts = level_starts(self.n_children)
        return [np.arange(*pair) for pair in zip(starts, [*starts[1:], self.n_nodes], strict=True)]

    @cached_property
    def weight(self) -> Floats:
        """The weight of the training rows in each node."""
        units = self.content.sum(axis=1) if self.is_classification else self.content[:, 0]
        weight: Floats = units * np.float64(self.scale.unit)
        return weight

    @cached_property
    def value(self) -> Floats:
        """One row per node: class frequencies, or the mean (or median) of each output."""
        if self.losses is not None and self.losses.median is not None:
            return self.losses.median
        return values_of(self.content, self.scale)

    def values_at(self, nodes: Nodes) -> Floats:
        """Return ``value`` of some nodes; of many classes those alone are worked out."""
        if self.content.shape[1] <= _FEW_CLASSES or "value" in self.__dict__:
            return self.value[nodes]
        return values_of(self.content[nodes], self.scale)

    @property
    def measure(self) -> str:
        """What numbers are grown and pruned by; "error" for classes."""
        if self.is_classification:
            return "error"
        return "squared_error" if self.losses is None else self.losses.measure

    @property
    def center_word(self) -> str:
        """The word for the number that a node predicts."""
        return "median" if self.measure == "absolute_error" else "mean"

    @cached_property
    def lost(self) -> Floats:
        """What the numbers of each node lose, summed over outputs, in units of the scale."""
        each = self.spread if self.losses is None else self.losses.loss
        lost: Floats = each.sum(axis=1)
        return lost

    @cached_property
    def variance(self) -> Floats:
        """One row for each node: the variance of each output; no columns for classes."""
        with np.errstate(over="ignore", under="ignore"):
            variance = np.ldexp(self.spread / self.weight[:, None], 2 * self.scale.exponent)
        return np.minimum(variance, _MOST_VARIANCE)

    # -- rows go down ---------------------------------------------------------------------------

    @property
    def walker(self) -> _core.TreeWalker:
        """What sends rows down the tree."""
        walker: _core.TreeWalker = self._walker  # type: ignore[attr-defined]
        return walker

    @property
    def shares_rows(self) -> bool:
        """Whether a missing value may send a row to every branch."""
        return self.walker.shares_rows

    def find_leaves(self, table: Table, n_threads: int) -> Nodes:
        """Return the node that each row ends in; a shared row is followed to its largest part."""
        if self.derived is not None:
            leaves: Nodes = self._in_blocks(table, lambda rows: self._leaves_in(rows, n_threads))
            return leaves
        if table.matrix is not None and are_in_step(table.matrix):
            return self.walker.find_leaves_in_matrix(table.matrix, n_threads)
        return self._leaves_in(table, n_threads)

    def _leaves_in(self, table: Table, n_threads: int) -> Nodes:
        columns, n_categories = native_columns(table)
        return self.walker.find_leaves(columns, n_categories, n_threads)

    def _in_blocks(self, table: Table, work: Callable[[Table], npt.NDArray[Any]]) -> Any:
        """Return what ``work`` does with the rows of the extended table, block after block."""
        assert self.derived is not None
        rows = blocks_of_rows(self.derived, table.n_rows)
        blocks = [table] if len(rows) == 1 else [table.rows(block) for block in rows]
        return np.concatenate([work(self.derived.extend_table(block)) for block in blocks])

    def extended(self, table: Table) -> Table:
        """Return a table with the derived columns that the tree tests."""
        return table if self.derived is None else self.derived.extend_table(table)

    def meaning(self, node: int) -> str:
        """Return what the name of a node's test leaves open; nothing where it says all."""
        return "" if self.derived is None else self.derived.meaning_of(int(self.feature[node]))

    def extended_schema(self, schema: Schema) -> Schema:
        """Return a schema with the derived columns that the tree tests."""
        return schema if self.derived is None else self.derived.extend_schema(schema)

    def find_leaves_of_few(self, matrix: npt.NDArray[Any]) -> Nodes | None:
        """Return the node of each row of a float matrix, or None when a number is infinite."""
        return self.walker.find_leaves_of_few(matrix)

    def average(self, table: Table, value: Floats, n_threads: int) -> Floats:
        """Return for each row the value of the node it ends in, averaged over its parts."""
        if self.derived is not None:
            means: Floats = self._in_blocks(
                table, lambda rows: self._average_in(rows, value, n_threads)
            )
            return means
        return self._average_in(table, value, n_threads)

    def _average_in(self, table: Table, value: Floats, n_threads: int) -> Floats:
        columns, n_categories = native_columns(table)
        averaged = self.walker.average(columns, n_categories, np.ravel(value), n_threads)
        return averaged.reshape(table.n_rows, value.shape[1])

    # -- other shapes ---------------------------------------------------------------------------

    @property
    def children_left(self) -> Nodes:
        """The first child of each node, as in scikit-learn; −1 at a leaf."""
        self._require_binary("children_left")
        return self.first_child

    @property
    def children_right(self) -> Nodes:
        """The second child of each node, as in scikit-learn; −1 at a leaf."""
        self._require_binary("children_right")
        return np.where(self.is_leaf, self.first_child, self.first_child + 1)

    def _require_binary(self, name: str) -> None:
        wide = np.flatnonzero(self.n_children > 2)
        if len(wide):
            raise AttributeError(
                f"{name} exists for trees of binary tests only: node {wide[0]} has "
                f"{self.n_children[wide[0]]} branches. Use first_child and n_children."
            )

    def pruned(self, collapse: Bools) -> "TreeArrays":
        """Return the tree in which each node of ``collapse`` has become a leaf."""
        kept = [nodes for nodes in _kept_levels(self, collapse) if len(nodes)]
        order = np.concatenate(kept)
        is_leaf = self.is_leaf[order] | collapse[order]
        n_children = np.where(is_leaf, 0, self.n_children[order]).astype(np.int32)
        end = 1 + np.cumsum(n_children, dtype=np.int64)
        is_category = ~is_leaf & (self.kind[order] == CATEGORIES)
        pool, pool_offset = self._pool_of(order[is_category])
        offsets = np.zeros(len(order), dtype=np.int64)
        offsets[is_category] = pool_offset
        feature = np.where(is_leaf, -1, self.feature[order]).astype(np.int32)
        derived = None
        if self.derived is not None:
            derived, feature = self.derived.used_by(feature)
        return TreeArrays(
            kind=np.where(is_leaf, LEAF, self.kind[order]).astype(np.uint8),
            feature=feature,
            threshold=np.where(is_leaf, 0.0, self.threshold[order]),
            first_child=np.where(is_leaf, -1, end - n_children).astype(np.int32),
            n_children=n_children,
            missing_branch=np.where(is_leaf, -1, self.missing_branch[order]).astype(np.int32),
            pool_offset=offsets,
            pool=pool,
            content=self.content[order],
            spread=self.spread[order],
            scale=self.scale,
            derived=derived,
            losses=None if self.losses is None else self.losses.of_nodes(order),
        )

    def _pool_of(self, tests: npt.NDArray[np.int64]) -> tuple[Branches, npt.NDArray[np.int64]]:
        """Return the pool of some category tests alone, and where each begins in it."""
        among = np.flatnonzero(self.kind == CATEGORIES)
        ends = np.append(self.pool_offset[among][1:], len(self.pool))[: len(among)]
        end_of = dict(zip(among.tolist(), ends.tolist(), strict=True))
        parts = [self.pool[self.pool_offset[node] : end_of[node]] for node in tests.tolist()]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        pool = np.concatenate(parts) if parts else self.pool[:0]
        return pool, np.cumsum(sizes) - sizes


def narrow_units(content: Units) -> Units:
    """Return the units of many classes in each node as an array as narrow as they allow."""
    if content.shape[1] <= _FEW_CLASSES or content.dtype != np.int64:
        return content
    most = int(content[0].max())  # the root holds all
    narrow = next((kind for kind in (np.uint8, np.uint16) if most <= np.iinfo(kind).max), np.int64)
    return content.astype(narrow, copy=False)


def narrow_branches(pool: Branches, n_children: Nodes) -> Branches:
    """Return branches of categories as bytes where no test of the tree has too many for that."""
    if pool.dtype == np.int8 or n_children.max() > _MOST_IN_A_BYTE:
        return pool
    return pool.astype(np.int8)


def are_in_step(matrix: npt.NDArray[Any]) -> bool:
    """Whether values lie whole steps apart; those of packed records may not."""
    return not any(stride % matrix.itemsize for stride in matrix.strides)


def values_of(content: Units, scale: Scale) -> Floats:
    """Return class frequencies, or the mean of each output, of nodes that hold ``content``."""
    if scale.center is None:
        frequencies: Floats = content / content.sum(axis=1, keepdims=True)
        return frequencies
    mean = content[:, 1:] / (content[:, :1] * scale.unit)
    return np.asarray(scale.center) + np.ldexp(mean, -scale.bits)


def _kept_levels(tree: TreeArrays, collapse: Bools) -> list[npt.NDArray[np.int64]]:
    n_children = np.where(collapse, 0, tree.n_children).astype(np.int32)
    return levels(tree.first_child, n_children)
