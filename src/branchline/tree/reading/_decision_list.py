"""A list of rules being simplified: which rule decides each row, and what removing one would cost.

1. A rule covers the rows for which its conditions hold, the default all rows. The first rule that
   covers a row decides it; the second would, were the first not there.
2. A row's loss is what its rule's outcome costs it. So the change of total loss by removing any one
   rule is a sum over the rows that it decides: loss by the second rule − loss by the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._memory import refuse_over_budget
from branchline.tree.reading._conditions import Condition
from branchline.tree.reading._rule_rows import Rows

__all__ = ["DecisionList", "Draft", "slightly_above"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_ROUNDING = 1e-9


def slightly_above(loss: float) -> float:
    """Return the loss up to which sums are equal but for rounding."""
    return loss * (1 + _ROUNDING) + 1e-300


@dataclass(frozen=True)
class Draft:
    """A rule being simplified.

    Parameters
    ----------
    parts
        Its conditions; an interval is two.
    outcome
        The place of its class, or its numbers, as ``Rows`` scales them.
    node
        The node that it is from.
    """

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
        """Return the rule without one of its parts."""
        return replace(self, parts=(*self.parts[:place], *self.parts[place + 1 :]))


class DecisionList:
    """Rules in order, a default after them, and the rows that they are judged on.

    Parameters
    ----------
    drafts
        The rules.
    rows
        The rows.
    default
        The outcome where no rule holds; None: what suits best the rows that no rule covers.
    """

    def __init__(self, drafts: Sequence[Draft], rows: Rows, default: Any = None) -> None:
        self.drafts, self._rows = list(drafts), rows
        n_rows = len(rows.weight)
        refuse_over_budget((len(drafts) + 1) * n_rows, f"{len(drafts)} rules on {n_rows} rows")
        self._covers = np.ones((len(drafts) + 1, n_rows), dtype=bool)  # the last is the default
        for place, draft in enumerate(drafts):
            for part in draft.parts:
                self._covers[place] &= rows.holds(part)
        self.default = rows.best(self.is_left) if default is None else default
        self._decide()

    @property
    def is_left(self) -> Bools:
        """Which rows no rule covers."""
        left: Bools = np.logical_not(self._covers[:-1].any(axis=0))
        return left

    @property
    def size(self) -> int:
        """The number of conditions; an interval counts twice."""
        return sum(len(draft.parts) for draft in self.drafts)

    def _decide(self) -> None:
        """Find the rule that decides each row, and its loss."""
        self.rule_of_row: Places = self._covers.argmax(axis=0)
        every_row = np.arange(len(self.rule_of_row))
        self.loss_of_row = self._losses(every_row, self.rule_of_row)

    def _losses(self, rows: Places, rule_of_row: Places) -> Floats:
        """Return the loss of some rows, decided by the given rules."""
        losses = np.empty(len(rows))
        for place in np.unique(rule_of_row).tolist():
            is_last = place == len(self.drafts)
            decided = rule_of_row == place
            outcome = self.default if is_last else self.drafts[place].outcome
            losses[decided] = self._rows.loss(outcome)[rows[decided]]
        return losses

    @property
    def loss(self) -> float:
        """The total loss."""
        return float(self.loss_of_row.sum())

    def eliminate(self, allowed: float = 0.0) -> None:
        """Remove rules, the cheapest first, while the loss does not rise or is allowed."""
        kept = np.ones(len(self.drafts), dtype=bool)
        n_parts = np.array([len(draft.parts) for draft in self.drafts])
        second, second_loss = self._second(np.arange(len(self.rule_of_row)))
        while kept.any():
            more = np.bincount(self.rule_of_row, second_loss - self.loss_of_row, len(kept) + 1)
            change = np.where(kept, more[:-1], np.inf)
            place = int(np.lexsort((-n_parts, change))[0])  # of equal ones the longest
            if self.loss + change[place] > max(allowed, slightly_above(self.loss)):
                break
            kept[place] = False
            self._covers[place] = False
            rows = np.flatnonzero((self.rule_of_row == place) | (second == place))
            self.rule_of_row[rows] = self._covers[:, rows].argmax(axis=0)
            self.loss_of_row[rows] = self._losses(rows, self.rule_of_row[rows])
            second[rows], second_loss[rows] = self._second(rows)
        self.drafts = [draft for draft, keep in zip(self.drafts, kept, strict=True) if keep]
        self._covers = self._covers[np.append(kept, True)]
        self._decide()

    def _second(self, rows: Places) -> tuple[Places, Floats]:
        """Return the rule that decides each row were the first one not there, and its loss."""
        covers = self._covers[:, rows]
        covers[self.rule_of_row[rows], np.arange(len(rows))] = False
        covers[-1] = True
        places: Places = covers.argmax(axis=0)
        return places, self._losses(rows, places)
