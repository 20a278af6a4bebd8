"""The packed tests of a forest, and the codes of columns that they refer to.

Thresholds are packed column by column, so that codes of one size stand together: the left code, and
how far the right one is from it. Fractions are packed only where some are not midpoints.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from branchline._codes import MAX_CATEGORIES, Pooling
from branchline._dtypes import CATEGORY
from branchline._state import array_from_state, malformed
from branchline._trees._coded_trees import CodedTrees, starts
from branchline._trees._codes_in_use import CodesInUse
from branchline._trees._packing import (
    bits_from_state,
    narrowed,
    planes_from_state,
    to_bits,
    to_planes,
)
from branchline._trees._tree_arrays import LEAF, THRESHOLD_TEST

__all__ = ["Columns", "Tests", "columns_from_state", "pack_tests", "tests_from_state"]

_MIDPOINT = 128
_MOST_CODES = 2**32
_BYTE = np.dtype(np.uint8)

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Wholes = npt.NDArray[Any]


class Columns(NamedTuple):
    """What is known of the columns that tests ask about."""

    is_category: Bools
    n_codes: Longs
    lowest: tuple[Floats, ...]
    highest: tuple[Floats, ...]
    pooling: tuple[Pooling | None, ...]


class Tests(NamedTuple):
    """The inner nodes of trees; see ``CodedTrees``."""

    feature: Wholes
    left_code: Wholes
    right_code: Wholes
    fraction: Bytes
    missing_left: Bytes
    pool: Bytes


def pack_tests(trees: CodedTrees, in_use: CodesInUse) -> dict[str, Any]:
    """Return the values that make up the tests and their columns, by name."""
    cuts = _cuts_by_column(trees.feature, trees.kind[trees.kind != LEAF] == THRESHOLD_TEST)
    left, right = in_use.left_code[cuts], in_use.right_code[cuts]
    fraction = trees.fraction[cuts]
    are_midpoints = (fraction == np.where(right > 0, _MIDPOINT, 0)).all()
    is_exact = [np.array_equal(*pair) for pair in zip(in_use.lowest, in_use.highest, strict=True)]
    wide = [high for high, same in zip(in_use.highest, is_exact, strict=True) if not same]
    pools = [pool for pool in trees.pooling if pool is not None]
    return {
        "feature": to_planes(narrowed(trees.feature)),
        "left_code": to_planes(left),
        "gap": to_planes(np.where(right > 0, right.astype(np.int64) - left, 0)),
        "fraction": fraction[:0] if are_midpoints else fraction,
        "missing_left": to_bits(trees.missing_left),
        "pool": trees.pool,
        "pooling": np.concatenate(pools) if pools else np.zeros(0, dtype=CATEGORY),
        "n_values": np.array([len(values) for values in in_use.lowest], dtype=np.int64),
        "is_exact": np.array(is_exact, dtype=np.bool_),
        "lowest": _pack_floats(in_use.lowest),
        "highest": _pack_floats(wide),
    }


def columns_from_state(state: Mapping[str, Any], n_names: Longs) -> Columns:
    """Return the columns; ``n_names`` are the names of category columns, −1 of numeric ones."""
    is_category = n_names >= 0
    n_values = array_from_state(state, "n_values", np.dtype(np.int64), length=len(n_names))
    if (n_values < 0).any() or (n_values >= _MOST_CODES).any() or n_values[is_category].any():
        raise malformed("a column has values that it cannot have")
    lowest, highest = _values_from_state(state, n_values)
    return Columns(
        is_category,
        np.where(is_category, np.minimum(n_names, MAX_CATEGORIES), n_values),
        tuple(np.split(lowest, np.cumsum(n_values)[:-1])),
        tuple(np.split(highest, np.cumsum(n_values)[:-1])),
        _pooling_from_state(state, n_names),
    )


def tests_from_state(state: Mapping[str, Any], columns: Columns, n_inner: int) -> Tests:
    """Return the tests, checked against their columns."""
    feature = planes_from_state(state, "feature", n_inner)
    if (feature >= len(columns.n_codes)).any():
        raise malformed("a tested column does not exist")
    is_cut = ~columns.is_category[feature]
    left_code, right_code = _codes_from_state(state, columns, feature, is_cut)
    has_right = right_code > 0
    missing_left = bits_from_state(state, "missing_left", n_inner)
    if missing_left[is_cut & ~has_right].any():
        raise malformed("a test sends every row the same way")
    return Tests(
        feature,
        narrowed(left_code),
        narrowed(right_code),
        _fractions_from_state(state, _cuts_by_column(feature, is_cut), has_right),
        missing_left.astype(_BYTE),
        _pool_from_state(state, columns.n_codes[feature[~is_cut]]),
    )


def _cuts_by_column(feature: Wholes, is_cut: Bools) -> Longs:
    """Return which tests are of thresholds, those of one column together."""
    cuts = np.flatnonzero(is_cut)
    return cuts[np.argsort(feature[cuts], kind="stable")]


# -- values of columns --------------------------------------------------------------------------


def _pack_floats(parts: Any) -> Bytes:
    values: Floats = np.concatenate([np.zeros(0), *parts])
    return to_planes(values.view(np.uint64), 8)


def _floats_from_state(state: Mapping[str, Any], name: str, length: int) -> Floats:
    values: Floats = planes_from_state(state, name, length, 8).view(np.float64)
    if not np.isfinite(values).all():
        raise malformed(f"{name!r} has values out of range")
    return values


def _values_from_state(state: Mapping[str, Any], n_values: Longs) -> tuple[Floats, Floats]:
    """Return the smallest and largest value of each code, of all columns in turn."""
    lowest = _floats_from_state(state, "lowest", int(n_values.sum()))
    is_exact = array_from_state(state, "is_exact", np.dtype(np.bool_), length=len(n_values))
    is_wide = np.repeat(~is_exact, n_values)
    highest = lowest.copy()
    highest[is_wide] = _floats_from_state(state, "highest", int(is_wide.sum()))
    same_column = np.repeat(np.arange(len(n_values)), n_values)
    follows = same_column[1:] == same_column[:-1]
    if (lowest > highest).any() or (lowest[1:] <= highest[:-1])[follows].any():
        raise malformed("the values of a column are not in order")
    return lowest, highest


def _pooling_from_state(state: Mapping[str, Any], n_names: Longs) -> tuple[Pooling | None, ...]:
    """Return for columns of too many names the code of each: the rare ones share the last."""
    packed = array_from_state(state, "pooling", CATEGORY)
    sizes = np.where(n_names > MAX_CATEGORIES, n_names, 0)
    if len(packed) != sizes.sum():
        raise malformed("there is not one code for each name of a column with many")
    parts = np.split(packed, np.cumsum(sizes)[:-1]) if len(sizes) else []
    for pool in parts:
        kept = pool[pool != MAX_CATEGORIES - 1]
        if len(pool) and not np.array_equal(kept, np.arange(MAX_CATEGORIES - 1)):
            raise malformed("the names of a column with many are not pooled as they should be")
    return tuple(pool if len(pool) else None for pool in parts)


# -- tests --------------------------------------------------------------------------------------


def _codes_from_state(
    state: Mapping[str, Any], columns: Columns, feature: Wholes, is_cut: Bools
) -> tuple[Longs, Longs]:
    """Return the codes between which thresholds stand; every code of a column must be in use."""
    cuts = _cuts_by_column(feature, is_cut)
    left = planes_from_state(state, "left_code", len(cuts)).astype(np.int64)
    gap = planes_from_state(state, "gap", len(cuts)).astype(np.int64)
    n_codes, has_right = columns.n_codes[feature[cuts]], gap > 0
    if ((left > n_codes) | (gap > n_codes - left) | ((left > 0) != has_right)).any():
        raise malformed("a threshold stands between values that are not there")
    first = starts(np.where(columns.is_category, 0, columns.n_codes))
    place = (first[feature[cuts]] + left - 1)[has_right]
    is_used = np.zeros(first[-1], dtype=np.bool_)
    is_used[place] = is_used[place + gap[has_right]] = True
    if not is_used.all():
        raise malformed("a column has values that no test uses")
    left_code, right_code = np.zeros((2, len(feature)), dtype=np.int64)
    left_code[cuts], right_code[cuts] = left, left + gap
    return left_code, right_code


def _fractions_from_state(state: Mapping[str, Any], cuts: Longs, has_right: Bools) -> Bytes:
    """Return where thresholds stand between their codes; nothing packed: all at the midpoint."""
    packed = array_from_state(state, "fraction", _BYTE)
    fraction: Bytes = np.where(has_right, _MIDPOINT, 0).astype(_BYTE)
    if len(packed) == 0:
        return fraction
    if len(packed) != len(cuts) or packed[~has_right[cuts]].any():
        raise malformed("there is not one fraction for each threshold")
    if np.array_equal(packed, fraction[cuts]):
        raise malformed("midpoints are not packed")
    fraction[cuts] = packed
    return fraction


def _pool_from_state(state: Mapping[str, Any], n_categories: Longs) -> Bytes:
    """Return the bits of category tests; those after a test's last category are 0."""
    n_bytes = (n_categories + 7) // 8
    pool = array_from_state(state, "pool", _BYTE, length=int(n_bytes.sum()))
    if (n_categories == 0).any():
        raise malformed("a column without categories is tested")
    last = pool[np.cumsum(n_bytes) - 1].astype(np.int64)
    if (last >> (n_categories - 8 * (n_bytes - 1))).any():
        raise malformed("a test has a branch for a category that is not there")
    return pool
