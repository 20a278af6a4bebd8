"""The codes that the tests of a forest refer to: only those in use, and one numbering for two.

1. *In use*: a code between which and another a threshold stands. The others are dropped and the
   rest numbered anew; thresholds stay what they are, bit for bit. A shallow forest on many
   different values then keeps a few of them instead of all.
2. *Joining*: where two forests have different codes of a column, those of both, in order, become
   one table. It must be one that a single fit could have learned: no two codes overlap.
"""

from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from branchline._codes import Pooling
from branchline._trees._coded_trees import CodedTrees, by_column
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._packing import narrowed

__all__ = ["CodesInUse", "codes_in_use", "compacted", "joined"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Wholes = npt.NDArray[Any]

Trees = TypeVar("Trees", bound=CodedTrees)

# Arrays of which the trees of both have their own parts; besides what leaves hold.
_ONE_A_PART = ("n_nodes", "kind", "feature", "fraction", "missing_left", "pool")


class CodesInUse(NamedTuple):
    """Tests in a numbering of the codes in use, and the values that these cover."""

    left_code: Wholes
    right_code: Wholes
    lowest: tuple[Floats, ...]
    highest: tuple[Floats, ...]
    n_codes: Longs


def codes_in_use(forest: CodedTrees) -> CodesInUse:
    """Return the codes between which thresholds stand; a test without a right code has none."""
    left = np.where(forest.right_code > 0, forest.left_code, 0)
    right = forest.right_code.astype(left.dtype)
    empty = np.zeros(0)
    lowest, highest = [empty] * forest.n_columns, [empty] * forest.n_columns
    n_codes = forest.n_categories
    for column, here in by_column(forest.feature):
        if not len(forest.lowest[column]):
            continue
        is_used = np.zeros(forest.n_codes[column] + 1, dtype=np.bool_)
        is_used[left[here]] = is_used[right[here]] = True
        is_used[0] = False
        number = np.cumsum(is_used)
        left[here], right[here] = number[left[here]], number[right[here]]
        lowest[column] = forest.lowest[column][is_used[1:]]
        highest[column] = forest.highest[column][is_used[1:]]
        n_codes[column] = number[-1]
    return CodesInUse(narrowed(left), narrowed(right), tuple(lowest), tuple(highest), n_codes)


def compacted(forest: Trees) -> Trees:
    """Return the trees with the codes in use alone; itself when it has no others."""
    in_use = codes_in_use(forest)
    if (in_use.n_codes == forest.n_codes).all():
        return forest
    return replace(forest, **in_use._asdict())


def joined(first: Trees, second: Trees) -> Trees:
    """Return the trees of both, those of ``first`` first.

    Raises
    ------
    ValueError
        When the two were not fitted on the same columns, or count in other units.
    """
    _check_alike(first, second)
    lowest, highest = list(first.lowest), list(first.highest)
    columns = [column for column in range(first.n_columns) if _differ(first, second, column)]
    for column in columns:
        lowest[column], highest[column] = _merged(first, second, column)
    sizes = [len(values) for values in lowest]
    codes = [_renumbered(forest, columns, lowest) for forest in (first, second)]
    both: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), getattr(second, name)])
        for name in (*_ONE_A_PART, *first.of_leaves)
    }
    return replace(
        first,
        **both,
        left_code=narrowed(np.concatenate([left for left, _ in codes])),
        right_code=narrowed(np.concatenate([right for _, right in codes])),
        lowest=tuple(lowest),
        highest=tuple(highest),
        n_codes=np.where(first.n_categories > 0, first.n_codes, sizes),
    )


def _check_alike(first: CodedTrees, second: CodedTrees) -> None:
    """Raise unless the two forests tell apart the same categories and count in the same units."""
    pools = zip(first.pooling, second.pooling, strict=False)
    are_alike = (
        _count_alike(first, second)
        and np.array_equal(first.n_categories, second.n_categories)
        and all(_are_equal(*pair) for pair in pools)
    )
    if not are_alike:
        raise ValueError("Two forests can be joined when they were fitted on one table only.")


def _count_alike(first: CodedTrees, second: CodedTrees) -> bool:
    if not isinstance(first, ForestArrays) or not isinstance(second, ForestArrays):
        return True
    widths = first.content.shape[1], second.content.shape[1]
    return first.scale == second.scale and widths[0] == widths[1]


def _are_equal(pool: Pooling | None, other: Pooling | None) -> bool:
    if pool is None or other is None:
        return pool is other
    return np.array_equal(pool, other)


def _differ(first: CodedTrees, second: CodedTrees, column: int) -> bool:
    return not (
        np.array_equal(first.lowest[column], second.lowest[column])
        and np.array_equal(first.highest[column], second.highest[column])
    )


def _merged(first: CodedTrees, second: CodedTrees, column: int) -> tuple[Floats, Floats]:
    """Return the smallest and largest value of the codes of both, each code once."""
    lowest, place = np.unique(
        np.concatenate([first.lowest[column], second.lowest[column]]), return_index=True
    )
    highest = np.concatenate([first.highest[column], second.highest[column]])
    known = highest[place]
    of_second = known[np.searchsorted(lowest, second.lowest[column])]
    if not np.array_equal(of_second, second.highest[column]) or (lowest[1:] <= known[:-1]).any():
        raise ValueError(f"The codes of column {column} of the two forests overlap.")
    return lowest, known


def _renumbered(
    forest: CodedTrees, columns: list[int], lowest: list[Floats]
) -> tuple[Longs, Longs]:
    """Return the codes of a forest's tests in larger tables of some columns."""
    left, right = forest.left_code.astype(np.int64), forest.right_code.astype(np.int64)
    tests_of = dict(by_column(forest.feature)) if columns else {}
    for column in columns:
        place = np.searchsorted(lowest[column], forest.lowest[column])
        number, here = np.concatenate([[0], place + 1]), tests_of.get(column, np.zeros(0, np.int64))
        left[here], right[here] = number[left[here]], number[right[here]]
    return left, right
