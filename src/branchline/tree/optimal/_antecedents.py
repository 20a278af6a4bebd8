"""What the rules of a list may ask: one test, or two at once, with either answer.

1. Each yes-no test gives two conditions: the rows that pass it, and the rows that do not.
2. With ``max_conditions=2``, two conditions on different columns, or an interval of one number,
   make one antecedent.
3. Antecedents that hold for the same training rows count once: the first is kept, single ones
   before pairs. One that holds for too few rows to save its price cannot be in the best list.

A missing value in a column that had none satisfies the condition that more training rows satisfy.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from branchline import _core
from branchline.tree.growing._growth import Growth
from branchline.tree.optimal._bit_writer import BitWriter
from branchline.tree.optimal._yes_no_tests import YesNoTest, YesNoTests
from branchline.tree.reading._conditions import Condition

__all__ = ["Antecedents", "make_antecedents"]

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _Literal:
    """A test with the answer that satisfies it, and which rows do."""

    test: YesNoTest
    holds: bool
    rows: Bools


@dataclass(frozen=True)
class Antecedents:
    """What the native search of lists takes, and how to read the numbers of its answer.

    Parameters
    ----------
    tests
        Yes-no tests: those of the table, or antecedents of up to two conditions each.
    parts
        The conditions that each number of the search stands for.
    shape
        Whether a rule may take either answer of a test.
    """

    tests: YesNoTests
    parts: tuple[tuple[_Literal, ...], ...]
    shape: _core.TreeShape

    def rows(self, number: int) -> Bools:
        """Return which rows satisfy an antecedent."""
        satisfied: Bools = np.logical_and.reduce([part.rows for part in self.parts[number]])
        return satisfied

    def conditions(self, growth: Growth, number: int) -> tuple[Condition, ...]:
        """Return the conditions of an antecedent, one for each column."""
        weight = growth.weights.of_rows(growth.n_rows)
        merged: dict[str, Condition] = {}
        for part in self.parts[number]:
            one = _condition(growth, part, weight)
            merged[one.column] = merged[one.column] & one if one.column in merged else one
        return tuple(merged.values())


def make_antecedents(
    growth: Growth, tests: YesNoTests, max_conditions: int, least_weight: float
) -> Antecedents:
    """Return the antecedents; pairs only where they hold for more than ``least_weight`` rows."""
    literals = [
        _Literal(test, holds, rows if holds else ~rows)
        for place, test in enumerate(tests.tests)
        for rows in (tests.passes(place),)
        for holds in (True, False)
    ]
    if max_conditions == 1:
        singles = tuple((literal,) for literal in literals)
        return Antecedents(tests, singles, _core.TreeShape.list_of_answers)
    weight = growth.weights.of_rows(growth.n_rows)
    writer, kept = BitWriter(growth.n_rows, joins_opposites=False), list[tuple[_Literal, ...]]()
    for parts in _conjunctions(literals, max_conditions):
        rows = np.logical_and.reduce([part.rows for part in parts])
        if float(weight[rows].sum()) > least_weight and writer.add(rows):
            kept.append(parts)
    n = len(kept)
    joint = YesNoTests(
        tuple(parts[0].test for parts in kept),
        writer.bits(),
        np.arange(n + 1, dtype=np.uint32),
        np.ones(n, dtype=np.uint8),
        tests.n_left_out,
    )
    return Antecedents(joint, tuple(kept), _core.TreeShape.list)


def _conjunctions(literals: list[_Literal], most: int) -> Iterator[tuple[_Literal, ...]]:
    yield from ((literal,) for literal in literals)
    if most < 2:
        return
    for first, second in combinations(literals, 2):
        same = first.test.column == second.test.column
        if not same or (first.test.is_threshold and first.holds != second.holds):
            yield first, second


def _condition(growth: Growth, literal: _Literal, weight: npt.NDArray[np.float64]) -> Condition:
    """Return the condition that the rows of a literal satisfy."""
    test = literal.test
    field = growth.data.table.schema.fields[test.column]
    missing = test.takes_missing == literal.holds
    codes = growth.codes.columns[test.column]
    if codes.all():  # no training row is missing
        missing = bool(2 * weight[literal.rows].sum() >= weight.sum())
    name = growth.data.table.names[test.column]
    if not test.is_threshold:
        passed = _names_that_pass(growth, test, literal.holds)
        return Condition(name, codes=passed, missing=missing, type=field.type)
    if test.asks_missing:
        above = math.inf if literal.holds else -math.inf
        return Condition(name, above=above, missing=missing, type=field.type)
    # Neighboring codes of a column are both present in the table.
    cut = growth.threshold_between(test.column, test.codes[0], test.codes[0] + 1)
    if literal.holds:
        return Condition(name, at_most=cut, missing=missing, type=field.type)
    return Condition(name, above=cut, missing=missing, type=field.type)


def _names_that_pass(growth: Growth, test: YesNoTest, holds: bool) -> tuple[int, ...]:
    """Return the categories that satisfy a condition, of those that training rows have."""
    n_codes = int(growth.codes.n_codes[test.column])
    seen = np.bincount(growth.codes.columns[test.column], minlength=n_codes + 1)[1:] > 0
    passed = np.zeros(n_codes, dtype=bool)
    passed[np.array(test.codes, dtype=np.int64) - 1] = True
    chosen = seen & (passed == holds)
    pooling = growth.codes.pooling[test.column]
    return tuple(np.flatnonzero(chosen if pooling is None else chosen[pooling]).tolist())
