"""What an edit costs: the loss with and without it, on rows that neither tree has seen.

1. The rows are split into folds. On the training part of each, both plans are carried out again
   (``_realize``): what was learned is learned again, what a person decided stays. The tests above
   the edited node are the same in both, so that only the edit makes the difference.
2. Each held-out row loses something with each tree: an error or its cost, or a squared error (or
   what else the tree is grown by). The price is the mean difference, after less before; a price
   above 0 means that the edit costs.
3. The interval (95 %) is the wider one of two: from the spread of differences between rows, and
   from that between folds, corrected for training sets that overlap (Nadeau and Bengio, 2003).
   It ends at the most that a row can lose: 100 points, or the largest cost.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from branchline._folds import seed_of_repeat
from branchline._intervals import corrected_t_interval
from branchline._plain_numbers import number, signed
from branchline._trees._costs import decide
from branchline._trees._node_losses import MEASURES
from branchline.table import Table
from branchline.tree.editing._realize import Realized, Realizer
from branchline.tree.growing._growth import Growth, Sample
from branchline.tree.growing._held_out import split_folds
from branchline.tree.growing._measures import measure_of
from branchline.tree.growing._node_by_node import NUMBER_LOSSES

__all__ = ["EditPrice", "losses_of", "price_of"]

Floats = npt.NDArray[np.float64]
Carried = Callable[[Sample], Realized]


@dataclass(frozen=True)
class EditPrice:
    """The price of an edit.

    Parameters
    ----------
    measure
        What is lost per row: "error rate", "cost", "squared error", "absolute error" or "half
        Poisson deviance".
    before, after
        The loss without and with the edit, on held-out rows.
    change, low, high
        The mean difference and its 95 % interval. Above 0: the edit costs.
    training_before, training_after
        The loss on the training rows.
    n_folds, n_repeats
        How often rows were split, and into how many folds.
    """

    measure: str
    before: float
    after: float
    change: float
    low: float
    high: float
    training_before: float
    training_after: float
    n_folds: int
    n_repeats: int

    @property
    def is_tied(self) -> bool:
        """Whether the interval holds 0: the edit neither costs nor gains beyond chance."""
        return self.low <= 0 <= self.high

    @property
    def verdict(self) -> str:
        """The price in words."""
        if self.change == self.low == self.high == 0:
            return "free: the loss on held-out rows does not change"
        unit, scale = (" points", 100) if self.measure == "error rate" else ("", 1)
        low, high = (signed(scale * end, 2) for end in (self.low, self.high))
        how_much = f"{signed(scale * self.change, 2)}{unit} [{low}, {high}]"
        if self.is_tied:
            return f"a tie: {how_much}"
        return f"{'costs' if self.change > 0 else 'gains'} {how_much}"

    def __str__(self) -> str:
        held, seen = (
            self._pair(self.before, self.after),
            self._pair(self.training_before, self.training_after),
        )
        return f"{self.verdict}\n  {self.measure} on held-out rows {held}; on training rows {seen}"

    def _pair(self, before: float, after: float) -> str:
        return f"{number(before)} → {number(after)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the price as plain data."""
        return {**asdict(self), "is_tied": self.is_tied, "verdict": self.verdict}


def measure_name(realizer: Realizer) -> str:
    """Return what is lost per row."""
    if realizer.growth.numbers is not None:
        return MEASURES[measure_of(realizer.settings.criterion)]
    return "error rate" if realizer.costs is None else "cost"


def losses_of(realizer: Realizer, made: Realized, rows: npt.NDArray[Any]) -> Floats:
    """Return what each of some training rows loses with a tree."""
    growth = realizer.growth
    table: Table = growth.data.table.rows(rows.astype(np.int64))
    n_threads = int(growth.options.n_threads)
    tree = made.tree
    if tree.shares_rows:
        value = tree.average(table, tree.value, n_threads)
        decided = None if made.decision is None else decide(value, realizer.costs)
    else:
        ends = tree.find_leaves(table, n_threads)
        value = tree.value[ends]
        decided = None if made.decision is None else made.decision[ends]
    if decided is None:
        truth = growth.data.number_target.matrix[rows]
        lost: Floats = NUMBER_LOSSES[tree.measure](truth, value).sum(axis=1)
        return lost
    classes = growth.data.class_target.class_of_row[rows]
    if realizer.costs is None:
        return np.asarray(decided != classes, dtype=np.float64)
    cost: Floats = realizer.costs[classes, decided]
    return cost


@dataclass(frozen=True, eq=False)
class _Differences:
    """Weighted losses of rows before and after an edit, over all repeats and folds."""

    before: Floats
    after: Floats
    weight: Floats
    of_fold: list[float]

    @classmethod
    def measure(
        cls, realizer: Realizer, before: Carried, after: Carried, splits: tuple[int, int, int]
    ) -> "_Differences":
        growth, (n_folds, n_repeats, seed) = realizer.growth, splits
        lost, weights, of_fold = np.zeros((2, growth.n_rows)), np.zeros(growth.n_rows), []
        for repeat in range(n_repeats):
            for held in split_folds(growth, n_folds, seed_of_repeat(seed, repeat)):
                pair = [
                    losses_of(realizer, carried(held.grown), held.rows)
                    for carried in (before, after)
                ]
                for which, losses in enumerate(pair):
                    lost[which, held.rows] += losses * held.weight
                weights[held.rows] += held.weight
                change = (pair[1] - pair[0]) @ held.weight / held.weight.sum()
                of_fold.append(float(change))
        return cls(lost[0], lost[1], weights, of_fold)

    def interval(self, n_folds: int) -> tuple[float, float, float]:
        """Return the mean difference and the ends of its interval."""
        seen, total = self.weight > 0, float(self.weight.sum())
        change = float((self.after - self.before).sum()) / total
        each = (self.after[seen] - self.before[seen]) / self.weight[seen]
        share = self.weight[seen] / total
        n_rows = 1 / float((share**2).sum())
        of_rows = float(share @ (each - change) ** 2) / max(n_rows - 1, 1)
        reach = float(ndtri(0.975)) * np.sqrt(of_rows)
        if len(self.of_fold) > 1:
            corrected = corrected_t_interval(self.of_fold, 1 / (n_folds - 1))
            reach = max(reach, (corrected.high - corrected.low) / 2)
        return change, float(change - reach), float(change + reach)


def price_of(
    realizer: Realizer,
    before: Carried,
    after: Carried,
    training: tuple[float, float],
    splits: tuple[int, int, int],
) -> EditPrice:
    """Return the price of an edit.

    Parameters
    ----------
    realizer
        The training rows and how trees grow on them.
    before, after
        The trees without and with the edit, learned from given rows.
    training
        The losses of both on the training rows.
    splits
        The number of folds, of repeats, and the seed.
    """
    found = _Differences.measure(realizer, before, after, splits)
    total = max(float(found.weight.sum()), 1e-300)
    n_folds = max(2, round(len(found.of_fold) / max(splits[1], 1)))
    change, low, high = found.interval(n_folds) if found.of_fold else (0.0, -np.inf, np.inf)
    most = _most_loss(realizer)
    return EditPrice(
        measure_name(realizer),
        float(found.before.sum()) / total,
        float(found.after.sum()) / total,
        change,
        max(low, -most),
        min(high, most),
        *training,
        n_folds,
        splits[1],
    )


def _most_loss(realizer: Realizer) -> float:
    """Return the most that one row can lose; errors of numbers have no such limit."""
    if realizer.growth.numbers is not None:
        return np.inf
    return 1.0 if realizer.costs is None else float(realizer.costs.max())


def training_loss(realizer: Realizer, made: Realized, sample: Sample) -> float:
    """Return the mean loss on the rows that the tree was learned from."""
    growth: Growth = realizer.growth
    weight = growth.data.weights.of_rows(growth.n_rows)[sample.rows]
    return float(losses_of(realizer, made, sample.rows) @ weight / weight.sum())
