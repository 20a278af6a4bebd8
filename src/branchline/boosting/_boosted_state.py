"""Packing boosted trees for a model file, and refusing what no fit could have produced."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import array_from_state, malformed, numbers_from_state
from branchline._trees._packing import planes_from_state, to_planes
from branchline._trees._shape_state import (
    n_names_of,
    n_names_of_trees,
    pack_trees,
    trees_from_state,
)
from branchline.boosting._boosted_arrays import BoostedArrays
from branchline.boosting._linear_leaves import pack_terms, unpack_terms
from branchline.table import Schema

__all__ = ["pack_alone", "pack_boosted", "unpack_alone", "unpack_boosted"]

Longs = npt.NDArray[np.int64]

_MOST_EXPONENT = 1100  # no float is beyond 2 to this power


def pack_boosted(trees: BoostedArrays) -> dict[str, Any]:
    """Return the values that make up boosted trees, by name."""
    return {
        **pack_trees(trees),
        "value": to_planes(trees.value.view(np.uint32), 4),
        "cover": to_planes(trees.cover.view(np.uint32), 4),
        "exponent": trees.exponent,
        "initial": trees.initial,
        **pack_terms(trees.terms),
    }


def unpack_boosted(state: Mapping[str, Any], schema: Schema, n_outputs: int) -> BoostedArrays:
    """Rebuild boosted trees, refusing values that no fit could have produced."""
    return _trees_of(state, n_names_of(schema), n_outputs)


def pack_alone(trees: BoostedArrays) -> dict[str, Any]:
    """Return the values that make up trees whose columns are not known."""
    return {**pack_boosted(trees), "n_names": n_names_of_trees(trees)}


def unpack_alone(state: Any) -> BoostedArrays:
    """Rebuild trees whose columns are not known, as ``unpack_boosted`` does."""
    if type(state) is not dict:
        raise malformed("there are no values")
    n_names = array_from_state(state, "n_names", np.dtype(np.int64))
    if len(n_names) == 0:
        raise malformed("there are no columns")
    return _trees_of(state, n_names, np.size(state.get("initial", [])))


def _trees_of(state: Mapping[str, Any], n_names: Longs, n_outputs: int) -> BoostedArrays:
    trees = trees_from_state(state, n_names)
    n_leaves = int(((trees["n_nodes"] + 1) // 2).sum())
    initial = numbers_from_state(state, "initial", length=n_outputs)
    if n_outputs < 1 or len(trees["n_nodes"]) % n_outputs:
        raise malformed("there is not a tree for each output of each round")
    value = _floats_from_state(state, "value", n_leaves)
    cover = _floats_from_state(state, "cover", n_leaves)
    of_tree = np.repeat(np.arange(len(trees["n_nodes"])), (trees["n_nodes"] + 1) // 2)
    if (cover < 0).any() or (np.bincount(of_tree, cover) <= 0).any():
        raise malformed("a tree was grown on no rows")
    exponent = state.get("exponent")
    if type(exponent) is not int or not -_MOST_EXPONENT <= exponent <= _MOST_EXPONENT:
        raise malformed("'exponent' is out of range")
    with np.errstate(over="ignore"):
        if not np.isfinite(np.ldexp(value.astype(np.float64), exponent)).all():
            raise malformed("a leaf adds more than any number")
    terms = unpack_terms(state, n_names, n_leaves)
    return BoostedArrays(
        **trees, value=value, cover=cover, exponent=exponent, initial=initial, terms=terms
    ).ready()


def _floats_from_state(state: Mapping[str, Any], name: str, length: int) -> npt.NDArray[np.float32]:
    values: npt.NDArray[np.float32] = planes_from_state(state, name, length, 4).view(np.float32)
    if not np.isfinite(values).all():
        raise malformed(f"{name!r} has values out of range")
    return values
