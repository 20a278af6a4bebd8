"""Growing a linear tree: in each node the test whose two branches have the best linear models.

1. The native finder (``native/include/branchline/linear_test.hpp``) adds the products of terms and
   target up by code, and compares all tests of all columns by the errors of ridge models on both
   sides. Of many terms it uses those that matter most in the node, and the tested column's own.
2. Nodes are split level by level until a limit is reached or no test has two large enough sides.
3. The tests become the arrays of every tree of the library, with exact sums in the nodes.

``grow_by="variance"`` uses the grower of plain regression trees instead.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._arrays import Floats
from branchline._codes import Codes, fit_codes
from branchline._dtypes import UNITS
from branchline._fixed_point import fixed_point
from branchline._trees._growing_columns import RowsOfColumns, growing_columns
from branchline._trees._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, Scale, TreeArrays
from branchline._trees._tree_state import fill_inner_nodes
from branchline._validation import TrainingData
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._tree_settings import TreeSettings
from branchline.tree.leaves._linear_rows import LinearRows
from branchline.tree.leaves._node_models import ridge_of_rows

__all__ = ["GrowthLimits", "grow_by_linear_models", "grow_by_variance"]

Nodes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.uint32]

# Terms that take part in comparing tests; beyond that, those of the largest weights in the node.
_MOST_COMPARED = 12
# A category must have this many rows in a node to be told from others; the rest go with missing.
_LEAST_CATEGORY = 5.0
# Tests are compared by models with at least this ridge penalty: steadier on few rows.
_STEADY = 0.01
# Nodes of fewer cells than this are searched by one thread: starting others takes longer.
_CELLS_FOR_THREADS = 2**15


@dataclass(frozen=True)
class GrowthLimits:
    """When growing ends; the parameters of ``LinearTreeRegressor``."""

    max_depth: int | None
    min_samples_leaf: int
    max_bins: int
    alpha: float
    n_threads: int


@dataclass
class _Node:
    rows: Rows
    depth: int
    test: _core.LinearTest | None = None
    first_child: int = -1


def grow_by_linear_models(rows: LinearRows, limits: GrowthLimits) -> TreeArrays:
    """Return the tree whose tests were chosen by the linear models of their branches."""
    codes, packed = rows.coded(limits.max_bins, limits.n_threads)
    table = rows.table(codes, packed)
    nodes = [_Node(np.arange(rows.n_rows, dtype=np.uint32), 0)]
    for node in nodes:  # children are appended, so levels follow one another
        test = _best_test(rows, table, node, limits, packed.shape[0])
        if test is None:
            continue
        goes_left = _goes_left(test, packed[test.column][node.rows], codes)
        node.test, node.first_child = test, len(nodes)
        nodes.append(_Node(node.rows[goes_left], node.depth + 1))
        nodes.append(_Node(node.rows[~goes_left], node.depth + 1))
    return _to_arrays(rows.data, codes, nodes)


def _best_test(
    rows: LinearRows, table: _core.LinearTable, node: _Node, limits: GrowthLimits, n_columns: int
) -> _core.LinearTest | None:
    weight = float(rows.weight[node.rows].sum())
    is_deep = limits.max_depth is not None and node.depth >= limits.max_depth
    if is_deep or weight < 2 * limits.min_samples_leaf:
        return None
    many = len(node.rows) * n_columns >= _CELLS_FOR_THREADS
    options = _core.LinearTestOptions(
        max(limits.alpha, _STEADY),
        float(limits.min_samples_leaf),
        max(_LEAST_CATEGORY, 2.0 * len(rows.places) ** 0.5),
        limits.n_threads if many else 1,
    )
    test = _core.find_linear_test(table, node.rows, _compared(rows, node, limits.alpha), options)
    return test if test.column >= 0 and test.error < test.node_error else None


def _compared(rows: LinearRows, node: _Node, alpha: float) -> npt.NDArray[np.int32]:
    """Return the terms by which tests of a node are compared."""
    n_terms = len(rows.places)
    if n_terms <= _MOST_COMPARED:
        return np.arange(n_terms, dtype=np.int32)
    terms = rows.terms[node.rows]
    weights = ridge_of_rows(terms, rows.target[node.rows], rows.weight[node.rows], alpha)
    strength = np.abs(weights) * terms.std(axis=0)
    return np.sort(np.argsort(-strength, kind="stable")[:_MOST_COMPARED]).astype(np.int32)


def _goes_left(
    test: _core.LinearTest, code: npt.NDArray[np.uint16], codes: Codes
) -> npt.NDArray[np.bool_]:
    if codes.is_category[test.column]:
        side = _sides_of_categories(test, int(codes.n_codes[test.column]))
        left: npt.NDArray[np.bool_] = side[code] == 0
        return left
    return np.where(code == 0, test.missing_left, code <= test.left_code)


def _sides_of_categories(test: _core.LinearTest, n_codes: int) -> Nodes:
    """Return the branch of each code, 0 (missing) first.

    Categories that are rare in the node, or absent, go where missing values go.
    """
    side = np.full(n_codes + 1, 0 if test.missing_left else 1, dtype=np.int32)
    side[test.right_categories] = 1
    side[test.left_categories] = 0
    return side


# -- from nodes to arrays -----------------------------------------------------------------------


def _to_arrays(data: TrainingData, codes: Codes, nodes: list[_Node]) -> TreeArrays:
    n_nodes = len(nodes)
    kind = np.full(n_nodes, LEAF, dtype=np.uint8)
    feature, first_child, missing = (np.full(n_nodes, -1, dtype=np.int32) for _ in range(3))
    threshold, offset = np.zeros(n_nodes), np.zeros(n_nodes, dtype=np.int64)
    pools: list[Nodes] = []
    n_pooled = 0
    for place, node in enumerate(nodes):
        test = node.test
        if test is None:
            continue
        feature[place], first_child[place] = test.column, node.first_child
        missing[place] = 0 if test.missing_left else 1
        if codes.is_category[test.column]:
            kind[place], offset[place] = CATEGORIES, n_pooled
            pools.append(_pool(test, codes))
            n_pooled += len(pools[-1])
        else:
            kind[place] = THRESHOLD_TEST
            threshold[place] = _threshold(test, codes)
    n_children = np.where(kind == LEAF, 0, 2).astype(np.int32)
    leaf_of_row = np.zeros(data.table.n_rows, dtype=np.int64)
    for place, node in enumerate(nodes):
        if node.test is None:
            leaf_of_row[node.rows] = place
    content, spread, scale = _contents(data, leaf_of_row, first_child, n_children)
    return TreeArrays(
        kind=kind,
        feature=feature,
        threshold=threshold,
        first_child=first_child,
        n_children=n_children,
        missing_branch=missing,
        pool_offset=offset,
        pool=np.concatenate(pools) if pools else np.empty(0, dtype=np.int32),
        content=content,
        spread=spread,
        scale=scale,
    )


def _pool(test: _core.LinearTest, codes: Codes) -> Nodes:
    side = _sides_of_categories(test, int(codes.n_codes[test.column]))[1:]
    pooling = codes.pooling[test.column]
    return side if pooling is None else side[pooling]


def _threshold(test: _core.LinearTest, codes: Codes) -> float:
    """Return the middle between the values that go apart; +inf when only missing ones do."""
    if test.right_code == 0:
        return np.inf
    left = float(codes.highest[test.column][test.left_code - 1])
    right = float(codes.lowest[test.column][test.right_code - 1])
    middle = left / 2 + right / 2
    return middle if left <= middle < right else left


def _contents(
    data: TrainingData, leaf_of_row: npt.NDArray[np.int64], first_child: Nodes, n_children: Nodes
) -> tuple[npt.NDArray[np.int64], Floats, Scale]:
    """Return what nodes hold of the target: exact sums, and sums of squared deviations."""
    values = data.number_target.matrix
    numbers = fixed_point(values, data.weights)
    scale = Scale(data.weights.unit, numbers.center, numbers.bits, numbers.exponent)
    n_nodes, n_rows = len(first_child), len(values)
    units = data.weights.units
    content = np.zeros((n_nodes, 2), dtype=UNITS)
    np.add.at(content[:, 0], leaf_of_row, np.ones(n_rows, dtype=UNITS) if units is None else units)
    np.add.at(content[:, 1], leaf_of_row, numbers.sums[:, 0])
    weight = data.weights.of_rows(n_rows)
    scaled = np.ldexp(values[:, 0] - numbers.center[0], -numbers.exponent)
    total = np.bincount(leaf_of_row, weight, n_nodes)
    mean = np.bincount(leaf_of_row, weight * scaled, n_nodes) / np.where(total > 0, total, 1.0)
    squares = weight * (scaled - mean[leaf_of_row]) ** 2
    spread: Floats = np.bincount(leaf_of_row, squares, n_nodes).astype(np.float64)
    filled = fill_inner_nodes(content, spread[:, None], first_child, n_children, scale)
    return content, filled, scale


# -- by variance --------------------------------------------------------------------------------


def grow_by_variance(rows: LinearRows, limits: GrowthLimits, min_deviation: float) -> TreeArrays:
    """Return the plain regression tree of the rows, not pruned.

    Nodes whose standard deviation is below ``min_deviation`` times that of all rows are leaves.
    """
    total = rows.weight.sum()
    mean = rows.weight @ rows.target / total
    with np.errstate(over="ignore", under="ignore"):
        scaled = rows.weight @ (rows.target - mean) ** 2 / total
        variance = float(np.ldexp(scaled, 2 * rows.exponent))
    settings: dict[str, Any] = {
        "criterion": "variance",
        "max_depth": limits.max_depth,
        "min_samples_leaf": limits.min_samples_leaf,
        "min_impurity": min(min_deviation**2 * variance, 1e300),
        "correct_for_chance": False,
        "prune": None,
    }
    tree_settings = TreeSettings.from_parameters(settings)
    data, places = _columns_by_content(rows.data)
    growth = begin_growth(data, tree_settings, limits.n_threads, None)
    tree = growth.to_arrays(growth.grow(growth.whole))
    feature = np.where(tree.feature < 0, -1, places[tree.feature])
    return replace(tree, feature=feature.astype(tree.feature.dtype))


def _columns_by_content(data: TrainingData) -> tuple[TrainingData, npt.NDArray[np.int64]]:
    """Return the columns that vary in an order of their own, and the place of each in the table.

    So of two columns that separate rows equally well, the choice does not depend on their order.
    """
    table, units = data.table, data.weights.units
    codes = fit_codes(table, units=units)
    words = RowsOfColumns(data.number_target.matrix[:, 0], units)
    places = growing_columns(table, codes, rows=words).places
    chosen = table.select([table.names[place] for place in places.tolist()])
    return replace(data, table=chosen), places
