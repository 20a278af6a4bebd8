"""From a tree in codes to one of names."""

from dataclasses import replace

import numpy as np

from branchline import Table
from branchline._trees._tree_arrays import CATEGORIES
from branchline._validation import check_training_data
from branchline._validation._target import Owner
from branchline.tree.growing._growth import begin_growth
from branchline.tree.growing._native_columns import native_columns
from branchline.tree.growing._tree_settings import TreeSettings

N_NAMES = 9


def growth():
    """Return the growth of a table whose first column has nine names but five codes."""
    rng = np.random.default_rng(0)
    names = rng.integers(0, N_NAMES, 400)
    X = Table({"c": [f"n{name}" for name in names], "x": rng.normal(size=400)})
    y = (names % 3 + rng.normal(size=400) > 1).astype(int)
    data = check_training_data(X, y, None, task="classification", owner=Owner("tree", None))
    made = begin_growth(data, TreeSettings(prune=None, criterion="gini"), 1, None)
    pooling = np.array([0, 4, 1, 4, 2, 4, 3, 4, 4], dtype=np.int32)
    codes = made.codes
    columns = (pooling[codes.columns[0].astype(int) - 1].astype(np.uint8) + 1, codes.columns[1])
    n_codes = np.array([5, codes.n_codes[1]])
    pooled = replace(codes, columns=columns, n_codes=n_codes, pooling=(pooling, None))
    native = native_columns(made.data, pooled, made.settings)
    return replace(made, codes=pooled, columns=native), pooling


class TestNames:
    def test_each_name_has_the_branch_of_its_code(self):
        made, pooling = growth()
        tree = made.to_pooled(made.grow(made.whole))
        named = made.named(tree)
        tests = np.flatnonzero(tree.kind == CATEGORIES)
        assert len(tests) > 2
        for node in tests:
            of_codes = tree.pool[tree.pool_offset[node] :][:5]
            of_names = named.pool[named.pool_offset[node] :][:N_NAMES]
            assert of_names.tolist() == of_codes[pooling].tolist()
        assert len(named.pool) == N_NAMES * len(tests)

    def test_names_may_be_given_before_or_after_pruning(self):
        made, _ = growth()
        tree = made.to_pooled(made.grow(made.whole))
        collapse = np.random.default_rng(1).random(tree.n_nodes) < 0.1
        collapse[0] = False
        before, after = made.named(tree).pruned(collapse), made.named(tree.pruned(collapse))
        assert (before.kind == CATEGORIES).any()
        for name in ("kind", "feature", "threshold", "pool_offset", "pool", "content"):
            assert getattr(before, name).tolist() == getattr(after, name).tolist()
