"""Packing what all trees of one model share, their shape and tests, and checking it when unpacked.

1. One bit a node (inner or leaf); which tests are of categories follows from the column.
2. Codes in use alone (``_forest_codes``), those of one column together: the left code, and how far
   the right one is from it (0: there is none). All numbers as planes of bytes (``_packing``).
3. The values of codes as planes; the largest value of a code only where it is not the smallest too.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import NODE_KIND
from branchline._state import array_from_state, malformed
from branchline._trees._coded_trees import CodedTrees, starts
from branchline._trees._codes_in_use import codes_in_use
from branchline._trees._packing import bits_from_state, to_bits
from branchline._trees._test_state import columns_from_state, pack_tests, tests_from_state
from branchline._trees._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST
from branchline.table import Schema

__all__ = ["n_names_of", "n_names_of_trees", "pack_trees", "trees_from_state"]

_MOST_NODES = 2**31

Longs = npt.NDArray[np.int64]


def pack_trees(trees: CodedTrees) -> dict[str, Any]:
    """Return the values that make up the shape and the tests of trees, by name."""
    return {
        "n_nodes": trees.n_nodes,
        "is_inner": to_bits(trees.kind != LEAF),
        **pack_tests(trees, codes_in_use(trees)),
    }


def n_names_of(schema: Schema) -> Longs:
    """Return the number of names of each category column; −1 for a numeric one."""
    names = [field.type.categories if field.type.kind == "category" else None for field in schema]
    return np.array([-1 if given is None else len(given) for given in names], dtype=np.int64)


def n_names_of_trees(trees: CodedTrees) -> Longs:
    """Return the same of trees whose columns are not known."""
    pools = zip(trees.n_categories.tolist(), trees.pooling, strict=True)
    n_names = [(count or -1) if pool is None else len(pool) for count, pool in pools]
    return np.array(n_names, dtype=np.int64)


def trees_from_state(state: Mapping[str, Any], n_names: Longs) -> dict[str, Any]:
    """Return the fields of ``CodedTrees``, refusing values that no fit could have produced."""
    n_nodes = _n_nodes_from_state(state)
    is_inner = bits_from_state(state, "is_inner", int(n_nodes.sum()))
    _check_shape(n_nodes, is_inner)
    columns = columns_from_state(state, n_names)
    tests = tests_from_state(state, columns, int(is_inner.sum()))
    kind = np.full(len(is_inner), LEAF, dtype=NODE_KIND)
    kind[is_inner] = np.where(columns.is_category[tests.feature], CATEGORIES, THRESHOLD_TEST)
    return {
        "n_nodes": n_nodes,
        "kind": kind,
        "lowest": columns.lowest,
        "highest": columns.highest,
        "n_codes": columns.n_codes,
        "pooling": columns.pooling,
        **tests._asdict(),
    }


def _n_nodes_from_state(state: Mapping[str, Any]) -> Longs:
    n_nodes = array_from_state(state, "n_nodes", np.dtype(np.int64))
    if len(n_nodes) == 0 or (n_nodes < 1).any() or (n_nodes % 2 == 0).any():
        raise malformed("there are no trees, or trees that are not binary")
    if n_nodes.sum(dtype=np.float64) >= _MOST_NODES:
        raise malformed("there are more nodes than there can be")
    return n_nodes


def _check_shape(n_nodes: Longs, is_inner: npt.NDArray[np.bool_]) -> None:
    """Check that each tree has one leaf more than tests, and each test its children after it."""
    first_node, first_inner = starts(n_nodes), starts(n_nodes // 2)
    place = np.flatnonzero(is_inner)
    if not np.array_equal(np.searchsorted(place, first_node), first_inner):
        raise malformed("a tree has not one leaf more than it has tests")
    tree = np.repeat(np.arange(len(n_nodes)), n_nodes // 2)
    within = np.arange(len(place)) - first_inner[tree]
    if (place - first_node[tree] > 2 * within).any():
        raise malformed("a node has no parent")
