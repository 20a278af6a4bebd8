"""A fitted tree is arrays: one entry a node, siblings together, children after their parent.

Node kinds: a leaf; a *threshold* (branch 0 when value ≤ threshold, else 1); *categories* (the
branch of each category stands in ``pool``). A row with a missing value takes ``missing_branch``;
branch −1 means that the row stays in the node, whose own value is then used. The category tests
share ``pool``: in the order of their nodes, each has one entry for each category of its column.
Fields that a node does not use are −1 (``feature``, ``first_child``, ``missing_branch``) or 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import MAX_CATEGORIES, native_columns
from branchline._dtypes import NODE_INDEX, NODE_KIND, POOL_OFFSET, THRESHOLD
from branchline._state import are_frequencies, array_from_state, malformed
from branchline.table import Schema, Table

__all__ = ["CATEGORIES", "LEAF", "THRESHOLD_TEST", "TreeArrays"]

LEAF, THRESHOLD_TEST, CATEGORIES = 0, 1, 2

_DTYPES: dict[str, np.dtype[Any]] = {
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
    def from_state(
        state: Mapping[str, Any], schema: Schema, *, n_classes: int | None, max_depth: int
    ) -> "TreeArrays":
        """Rebuild a tree, refusing arrays that no fit could have produced.

        Parameters
        ----------
        state
            The arrays by name.
        schema
            The columns the tree was fitted on.
        n_classes
            The number of classes; None for a regression tree.
        max_depth
            The most tests in a row that the estimator could have grown.
        """
        arrays = {name: array_from_state(state, name, dtype) for name, dtype in _DTYPES.items()}
        n_nodes = len(arrays["kind"])
        for name, array in arrays.items():
            if name != "pool" and len(array) != n_nodes:
                raise malformed(f"{name!r} has {len(array)} values for {n_nodes} nodes")
        value, width = state.get("value"), n_classes or 1
        if not isinstance(value, np.ndarray) or value.shape != (n_nodes, width):
            raise malformed("each node needs its value")
        tree = TreeArrays(**arrays, value=value)
        _check_nodes(tree, is_classifier=n_classes is not None)
        _check_families(tree, max_depth)
        _check_tests(tree, schema)
        return tree


def _check_nodes(tree: TreeArrays, *, is_classifier: bool) -> None:
    """Check what each node says about itself."""
    if tree.n_nodes == 0 or not np.isin(tree.kind, (LEAF, THRESHOLD_TEST, CATEGORIES)).all():
        raise malformed("there are no nodes, or nodes of an unknown kind")
    if tree.value.dtype != np.float64 or not np.isfinite(tree.value).all():
        raise malformed("a node's value is not a finite number")
    if is_classifier and not are_frequencies(tree.value):
        raise malformed("a node's class frequencies do not have a sum of 1")
    if not (np.isfinite(tree.weight).all() and (tree.weight >= 0).all()):
        raise malformed("a node's weight is not a number of at least 0")
    is_leaf, is_cut = tree.kind == LEAF, tree.kind == THRESHOLD_TEST
    if not (tree.threshold[is_cut] > -np.inf).all() or tree.threshold[~is_cut].any():
        raise malformed("a threshold is not a number, or stands where none belongs")
    unused = {"feature": -1, "first_child": -1, "n_children": 0, "missing_branch": -1}
    if any((getattr(tree, name)[is_leaf] != none).any() for name, none in unused.items()):
        raise malformed("a leaf has a test or children")
    if tree.pool_offset[tree.kind != CATEGORIES].any():
        raise malformed("a node without categories refers to some")


def _check_families(tree: TreeArrays, max_depth: int) -> None:
    """Every node but the root has one parent, which stands before it: no cycles, no orphans."""
    inner = np.flatnonzero(tree.kind != LEAF)
    first, count = tree.first_child[inner].astype(np.int64), tree.n_children[inner].astype(np.int64)
    if (count < 2).any() or (count > MAX_CATEGORIES + 1).any() or (first <= inner).any():
        raise malformed("a node's children are out of range")
    order = np.argsort(first, kind="stable")
    # Laid side by side, the families must fill the places 1, 2, … without gaps or overlaps.
    end = 1 + np.cumsum(count[order])
    if (first[order] != end - count[order]).any() or 1 + count.sum() != tree.n_nodes:
        raise malformed("a node has no parent or several")
    branch = tree.missing_branch[inner]
    if (branch < -1).any() or (branch >= count).any():
        raise malformed("a missing value's branch is out of range")
    if _is_deeper_than(tree, max_depth):
        raise malformed(f"there are more than {max_depth} tests in a row")


def _is_deeper_than(tree: TreeArrays, max_depth: int) -> bool:
    """Go down level by level: the nodes of a level are the children of the one above."""
    level = np.zeros(1, dtype=np.int64)
    for _ in range(max_depth + 1):
        level = level[tree.kind[level] != LEAF]
        if len(level) == 0:
            return False
        count = tree.n_children[level].astype(np.int64)
        before = np.cumsum(count) - count
        level = np.repeat(tree.first_child[level] - before, count) + np.arange(count.sum())
    return True


def _check_tests(tree: TreeArrays, schema: Schema) -> None:
    """Check tests against columns; the pool holds the branches of each category test in turn."""
    inner = np.flatnonzero(tree.kind != LEAF)
    feature = tree.feature[inner]
    if (feature < 0).any() or (feature >= len(schema)).any():
        raise malformed("a tested column does not exist")
    names = [field.type.categories if field.type.kind == "category" else None for field in schema]
    n_names = np.array([-1 if given is None else len(given) for given in names], dtype=np.int64)
    needed = n_names[feature]
    if ((tree.kind[inner] == CATEGORIES) != (needed >= 0)).any():
        raise malformed("a test does not fit its column's kind")
    if (tree.n_children[inner][needed < 0] != 2).any():
        raise malformed("a threshold has two branches")
    among, needed = inner[needed >= 0], needed[needed >= 0]
    end = np.cumsum(needed)
    if (tree.pool_offset[among] != end - needed).any() or len(tree.pool) != needed.sum():
        raise malformed("the branches of categories overlap or leave gaps")
    if (tree.pool < -1).any() or (tree.pool >= np.repeat(tree.n_children[among], needed)).any():
        raise malformed("a category's branch is out of range")
