"""A fitted tree is arrays: one entry a node, siblings together, children after their parent.

Node kinds: a leaf; a *threshold* (branch 0 when value ≤ threshold, else branch 1); *categories* (the
branch of each category stands in ``pool``). A row with a missing value takes ``missing_branch``;
branch −1 means that the row stays in the node, whose own value is then used.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import native_columns
from branchline._dtypes import NODE_INDEX, NODE_KIND, POOL_OFFSET, THRESHOLD
from branchline._state import array_from_state, malformed
from branchline.table import Schema, Table

__all__ = ["CATEGORIES", "LEAF", "THRESHOLD_TEST", "TreeArrays"]

LEAF, THRESHOLD_TEST, CATEGORIES = 0, 1, 2

_DTYPES = {
    "kind": NODE_KIND,
    "feature": NODE_INDEX,
    "threshold": THRESHOLD,
    "first_child": NODE_INDEX,
    "n_children": NODE_INDEX,
    "missing_branch": NODE_INDEX,
    "pool_offset": POOL_OFFSET,
    "pool": NODE_INDEX,
    "weight": THRESHOLD,
}


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
        The branch of missing values and unseen categories; −1: the row stays.
    pool_offset, pool
        The branches of a category test, one for each category of its column.
    weight
        The weight of the training rows in each node.
    value
        One row a node: class frequencies, or the mean.
    """

    kind: npt.NDArray[np.uint8]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    first_child: npt.NDArray[np.int32]
    n_children: npt.NDArray[np.int32]
    missing_branch: npt.NDArray[np.int32]
    pool_offset: npt.NDArray[np.int64]
    pool: npt.NDArray[np.int32]
    weight: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self.kind == LEAF).sum())

    def find_leaves(self, table: Table, n_threads: int) -> npt.NDArray[np.int32]:
        """Return the node that each row of ``table`` ends in."""
        native = _core.BorrowedTree(
            self.kind,
            self.feature,
            self.threshold,
            self.first_child,
            self.missing_branch,
            self.pool_offset,
            self.pool,
        )
        columns, n_categories = native_columns(table)
        return native.find_leaves(columns, n_categories, n_threads)

    def to_state(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name, for a model file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @staticmethod
    def from_state(state: Mapping[str, Any], schema: Schema, width: int) -> "TreeArrays":
        """Rebuild a tree, refusing arrays that no fit could have produced.

        Parameters
        ----------
        state
            The arrays by name.
        schema
            The columns the tree was fitted on.
        width
            The number of classes, or 1 for a regression tree.
        """
        arrays = {name: array_from_state(state, name, dtype) for name, dtype in _DTYPES.items()}
        n_nodes = len(arrays["kind"])
        for name, array in arrays.items():
            if name != "pool" and len(array) != n_nodes:
                raise malformed(f"{name!r} has {len(array)} values for {n_nodes} nodes")
        value = state.get("value")
        if not isinstance(value, np.ndarray) or value.shape != (n_nodes, width):
            raise malformed("each node needs its value")
        tree = TreeArrays(**arrays, value=value)
        _check(tree, schema)
        return tree


def _check(tree: TreeArrays, schema: Schema) -> None:
    if tree.n_nodes == 0 or not np.isin(tree.kind, (LEAF, THRESHOLD_TEST, CATEGORIES)).all():
        raise malformed("there are no nodes, or nodes of an unknown kind")
    is_float = tree.value.dtype == np.float64
    if not is_float or not np.isfinite(tree.value).all() or not np.isfinite(tree.weight).all():
        raise malformed("a node's value is not a finite number")
    if np.isnan(tree.threshold).any():
        raise malformed("a threshold is not a number")
    inner = np.flatnonzero(tree.kind != LEAF)
    _check_children(tree, inner)
    _check_tests(tree, inner, schema)


def _check_children(tree: TreeArrays, inner: npt.NDArray[np.intp]) -> None:
    """Every node but the root has one parent, which stands before it: no cycles, no orphans."""
    first, count = tree.first_child[inner].astype(np.int64), tree.n_children[inner].astype(np.int64)
    if (count < 2).any() or (first <= inner).any() or (first + count > tree.n_nodes).any():
        raise malformed("a node's children are out of range")
    parents = np.zeros(tree.n_nodes + 1, dtype=np.int64)
    np.add.at(parents, first, 1)
    np.add.at(parents, first + count, -1)
    n_parents = np.cumsum(parents)[: tree.n_nodes]
    if n_parents[0] != 0 or (n_parents[1:] != 1).any():
        raise malformed("a node has no parent or several")
    branch = tree.missing_branch[inner]
    if (branch < -1).any() or (branch >= count).any():
        raise malformed("a missing value's branch is out of range")


def _check_tests(tree: TreeArrays, inner: npt.NDArray[np.intp], schema: Schema) -> None:
    feature = tree.feature[inner]
    if (feature < 0).any() or (feature >= len(schema)).any():
        raise malformed("a tested column does not exist")
    n_categories = np.array(
        [-1 if f.type.categories is None else len(f.type.categories) for f in schema],
        dtype=np.int64,
    )
    needed = n_categories[feature]
    if ((tree.kind[inner] == CATEGORIES) != (needed >= 0)).any():
        raise malformed("a test does not fit its column's kind")
    if (tree.n_children[inner][needed < 0] != 2).any():
        raise malformed("a threshold has two branches")
    for node, count in zip(inner[needed >= 0], needed[needed >= 0], strict=True):
        offset = int(tree.pool_offset[node])
        branches = tree.pool[max(0, offset) : max(0, offset) + count]
        if offset < 0 or len(branches) != count or (branches < -1).any():
            raise malformed("a category test's branches are out of range")
        if count and branches.max() >= tree.n_children[node]:
            raise malformed("a category test's branches are out of range")
