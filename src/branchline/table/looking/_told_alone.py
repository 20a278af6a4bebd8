"""How much of a target one column tells alone.

1. Every row is predicted from one column alone: by the other rows that have the same value (its
   most frequent class, its mean), or, where there are none and the column is ordered, by the
   nearest value. Missing counts as a value.
2. Classes: the share of the baseline's errors that this avoids; numbers: the share of the variance.
"""

from dataclasses import dataclass

import numpy as np

from branchline._arrays import Floats, Places
from branchline.table._column import Column

__all__ = ["Goal", "told_alone", "told_by_missing"]

_MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class Goal:
    """A target: its numbers, or the place of each row's class among ``n_classes``."""

    values: Floats | Places
    n_classes: int | None = None

    def told_by(self, group: Places, nearest: Places) -> float:
        """Return how much groups of rows tell, from 0 (nothing) to 1 (all)."""
        if self.n_classes is None:
            return _of_numbers(group, nearest, self.values.astype(np.float64))
        if len(nearest) * self.n_classes > _MOST_CELLS:
            return 0.0
        return _of_classes(group, nearest, self.values.astype(np.intp), self.n_classes)


def told_alone(column: Column, goal: Goal) -> float:
    """Return how much of the target a column tells by itself, from 0 (nothing) to 1 (all)."""
    group, nearest = _groups(column)
    return goal.told_by(group, nearest) if group.max(initial=0) > 0 else 0.0


def told_by_missing(column: Column, goal: Goal) -> float:
    """Return how much of the target the missing cells of a column tell."""
    group = column.is_missing.astype(np.intp)
    if not 0 < group.sum() < len(group):
        return 0.0
    return goal.told_by(group, np.full(2, -1, dtype=np.intp))


def _groups(column: Column) -> tuple[Places, Places]:
    """Return the group of each row (equal values) and the nearest other group of each group."""
    missing = column.is_missing
    if column.kind == "category":
        _, group = np.unique(np.asarray(column.values), return_inverse=True)
        return group.astype(np.intp), np.full(int(group.max(initial=0)) + 1, -1, dtype=np.intp)
    numbers = np.where(missing, np.inf, column.numbers().astype(np.float64))
    values, group = np.unique(numbers, return_inverse=True)
    n_known = len(values) - bool(missing.any())
    nearest = np.full(len(values), -1, dtype=np.intp)
    if n_known > 1:
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = np.diff(values[:n_known] / 2)
        left, right = np.append(np.inf, gaps), np.append(gaps, np.inf)
        place = np.arange(n_known)
        nearest[:n_known] = np.where(left <= right, place - 1, place + 1)
        nearest[0] = 1
    return group.astype(np.intp), nearest


def _of_classes(group: Places, nearest: Places, places: Places, n_classes: int) -> float:
    n_groups = len(nearest)
    counts = np.bincount(group * n_classes + places, minlength=n_groups * n_classes)
    counts = counts.reshape(n_groups, n_classes)
    in_all = counts.sum(axis=0)
    usual, n_rows = int(in_all.argmax()), int(in_all.sum())
    if in_all.max() == n_rows:
        return 0.0
    ordered = np.sort(counts, axis=1)
    # A class is guessed for its own rows when, one row less, it still has more than any other.
    rival = np.where(counts == ordered[:, -1:], ordered[:, -2:-1], ordered[:, -1:])
    hits = float(counts[counts - 1 > rival].sum())
    alone = np.flatnonzero(counts.sum(axis=1) == 1)
    truth = counts[alone].argmax(axis=1)
    guess = np.where(nearest[alone] >= 0, counts[nearest[alone]].argmax(axis=1), usual)
    # Pure groups of one row were counted by neither rule above: 1 − 1 is not more than 0.
    hits += float((guess == truth).sum())
    baseline = in_all.max() / n_rows
    return max(0.0, float((hits / n_rows - baseline) / (1 - baseline)))


def _of_numbers(group: Places, nearest: Places, target: Floats) -> float:
    size = np.abs(target).max(initial=0.0)
    target = target / size if 0 < size < np.inf else target
    total = float(((target - target.mean()) ** 2).sum())
    if not total > 0:
        return 0.0
    counts = np.bincount(group, minlength=len(nearest))
    sums = np.bincount(group, weights=target, minlength=len(nearest))
    guess = (sums[group] - target) / np.maximum(counts[group] - 1, 1)
    means = sums / np.maximum(counts, 1)
    near = nearest[group]
    alone = counts[group] == 1
    guess = np.where(alone & (near >= 0), means[near], guess)
    guess = np.where(alone & (near < 0), target.mean(), guess)
    return max(0.0, 1 - float(((target - guess) ** 2).sum()) / total)
