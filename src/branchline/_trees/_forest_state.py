"""Packing a forest for a model file, and refusing packed forests that no fit could have produced.

Packed is what cannot be worked out from the rest, in the layout that deflates best: shape and tests
(``_shape_state``), and what leaves hold, one class or output after the other (``_leaf_state``). A
forest of two classes takes about 5 bytes a test in the file, and the values of its columns.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import array_from_state, malformed
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._leaf_state import leaves_from_state, pack_leaves
from branchline._trees._shape_state import (
    n_names_of,
    n_names_of_trees,
    pack_trees,
    trees_from_state,
)
from branchline.table import Schema

__all__ = ["pack_alone", "pack_forest", "unpack_alone", "unpack_forest"]

Longs = npt.NDArray[np.int64]


def pack_forest(forest: ForestArrays) -> dict[str, Any]:
    """Return the values that make up a forest, by name."""
    return {**pack_trees(forest), **pack_leaves(forest)}


def unpack_forest(
    state: Mapping[str, Any],
    schema: Schema,
    *,
    n_classes: int | None,
    n_outputs: int = 1,
) -> ForestArrays:
    """Rebuild a forest, refusing values that no fit could have produced.

    Parameters
    ----------
    state
        The packed values by name.
    schema
        The columns the forest was fitted on.
    n_classes
        The number of classes; None for a regression forest.
    n_outputs
        The number of outputs of a regression forest.
    """
    return _forest_of(state, n_names_of(schema), n_classes, n_outputs)


def pack_alone(forest: ForestArrays) -> dict[str, Any]:
    """Return the values that make up a forest whose columns are not known."""
    packed = {**pack_forest(forest), "n_names": n_names_of_trees(forest)}
    return {**packed, "n_classes": forest.content.shape[1] if forest.is_classification else 0}


def unpack_alone(state: Any) -> ForestArrays:
    """Rebuild a forest whose columns are not known, as ``unpack_forest`` does."""
    if type(state) is not dict:
        raise malformed("there are no values")
    n_names = array_from_state(state, "n_names", np.dtype(np.int64))
    n_classes = state.get("n_classes")
    if type(n_classes) is not int or n_classes < 0 or len(n_names) == 0:
        raise malformed("there are no columns, or no number of classes")
    return _forest_of(state, n_names, n_classes or None, np.size(state.get("centre", [])))


def _forest_of(
    state: Mapping[str, Any], n_names: Longs, n_classes: int | None, n_outputs: int
) -> ForestArrays:
    trees = trees_from_state(state, n_names)
    content, scale = leaves_from_state(state, (trees["n_nodes"] + 1) // 2, n_classes, n_outputs)
    return ForestArrays(**trees, content=content, scale=scale).ready()
