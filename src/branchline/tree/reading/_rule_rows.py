"""The rows that rules are judged on: what outcomes cost, and how far a rule can be trusted.

What a rule is judged by are sums over the rows it covers, so that the sums of all rules that differ
in one condition come from one pass:

- classes: (w, loss); the upper limit of the error rate is that of a binomial proportion, one-sided;
- numbers: (w, w·y, w·y²); the upper limit of the variance comes from χ² with Σw − 1 degrees of
  freedom. A rule predicts the mean of the rows it covers.
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, chdtri

from branchline.table import Table
from branchline.tree.reading._conditions import Condition, values_of

__all__ = ["ClassRows", "NumberRows", "Rows"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Rows(Protocol):
    """The rows that rules are judged on."""

    weight: Floats

    def holds(self, condition: Condition) -> Bools:
        """Return which rows satisfy a condition."""

    def loss(self, outcome: Any) -> Floats:
        """Return what an outcome costs each row, weights included."""

    def parts(self, outcome: Any) -> Floats:
        """Return what each row adds to the sums by which a rule of that outcome is judged."""

    def limit(self, sums: Floats, confidence: float) -> Floats:
        """Return the pessimistic error of rules with the given sums (last axis)."""

    def outcome(self, sums: Floats, outcome: Any) -> Any:
        """Return what a rule predicts whose rows have the given sums."""

    def best(self, rows: Bools) -> Any:
        """Return the outcome that suits some rows best."""


class _TableRows:
    def __init__(self, table: Table, weight: Floats) -> None:
        self.weight = weight
        self._table = table
        self._values: dict[str, npt.NDArray[Any]] = {}

    def holds(self, condition: Condition) -> Bools:
        """Return which rows satisfy a condition."""
        name = condition.column
        if name not in self._values:
            self._values[name] = values_of(self._table.column(name))
        return condition.holds_for(self._values[name])


class ClassRows(_TableRows):
    """Rows with classes; outcomes are places among the classes; costs are at most 1."""

    def __init__(
        self, table: Table, truth: npt.NDArray[np.int64], weight: Floats, costs: Floats
    ) -> None:
        super().__init__(table, weight)
        self._loss_of_class = weight * (costs / (costs.max() or 1.0))[truth].T

    def loss(self, outcome: int) -> Floats:
        """Return what deciding for a class costs each row."""
        of_rows: Floats = self._loss_of_class[outcome]
        return of_rows

    def parts(self, outcome: int) -> Floats:
        """Return each row's weight and loss."""
        return np.column_stack([self.weight, self.loss(outcome)])

    def limit(self, sums: Floats, confidence: float) -> Floats:
        """Return the error rate at which so few errors have only the probability ``confidence``."""
        weight, errors = sums[..., 0], sums[..., 1]
        right = np.maximum(weight - errors, 0)
        is_wrong = right <= 0
        rate = betaincinv(errors + 1, np.where(is_wrong, 1, right), 1 - confidence)
        return np.where(is_wrong, 1.0, rate)

    def outcome(self, sums: Floats, outcome: int) -> int:
        """Return the class that the rule has already."""
        return outcome

    def best(self, rows: Bools) -> int:
        """Return the class of least loss; of equal ones that which suits all rows better."""
        here, everywhere = self._loss_of_class[:, rows], self._loss_of_class
        return int(np.lexsort((everywhere.sum(axis=1), here.sum(axis=1)))[0])


class NumberRows(_TableRows):
    """Rows with numbers; outcomes are in standard deviations from the mean, one an output."""

    def __init__(self, table: Table, truth: Floats, weight: Floats) -> None:
        super().__init__(table, weight)
        self._mean = np.average(truth, axis=0, weights=weight)
        scale = np.sqrt(np.average((truth - self._mean) ** 2, axis=0, weights=weight))
        self._scale = np.where(scale > 0, scale, 1.0)
        self._truth = self.scaled(truth)

    def scaled(self, numbers: Floats) -> Floats:
        """Return numbers in standard deviations from the mean: so outputs count alike."""
        scaled: Floats = (numbers - self._mean) / self._scale
        return scaled

    def loss(self, outcome: Floats) -> Floats:
        """Return the weighted squared error of each row, summed over outputs."""
        errors: Floats = self.weight * ((self._truth - outcome) ** 2).sum(axis=1)
        return errors

    def parts(self, outcome: Floats) -> Floats:
        """Return each row's weight, weighted numbers and weighted squares."""
        squares = (self._truth**2).sum(axis=1)
        return np.column_stack([np.ones_like(squares), self._truth, squares]) * self.weight[:, None]

    def limit(self, sums: Floats, confidence: float) -> Floats:
        """Return the variance at which so little has only the probability ``confidence``."""
        weight, total, squares = sums[..., 0], sums[..., 1:-1], sums[..., -1]
        says_something = weight > 1
        spread = squares - (total**2).sum(axis=-1) / np.where(says_something, weight, 1)
        least = chdtri(np.where(says_something, weight - 1, 1), 1 - confidence)
        return np.where(says_something, np.maximum(spread, 0) / least, np.inf)

    def outcome(self, sums: Floats, outcome: Floats) -> Floats:
        """Return the mean of the rows; the value of the rule when there are none."""
        return sums[1:-1] / sums[0] if sums[0] > 0 else outcome

    def best(self, rows: Bools) -> Floats:
        """Return the mean; that of all rows when there are none."""
        chosen = rows if self.weight[rows].sum() > 0 else np.ones_like(rows)
        return np.average(self._truth[chosen], axis=0, weights=self.weight[chosen])
