"""Everything one can read in a tree that loads: arrays, words, rules, paths, tables, drawings."""

import json
from typing import Any

import numpy as np

from branchline import Table

__all__ = ["read_tree", "use_tree"]

# Drawings, rules and tables are made of trees of so many nodes; they take their time.
FEW_NODES = 100


def use_tree(tree: Any) -> None:
    """Look at everything a tree's arrays say; what follows from the rest must follow."""
    inner = np.flatnonzero(~tree.is_leaf)
    assert tree.n_nodes == len(tree.parent) == len(tree.depth) == tree.n_leaves + len(inner)
    assert tree.max_depth < tree.n_nodes
    assert (np.concatenate(tree.levels()) == np.arange(tree.n_nodes)).all()
    assert (tree.depth[1:] == tree.depth[tree.parent[1:]] + 1).all()
    below = np.zeros_like(tree.content)
    np.add.at(below, tree.parent[1:], tree.content[1:])
    assert (below[inner] == tree.content[inner]).all(), "a node is not the sum of its children"
    assert (tree.weight > 0).all()
    assert np.isfinite(tree.value).all()
    assert tree.spread.shape == tree.variance.shape
    assert np.isfinite(tree.variance).all()
    assert (tree.variance >= 0).all()
    if tree.is_classification:
        assert (tree.value >= 0).all()
        np.testing.assert_allclose(tree.value.sum(axis=1), 1, atol=1e-9)


def read_tree(model: Any, rows: Table) -> None:
    """Read a tree in every way: words, rules, paths, tables, drawings."""
    tree = model.tree_
    assert len(model.used_columns_) <= model.n_features_in_
    if not hasattr(model, "entropy_"):  # leaves that are models have no counts of their own
        assert str(model.path(rows)).encode("utf-8")
        assert str(model.draw()).encode("utf-8")
        return
    assert np.isfinite(model.entropy_)
    importances = model.feature_importances_
    assert np.isfinite(importances).all()
    assert importances.sum() < 1 + 1e-9
    if hasattr(model, "decision_"):
        assert ((model.decision_ >= 0) & (model.decision_ < len(model.classes_))).all()
    if hasattr(model, "pruning_path_"):
        path = model.pruning_path_
        assert repr(path).encode("utf-8")
        assert len(path.to_pandas()) > path.chosen
        assert path.n_leaves[path.chosen] == model.get_n_leaves()
    if tree.n_nodes > FEW_NODES:
        return
    assert 1 <= len(model.rules()) <= 2 * tree.n_nodes
    assert str(model.path(rows)).encode("utf-8")
    assert len(model.to_frame()) == tree.n_nodes
    again = type(model).from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.tree_.n_nodes == tree.n_nodes
    assert str(model.draw()).encode("utf-8")
