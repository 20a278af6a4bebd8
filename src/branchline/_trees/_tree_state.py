"""Packing a tree for a model file, and refusing packed trees that no fit could have produced.

Packed is what cannot be worked out from the rest: tests without their children's places (levels
follow one another, so the places are known), and what leaves hold (an inner node is the sum of its
children). A numeric tree of two classes needs 17 bytes a node, of one output 21.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import MAX_CATEGORIES
from branchline._dtypes import NODE_INDEX, NODE_KIND, THRESHOLD, UNITS
from branchline._state import array_from_state, malformed, number_from_state, numbers_from_state
from branchline._trees._derived import DerivedColumns, derived_from_state
from branchline._trees._node_losses import NodeLosses, losses_from_state, pack_losses
from branchline._trees._tree_arrays import (
    CATEGORIES,
    EVERY_BRANCH,
    LEAF,
    THRESHOLD_TEST,
    Scale,
    TreeArrays,
    values_of,
)
from branchline.table import Schema

__all__ = [
    "fill_inner_nodes",
    "pack_alone",
    "pack_tree",
    "pool_from_state",
    "scale_from_state",
    "shape_from_state",
    "sizes_of_columns",
    "unpack_alone",
    "unpack_tree",
]

_MOST_UNITS = 2.0**53
_MOST_SUM = 2.0**62
_MOST_COLUMNS = 2**24
_LEAST_UNIT = 2.0**-64
# A table weighs less than 2^53, and no value is further than 2 from a mean, in units of the scale.
_MOST_SPREAD = 2.0**55


@dataclass(frozen=True)
class _Shape:
    kind: npt.NDArray[np.uint8]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    first_child: npt.NDArray[np.int32]
    n_children: npt.NDArray[np.int32]
    missing_branch: npt.NDArray[np.int32]


def _widened(values: npt.NDArray[Any], narrow: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return narrow numbers as they are stored; what is no such array stays, and is refused."""
    return values.astype(dtype) if np.issubdtype(values.dtype, narrow) else values


def pack_tree(tree: TreeArrays) -> dict[str, Any]:
    """Return the values that make up a tree, by name."""
    inner, leaf = ~tree.is_leaf, tree.is_leaf
    packed: dict[str, Any] = {
        "kind": tree.kind,
        "feature": tree.feature[inner],
        "threshold": tree.threshold[tree.kind == THRESHOLD_TEST],
        "missing_branch": tree.missing_branch[inner],
        "n_branches": tree.n_children[tree.kind == CATEGORIES],
        "pool": _widened(tree.pool, np.int8, NODE_INDEX),
        "leaf_content": np.ravel(_widened(tree.content[leaf], np.unsignedinteger, UNITS)),
        "unit": float(tree.scale.unit),
    }
    if tree.scale.center is not None:
        packed["leaf_spread"] = np.ravel(tree.spread[leaf])
        packed["centre"] = np.array(tree.scale.center)
        packed["bits"] = tree.scale.bits
        packed["exponent"] = tree.scale.exponent
    if tree.derived is not None:
        packed |= {"derived": tree.derived.to_list(), "n_given": tree.derived.n_given}
    return {**packed, **pack_losses(tree.losses)}


def unpack_tree(
    state: Mapping[str, Any],
    schema: Schema,
    *,
    n_classes: int | None,
    n_outputs: int = 1,
) -> TreeArrays:
    """Rebuild a tree, refusing values that no fit could have produced.

    Parameters
    ----------
    state
        The packed values by name.
    schema
        The columns the tree was fitted on.
    n_classes
        The number of classes; None for a regression tree.
    n_outputs
        The number of outputs of a regression tree.
    """
    shape = shape_from_state(state)
    derived = derived_from_state(state, schema)
    extended = schema if derived is None else derived.extend_schema(schema)
    tree = _tree_of(state, shape, sizes_of_columns(shape, extended), n_classes, n_outputs)
    return _with_derived(tree, derived)


def _with_derived(tree: TreeArrays, derived: DerivedColumns | None) -> TreeArrays:
    """Return the tree with its derived columns, all of which it must test."""
    if derived is None:
        return tree
    n_used = len(np.unique(tree.feature[tree.feature >= derived.n_given]))
    if n_used != len(derived) or tree.feature.max() >= derived.n_given + len(derived):
        raise malformed("a derived column is not tested, or does not exist")
    return replace(tree, derived=derived)


def pack_alone(tree: TreeArrays) -> dict[str, Any]:
    """Return the values that make up a tree whose columns are not known."""
    begin = tree.pool_offset[tree.kind == CATEGORIES]
    return {**pack_tree(tree), "pool_size": np.diff(begin, append=len(tree.pool))}


def unpack_alone(state: Any) -> TreeArrays:
    """Rebuild a tree whose columns are not known, as ``unpack_tree`` does."""
    if type(state) is not dict:
        raise malformed("there are no values")
    shape = shape_from_state(state)
    size = array_from_state(state, "pool_size", np.dtype(np.int64))
    derived = derived_from_state(state, None)
    if "centre" in state:
        tree = _tree_of(state, shape, size, None, np.size(state["centre"]))
        return _with_derived(tree, derived)
    n_leaves = int((shape.kind == LEAF).sum())
    n_classes = len(array_from_state(state, "leaf_content", UNITS)) // n_leaves
    return _with_derived(_tree_of(state, shape, size, n_classes, 0), derived)


def _tree_of(
    state: Mapping[str, Any],
    shape: _Shape,
    pool_size: npt.NDArray[np.int64],
    n_classes: int | None,
    n_outputs: int,
) -> TreeArrays:
    pool_offset, pool = pool_from_state(state, shape, pool_size)
    scale = scale_from_state(state, None if n_classes is not None else n_outputs)
    content, spread = _leaves_from_state(state, shape, n_classes, n_outputs)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
        spread = fill_inner_nodes(content, spread, shape.first_child, shape.n_children, scale)
        value = values_of(content, scale)
    if not (np.isfinite(value).all() and np.isfinite(spread).all()):
        raise malformed("a node's value is not a finite number")
    return TreeArrays(
        kind=shape.kind,
        feature=shape.feature,
        threshold=shape.threshold,
        first_child=shape.first_child,
        n_children=shape.n_children,
        missing_branch=shape.missing_branch,
        pool_offset=pool_offset,
        pool=pool,
        content=content,
        spread=spread,
        scale=scale,
        losses=_losses(state, shape, value, n_classes),
    )


def _losses(
    state: Mapping[str, Any], shape: _Shape, value: npt.NDArray[Any], n_classes: int | None
) -> NodeLosses | None:
    """Return the losses of a regression tree that has some; counts are never 0 in a leaf."""
    if n_classes is not None:
        return None
    inner = np.flatnonzero(shape.n_children)
    order = np.argsort(shape.first_child[inner], kind="stable")
    parent = np.repeat(inner[order], shape.n_children[inner][order])
    losses = losses_from_state(state, (value.shape[0], value.shape[1]), parent)
    if losses is not None and losses.measure == "poisson" and (value <= 0).any():
        raise malformed("a node predicts a count that is not above 0")
    return losses


def fill_inner_nodes(
    content: npt.NDArray[np.int64],
    spread: npt.NDArray[np.float64],
    first_child: npt.NDArray[np.int32],
    n_children: npt.NDArray[np.int32],
    scale: Scale,
) -> npt.NDArray[np.float64]:
    """Sum the children of each inner node into ``content`` (in place); return all spreads.

    The spread of a node is that of its children around their own means, and that of these means.
    A fit calls this too, so that a loaded tree has the same bits as the one that was saved.
    """
    sums = _core.sum_children(
        first_child,
        n_children,
        np.ravel(content),
        np.ravel(spread),
        scale.unit,
        scale.bits + scale.exponent,
    )
    content[...] = sums[0].reshape(content.shape)
    return sums[1].reshape(spread.shape)


def shape_from_state(state: Mapping[str, Any], *, is_tree: bool = True) -> _Shape:
    """Return the tests of a tree and where their children stand (which only a tree tells)."""
    kind = array_from_state(state, "kind", NODE_KIND)
    n_nodes = len(kind)
    if n_nodes == 0 or n_nodes >= 2**31 or not np.isin(kind, (LEAF, 1, 2)).all():
        raise malformed("there are no nodes, or nodes of an unknown kind")
    inner, cut = np.flatnonzero(kind != LEAF), kind == THRESHOLD_TEST
    among = kind == CATEGORIES
    missing = np.full(n_nodes, -1, dtype=NODE_INDEX)
    missing[inner] = array_from_state(state, "missing_branch", NODE_INDEX, length=len(inner))
    n_children = np.zeros(n_nodes, dtype=NODE_INDEX)
    n_children[cut] = np.where(missing[cut] == 2, 3, 2)
    n_branches = array_from_state(state, "n_branches", NODE_INDEX, length=int(among.sum()))
    if (n_branches < 2).any() or (n_branches > MAX_CATEGORIES + 1).any():
        raise malformed("a test has too few or too many branches")
    n_children[among] = n_branches
    if (missing < EVERY_BRANCH).any() or (missing[inner] >= n_children[inner]).any():
        raise malformed("a missing value's branch is out of range")
    threshold = np.zeros(n_nodes, dtype=THRESHOLD)
    threshold[cut] = array_from_state(state, "threshold", THRESHOLD, length=int(cut.sum()))
    if not (threshold[cut] > -np.inf).all():
        raise malformed("a threshold is not a number")
    feature = np.full(n_nodes, -1, dtype=NODE_INDEX)
    feature[inner] = array_from_state(state, "feature", NODE_INDEX, length=len(inner))
    if (feature[inner] < 0).any() or (feature[inner] >= _MOST_COLUMNS).any():
        raise malformed("a tested column does not exist")
    first_child = np.where(n_children > 0, 0, -1).astype(NODE_INDEX)
    if is_tree:
        first_child = _first_children(n_children, inner)
    return _Shape(kind, feature, threshold, first_child, n_children, missing)


def _first_children(
    n_children: npt.NDArray[np.int32], inner: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Lay families side by side in the order of their parents, who must stand before them."""
    end = 1 + np.cumsum(n_children, dtype=np.int64)
    first = end - n_children
    if end[-1] != len(n_children) or (first[inner] <= inner).any():
        raise malformed("a node has no parent or several")
    return np.where(n_children > 0, first, -1).astype(NODE_INDEX)


def sizes_of_columns(shape: _Shape, schema: Schema) -> npt.NDArray[np.int64]:
    """Check tests against columns; return how many categories each category test has."""
    inner = shape.kind != LEAF
    feature = shape.feature[inner]
    if (feature >= len(schema)).any():
        raise malformed("a tested column does not exist")
    names = [field.type.categories if field.type.kind == "category" else None for field in schema]
    n_names = np.array([-1 if given is None else len(given) for given in names], dtype=np.int64)
    needed = n_names[feature]
    if ((shape.kind[inner] == CATEGORIES) != (needed >= 0)).any():
        raise malformed("a test does not fit its column's kind")
    sizes: npt.NDArray[np.int64] = needed[needed >= 0]
    return sizes


def pool_from_state(
    state: Mapping[str, Any], shape: _Shape, size: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the pool, the branches of each category test in turn, and where each test begins."""
    among = np.flatnonzero(shape.kind == CATEGORIES)
    pool = array_from_state(state, "pool", NODE_INDEX)
    if len(size) != len(among) or (size < 0).any() or len(pool) != size.sum():
        raise malformed("the branches of categories overlap or leave gaps")
    if (pool < EVERY_BRANCH).any() or (pool >= np.repeat(shape.n_children[among], size)).any():
        raise malformed("a category's branch is out of range")
    shares = np.repeat(shape.missing_branch[among] == EVERY_BRANCH, size)
    if (pool[~shares] == EVERY_BRANCH).any():
        raise malformed("a category is shared where missing values are not")
    offset = np.zeros(len(shape.kind), dtype=np.int64)
    offset[among] = np.cumsum(size) - size
    return offset, pool


def scale_from_state(state: Mapping[str, Any], n_outputs: int | None) -> Scale:
    unit = number_from_state(state, "unit")
    if not _LEAST_UNIT <= unit <= 1 or math.frexp(unit)[0] != 0.5:
        raise malformed("a unit of weight is not a power of two from 2^−64 to 1")
    if n_outputs is None:
        return Scale(unit)
    center = numbers_from_state(state, "centre", length=n_outputs)
    bits, exponent = state.get("bits"), state.get("exponent")
    if type(bits) is not int or type(exponent) is not int or not 0 <= bits + exponent <= 62:
        raise malformed("'bits' and 'exponent' are not whole numbers that fit together")
    if abs(exponent) > 1100:
        raise malformed("'exponent' is out of range")
    return Scale(unit, tuple(center.tolist()), bits, exponent)


def _leaves_from_state(
    state: Mapping[str, Any], shape: _Shape, n_classes: int | None, n_outputs: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return what nodes hold, filled in for the leaves alone."""
    leaf = shape.kind == LEAF
    n_leaves, width = int(leaf.sum()), n_classes or 1 + n_outputs
    packed = array_from_state(state, "leaf_content", UNITS, length=n_leaves * width)
    packed = packed.reshape(n_leaves, width)
    units = packed if n_classes is not None else packed[:, :1]
    if (units < 0).any() or (units.sum(axis=1, dtype=np.float64) < 1).any():
        raise malformed("a leaf's weight is not above 0")
    if units.sum(dtype=np.float64) >= _MOST_UNITS:
        raise malformed("leaves weigh more than any table")
    if (
        n_classes is None
        and (np.abs(packed[:, 1:].astype(np.float64)).sum(axis=0) > _MOST_SUM).any()
    ):
        raise malformed("a leaf's sum is out of range")
    content = np.zeros((len(leaf), width), dtype=UNITS)
    content[leaf] = packed
    n_spread = 0 if n_classes is not None else n_outputs
    spread = np.zeros((len(leaf), n_spread))
    if n_spread:
        flat = numbers_from_state(
            state, "leaf_spread", length=n_leaves * n_spread, low=0.0, high=_MOST_SPREAD
        )
        spread[leaf] = flat.reshape(n_leaves, n_spread)
    return content, spread
