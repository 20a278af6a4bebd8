"""Packing a graph for a model file, and refusing packed graphs that no fit could have produced.

1. Packed are the tests, the nodes that their branches lead to, what the root holds, and what the
   rows hold that take the first branch of each test. What other nodes hold follows.
2. Refused are cycles (a branch must lead to a later node), nodes that no branch leads to, branches
   without rows or with more rows than their node has, and tests that do not fit their columns.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import NODE_INDEX, UNITS
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._trees._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, Scale
from branchline._trees._tree_state import (
    pool_from_state,
    scale_from_state,
    shape_from_state,
    sizes_of_columns,
)
from branchline.table import Schema
from branchline.tree.graph._graph_arrays import GraphArrays, GraphNodes, flows

__all__ = ["pack_alone", "pack_graph", "unpack_alone", "unpack_graph"]

_MOST_UNITS, _MOST_SUM = 2.0**53, 2.0**62
Units = npt.NDArray[np.int64]


def pack_graph(graph: GraphArrays) -> dict[str, Any]:
    """Return the values that make up a graph, by name."""
    nodes, inner = graph.nodes, ~graph.nodes.is_leaf
    packed: dict[str, Any] = {
        "kind": nodes.kind,
        "feature": nodes.feature[inner],
        "threshold": nodes.threshold[nodes.kind == THRESHOLD_TEST],
        "missing_branch": nodes.missing_branch[inner],
        "n_branches": nodes.n_children[nodes.kind == CATEGORIES],
        "pool": nodes.pool.astype(NODE_INDEX),
        "children": np.ravel(graph.children[inner]),
        "root": nodes.content[0],
        "first_branch": np.ravel(graph.first_branch[inner]),
        "unit": float(nodes.scale.unit),
    }
    if nodes.scale.center is not None:
        packed["spread"] = np.ravel(nodes.spread)
        packed["centre"] = np.array(nodes.scale.center)
        packed |= {"bits": nodes.scale.bits, "exponent": nodes.scale.exponent}
    return packed


def unpack_graph(
    state: Mapping[str, Any], schema: Schema, *, n_classes: int | None, n_outputs: int = 1
) -> GraphArrays:
    """Rebuild a graph, refusing values that no fit could have produced.

    Parameters
    ----------
    state
        The packed values by name.
    schema
        The columns the graph was fitted on.
    n_classes, n_outputs
        The number of classes (None for numbers), or of outputs.
    """
    shape = shape_from_state(state, is_tree=False)
    return _graph_of(state, shape, sizes_of_columns(shape, schema), n_classes, n_outputs)


def pack_alone(graph: GraphArrays) -> dict[str, Any]:
    """Return the values that make up a graph whose columns are not known."""
    begin = graph.nodes.pool_offset[graph.nodes.kind == CATEGORIES]
    return {**pack_graph(graph), "pool_size": np.diff(begin, append=len(graph.nodes.pool))}


def unpack_alone(state: Any) -> GraphArrays:
    """Rebuild a graph whose columns are not known, as ``unpack_graph`` does."""
    if type(state) is not dict:
        raise malformed("there are no values")
    shape = shape_from_state(state, is_tree=False)
    size = array_from_state(state, "pool_size", np.dtype(np.int64))
    width = len(array_from_state(state, "root", UNITS))
    if "centre" in state:
        return _graph_of(state, shape, size, None, width - 1)
    return _graph_of(state, shape, size, width, 0)


def _graph_of(
    state: Mapping[str, Any],
    shape: Any,
    pool_size: npt.NDArray[np.int64],
    n_classes: int | None,
    n_outputs: int,
) -> GraphArrays:
    if (shape.n_children > 2).any() or (shape.missing_branch[shape.kind != LEAF] < 0).any():
        raise malformed("a test of a graph has not two branches, one of them for missing values")
    pool_offset, pool = pool_from_state(state, shape, pool_size)
    if (pool < 0).any():
        raise malformed("a category has no branch")
    children = _children(state, shape.kind)
    scale = scale_from_state(state, None if n_classes is not None else n_outputs)
    width = n_classes if n_classes is not None else 1 + n_outputs
    first, content = _contents(state, children, width, is_classes=n_classes is not None)
    nodes = GraphNodes(
        kind=shape.kind,
        feature=shape.feature,
        threshold=shape.threshold,
        first_child=shape.first_child,
        n_children=shape.n_children,
        missing_branch=shape.missing_branch,
        pool_offset=pool_offset,
        pool=pool,
        content=content,
        spread=_spread(state, len(children), 0 if n_classes is not None else n_outputs, scale),
        scale=scale,
    )
    if not np.isfinite(nodes.value).all():
        raise malformed("a node's value is not a finite number")
    return GraphArrays(nodes, children, first)


def _children(state: Mapping[str, Any], kind: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """Return the nodes that branches lead to: later ones, and each of them is led to."""
    inner = np.flatnonzero(kind != LEAF)
    given = array_from_state(state, "children", NODE_INDEX, length=2 * len(inner)).reshape(-1, 2)
    if (given <= inner[:, None]).any() or (given >= len(kind)).any():
        raise malformed("a branch does not lead to a later node, so there may be a cycle")
    if (given[:, 0] == given[:, 1]).any():
        raise malformed("both branches of a test lead to one node")
    if len(np.unique(given)) != len(kind) - 1:
        raise malformed("no branch leads to some node")
    children = np.full((len(kind), 2), -1, dtype=NODE_INDEX)
    children[inner] = given
    return children


def _contents(
    state: Mapping[str, Any], children: npt.NDArray[np.int32], width: int, *, is_classes: bool
) -> tuple[Units, Units]:
    """Return what first branches and all nodes hold; every branch must have rows."""
    inner = np.flatnonzero(children[:, 0] >= 0)
    root = array_from_state(state, "root", UNITS, length=width)
    packed = array_from_state(state, "first_branch", UNITS, length=len(inner) * width)
    first = np.zeros((len(children), width), dtype=UNITS)
    first[inner] = packed.reshape(-1, width)
    columns = slice(None) if is_classes else slice(0, 1)
    if (root[columns] < 0).any() or not 1 <= root[columns].sum(dtype=np.float64) < _MOST_UNITS:
        raise malformed("the root holds no rows, or more than any table has")
    if (np.abs(root.astype(np.float64)) > _MOST_SUM).any():
        raise malformed("a sum is out of range")
    if (np.abs(first.astype(np.float64)) > _MOST_SUM).any():
        raise malformed("a sum is out of range")
    content = flows(children, first, root)
    taken, left = first[inner][:, columns], (content - first)[inner][:, columns]
    if (taken < 0).any() or (left < 0).any():
        raise malformed("a branch has more rows than its node")
    if (taken.sum(axis=1) < 1).any() or (left.sum(axis=1) < 1).any():
        raise malformed("a branch has no rows")
    return first, content


def _spread(
    state: Mapping[str, Any], n_nodes: int, n_outputs: int, scale: Scale
) -> npt.NDArray[np.float64]:
    if scale.center is None:
        return np.zeros((n_nodes, 0))
    flat = numbers_from_state(state, "spread", length=n_nodes * n_outputs, low=0.0, high=2.0**55)
    return flat.reshape(n_nodes, n_outputs)
