"""The packed leaves of a forest: what each holds of its tree's sample.

1. Classes: the units of the first class of all leaves, then those of the second, and so on.
2. Numbers: the units of all leaves, then their sums. The same sums come back in many trees (leaves
   of one row), so the different ones are packed once, in order, and leaves name their places;
   unless that would be longer.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._dtypes import NODE_KIND, UNITS
from branchline._state import array_from_state, malformed
from branchline._trees._coded_trees import starts
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._packing import planes_from_state, to_planes
from branchline._trees._tree_arrays import Scale, values_of
from branchline._trees._tree_state import scale_from_state

__all__ = ["leaves_from_state", "pack_leaves"]

_MOST_UNITS = 2.0**53
_MOST_SUM = 2.0**62
_SUM_BYTES = 8

Longs = npt.NDArray[np.int64]
Wholes = npt.NDArray[Any]


def pack_leaves(forest: ForestArrays) -> dict[str, Any]:
    """Return the values that make up what leaves hold, by name."""
    scale = forest.scale
    if scale.center is None:
        return {
            "leaf_content": to_planes(np.ravel(forest.content.T)),
            "unit": float(scale.unit),
        }
    return {
        "leaf_units": to_planes(forest.content[:, 0]),
        **_pack_sums(np.ravel(forest.content[:, 1:].T)),
        "unit": float(scale.unit),
        "centre": np.array(scale.center),
        "bits": scale.bits,
        "exponent": scale.exponent,
    }


def leaves_from_state(
    state: Mapping[str, Any], n_leaves: Longs, n_classes: int | None, n_outputs: int
) -> tuple[Wholes, Scale]:
    """Return what leaves hold and what that stands for.

    Parameters
    ----------
    state
        The packed values by name.
    n_leaves
        The leaves of each tree.
    n_classes
        The number of classes; None for a regression forest.
    n_outputs
        The number of outputs of a regression forest.
    """
    scale = scale_from_state(state, None if n_classes is not None else n_outputs)
    total = int(n_leaves.sum())
    if n_classes is not None:
        packed = planes_from_state(state, "leaf_content", total * n_classes)
        content = np.ascontiguousarray(packed.reshape(n_classes, total).T)
        units = content
    else:
        units = planes_from_state(state, "leaf_units", total)[:, None]
        sums = _sums_from_state(state, total * n_outputs).reshape(n_outputs, total)
        _check_sums(sums, n_leaves)
        content = np.concatenate([units, sums.T], axis=1, dtype=UNITS, casting="unsafe")
    _check_units(units, n_leaves)
    content = content.astype(UNITS) if content.dtype == np.uint64 else content
    if n_classes is None:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
            is_finite = np.isfinite(values_of(content, scale)).all()
        if not is_finite:
            raise malformed("a leaf's value is not a finite number")
    return content, scale


def _check_units(units: Wholes, n_leaves: Longs) -> None:
    of_leaf = units.sum(axis=1, dtype=np.float64)
    if (of_leaf < 1).any():
        raise malformed("a leaf's weight is not above 0")
    if (np.add.reduceat(of_leaf, starts(n_leaves)[:-1]) >= _MOST_UNITS).any():
        raise malformed("the leaves of a tree weigh more than any table")


def _check_sums(sums: Longs, n_leaves: Longs) -> None:
    of_tree = np.add.reduceat(np.abs(sums.astype(np.float64)), starts(n_leaves)[:-1], axis=1)
    if (of_tree > _MOST_SUM).any():
        raise malformed("a leaf's sum is out of range")


def _pack_sums(sums: Longs) -> dict[str, Any]:
    different, place = np.unique(sums, return_inverse=True)
    planes = to_planes(place)
    if _SUM_BYTES * len(different) + len(planes) >= _SUM_BYTES * len(sums):
        different, planes = sums, planes[:0]
    return {"sum_values": to_planes(different.view(np.uint64), _SUM_BYTES), "sum_place": planes}


def _sums_from_state(state: Mapping[str, Any], length: int) -> Longs:
    packed = array_from_state(state, "sum_values", NODE_KIND)
    n_values = len(packed) // _SUM_BYTES
    values: Longs = planes_from_state(state, "sum_values", n_values, _SUM_BYTES).view(UNITS)
    if n_values == length and len(array_from_state(state, "sum_place", NODE_KIND)) == 0:
        return values
    place = planes_from_state(state, "sum_place", length)
    is_used = np.zeros(n_values, dtype=np.bool_)
    if n_values == 0 or (place >= n_values).any():
        raise malformed("a leaf's sum is not there")
    is_used[place] = True
    if not is_used.all() or (values[1:] <= values[:-1]).any():
        raise malformed("the sums of leaves are not in order, or of no leaf")
    return values[place]
