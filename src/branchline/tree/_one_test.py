"""Finding one test and turning it into a tree of a root and its branches."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._dtypes import NODE_INDEX, NODE_KIND, POOL_OFFSET, THRESHOLD
from branchline.tree._tree_arrays import CATEGORIES, LEAF, THRESHOLD_TEST, TreeArrays

__all__ = ["CRITERIA", "NO_GAIN", "grow_one_test"]

# The numbers of branchline::Criterion in find_test.hpp.
CRITERIA = {"gini": 0, "entropy": 1, "misclassification": 2, "variance": 3}

# A test whose gain is not above this is no test at all.
NO_GAIN = 1e-12

NodeOfRow: TypeAlias = npt.NDArray[np.int32]
Summary: TypeAlias = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def grow_one_test(
    codes: Codes,
    target: _core.SearchTarget,
    options: _core.SearchOptions,
    summarise: Callable[[NodeOfRow, int], Summary],
) -> TreeArrays:
    """Return the tree of the best test, or a single leaf when no test improves the criterion.

    Parameters
    ----------
    codes
        The coded table.
    target, options
        What to search for; see find_test.hpp.
    summarise
        Given each row's branch (0, 1, …) and their number, returns each one's weight and value.
    """
    found = _core.find_test(list(codes.columns), codes.n_codes, codes.is_category, target, options)
    everything = summarise(np.zeros(codes.n_rows, dtype=NODE_INDEX), 1)
    if found.column < 0 or found.gain <= NO_GAIN:
        return _assemble(None, codes, everything)
    branches = summarise(_branch_of_row(found, codes), found.n_branches)
    weight = np.concatenate([everything[0], branches[0]])
    value = np.concatenate([everything[1], branches[1]])
    return _assemble(found, codes, (weight, value))


def _branch_of_row(found: _core.FoundTest, codes: Codes) -> NodeOfRow:
    branch_of_code = found.branch_of_code
    branch_of_code[0] = found.missing_branch
    branches: NodeOfRow = branch_of_code[codes.columns[found.column]]
    return branches


def _assemble(found: _core.FoundTest | None, codes: Codes, summary: Summary) -> TreeArrays:
    n_branches = 0 if found is None else found.n_branches
    weight, value = summary

    def at_root(of_root: Any, of_leaf: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        return np.array([of_leaf if found is None else of_root, *[of_leaf] * n_branches], dtype)

    pool = np.empty(0, NODE_INDEX) if found is None else _pool(found, codes)
    return TreeArrays(
        kind=at_root(_kind(found), LEAF, NODE_KIND),
        feature=at_root(found.column if found else -1, -1, NODE_INDEX),
        threshold=at_root(_threshold(found, codes) if found else 0.0, 0.0, THRESHOLD),
        first_child=at_root(1, -1, NODE_INDEX),
        n_children=at_root(n_branches, 0, NODE_INDEX),
        missing_branch=at_root(found.missing_branch if found else -1, -1, NODE_INDEX),
        pool_offset=at_root(0, 0, POOL_OFFSET),
        pool=pool,
        weight=weight,
        value=value,
    )


def _kind(found: _core.FoundTest | None) -> int:
    if found is None:
        return LEAF
    return THRESHOLD_TEST if found.is_threshold else CATEGORIES


def _threshold(found: _core.FoundTest, codes: Codes) -> float:
    """Return the midpoint between the neighbouring values that go apart."""
    if not found.is_threshold:
        return 0.0
    if found.right_code == 0:
        return np.inf
    left = float(codes.highest[found.column][found.left_code - 1])
    right = float(codes.lowest[found.column][found.right_code - 1])
    middle = left / 2 + right / 2
    return middle if left <= middle < right else left


def _pool(found: _core.FoundTest, codes: Codes) -> npt.NDArray[np.int32]:
    """Return the branch of each category, those of pooled names included."""
    if found.is_threshold:
        return np.empty(0, NODE_INDEX)
    branch_of_code = found.branch_of_code[1:]
    pooling = codes.pooling[found.column]
    return branch_of_code if pooling is None else branch_of_code[pooling]
