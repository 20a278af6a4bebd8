"""Quantiles of a forest: what rows in the leaves of a row had as targets (Meinshausen, 2006).

1. Each leaf remembers the targets of its tree's sample: ranks among all different targets, in
   order, each with how many units it has there.
2. A row gets from each of T trees the weight 1/T, spread over the targets of its leaf by units.
3. The quantile at p is the smallest target whose weight, together with that of all smaller ones, is
   at least p. Sums may fall short of p by 1e−12, so that rounding does not decide.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._state import array_from_state, malformed
from branchline._trees._coded_trees import starts
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._packing import narrowed, narrowest, planes_from_state, to_planes

__all__ = ["LeafTargets", "leaf_targets", "pack_leaf_targets", "quantiles", "unpack_leaf_targets"]

_SLACK = 1e-12
_BLOCK_ENTRIES = 2**20
_MOST_ENTRIES = 2.0**40
_FLOAT_BYTES = 8
_BYTE = np.dtype(np.uint8)

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]
Wholes = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class LeafTargets:
    """The targets in each leaf of a forest.

    Parameters
    ----------
    values
        The different targets, in order.
    offset
        Where each leaf's entries begin, and after the last leaf their number.
    place
        For each entry the place of its target in ``values``; in order within a leaf, none twice.
    times
        For each entry its units: how often the target is in the leaf, times the rows' units.
    """

    values: Floats
    offset: Longs
    place: Wholes
    times: Wholes


def leaf_targets(
    forest: ForestArrays,
    leaf_of_row: Nodes,
    counts_of_tree: Callable[[int], npt.NDArray[np.uint32]],
    targets: Floats,
    units: Longs | None = None,
) -> LeafTargets:
    """Return the targets that each leaf has of its tree's sample.

    Parameters
    ----------
    forest
        The fitted forest, of one output.
    leaf_of_row
        The node of each training row (a row each) in each tree (a column each).
    counts_of_tree
        For a tree how often its sample holds each row.
    targets
        The target of each row.
    units
        What a row counts each time it is drawn; None: one unit. Weights that are copies are in the
        counts already.
    """
    values, rank = np.unique(targets, return_inverse=True)
    numbers = forest.leaf_numbers(leaf_of_row)
    sizes, places, times = [], [], []
    for tree in range(forest.n_trees):
        held = counts_of_tree(tree).astype(np.int64) * (1 if units is None else units)
        rows = np.flatnonzero(held)
        leaf = numbers[rows, tree] - forest.first_leaf[tree]
        entry, which = np.unique(leaf * len(values) + rank[rows], return_inverse=True)
        sizes.append(np.bincount(entry // len(values), minlength=forest.n_leaves[tree]))
        places.append(narrowed(entry % len(values)))
        # Floats add up whole numbers exactly: a table has less than 2^53 units.
        times.append(narrowed(np.bincount(which, held[rows]).astype(np.int64)))
    offset = starts(np.concatenate(sizes))
    return LeafTargets(values, offset, np.concatenate(places), np.concatenate(times))


def quantiles(
    forest: ForestArrays, targets: LeafTargets, leaves: Nodes, probabilities: Sequence[float]
) -> Floats:
    """Return the quantiles of each row: a row each, a column for each probability.

    Cost: a sort of the entries in the leaves of each row, or a count of all targets where these
    are fewer. A row's quantiles do not depend on the other rows.

    Parameters
    ----------
    forest
        The fitted forest.
    targets
        The targets in each leaf.
    leaves
        The node of each row (a row each) in each tree (a column each).
    probabilities
        Numbers from 0 to 1.
    """
    numbers = forest.leaf_numbers(leaves)
    share = 1 / np.add.reduceat(targets.times, targets.offset[:-1], dtype=np.float64)
    share /= forest.n_trees
    n_entries = np.diff(targets.offset)[numbers].sum(axis=1)
    found = np.empty((len(leaves), len(probabilities)))
    for rows in _blocks(n_entries):
        place, reached = _distribution(targets, numbers[rows], share)
        for column, probability in enumerate(probabilities):
            # All of a row's weights may fall short of 1: their sum is always enough.
            enough = np.minimum(probability - _SLACK, reached[:, -1:])
            at = (reached < enough).sum(axis=1, keepdims=True)
            found[rows, column] = targets.values[np.take_along_axis(place, at, axis=1)[:, 0]]
    return found


def _distribution(targets: LeafTargets, numbers: Nodes, share: Floats) -> tuple[Wholes, Floats]:
    """Return for each row the places of targets in order, and the weight up to each."""
    place, weight = _entries(targets, numbers, share)
    # By what the forest is like, not by these rows: sums are the same whatever rows come along.
    n_values, per_row = len(targets.values), len(targets.place) / len(share) * numbers.shape[1]
    if per_row >= n_values:
        return _counted(place, weight, n_values)
    order = np.argsort(place, axis=1, kind="stable")
    weight = np.take_along_axis(weight, order, axis=1)
    return np.take_along_axis(place, order, axis=1), np.cumsum(weight, axis=1)


def _counted(place: Wholes, weight: Floats, n_values: int) -> tuple[Wholes, Floats]:
    """Return the same where rows have many entries: counting all targets is faster then."""
    n_rows, width = len(place), n_values + 1  # the last is nowhere
    cell = place + width * np.arange(n_rows)[:, None]
    sums = np.bincount(np.ravel(cell), np.ravel(weight), n_rows * width).astype(np.float64)
    reached = np.cumsum(sums.reshape(n_rows, width), axis=1)
    reached[
        reached == 0
    ] = -1  # below every p: a target that a row does not have cannot be a quantile
    return np.broadcast_to(np.arange(width), reached.shape), reached


def _entries(targets: LeafTargets, numbers: Nodes, share: Floats) -> tuple[Wholes, Floats]:
    """Return the places and weights of each row's targets; rows of fewer end in weights of 0."""
    leaf = np.ravel(numbers)
    begin = targets.offset[leaf]
    count = targets.offset[leaf + 1] - begin
    n_entries = count.reshape(numbers.shape).sum(axis=1)
    source = np.arange(count.sum()) + np.repeat(begin - (np.cumsum(count) - count), count)
    is_entry = np.arange(n_entries.max()) < n_entries[:, None]
    nowhere = len(targets.values)
    place = np.full(is_entry.shape, nowhere, dtype=narrowest(nowhere))
    weight = np.zeros(is_entry.shape)
    place[is_entry] = targets.place[source]
    weight[is_entry] = targets.times[source] * np.repeat(share[leaf], count)
    return place, weight


def _blocks(n_entries: Longs) -> Iterator[slice]:
    """Yield blocks of rows that have not too many entries together."""
    size = max(1, _BLOCK_ENTRIES // int(n_entries.max(initial=1)))
    return (slice(begin, begin + size) for begin in range(0, len(n_entries), size))


# -- model files --------------------------------------------------------------------------------


def pack_leaf_targets(targets: LeafTargets) -> dict[str, Any]:
    """Return the values that make up the targets of leaves, by name."""
    return {
        "target_values": to_planes(targets.values.view(np.uint64), _FLOAT_BYTES),
        "targets_of_leaf": to_planes(np.diff(targets.offset)),
        "target_place": to_planes(targets.place),
        "target_times": to_planes(targets.times),
    }


def unpack_leaf_targets(state: Mapping[str, Any], forest: ForestArrays) -> LeafTargets:
    """Rebuild the targets of a forest's leaves, refusing what no fit could have produced."""
    n_values = len(array_from_state(state, "target_values", _BYTE)) // _FLOAT_BYTES
    values: Floats = planes_from_state(state, "target_values", n_values, _FLOAT_BYTES).view(
        np.float64
    )
    if not np.isfinite(values).all() or (values[1:] <= values[:-1]).any():
        raise malformed("the targets of leaves are not numbers in order")
    sizes = planes_from_state(state, "targets_of_leaf", int(forest.first_leaf[-1]))
    n_entries = sizes.sum(dtype=np.float64)
    if (sizes == 0).any() or n_entries >= _MOST_ENTRIES:
        raise malformed("a leaf has no targets, or too many")
    place = planes_from_state(state, "target_place", int(n_entries))
    times = planes_from_state(state, "target_times", int(n_entries))
    targets = LeafTargets(values, starts(sizes.astype(np.int64)), place, times)
    _check_entries(targets, forest)
    return targets


def _check_entries(targets: LeafTargets, forest: ForestArrays) -> None:
    """Check that targets stand in order, none twice or without weight, and weigh what leaves do."""
    place, begin = targets.place, targets.offset[:-1]
    follows = np.ones(len(place), dtype=np.bool_)
    follows[begin] = False
    is_after = np.concatenate([[True], place[1:] > place[:-1]])
    if (place >= len(targets.values)).any() or not is_after[follows].all():
        raise malformed("the targets of a leaf are not in order")
    units = np.add.reduceat(targets.times, begin, dtype=np.float64)
    if (targets.times == 0).any() or not np.array_equal(units, forest.content[:, 0]):
        raise malformed("the targets of a leaf do not weigh what the leaf does")
