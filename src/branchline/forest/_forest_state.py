"""Packing a forest for a model file, and refusing packed forests that no fit could have produced.

Packed is what cannot be worked out from the rest, in the layout that deflates best:

1. One bit a node (inner or leaf); which tests are of categories follows from the column.
2. Codes in use alone (``_forest_codes``), those of one column together: the left code, and how far
   the right one is from it (0: there is none). All numbers as planes of bytes (``_packing``).
3. What leaves hold, one class or output after the other (``_leaf_state``).
4. The values of codes as planes; the largest value of a code only where it is not the smallest too.

A forest of two classes takes about 5 bytes a test in the file, and the values of its columns.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import NODE_KIND
from branchline._state import array_from_state, malformed
from branchline.forest._forest_arrays import ForestArrays, starts
from branchline.forest._forest_codes import codes_in_use
from branchline.forest._leaf_state import leaves_from_state, pack_leaves
from branchline.forest._packing import bits_from_state, to_bits
from branchline.forest._test_state import columns_from_state, pack_tests, tests_from_state
from branchline.table import Schema
from branchline.tree._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST

__all__ = ["pack_alone", "pack_forest", "unpack_alone", "unpack_forest"]

_MOST_NODES = 2**31

Longs = npt.NDArray[np.int64]


def pack_forest(forest: ForestArrays) -> dict[str, Any]:
    """Return the values that make up a forest, by name."""
    return {
        "n_nodes": forest.n_nodes,
        "is_inner": to_bits(forest.kind != LEAF),
        **pack_tests(forest, codes_in_use(forest)),
        **pack_leaves(forest),
    }


def unpack_forest(
    state: Mapping[str, Any],
    schema: Schema,
    *,
    n_classes: int | None,
    n_outputs: int = 1,
    max_depth: int | None = None,
) -> ForestArrays:
    """Rebuild a forest, refusing values that no fit could have produced.

    Parameters
    ----------
    state
        The packed values by name.
    schema
        The columns the forest was fitted on.
    n_classes
        The number of classes; None for a regression forest.
    n_outputs
        The number of outputs of a regression forest.
    max_depth
        The most tests in a row that the estimator could have grown; None: any number.
    """
    names = [field.type.categories if field.type.kind == "category" else None for field in schema]
    n_names = np.array([-1 if given is None else len(given) for given in names], dtype=np.int64)
    forest = _forest_of(state, n_names, n_classes, n_outputs)
    if max_depth is not None and forest.depths().max() > max_depth:
        raise malformed(f"there are more than {max_depth} tests in a row")
    return forest


def pack_alone(forest: ForestArrays) -> dict[str, Any]:
    """Return the values that make up a forest whose columns are not known."""
    pools = zip(forest.n_categories.tolist(), forest.pooling, strict=True)
    n_names = [(count or -1) if pool is None else len(pool) for count, pool in pools]
    packed = {**pack_forest(forest), "n_names": np.array(n_names, dtype=np.int64)}
    return {**packed, "n_classes": forest.content.shape[1] if forest.is_classification else 0}


def unpack_alone(state: Any) -> ForestArrays:
    """Rebuild a forest whose columns are not known, as ``unpack_forest`` does."""
    if type(state) is not dict:
        raise malformed("there are no values")
    n_names = array_from_state(state, "n_names", np.dtype(np.int64))
    n_classes = state.get("n_classes")
    if type(n_classes) is not int or n_classes < 0 or len(n_names) == 0:
        raise malformed("there are no columns, or no number of classes")
    return _forest_of(state, n_names, n_classes or None, np.size(state.get("centre", [])))


def _forest_of(
    state: Mapping[str, Any], n_names: Longs, n_classes: int | None, n_outputs: int
) -> ForestArrays:
    n_nodes = _n_nodes_from_state(state)
    is_inner = bits_from_state(state, "is_inner", int(n_nodes.sum()))
    _check_shape(n_nodes, is_inner)
    columns = columns_from_state(state, n_names)
    tests = tests_from_state(state, columns, int(is_inner.sum()))
    kind = np.full(len(is_inner), LEAF, dtype=NODE_KIND)
    kind[is_inner] = np.where(columns.is_category[tests.feature], CATEGORIES, THRESHOLD_TEST)
    content, scale = leaves_from_state(state, (n_nodes + 1) // 2, n_classes, n_outputs)
    return ForestArrays(
        n_nodes=n_nodes,
        kind=kind,
        content=content,
        scale=scale,
        lowest=columns.lowest,
        highest=columns.highest,
        n_codes=columns.n_codes,
        pooling=columns.pooling,
        **tests._asdict(),
    ).ready()


def _n_nodes_from_state(state: Mapping[str, Any]) -> Longs:
    n_nodes = array_from_state(state, "n_nodes", np.dtype(np.int64))
    if len(n_nodes) == 0 or (n_nodes < 1).any() or (n_nodes % 2 == 0).any():
        raise malformed("there are no trees, or trees that are not binary")
    if n_nodes.sum(dtype=np.float64) >= _MOST_NODES:
        raise malformed("there are more nodes than a forest can have")
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
