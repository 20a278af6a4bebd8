"""The yes-no tests that optimal trees and rule lists choose from.

1. A number is tested by x ≤ t, for all thresholds between its distinct values, or for at most
   ``max_thresholds`` of them, at about equal weights ("auto": fewer the more columns there are).
2. A category column is tested by one category against the rest; up to five categories (missing
   counts as one) by every subset. Of many categories, the ``max_thresholds`` heaviest are tested.
3. Where a column has missing values, each test comes twice: they join either answer. "x is missing"
   is a test, too.
4. Tests that split the rows alike count once (the first is kept), and tests that split none do not.

Tests are numbered by column, then by threshold or category: ties go to the lowest number. A
*family* is a run of tests that are nested (x ≤ 1, x ≤ 2, …) or exclusive (x = a, x = b, …).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline._codes import Codes
from branchline._validation import RowWeights
from branchline.tree.optimal._bit_writer import BitWriter

__all__ = ["YesNoTest", "YesNoTests", "make_tests", "usual_thresholds"]

Bools = npt.NDArray[np.bool_]

# Up to this number of categories, missing values counted as one, every subset is tested.
_MOST_FOR_SUBSETS = 5


@dataclass(frozen=True)
class YesNoTest:
    """One test: a row passes when its code is among ``codes`` (0 is a missing value).

    Parameters
    ----------
    column
        The column's place.
    codes
        A number: the largest code that passes; a category: the codes that pass.
    takes_missing
        Whether a missing value passes.
    is_threshold
        Whether ``codes`` is a largest code.
    """

    column: int
    codes: tuple[int, ...]
    takes_missing: bool
    is_threshold: bool

    @property
    def asks_missing(self) -> bool:
        """Whether the test is "x is missing"."""
        return self.takes_missing and self.codes in ((), (0,))

    def passes(self, codes: npt.NDArray[np.unsignedinteger]) -> Bools:
        """Return which rows pass, from the codes of the column."""
        if self.is_threshold:
            passed = (codes > 0) & (codes <= self.codes[0])
        else:
            passed = np.isin(codes, self.codes) & (codes > 0)
        return passed | (codes == 0) if self.takes_missing else passed


@dataclass(frozen=True)
class YesNoTests:
    """All tests of a table, as bits of each row.

    Parameters
    ----------
    tests
        What each test asks.
    bits
        For each row ⌈tests / 64⌉ words.
    first_test, is_exclusive
        Where each family begins (and the number of tests), and its kind.
    n_left_out
        How many thresholds and categories were left out: 0 when the search is exact.
    """

    tests: tuple[YesNoTest, ...]
    bits: npt.NDArray[np.uint64]
    first_test: npt.NDArray[np.uint32]
    is_exclusive: npt.NDArray[np.uint8]
    n_left_out: int

    def native(self) -> _core.OptimalTests:
        """Return the tests as the native search takes them."""
        return _core.OptimalTests(np.ravel(self.bits), self.first_test, self.is_exclusive)

    def passes(self, test: int) -> Bools:
        """Return which rows pass a test."""
        word, place = divmod(test, 64)
        passed: Bools = (self.bits[:, word] >> np.uint64(place) & np.uint64(1)).astype(np.bool_)
        return passed


@dataclass(frozen=True)
class _Family:
    tests: list[YesNoTest]
    is_exclusive: bool


def usual_thresholds(max_thresholds: Any, n_columns: int, n_in_all: int, most: int) -> int | None:
    """Return what "auto" stands for: ``n_in_all`` over the columns, up to ``most`` of each."""
    if max_thresholds == "auto":
        return min(most, max(1, n_in_all // n_columns))
    return None if max_thresholds is None else int(max_thresholds)


def make_tests(codes: Codes, weights: RowWeights, max_thresholds: int | None) -> YesNoTests:
    """Return the tests of a coded table (exact ranks)."""
    writer, n_left_out = BitWriter(codes.n_rows, joins_opposites=True), 0
    tests, first_test, is_exclusive = list[YesNoTest](), [0], list[bool]()
    for place, column in enumerate(codes.columns):
        families, left_out = _families_of_column(codes, place, weights, max_thresholds)
        n_left_out += left_out
        for family in families:
            tests += [test for test in family.tests if writer.add(test.passes(column))]
            if len(tests) > first_test[-1]:
                first_test.append(len(tests))
                is_exclusive.append(family.is_exclusive)
    return YesNoTests(
        tuple(tests),
        writer.bits(),
        np.array(first_test, dtype=np.uint32),
        np.array(is_exclusive, dtype=np.uint8),
        n_left_out,
    )


def _families_of_column(
    codes: Codes, place: int, weights: RowWeights, max_thresholds: int | None
) -> tuple[list[_Family], int]:
    n_codes = int(codes.n_codes[place])
    counted = np.bincount(codes.columns[place], weights.units, minlength=n_codes + 1)
    weight = counted.astype(np.float64)
    has_missing = weight[0] > 0
    if codes.is_category[place]:
        kept, left_out = _heaviest(weight, max_thresholds)
        return list(_category_families(place, kept, has_missing, left_out)), left_out
    cuts, left_out = _thresholds(weight, max_thresholds)
    return list(_number_families(place, cuts, has_missing)), left_out


def _thresholds(
    weight: npt.NDArray[np.float64], max_thresholds: int | None
) -> tuple[list[int], int]:
    """Return the largest code below each threshold, at about equal weights when thinned."""
    present = np.flatnonzero(weight[1:]) + 1
    every = present[:-1]
    if max_thresholds is None or len(every) <= max_thresholds:
        return every.tolist(), 0
    below = np.cumsum(weight[1:])
    wanted = below[-1] * np.arange(1, max_thresholds + 1) / (max_thresholds + 1)
    nearest = np.searchsorted(below[every - 1], wanted)
    kept = np.unique(every[np.minimum(nearest, len(every) - 1)])
    return kept.tolist(), len(every) - len(kept)


def _heaviest(weight: npt.NDArray[np.float64], most: int | None) -> tuple[list[int], int]:
    present = np.flatnonzero(weight[1:]) + 1
    if most is None or len(present) <= most:
        return present.tolist(), 0
    heaviest = present[np.argsort(-weight[present], kind="stable")[:most]]
    return np.sort(heaviest).tolist(), len(present) - most


def _number_families(place: int, cuts: list[int], has_missing: bool) -> Iterator[_Family]:
    yield _Family([YesNoTest(place, (cut,), False, True) for cut in cuts], False)
    if has_missing:
        yield _Family([YesNoTest(place, (cut,), True, True) for cut in [0, *cuts]], False)


def _category_families(
    place: int, kept: list[int], has_missing: bool, left_out: int
) -> Iterator[_Family]:
    singles = [YesNoTest(place, (code,), False, False) for code in kept]
    missing = [YesNoTest(place, (), True, False)] if has_missing else []
    yield _Family([*singles, *missing], True)
    levels = [*kept, 0] if has_missing else kept
    if left_out == 0 and len(levels) <= _MOST_FOR_SUBSETS:
        for size in range(2, len(levels) // 2 + 1):
            for subset in combinations(levels, size):
                present = tuple(code for code in subset if code > 0)
                yield _Family([YesNoTest(place, present, 0 in subset, False)], True)
    elif has_missing:
        for code in kept:
            yield _Family([YesNoTest(place, (code,), True, False)], True)
