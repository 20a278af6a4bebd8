"""Which rules are more than chance, and add something to every shorter rule.

A rule A → b is tested item by item: for each x in A, among the baskets that hold the rest of A, is
b more frequent with x than without it? That is Fisher's exact test, one-sided. The p-value of the
rule is the largest of these (all must hold), so a rule is refused when one of its conditions adds
nothing to a shorter rule (Webb 2007: productive rules).

A search looks at many rules, also at those that it never reaches because their support is too
small. q-values count all of them: m_k is the number of rules of k items that could be made of the
frequent items, and those not reached count as p = 1. Long rules are far more numerous than short
ones, so each of the K sizes has an equal share of the errors that are allowed (Webb 2008): p counts
as p · K m_k / Σ m, and the q-value is that of Benjamini and Hochberg with Σ m tests.

Nouns: a "candidate" is a set of items with one of them as the conclusion.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

from branchline._arrays import Bools, Floats, Ints, Places
from branchline._false_discovery import false_discovery
from branchline.density._item_sets import FoundSets

__all__ = ["Candidates", "lift_interval", "n_possible_rules", "q_values_of"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Every rule that the frequent sets hold: one for each item of each set of two or more.

    Parameters
    ----------
    found
        The frequent sets.
    entry
        The place of each candidate's conclusion among ``found.codes``.
    """

    found: FoundSets
    entry: Places

    @classmethod
    def of(cls, found: FoundSets, conclusions: Bools) -> "Candidates":
        """Return the rules that conclude one of some items."""
        is_large = np.repeat(found.sizes >= 2, found.sizes)
        return cls(found, np.flatnonzero(is_large & conclusions[found.codes]))

    def __len__(self) -> int:
        return len(self.entry)

    def take(self, which: Bools | Places) -> "Candidates":
        """Return some of the candidates."""
        return Candidates(self.found, self.entry[which])

    @cached_property
    def whole(self) -> Places:
        """The set of each rule: conditions and conclusion."""
        return np.searchsorted(self.found.starts, self.entry, side="right") - 1

    @cached_property
    def conditions(self) -> Places:
        """The set of each rule's conditions."""
        return self.found.without[self.entry]

    @property
    def conclusion(self) -> Ints:
        """The item that each rule concludes."""
        return np.asarray(self.found.codes[self.entry], dtype=np.int64)

    @cached_property
    def n_both(self) -> Ints:
        """How many baskets hold conditions and conclusion."""
        return self.found.counts[self.whole]

    @cached_property
    def n_conditions(self) -> Ints:
        """How many baskets hold the conditions."""
        return self.found.counts[self.conditions]

    @cached_property
    def n_conclusion(self) -> Ints:
        """How many baskets hold the conclusion."""
        return self.found.item_counts[self.conclusion]

    @property
    def confidence(self) -> Floats:
        """The share of baskets with the conditions that hold the conclusion, too."""
        return self.n_both / self.n_conditions

    def p_values(self) -> Floats:
        """Return the p-value of each rule: that of its least significant condition."""
        worst = np.zeros(len(self))
        sizes = self.found.sizes[self.whole]
        for at in range(int(sizes.max(initial=0))):
            held = np.flatnonzero(sizes > at)
            entry = self.found.starts[self.whole[held]] + at
            held, entry = held[entry != self.entry[held]], entry[entry != self.entry[held]]
            worst[held] = np.maximum(worst[held], self._p_of_condition(held, entry))
        return worst

    def _p_of_condition(self, rules: Places, entry: Places) -> Floats:
        """Return p-values of single conditions, which stand at ``entry`` in their sets."""
        found, total = self.found, self.found.baskets.total
        n_rest_and_conclusion = found.counts[found.without[entry]]
        rest = self._rest(rules, entry)
        n_rest = np.where(rest >= 0, found.counts[rest], total)
        n_both, n_conditions = self.n_both[rules], self.n_conditions[rules]
        tail = stats.hypergeom.sf(n_both - 1, n_rest, n_rest_and_conclusion, n_conditions)
        return np.asarray(tail, dtype=np.float64)

    def _rest(self, rules: Places, entry: Places) -> Places:
        """Return the sets of conditions without one of them; −1 is the empty set."""
        offset = entry - self.found.starts[self.whole[rules]]
        offset = offset - (entry > self.entry[rules])  # the conclusion is not among the conditions
        return self.found.without[self.found.starts[self.conditions[rules]] + offset]


def n_possible_rules(found: FoundSets, conclusions: Bools, max_items: int) -> Floats:
    """Return how many rules of 0, 1, … ``max_items`` items the frequent items could make.

    Values of one column never occur together, so a set has at most one of each column. The number
    of sets of k items is the elementary symmetric polynomial e_k of the columns' numbers of items.
    """
    single = found.codes[found.starts[:-1][found.sizes == 1]]
    columns = found.baskets.columns
    of_column = Counter(columns[code] if columns else code for code in single)
    concluded = Counter(columns[code] if columns else code for code in single[conclusions[single]])
    possible = np.zeros(max_items + 1)
    whole = _symmetric(list(of_column.values()), max_items)
    for column, n_items in concluded.items():
        others = _without(whole, of_column[column])
        possible[2:] += n_items * others[1:-1]
    return possible


def q_values_of(rules: Candidates, p_values: Floats, n_possible: Floats) -> Floats:
    """Return q-values of rules, of whose sizes each has an equal share of the errors."""
    total = max(float(n_possible.sum()), 1.0)
    n_sizes = int((n_possible > 0).sum())
    weighted = p_values * n_sizes * n_possible[rules.found.sizes[rules.whole]] / total
    return false_discovery(weighted, total)


def _symmetric(numbers: list[int], most: int) -> Floats:
    """Return the elementary symmetric polynomials e_0 to e_most of some numbers."""
    values = np.zeros(most + 1)
    values[0] = 1.0
    for number in numbers:
        values[1:] += number * values[:-1]
    return values


def _without(whole: Floats, number: int) -> Floats:
    """Return the polynomials without one of the numbers: e_k = e_k without it + it · e_(k − 1)."""
    values = np.zeros_like(whole)
    values[0] = 1.0
    for k in range(1, len(whole)):
        values[k] = max(0.0, whole[k] - number * values[k - 1])
    return values


def lift_interval(
    n_both: float, n_conditions: float, n_conclusion: float, total: float
) -> tuple[float, float, float]:
    """Return the lift and its 95 % interval.

    lift = p_ab / (p_a p_b). Its logarithm has the variance Σ I² / n over baskets, where
    I = 1_ab / p_ab − 1_a / p_a − 1_b / p_b + 1 (delta method for four cells).
    """
    both, a, b = n_both / total, n_conditions / total, n_conclusion / total
    lift = both / (a * b)
    variance = (
        both * (1 / both - 1 / a - 1 / b + 1) ** 2
        + (a - both) * (1 - 1 / a) ** 2
        + (b - both) * (1 - 1 / b) ** 2
        + (1 - a - b + both)
    ) / total
    reach = float(np.exp(1.959964 * np.sqrt(max(variance, 0.0))))
    return lift, lift / reach, lift * reach
