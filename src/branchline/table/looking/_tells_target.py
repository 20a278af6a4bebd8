"""Columns that tell the target almost alone: copies of it, or written down after the outcome.

1. Every row is predicted from one column alone: by the other rows that have the same value (its
   most frequent class, its mean), or, where there are none and the column is ordered, by the
   nearest value. Missing counts as a value.
2. Classes: the share of the baseline's errors that this avoids; numbers: the share of the variance.
"""

import shlex
from collections.abc import Iterator

import numpy as np

from branchline._arrays import Floats, Places
from branchline.table._column import Column
from branchline.table._table import Table
from branchline.table.looking._look_words import percent
from branchline.table.looking._note import Note

__all__ = ["strength_alone", "target_copies"]


_SUSPICIOUS = 0.95
_COMPLETELY = 1 - 1e-12
_FEWEST_ROWS, _MOST_ROWS = 20, 20_000
_MOST_CELLS = 4_000_000
_FEWEST_CASES = 8  # a column with fewer values names classes rather than cases


def target_copies(table: Table, target: str) -> Iterator[tuple[str, Note]]:
    """Yield the columns that tell the target almost alone, each with a remark."""
    known = np.flatnonzero(~table.column(target).is_missing)
    if len(known) < _FEWEST_ROWS:
        return
    rows = table.rows(known[:: max(1, -(-len(known) // _MOST_ROWS))])
    goal = rows.column(target)
    for name in rows.names:
        column = rows.column(name)
        strength = strength_alone(column, goal) if name != target else 0.0
        if strength >= _SUSPICIOUS:
            yield name, _note(column, strength, goal)


def strength_alone(column: Column, goal: Column) -> float:
    """Return how much of the target a column tells by itself, from 0 (nothing) to 1 (all)."""
    group, nearest = _groups(column)
    if group.max(initial=0) == 0:
        return 0.0
    if goal.kind == "numeric":
        return _of_numbers(group, nearest, goal.numbers().astype(np.float64))
    classes, places = np.unique(goal.values, return_inverse=True)
    if len(nearest) * len(classes) > _MOST_CELLS:
        return 0.0
    return _of_classes(group, nearest, places.astype(np.intp), len(classes))


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


def _note(column: Column, strength: float, goal: Column) -> Note:
    what = "Determines the target completely"
    if strength <= _COMPLETELY:
        of_what = "variation" if goal.kind == "numeric" else "errors"
        verb = "Explains" if goal.kind == "numeric" else "Avoids"
        what = f"{verb} {percent(strength)} of the {of_what} of the target by itself"
    name = column.name
    if names_cases(column):
        text = f"{what}. If its values name cases (patients, sites) with several rows each:"
        return Note(
            "tells_target",
            f"{text} compare(X, y, group={name!r}). Else drop it.",
            f"{text} --group {shlex.quote(name)}. Else --drop {shlex.quote(name)}.",
        )
    text = f"{what}. Was it known before the outcome was? If not:"
    return Note(
        "tells_target",
        f"{text} table.drop({name!r}).",
        f"{text} --drop {shlex.quote(name)}.",
    )


def names_cases(column: Column) -> bool:
    """Whether a column has many values with several rows each, as a patient's name has."""
    if column.kind != "category" or column.is_missing.any():
        return False
    return _FEWEST_CASES <= column.n_used_categories <= len(column) / 2
