"""One tree of a forest as an estimator of its own, with the parameters that both have."""

from dataclasses import replace
from typing import Any

import numpy as np

from branchline._state import column_attributes
from branchline._trees._counts import losses_between_leaves
from branchline._trees._node_losses import NodeLosses
from branchline.errors import ParameterError

__all__ = ["single_tree"]

_SHARED = (
    "criterion",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_split",
    "min_samples_leaf",
    "min_gain",
)


def single_tree(forest: Any, kind: type[Any], number: Any, **fitted: Any) -> Any:
    """Return a tree of a fitted forest.

    Parameters
    ----------
    forest
        The fitted forest.
    kind
        The class of the tree.
    number
        Which tree, from 0.
    **fitted
        Further fitted attributes of the tree.
    """
    forest._check_fitted()
    n_trees = forest.forest_.n_trees
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or not 0 <= number < n_trees:
        raise ParameterError(
            f"The forest has trees 0 to {n_trees - 1}; there is no {number!r}.",
            code="P144",
            values=[number],
        )
    shared = {name: getattr(forest, name) for name in _SHARED}
    model = kind(**shared, prune=None, n_jobs=forest.n_jobs)
    tree = forest.forest_.tree(int(number))
    if forest.criterion == "poisson":
        tree = replace(tree, losses=NodeLosses("poisson", losses_between_leaves(tree), None))
    model.__dict__.update(column_attributes(forest.schema_), tree_=tree, **fitted)
    return model
