"""Surrogate tests in a model file, and refusing those that no fit could have produced."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from branchline._dtypes import NODE_INDEX
from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._trees._tree_arrays import TreeArrays
from branchline.table import Schema
from branchline.tree.missing._surrogates import Surrogate, Surrogates

__all__ = [
    "pack_surrogates",
    "surrogates_from_list",
    "surrogates_to_list",
    "unpack_surrogates",
]

_PREFIX = "surrogate_"


def pack_surrogates(surrogates: Surrogates) -> dict[str, Any]:
    """Return the values that make up surrogate tests, by name."""
    tests = list(surrogates)
    cuts = [np.inf if each.threshold is None else each.threshold for each in tests]
    pools = [each.branches for each in tests]
    return {
        f"{_PREFIX}node": np.array([each.node for each in tests], dtype=NODE_INDEX),
        f"{_PREFIX}column": np.array([each.column for each in tests], dtype=NODE_INDEX),
        f"{_PREFIX}threshold": np.array(cuts, dtype=np.float64),
        f"{_PREFIX}branches": np.concatenate(pools) if pools else np.empty(0, dtype=NODE_INDEX),
        f"{_PREFIX}agree": np.array([each.agree for each in tests], dtype=np.float64),
        f"{_PREFIX}adj": np.array([each.adj for each in tests], dtype=np.float64),
    }


def unpack_surrogates(
    state: Mapping[str, Any], tree: TreeArrays, schema: Schema
) -> Surrogates | None:
    """Return the surrogate tests of a packed model; None when it has none."""
    if f"{_PREFIX}node" not in state:
        return None
    node = array_from_state(state, f"{_PREFIX}node", NODE_INDEX)
    n_tests = len(node)
    column = array_from_state(state, f"{_PREFIX}column", NODE_INDEX, length=n_tests)
    cut = array_from_state(state, f"{_PREFIX}threshold", np.dtype(np.float64), length=n_tests)
    pool = array_from_state(state, f"{_PREFIX}branches", NODE_INDEX)
    agree, adj = (
        numbers_from_state(state, f"{_PREFIX}{name}", length=n_tests, low=0.0, high=1.0)
        for name in ("agree", "adj")
    )
    if (node < 0).any() or (node >= tree.n_nodes).any() or (np.diff(node) < 0).any():
        raise malformed("a surrogate test belongs to no node")
    if (column < 0).any() or (column >= len(schema)).any() or tree.is_leaf[node].any():
        raise malformed("a surrogate test has no column, or belongs to a leaf")
    found: dict[int, list[Surrogate]] = {}
    begin = 0
    for at in range(n_tests):
        names = schema.fields[int(column[at])].type.categories
        size, threshold = (2, float(cut[at])) if names is None else (len(names), None)
        branches = pool[begin : begin + size]
        begin += size
        _check_test(branches, size, threshold, int(tree.n_children[node[at]]))
        test = Surrogate(
            int(node[at]), int(column[at]), threshold, branches, float(agree[at]), float(adj[at])
        )
        found.setdefault(test.node, []).append(test)
    if begin != len(pool):
        raise malformed("the branches of surrogate tests overlap or leave gaps")
    return Surrogates({place: tuple(tests) for place, tests in found.items()})


def surrogates_to_list(surrogates: Surrogates, schema: Schema) -> list[dict[str, Any]]:
    """Return surrogate tests as plain data, ready for JSON."""
    return [
        {
            "node": each.node,
            "column": schema.names[each.column],
            "test": each.words(schema),
            "threshold": each.threshold,
            "branches": each.branches.tolist(),
            "agree": each.agree,
            "adj": each.adj,
        }
        for each in surrogates
    ]


def surrogates_from_list(given: Any, tree: TreeArrays, schema: Schema) -> Surrogates | None:
    """Return what ``surrogates_to_list`` wrote, checked as in a model file."""
    if given is None:
        return None
    try:
        tests = [
            Surrogate(
                each["node"],
                schema.position[each["column"]],
                each["threshold"],
                np.array(each["branches"], dtype=NODE_INDEX),
                float(each["agree"]),
                float(each["adj"]),
            )
            for each in given
        ]
        found: dict[int, tuple[Surrogate, ...]] = {}
        for test in tests:
            found[test.node] = (*found.get(test.node, ()), test)
        return unpack_surrogates(pack_surrogates(Surrogates(found)), tree, schema)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise malformed("the surrogate tests are not as a tree writes them") from error


def _check_test(branches: Any, size: int, threshold: float | None, n_branches: int) -> None:
    least = -1 if threshold is None else 0
    if len(branches) != size or (branches < least).any() or (branches >= n_branches).any():
        raise malformed("the branches of a surrogate test are out of range")
    if threshold is not None and not np.isfinite(threshold):
        raise malformed("the threshold of a surrogate test is not a number")
