"""A list of rules being simplified: which rule decides each row, and what any change would cost.

1. A row's loss is what its rule's outcome costs it: w · cost(truth, class), or w · (y − mean)².
2. The first rule that covers a row decides it; the second would, were the first not there. So the
   change of total loss by removing any one rule is a sum over rows of (second − first).
3. Without one of its conditions a rule also covers the rows that fail only this one; it gains those
   that a later rule decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from branchline._memory import refuse_over_budget
from branchline.table import Table
from branchline.tree._conditions import Condition, values_of

__all__ = ["ClassRows", "DecisionList", "Draft", "NumberRows", "Rows"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Draft:
    """A rule being simplified: its conditions, a bound each; the outcome; the node it is from."""

    parts: tuple[Condition, ...]
    outcome: Any
    node: int

    def conditions(self) -> tuple[Condition, ...]:
        """Return one condition a column, in the order in which columns first appear."""
        merged: dict[str, Condition] = {}
        for part in self.parts:
            merged[part.column] = merged[part.column] & part if part.column in merged else part
        return tuple(merged.values())

    def without(self, place: int) -> "Draft":
        """Return the rule without one of its conditions."""
        return Draft((*self.parts[:place], *self.parts[place + 1 :]), self.outcome, self.node)


class Rows(Protocol):
    """The rows that rules are judged on."""

    weight: Floats

    def loss(self, outcome: Any) -> Floats:
        """Return what an outcome costs each row, weights included."""

    def holds(self, condition: Condition) -> Bools:
        """Return which rows satisfy a condition."""


class _TableRows:
    def __init__(self, table: Table, weight: Floats) -> None:
        self.weight = weight
        self._table = table
        self._values: dict[str, npt.NDArray[Any]] = {}

    def holds(self, condition: Condition) -> Bools:
        name = condition.column
        if name not in self._values:
            self._values[name] = values_of(self._table.column(name))
        return condition.holds_for(self._values[name])


class ClassRows(_TableRows):
    """Rows with classes; a loss of 1 is the dearest error."""

    def __init__(
        self, table: Table, truth: npt.NDArray[np.int64], weight: Floats, costs: Floats
    ) -> None:
        super().__init__(table, weight)
        self._cost_of_class = weight * (costs / (costs.max() or 1.0))[truth].T

    def loss(self, outcome: int) -> Floats:
        """Return what deciding for a class costs each row."""
        of_rows: Floats = self._cost_of_class[outcome]
        return of_rows

    @property
    def loss_of_class(self) -> Floats:
        """What each class (a row) costs each row of the table (a column)."""
        return self._cost_of_class


class NumberRows(_TableRows):
    """Rows with numbers; outputs count alike, whatever their units."""

    def __init__(self, table: Table, truth: Floats, weight: Floats) -> None:
        super().__init__(table, weight)
        self._truth = truth
        self._scale = np.sqrt(np.average((truth - truth.mean(axis=0)) ** 2, 0, weight))
        self._scale[self._scale == 0] = 1.0

    def loss(self, outcome: Floats) -> Floats:
        """Return the weighted squared error of each row, summed over outputs."""
        errors: Floats = self.weight * (((self._truth - outcome) / self._scale) ** 2).sum(axis=1)
        return errors


class DecisionList:
    """Rules in order, a default after them, and the rows that they are judged on."""

    def __init__(self, drafts: Sequence[Draft], default: Any, rows: Rows) -> None:
        self.drafts, self.default, self._rows = list(drafts), default, rows
        n_rows = len(rows.weight)
        refuse_over_budget((len(drafts) + 1) * n_rows, f"{len(drafts)} rules on {n_rows} rows")
        self._covers = np.ones((len(drafts) + 1, n_rows), dtype=bool)  # the last is the default
        for place, draft in enumerate(drafts):
            for part in draft.parts:
                self._covers[place] &= rows.holds(part)
        self._decide()

    def _decide(self) -> None:
        """Find the rule that decides each row, and its loss."""
        self.rule_of_row = self._covers.argmax(axis=0)
        self.loss_of_row = self._loss_by(self.rule_of_row)

    def _loss_by(self, rule_of_row: npt.NDArray[np.int64]) -> Floats:
        losses = np.empty(len(rule_of_row))
        for place in np.unique(rule_of_row).tolist():
            decided = rule_of_row == place
            losses[decided] = self._rows.loss(self._outcome(place))[decided]
        return losses

    def _outcome(self, place: int) -> Any:
        return self.default if place == len(self.drafts) else self.drafts[place].outcome

    @property
    def loss(self) -> float:
        """The total loss."""
        return float(self.loss_of_row.sum())

    # -- removing rules -------------------------------------------------------------------------

    def eliminate(self, allowed: float) -> None:
        """Remove rules, the cheapest first, as long as the total loss is at most ``allowed``."""
        kept = np.ones(len(self.drafts), dtype=bool)
        n_conditions = np.array([len(draft.parts) for draft in self.drafts])
        second = self._second(np.arange(len(self.rule_of_row)))
        second_loss = self._loss_by(second)
        while kept.any():
            gap = second_loss - self.loss_of_row
            change = np.bincount(self.rule_of_row, gap, len(kept) + 1)[:-1]
            change[~kept] = np.inf
            place = int(np.lexsort((-n_conditions, change))[0])
            if self.loss + change[place] > allowed:
                break
            kept[place] = False
            self._covers[place] = False
            rows = np.flatnonzero((self.rule_of_row == place) | (second == place))
            self.rule_of_row[rows] = self._covers[:, rows].argmax(axis=0)
            self.loss_of_row[rows] = self._loss_of(rows, self.rule_of_row[rows])
            second[rows] = self._second(rows)
            second_loss[rows] = self._loss_of(rows, second[rows])
        self._keep(kept)

    def _second(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the rule that decides each row when the first one that covers it is removed."""
        covers = self._covers[:, rows]
        covers[self.rule_of_row[rows], np.arange(len(rows))] = False
        covers[-1] = True
        places: npt.NDArray[np.int64] = covers.argmax(axis=0)
        return places

    def _loss_of(self, rows: npt.NDArray[np.int64], rule: npt.NDArray[np.int64]) -> Floats:
        losses = np.empty(len(rows))
        for place in np.unique(rule).tolist():
            decided = rule == place
            losses[decided] = self._rows.loss(self._outcome(place))[rows[decided]]
        return losses

    def _keep(self, kept: Bools) -> None:
        self.drafts = [draft for draft, keep in zip(self.drafts, kept, strict=True) if keep]
        self._covers = self._covers[np.append(kept, True)]
        self._decide()

    # -- removing conditions --------------------------------------------------------------------

    def shorten(self, place: int, allowed: float) -> None:
        """Drop conditions of a rule as long as the total loss is at most ``allowed``."""
        draft = self.drafts[place]
        gain = self._rows.loss(draft.outcome)
        fails = np.array([~self._rows.holds(part) for part in draft.parts])
        while len(fails) > 1:
            once = fails.sum(axis=0) == 1
            taken = once & (self.rule_of_row > place)
            change = fails[:, taken] @ (gain - self.loss_of_row)[taken]
            worst = int(change.argmin())
            if self.loss + change[worst] > allowed:
                break
            taken &= fails[worst]
            self._covers[place] |= once & fails[worst]
            self.rule_of_row[taken], self.loss_of_row[taken] = place, gain[taken]
            draft, fails = draft.without(worst), np.delete(fails, worst, axis=0)
        self.drafts[place] = draft
