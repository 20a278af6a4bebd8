"""Missing values in a fitted tree, treated in another way than it was grown with.

1. "learned": where a test has a branch for missing values, they take it; else the heaviest branch.
2. "majority": they take the heaviest branch of each test.
3. "fractional": they go down every branch, shared by the branches' weights; the answer is the
   average (C4.5).
4. "surrogate": tests of other columns decide (``_surrogates``); what these cannot decide takes the
   heaviest branch.

A category that a test does not know is treated like a missing value. A test that asks only whether
a value is there has an answer for missing values, which no policy changes.
"""

from dataclasses import replace

import numpy as np

from branchline._trees._tree_arrays import CATEGORIES, EVERY_BRANCH, THRESHOLD_TEST, TreeArrays

__all__ = ["MISSING_AT_PREDICTION", "heaviest_branch", "with_policy"]

MISSING_AT_PREDICTION = ("learned", "majority", "fractional", "surrogate")


def heaviest_branch(tree: TreeArrays) -> np.ndarray:
    """Return the branch of each node that holds the most weight; the first of equal ones."""
    heaviest = np.full(tree.n_nodes, -1, dtype=np.int32)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        first = int(tree.first_child[node])
        heaviest[node] = int(np.argmax(tree.weight[first : first + int(tree.n_children[node])]))
    return heaviest


def with_policy(tree: TreeArrays, policy: str) -> TreeArrays:
    """Return the tree with another policy for missing values; "surrogate" is as "majority"."""
    is_presence = (tree.kind == THRESHOLD_TEST) & np.isinf(tree.threshold)
    changes = ~tree.is_leaf & ~is_presence
    if policy == "learned":
        changes &= tree.missing_branch < 0
    if policy == "fractional":
        goes = np.full(tree.n_nodes, EVERY_BRANCH, dtype=np.int32)
    else:
        goes = heaviest_branch(tree)
    missing = np.where(changes, goes, tree.missing_branch).astype(np.int32)
    pool = tree.pool
    for node in np.flatnonzero(tree.kind == CATEGORIES).tolist():
        begin = int(tree.pool_offset[node])
        own = tree._pool_of(np.array([node]))[0]
        if (own < 0).any():
            pool = pool.copy() if pool is tree.pool else pool
            pool[begin : begin + len(own)] = np.where(own < 0, missing[node], own)
    return replace(tree, missing_branch=missing, pool=pool)
