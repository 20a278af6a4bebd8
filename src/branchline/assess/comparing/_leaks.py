"""Columns that tell the target almost by themselves, which is often too good to be true.

1. Every row is predicted from one column alone: by the other rows that have the same value (its
   most frequent class, its mean), or, where there are none and the column is ordered, by the
   nearest value. Missing counts as a value.
2. Classes: the share of the baseline's errors that this avoids; numbers: the share of the variance.
3. A column beyond ``_SUSPICIOUS`` may have been written down after the outcome, or be made of it;
   so may one of which the missing cells alone tell much.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.assess.comparing._problem import Problem
from branchline.table import Column
from branchline.table.looking import clean, percent, shorten

__all__ = ["Suspicion", "find_leaks", "strength_alone"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_SUSPICIOUS = 0.95
# Whether a value is missing should tell little; otherwise it was often filled in afterwards.
_SUSPICIOUS_MISSING = 0.5
_FEWEST_ROWS = 20
_MOST_ROWS = 20_000
_MOST_CELLS = 4_000_000
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Suspicion:
    """A column that may leak the target.

    Parameters
    ----------
    column
        Its name.
    strength
        The share of errors, or of variance, that it takes away by itself.
    text
        What to think of it.
    """

    column: str
    strength: float
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the suspicion as plain data."""
        return asdict(self)


def find_leaks(problem: Problem) -> tuple[Suspicion, ...]:
    """Return the columns that tell the target almost by themselves, the strongest first."""
    if problem.n_rows < _FEWEST_ROWS:
        return ()
    every = np.arange(problem.n_rows)
    rows = every[:: max(1, -(-problem.n_rows // _MOST_ROWS))]
    part = problem.rows(rows)
    found = []
    for name in part.table.names:
        column = part.table.column(name)
        strength, missing = strength_alone(column, part), _of_missing(column, part)
        if missing >= _SUSPICIOUS_MISSING:
            found.append(Suspicion(name, missing, _text(missing, problem, "Whether it is missing")))
        elif strength >= _SUSPICIOUS:
            found.append(Suspicion(name, strength, _text(strength, problem, "It")))
    return tuple(sorted(found, key=lambda one: -one.strength))


def strength_alone(column: Column, problem: Problem) -> float:
    """Return how much of the target a column tells by itself, from 0 (nothing) to 1 (all)."""
    group, nearest = _groups(column)
    if group.max(initial=0) == 0:
        return 0.0
    if problem.classes is None:
        return _of_numbers(group, nearest, problem.target.astype(np.float64))
    if (int(group.max()) + 1) * len(problem.classes) > _MOST_CELLS:
        return 0.0
    return _of_classes(group, nearest, problem.places, len(problem.classes))


def _of_missing(column: Column, problem: Problem) -> float:
    """Return how much of the target the missing cells of a column tell."""
    group = column.is_missing.astype(np.intp)
    if not 0 < group.sum() < len(group):
        return 0.0
    apart = np.full(2, -1, dtype=np.intp)
    if problem.classes is None:
        return _of_numbers(group, apart, problem.target.astype(np.float64))
    return _of_classes(group, apart, problem.places, len(problem.classes))


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
        with np.errstate(over="ignore"):
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
    target = target / size if size > 0 else target
    total = float(((target - target.mean()) ** 2).sum())
    if not total > 0:
        return 0.0
    counts = np.bincount(group, minlength=len(nearest))
    sums = np.bincount(group, weights=target, minlength=len(nearest))
    others = np.maximum(counts[group] - 1, 1)
    guess = (sums[group] - target) / others
    means = sums / np.maximum(counts, 1)
    near = nearest[group]
    alone = counts[group] == 1
    guess = np.where(alone & (near >= 0), means[near], guess)
    guess = np.where(alone & (near < 0), target.mean(), guess)
    return max(0.0, 1 - float(((target - guess) ** 2).sum()) / total)


def _text(strength: float, problem: Problem, subject: str) -> str:
    target = f"“{shorten(clean(problem.target_name), _LONGEST_NAME)}”"
    if strength > 1 - 1e-12:
        what = f"{subject} alone determines {target} completely."
    elif problem.classes is None:
        what = f"{subject} explains {percent(strength)} of the variation of {target} by itself."
    else:
        what = f"{subject} avoids {percent(strength)} of the errors about {target} by itself."
    return (
        f"{what} Was it known before the outcome was? If it was written down afterwards, or made "
        "from the outcome, drop it: the scores would then be too good to be true."
    )
