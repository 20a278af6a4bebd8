"""Groups of rows in which a model errs more than elsewhere.

1. Every column makes a few groups: its frequent categories, its numbers, missing values.
2. Each group has its share of errors (classes) or its mean error, true less predicted (numbers).
3. Intervals allow for the number of groups: with 95 % confidence all of them hold together.
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from branchline.assess import Interval, Outcome, wilson_interval
from branchline.assess.comparing import row_groups
from branchline.table import Column, Table

__all__ = ["Slice", "worst_slices"]

Rows = npt.NDArray[np.bool_]

_FEWEST_ROWS = 20
_SMALLEST_SHARE = 0.02
_MOST_LEVELS = 12
_MOST_COLUMNS = 300


@dataclass(frozen=True)
class Slice:
    """A group of rows.

    Parameters
    ----------
    column, label
        The column and what its cells are in this group.
    n_rows
        How many rows it has.
    error
        The share of wrong predictions, or the mean of true less predicted, with an interval.
    stands_out
        Whether the interval leaves out what holds for all rows.
    """

    column: str
    label: str
    n_rows: int
    error: Interval
    stands_out: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the group as plain data."""
        return asdict(self)


def worst_slices(table: Table, outcome: Outcome, most: int = 8) -> tuple[Slice, ...]:
    """Return the groups of rows that differ most from all rows; ``table`` holds the same rows."""
    fewest = max(_FEWEST_ROWS, math.ceil(_SMALLEST_SHARE * table.n_rows))
    parts = [
        (name, label, rows)
        for name in table.names[:_MOST_COLUMNS]
        for label, rows in _parts(table.column(name), fewest)
    ]
    if not parts:
        return ()
    confidence = 1 - 0.05 / len(parts)
    if outcome.classes is None:
        found = [_of_numbers(part, outcome, confidence) for part in parts]
        return _largest(found, 0.0, most)
    is_wrong = outcome.truth != outcome.predicted
    overall = float(is_wrong.mean())
    found = [_of_classes(part, is_wrong, overall, confidence) for part in parts]
    return _largest([one for one in found if one.error.estimate > overall], overall, most)


def _largest(found: list[Slice], overall: float, most: int) -> tuple[Slice, ...]:
    """Return those that differ most, the sure ones first."""

    def rank(one: Slice) -> tuple[bool, float]:
        return not one.stands_out, -abs(one.error.estimate - overall)

    return tuple(sorted(found, key=rank)[:most])


def _of_classes(part: Any, is_wrong: Rows, overall: float, confidence: float) -> Slice:
    name, label, rows = part
    n_rows = int(rows.sum())
    error = wilson_interval(int(is_wrong[rows].sum()), n_rows, confidence)
    return Slice(name, label, n_rows, error, error.low > overall)


def _of_numbers(part: Any, outcome: Outcome, confidence: float) -> Slice:
    name, label, rows = part
    with np.errstate(over="ignore", invalid="ignore"):
        residuals = outcome.truth[rows] - outcome.predicted[rows]
        n_rows, mean = len(residuals), float(residuals.mean())
        reach = float(stats.t.ppf(0.5 + confidence / 2, n_rows - 1))
        half = reach * float(residuals.std(ddof=1)) / math.sqrt(n_rows)
    return Slice(
        name, label, n_rows, Interval(mean, mean - half, mean + half), not abs(mean) <= half
    )


def _parts(column: Column, fewest: int) -> Iterator[tuple[str, Rows]]:
    """Yield the groups of a column that have enough rows, but not a group of all rows."""
    for label, rows in row_groups(column, _MOST_LEVELS):
        count = int(rows.sum())
        if fewest <= count < len(rows):
            yield label, rows
