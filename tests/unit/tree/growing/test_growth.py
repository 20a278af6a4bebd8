"""From a tree in codes to one of names."""

from dataclasses import replace

import numpy as np
import pytest

from branchline import Table
from branchline._trees._tree_arrays import CATEGORIES
from branchline._validation import check_training_data
from branchline._validation._target import Owner
from branchline.tree import DecisionTreeClassifier, DecisionTreeRegressor
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


@pytest.mark.parametrize("make", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize(
    "settings", [{}, {"lookahead": 2}, {"lookahead": 3}, {"tests": "learned"}, {"tests": "oblique"}]
)
@pytest.mark.parametrize("seed", range(6))
def test_rows_with_missing_cells_reach_the_leaves_they_were_grown_in(make, settings, seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(20, 60))
    columns = {name: rng.normal(size=n_rows).round(1) for name in ("a", "b")}
    for values in columns.values():
        values[rng.random(n_rows) < 0.3] = np.nan
    columns["c"] = [rng.choice(list("uvwx")) if rng.random() < 0.8 else None for _ in range(n_rows)]
    model = make(prune=None, **settings).fit(columns, rng.integers(0, 3, n_rows))
    tree = model.tree_
    rows = tree.content.sum(axis=1) if make is DecisionTreeClassifier else tree.content[:, 0]
    reached = np.bincount(model.apply(columns), minlength=len(rows))
    np.testing.assert_array_equal(reached[tree.is_leaf], rows[tree.is_leaf])
